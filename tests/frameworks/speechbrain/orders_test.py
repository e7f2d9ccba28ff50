"""SpeechBrain's DynamicBatchSampler."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import speechbrain_order  # noqa: E402


def given(case):
    return {
        "num_buckets": None,
        **case.given(
            seed="seed",
            drop_last="drop-last",
            max_batch_length="max-batch-length",
            num_buckets="num-buckets",
            max_batch_ex="max-batch-ex",
            batch_ordering="batch-ordering",
            bucket_boundaries="bucket-boundaries",
        ),
        **case.turned_off(shuffle="no-shuffle"),
    }


class SpeechBrain(orders.Orders):
    def test_dynamic_batches(self):
        self.compare("speechbrain.json", speechbrain_order.batches, given)


if __name__ == "__main__":
    orders.run()
