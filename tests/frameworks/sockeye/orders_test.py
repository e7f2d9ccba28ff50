"""Sockeye's bucketed iterator over text."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402


def arguments(case):
    source, target = case["max-seq-len"].split(":")
    return [
        *("--sampler", "sockeye_order:Batches", "--with", "targets=@tgt_len"),
        *("--with", f"max_seq_len=[{source},{target}]"),
        *case.same("batch-size", "seed", "epoch", "epochs"),
        *case.given(
            batch_type="batch-type",
            batch_sentences_multiple_of="batch-sentences-multiple-of",
            bucket_width="bucket-width",
            bucket_scaling="bucket-scaling",
        ),
        *case.turned_off(bucketing="no-bucketing"),
    ]


class Sockeye(orders.Orders):
    def test_text(self):
        self.compare("sockeye.json", arguments, but=lambda case: case["prepared-data"])


if __name__ == "__main__":
    orders.run()
