"""OpenNMT-py's DynamicDatasetIter."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402


def arguments(case):
    return [
        *("--sampler", "opennmt_order:batches"),
        *case.same("batch-size", "seed", "world-size"),
        *("--batches", str(len(case.vector["expected_steps"]))),  # ranks may have more
        *case.given(
            batch_type="batch-type",
            batch_size_multiple="batch-size-multiple",
            bucket_size="bucket-size",
            bucket_size_init="bucket-size-init",
            bucket_size_increment="bucket-size-increment",
            num_workers="num-workers",
        ),
        *(["--with", "targets=@tgt_len"] if case.vector.get("tgt") else []),
    ]


class OpenNmt(orders.Orders):
    def test_one_pass(self):
        self.compare("opennmt.json", arguments, but=lambda case: case["epochs"] != "1")


if __name__ == "__main__":
    orders.run()
