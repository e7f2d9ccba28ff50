"""A training job of a library other than PyTorch, with a loop around seqpoint.iterate:

    iterated_job.py numpy|jax|tensorflow [--batches N] [--width N] [--stream] [--blocking FILE]

Its batches are padded to a multiple of 32, so that few shapes are compiled. With --blocking it
times an epoch itself, after each shape has run: each step is waited for by what it returns.
"""

import argparse
import json
import time

import numpy as np
import seqpoint

SAMPLES, MULTIPLE = 8, 32


def lengths_of_batches(number):
    longest = 20 + np.random.default_rng(7).gamma(2.0, 45.0, (number, SAMPLES)).max(axis=1)
    return np.ceil(np.minimum(longest, 480) / MULTIPLE).astype(int) * MULTIPLE


class Batches:
    """The n-th batch by its index; or, as a stream, one after the other."""

    def __init__(self, number, width):
        self.lengths, self.width = lengths_of_batches(number), width

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, number):
        shape = (SAMPLES, self.lengths[number], self.width)
        return np.random.default_rng(number).standard_normal(shape, dtype=np.float32)


def stream(batches):
    for number in range(len(batches)):
        yield batches[number]


def numpy_step(width):
    weights = np.eye(width, dtype=np.float32)

    def step(x):
        h = np.tanh(x @ weights)
        scores = h @ x.transpose(0, 2, 1)
        scores = np.exp(scores - scores.max(axis=2, keepdims=True))
        y = (scores / scores.sum(axis=2, keepdims=True)) @ h
        weights[:] -= 1e-6 * np.tensordot(x, y, ((0, 1), (0, 1)))

    return step, lambda: None


def jax_step(width):
    import jax
    import jax.numpy as jnp

    def loss_of(weights, x):
        h = jnp.tanh(x @ weights)
        return (jax.nn.softmax(h @ x.swapaxes(1, 2)) @ h).mean()

    update = jax.jit(lambda weights, x: weights - 0.1 * jax.grad(loss_of)(weights, x))
    state = [jnp.eye(width)]

    def step(x):
        state[0] = update(state[0], x)

    return step, lambda: state[0].block_until_ready()


def tensorflow_step(width):
    import tensorflow as tf

    weights = tf.Variable(tf.eye(width))

    @tf.function(reduce_retracing=True)
    def update(x):
        with tf.GradientTape() as tape:
            h = tf.tanh(x @ weights)
            loss = tf.reduce_mean(tf.nn.softmax(h @ tf.transpose(x, (0, 2, 1))) @ h)
        weights.assign_sub(0.1 * tape.gradient(loss, weights))

    return (lambda x: update(tf.constant(x))), weights.numpy


def time_blocking(batches, step, wait, path):
    """Writes the seconds of an epoch in which each step is waited for."""
    for number in np.unique(batches.lengths, return_index=True)[1]:
        for _ in range(3):
            step(batches[number])
            wait()
    begun = time.perf_counter()
    for number in range(len(batches)):
        step(batches[number])
        wait()
    with open(path, "w", encoding="utf-8") as file:
        json.dump(time.perf_counter() - begun, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=("numpy", "jax", "tensorflow"))
    parser.add_argument("--batches", type=int, default=60)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--blocking")
    given = parser.parse_args()
    batches = Batches(given.batches, given.width)
    step, wait = globals()[f"{given.library}_step"](given.width)
    if given.blocking:
        time_blocking(batches, step, wait, given.blocking)
        return
    for batch in seqpoint.iterate(stream(batches) if given.stream else batches):
        print("got", batch.shape[1], flush=True)
        step(batch)


if __name__ == "__main__":
    main()
