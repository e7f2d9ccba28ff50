"""Loops of TensorFlow and Keras around seqpoint.iterate: iterate_test.py SOURCE SEQPOINT"""

import sys
import unittest
from pathlib import Path

SOURCE, PROGRAM = (str(Path(word).resolve()) for word in sys.argv[1:3])
sys.path.insert(0, str(Path(SOURCE) / "tests" / "frameworks"))
import iterated  # noqa: E402

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from seqpoint_companion import device, libraries  # noqa: E402
from seqpoint_companion.iterated.source import Source  # noqa: E402

LENGTHS = [5, 9, 7, 3]


class Keras(keras.utils.PyDataset):
    def __len__(self):
        return len(LENGTHS)

    def __getitem__(self, number):
        return np.full((2, LENGTHS[number]), number), np.zeros(2)


def of_tf_data():
    """Batches that are padded by tf.data, in the order of LENGTHS."""
    shape = tf.TensorSpec((None,), tf.int32)
    samples = [np.full(length, n) for n, length in enumerate(LENGTHS) for _ in range(2)]
    data = tf.data.Dataset.from_generator(lambda: iter(samples), output_signature=shape)
    return data.padded_batch(2).prefetch(1)


def source(batches):
    return Source(batches, None, None, None, "iterate at job.py:1")


class Batches(unittest.TestCase):
    def test_a_py_dataset_is_reached_by_index(self):
        batches = source(Keras())
        self.assertTrue(batches.indexed)
        self.assertEqual([batches.columns(each)["src_len"] for each in batches.each()], LENGTHS)
        self.assertEqual(batches.columns(batches.batch(2)), {"src_len": 7, "batch_size": 2})

    def test_tf_data_is_a_stream(self):
        batches = source(of_tf_data())
        self.assertFalse(batches.indexed)
        self.assertIsNone(batches.length)
        batches.require_end()
        self.assertEqual([batches.columns(each)["src_len"] for each in batches.each()], LENGTHS)
        batches = source(of_tf_data())
        batches.keep({0, 2})
        self.assertEqual(batches.read, 3)
        np.testing.assert_array_equal(batches.batch(2), np.full((2, 7), 2))

    def test_an_endless_one_is_refused(self):
        with self.assertRaises(SystemExit):
            end = mock_exit()
            with end:
                source(of_tf_data().repeat()).require_end()

    def test_padding_is_not_counted(self):
        batch = np.array([[1, 2, 3, 0, 0], [1, 2, 0, 0, 0]])
        columns = Source([], None, 0, None, "").columns(tf.constant(batch))
        self.assertEqual(columns, {"src_len": 3, "batch_size": 2, "tokens": 5})


def mock_exit():
    """give_up() raises SystemExit in place of ending the process."""
    from unittest import mock

    return mock.patch("os._exit", side_effect=SystemExit)


class Waiting(unittest.TestCase):
    def test_operations_in_the_background_are_waited_for(self):
        tf.config.experimental.set_synchronous_execution(False)
        try:
            x = tf.eye(600) @ tf.eye(600)
            libraries.wait()
            self.assertEqual(float(x[0, 0]), 1)
        finally:
            tf.config.experimental.set_synchronous_execution(True)

    def test_the_device_has_a_name(self):
        tf.constant(1)
        self.assertEqual(device.name() == "cpu", not tf.config.get_visible_devices("GPU"))


class Runs(unittest.TestCase):
    def test_batches_by_index(self):
        rows = iterated.require_batches_of_plan(self, PROGRAM, "tensorflow")
        self.assertIn(f"tensorflow={tf.__version__}", rows[0]["recorded_by"])

    def test_a_stream(self):
        iterated.require_batches_of_plan(self, PROGRAM, "tensorflow", "--stream")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
