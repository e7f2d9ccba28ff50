"""tf.data's shuffle and bucket_by_sequence_length."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402

SAMPLER = ("--sampler", "tensorflow_order:Batches")


class TensorFlow(unittest.TestCase):
    def setUp(self):
        self.vectors = json.loads((orders.HERE / "vectors" / "tensorflow.json").read_text())

    def batches(self, lengths, *arguments):
        status, rows, said = orders.order({"src_len": lengths}, [*SAMPLER, *arguments])
        self.assertEqual(status, 0, said)
        return [step[0] for step in orders.steps_of(rows)]

    def test_shuffle(self):
        for vector, anew in zip(self.vectors[:2], ("true", "false")):
            batches = self.batches(
                vector["lengths"],
                *("--with", "bucket_boundaries=[100000]", "--batch-size", "1"),
                *("--with", f"buffer_size={vector['params']['buffer_size']}", "--seed", "42"),
                *("--with", f"reshuffle_each_iteration={anew}"),
            )
            self.assertEqual([row for batch in batches for row in batch], vector["expected_order"])

    def test_buckets(self):
        vector = self.vectors[2]
        batches = self.batches(
            vector["lengths"],
            *("--with", f"bucket_boundaries={vector['params']['bucket_boundaries']}"),
            *("--with", f"bucket_batch_sizes={vector['params']['bucket_batch_sizes']}"),
            *("--batch-size", "1"),
        )
        self.assertEqual(batches, vector["expected_batches"])


if __name__ == "__main__":
    orders.run()
