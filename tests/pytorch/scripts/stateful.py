"""torchdata's StatefulDataLoader. Its state is read before the first batch, as torchtitan does."""

import corpus
import torch
from torchdata.stateful_dataloader import StatefulDataLoader

torch.manual_seed(3)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loader = StatefulDataLoader(
    data, batch_size=8, shuffle=True, collate_fn=corpus.pad, num_workers=corpus.WORKERS
)
loader.state_dict()
for epoch in range(2):
    for batch in loader:
        optimiser.zero_grad()
        model(**batch)["loss"].backward()
        optimiser.step()
