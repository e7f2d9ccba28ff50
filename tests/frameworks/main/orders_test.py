"""group_texts of transformers' run_clm.py, in Dataset.map."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import group_texts_order  # noqa: E402


def given(case):
    return case.given(block_size="block-size")


class GroupTexts(orders.Orders):
    def test_blocks(self):
        self.compare("hf_group_texts.json", group_texts_order.blocks, given)


if __name__ == "__main__":
    orders.run()
