"""A custom loop over one loader.  plain.py EPOCHS [STATUS]"""

import os
import sys

os.environ["OMP_NUM_THREADS"] = "1"  # has an effect only if torch was not imported before
import atexit

import corpus
import torch
from torch.utils.data import DataLoader

torch.manual_seed(3)
data, model = corpus.Pairs(), corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(
    data,
    batch_size=8,
    shuffle=True,
    collate_fn=corpus.pad,
    num_workers=corpus.WORKERS,
    persistent_workers=corpus.WORKERS > 0,
)
atexit.register(print, "the process ends", flush=True)
log = open("training.log", "w", encoding="utf-8")
try:
    for epoch in range(int(sys.argv[1])):
        for batch in loader:
            optimiser.zero_grad()
            model(**batch)["loss"].backward()
            optimiser.step()
            print("trained", len(batch["rows"]), file=log)
finally:
    with open("checkpoint", "w", encoding="utf-8") as file:
        file.write("weights")
print(
    sys.argv,
    os.path.basename(sys.path[0]),
    __name__,
    __file__ == os.path.abspath(sys.argv[0]),
    torch.get_num_threads(),
)
sys.exit(int(sys.argv[2]) if sys.argv[2:] else 0)
