"""A training loop of 25 lines: a GRU predicts the next token of sequences of 8 to 120 tokens."""

import sys

import torch
from torch import nn

hidden = int(sys.argv[1]) if len(sys.argv) > 1 else 96
samples = int(sys.argv[2]) if len(sys.argv) > 2 else 24000
torch.manual_seed(0)
lengths = torch.randint(8, 121, (samples,)).tolist()
texts = [torch.randint(0, 1000, (length,)) for length in lengths]
loader = torch.utils.data.DataLoader(
    texts,
    batch_size=16,
    shuffle=True,
    collate_fn=lambda batch: nn.utils.rnn.pad_sequence(batch, batch_first=True),
)
embed, gru, out = (
    nn.Embedding(1000, hidden),
    nn.GRU(hidden, hidden, batch_first=True),
    nn.Linear(hidden, 1000),
)
optimizer = torch.optim.Adam([*embed.parameters(), *gru.parameters(), *out.parameters()])
for batch in loader:
    scores = out(gru(embed(batch[:, :-1]))[0])
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
