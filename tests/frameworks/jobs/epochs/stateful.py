"""torchdata's StatefulDataLoader, whose state is asked for before the epoch."""

import work
from torchdata.stateful_dataloader import StatefulDataLoader

work.seed(7)
loader = StatefulDataLoader(work.Texts(), batch_size=work.BATCH, shuffle=True, collate_fn=work.pad)
loader.state_dict()
print("loss", work.train(loader))
