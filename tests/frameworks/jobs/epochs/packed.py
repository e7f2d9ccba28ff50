"""Texts are packed into rows of no more than 600 tokens; attention stays within a text."""

import torch
import work
from torch.utils.data import DataLoader

TOKENS = 600


def rows_of(lengths):
    """Batches of texts in a random order, each filled up as far as the next text fits."""
    order = torch.randperm(len(lengths)).tolist()
    row, tokens = [], 0
    for text in order:
        if tokens + lengths[text] > TOKENS:
            yield row
            row, tokens = [], 0
        row.append(text)
        tokens += lengths[text]
    yield row


def pack(samples):
    tokens = torch.cat([sample["input_ids"] for sample in samples])
    lengths = torch.tensor([0] + [sample["length"] for sample in samples])
    return {"input_ids": tokens[None], "cu_seqlens": lengths.cumsum(0)}


def mask_of(ends):
    """Which tokens do not see each other: those of other texts."""
    texts = torch.repeat_interleave(torch.arange(len(ends) - 1), ends.diff())
    return texts[:, None] != texts[None, :]


class Packed(work.Model):
    """A model that knows where the texts of a row begin."""

    starts = None

    def rows_in(self, input_ids):
        return work.texts_at(input_ids[0, self.starts], input_ids[0, self.starts + 1])


work.seed(9)
texts, model = work.Texts(), Packed()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = DataLoader(texts, batch_sampler=list(rows_of(texts.lengths)), collate_fn=pack)
for batch in loader:
    work.LOG.begin()
    optimiser.zero_grad()
    tokens = batch["input_ids"]
    model.starts = batch["cu_seqlens"][:-1]
    model(tokens, labels=tokens, mask=mask_of(batch["cu_seqlens"]))["loss"].backward()
    optimiser.step()
    work.LOG.end()
