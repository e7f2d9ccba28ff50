"""torchtune's PackedDataset."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402


def arguments(case):
    return [
        *("--sampler", "torchtune_order:packs"),
        *case.given(
            max_seq_len="max-seq-len",
            max_packs="max-packs",
            split_across_pack="split-across-pack",
        ),
    ]


class Torchtune(orders.Orders):
    def test_packs(self):
        self.compare("torchtune.json", arguments)


if __name__ == "__main__":
    orders.run()
