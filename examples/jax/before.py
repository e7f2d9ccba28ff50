"""Trains a small language model on sentences of different lengths, with JAX."""

import jax
import jax.numpy as jnp
import numpy as np

WORDS, WIDTH, SENTENCES, BATCH, MULTIPLE = 1000, 64, 4000, 8, 16


def make_batches():
    """Sentences of random words in random order, each batch padded to a multiple of 16."""
    rng = np.random.default_rng(0)
    lengths = 4 + rng.gamma(2.0, 25.0, SENTENCES).astype(int)
    for rows in lengths.reshape(-1, BATCH):
        longest = -(-rows.max() // MULTIPLE) * MULTIPLE
        words = np.minimum(rng.zipf(1.2, (BATCH, longest)), WORDS - 1)
        yield np.where(np.arange(longest) < rows[:, None], words, 0)


def loss_of(weights, words):
    x = weights["embed"][words]
    scores = jnp.einsum("bqd,bkd->bqk", x @ weights["query"], x) / WIDTH**0.5
    mask = jnp.tril(jnp.ones(scores.shape[1:], bool)) & (words > 0)[:, None, :]
    x = x + jax.nn.softmax(jnp.where(mask, scores, -1e9)) @ x
    logits = jax.nn.log_softmax(x[:, :-1] @ weights["embed"].T)
    said = jnp.take_along_axis(logits, words[:, 1:, None], axis=2)[..., 0]
    return -(said * (words[:, 1:] > 0)).mean()


@jax.jit
def step(weights, words):
    loss, slopes = jax.value_and_grad(loss_of)(weights, words)
    return jax.tree.map(lambda w, slope: w - 3.0 * slope, weights, slopes), loss


def main():
    embed, query = jax.random.split(jax.random.key(0))
    weights = {
        "embed": 0.1 * jax.random.normal(embed, (WORDS, WIDTH)),
        "query": 0.1 * jax.random.normal(query, (WIDTH, WIDTH)),
    }
    for epoch in range(2):
        for words in make_batches():
            weights, loss = step(weights, words)
        print(f"epoch {epoch}: loss {loss:.3f}")


if __name__ == "__main__":
    main()
