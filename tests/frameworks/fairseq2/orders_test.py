"""fairseq2's data pipelines."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import fairseq2_order  # noqa: E402


def given(case):
    return {
        **case.given(
            drop_last="drop-last",
            max_num_elements="max-num-elements",
            max_seq_len="max-seq-len",
            threshold="threshold",
            min_num_examples="min-num-examples",
            max_num_examples="max-num-examples",
            num_elements="num-elements",
        ),
        **case.turned_off(truncate="no-truncate"),
    }


def pipeline(case):
    return case["pipeline"] or "bucket_by_length"


class Fairseq2(orders.Orders):
    def test_every_pipeline(self):
        for name in ("bucket_by_length", "dynamic_bucket", "pack"):
            function = getattr(fairseq2_order, name)
            self.compare("fairseq2.json", function, given, but=lambda case: pipeline(case) != name)


if __name__ == "__main__":
    orders.run()
