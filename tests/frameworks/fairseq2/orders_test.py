"""fairseq2's data pipelines."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402


def arguments(case):
    pipeline = case["pipeline"] or "bucket_by_length"
    return [
        *("--sampler", f"fairseq2_order:{pipeline}"),
        *case.same("drop-last"),
        *case.given(
            max_num_elements="max-num-elements",
            max_seq_len="max-seq-len",
            threshold="threshold",
            min_num_examples="min-num-examples",
            max_num_examples="max-num-examples",
            num_elements="num-elements",
        ),
        *case.turned_off(truncate="no-truncate"),
    ]


class Fairseq2(orders.Orders):
    def test_every_pipeline(self):
        self.compare("fairseq2.json", arguments)


if __name__ == "__main__":
    orders.run()
