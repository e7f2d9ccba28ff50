"""LLaMA-Factory's packing."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import llamafactory_order  # noqa: E402


def given(case):
    return case.given(cutoff_len="cutoff-len")


def is_pretraining(case):
    return case["stage"] == "pt"


class LlamaFactory(orders.Orders):
    def test_knapsacks(self):
        packs = llamafactory_order.packs
        self.compare("llama_factory.json", packs, given, but=is_pretraining)

    def test_blocks(self):
        blocks = llamafactory_order.blocks
        self.compare("llama_factory.json", blocks, given, but=lambda case: not is_pretraining(case))


if __name__ == "__main__":
    orders.run()
