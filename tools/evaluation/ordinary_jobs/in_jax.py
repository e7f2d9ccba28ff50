"""JAX around seqpoint.iterate; NumPy shuffles without a seed. Batches have ten sizes."""

import random
import time

import jax
import jax.numpy as jnp
import numpy as np
import seqpoint

DRAW = random.Random(11)
LENGTHS = [min(320, max(4, int(DRAW.lognormvariate(3.6, 0.6)))) for _ in range(4800)]
ROWS, WIDTH, WORDS = np.random.permutation(len(LENGTHS)), 256, 1000


def batches():
    for at in range(0, len(ROWS), 16):
        rows = ROWS[at : at + 16]
        length = -(-max(LENGTHS[row] for row in rows) // 32) * 32
        yield np.stack([np.full(length, 1 + row % (WORDS - 1)) for row in rows])


def loss(weights, batch):
    hidden = weights["embedding"][batch]
    for layer in weights["layers"]:
        hidden = hidden + jnp.tanh(hidden @ layer)
    scores = jax.nn.log_softmax(hidden @ weights["head"])
    return -jnp.mean(jnp.take_along_axis(scores, batch[..., None], axis=-1))


@jax.jit
def step(weights, batch):
    gradients = jax.grad(loss)(weights, batch)
    return jax.tree.map(lambda weight, slope: weight - 0.01 * slope, weights, gradients)


def drawn(*shape):
    return jnp.array(np.random.normal(0, 0.05, shape), dtype=jnp.float32)


weights = {
    "embedding": drawn(WORDS, WIDTH),
    "layers": [drawn(WIDTH, WIDTH) for _ in range(4)],
    "head": drawn(WIDTH, WORDS),
}
begun_s = time.perf_counter()
for batch in seqpoint.iterate(list(batches())):
    weights = step(weights, batch)
jax.block_until_ready(weights)
print(f"epoch {time.perf_counter() - begun_s:.2f}", flush=True)
