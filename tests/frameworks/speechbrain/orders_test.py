"""SpeechBrain's DynamicBatchSampler."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402


def arguments(case):
    return [
        *("--sampler", "speechbrain.dataio.sampler:DynamicBatchSampler"),
        *case.same("seed", "epoch", "epochs", "drop-last", "no-set-epoch"),
        *case.given(
            max_batch_length="max-batch-length",
            num_buckets="num-buckets",
            max_batch_ex="max-batch-ex",
            batch_ordering="batch-ordering",
        ),
        *case.turned_off(shuffle="no-shuffle"),
        *bounds(case["bucket-boundaries"]),
    ]


def bounds(text):
    return ["--with", f"bucket_boundaries=[{text}]"] if text else []


class SpeechBrain(orders.Orders):
    def test_dynamic_batches(self):
        self.compare("speechbrain.json", arguments)


if __name__ == "__main__":
    orders.run()
