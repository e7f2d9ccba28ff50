"""tf.data's shuffle and bucket_by_sequence_length."""

import functools
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import tensorflow_order  # noqa: E402


class TensorFlow(unittest.TestCase):
    def setUp(self):
        self.vectors = json.loads((orders.HERE / "vectors" / "tensorflow.json").read_text())

    def batches(self, lengths, **given):
        sampler = functools.partial(tensorflow_order.batches, batch_size=1, **given)
        status, rows, said = orders.order({"src_len": lengths}, sampler, [])
        self.assertEqual(status, 0, said)
        return [step[0] for step in orders.steps_of(rows)]

    def test_shuffle(self):
        for vector, anew in zip(self.vectors[:2], (True, False)):
            batches = self.batches(
                vector["lengths"],
                bucket_boundaries=[100000],
                buffer_size=vector["params"]["buffer_size"],
                seed=42,
                reshuffle_each_iteration=anew,
            )
            self.assertEqual([row for batch in batches for row in batch], vector["expected_order"])

    def test_buckets(self):
        vector = self.vectors[2]
        batches = self.batches(
            vector["lengths"],
            bucket_boundaries=vector["params"]["bucket_boundaries"],
            bucket_batch_sizes=vector["params"]["bucket_batch_sizes"],
            buffer_size=None,
        )
        self.assertEqual(batches, vector["expected_batches"])


if __name__ == "__main__":
    orders.run()
