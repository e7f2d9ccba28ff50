"""torchtune's PackedDataset."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import torchtune_order  # noqa: E402


def given(case):
    return case.given(
        max_seq_len="max-seq-len",
        max_packs="max-packs",
        split_across_pack="split-across-pack",
    )


class Torchtune(orders.Orders):
    def test_packs(self):
        self.compare("torchtune.json", torchtune_order.packs, given)


if __name__ == "__main__":
    orders.run()
