import json
import random
import time

import jax.numpy as jnp
import numpy as np
import optax
import seqpoint
from flax import nnx

with open("data/texts.jsonl") as file:
    rows = [json.loads(line) for line in file]


def batches(rows, size=16):
    """Batches of rows, padded to a multiple of 40."""
    rows = random.sample(rows, len(rows))
    for begin in range(0, len(rows), size):
        part = rows[begin : begin + size]
        longest = max(len(row["words"]) for row in part)
        words = np.zeros((len(part), -(-longest // 40) * 40), dtype="int32")
        for place, row in zip(words, part):
            place[: len(row["words"])] = row["words"]
        yield {"words": jnp.array(words), "label": jnp.array([row["label"] for row in part])}


class Model(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.embed = nnx.Embed(500, 128, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(4, 128, decode=False, rngs=rngs)
        self.linear1 = nnx.Linear(128, 512, rngs=rngs)
        self.linear2 = nnx.Linear(512, 2, rngs=rngs)

    def __call__(self, words):
        x = self.embed(words)
        x = x + self.attention(x)
        return self.linear2(nnx.relu(self.linear1(x)).mean(axis=1))


def loss_fn(model, batch):
    logits = model(batch["words"])
    loss = optax.softmax_cross_entropy_with_integer_labels(
        logits=logits, labels=batch["label"]
    ).mean()
    return loss, logits


@nnx.jit
def train_step(model, optimizer, batch):
    """Train for a single step."""
    grad_fn = nnx.value_and_grad(loss_fn, has_aux=True)
    (loss, logits), grads = grad_fn(model, batch)
    optimizer.update(model, grads)  # In-place updates.
    return loss


model = Model(rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adamw(0.005, 0.9), wrt=nnx.Param)
for epoch in range(1):
    begun_s = time.perf_counter()
    for batch in seqpoint.iterate(batches(rows), lambda batch: batch["words"].shape[1]):
        loss = train_step(model, optimizer, batch)
    loss.block_until_ready()
    print(f"epoch {epoch}: {time.perf_counter() - begun_s:.2f} s, loss {loss:.3f}")
