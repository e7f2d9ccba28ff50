"""OpenNMT-py's DynamicDatasetIter."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import opennmt_order  # noqa: E402


def given(case):
    return {
        "batch_type": "sents",
        **case.given(
            batch_size="batch-size",
            seed="seed",
            batch_type="batch-type",
            batch_size_multiple="batch-size-multiple",
            bucket_size="bucket-size",
            bucket_size_init="bucket-size-init",
            bucket_size_increment="bucket-size-increment",
            num_workers="num-workers",
        ),
    }


def words(case):
    return ["--batches", str(len(case.vector["expected_steps"]))]  # ranks may have more


class OpenNmt(orders.Orders):
    def test_one_pass(self):
        batches = opennmt_order.batches
        self.compare("opennmt.json", batches, given, words, but=lambda case: case["epochs"] != "1")


if __name__ == "__main__":
    orders.run()
