"""Sockeye's bucketed iterator over text."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import sockeye_order  # noqa: E402


def given(case):
    return {
        **case.given(
            batch_size="batch-size",
            seed="seed",
            max_seq_len="max-seq-len",
            batch_type="batch-type",
            batch_sentences_multiple_of="batch-sentences-multiple-of",
            bucket_width="bucket-width",
            bucket_scaling="bucket-scaling",
        ),
        **case.turned_off(bucketing="no-bucketing"),
    }


class Sockeye(orders.Orders):
    def test_text(self):
        batches = sockeye_order.batches
        self.compare("sockeye.json", batches, given, but=lambda case: case["prepared-data"])


if __name__ == "__main__":
    orders.run()
