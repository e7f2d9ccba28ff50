"""LLaMA-Factory's packing."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402


def arguments(case):
    kind = "blocks" if case["stage"] == "pt" else "packs"
    return ["--sampler", f"llamafactory_order:{kind}", *case.given(cutoff_len="cutoff-len")]


class LlamaFactory(orders.Orders):
    def test_knapsacks_and_blocks(self):
        self.compare("llama_factory.json", arguments)


if __name__ == "__main__":
    orders.run()
