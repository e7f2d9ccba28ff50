"""A plain loop over a shuffled DataLoader."""

import work
from torch.utils.data import DataLoader

work.seed(1)
loader = DataLoader(work.Texts(), batch_size=work.BATCH, shuffle=True, collate_fn=work.pad)
print("loss", work.train(loader))
