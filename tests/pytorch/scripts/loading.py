"""Row n of the data set has 5 + 7 n % 31 values.  loading.py BATCHES SECONDS KIND WORKERS

In one of several workers other lengths come, or none, if KIND says so.
"""

import os, socket, sys, time, torch
from torch.utils.data import DataLoader, get_worker_info

batches, seconds, kind = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]

if kind == "clock":  # it advances while data is loaded, and then only
    now = [0.0]
    time.perf_counter = lambda: now[0]
    time.sleep = lambda seconds: now.append(now.pop() + seconds)


def is_one_of_several():
    return get_worker_info() is not None and get_worker_info().num_workers > 1


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 2 * batches

    def __getitem__(self, row):
        time.sleep(seconds)
        with open(f"loaded-{os.getpid()}", "a") as file:
            print(row, file=file)
        if kind == "fails" and is_one_of_several() and row % 50 == 0:
            raise OSError("a file that only one process may open")
        if kind == "equal":
            row = 0
        if kind == "lines":
            lines.seek(5 * row)
            half = lines.read(2)
            time.sleep(seconds / 2)
            row = int(half + lines.read(3))
        return torch.ones(5 + 7 * row % 31 + (kind == "differs" and is_one_of_several()))


if kind == "lines":
    with open("lines", "w") as file:
        file.writelines(f"{row:04}\n" for row in range(2 * batches))
    lines = open("lines", "rb", buffering=0)
connection = socket.socket() if kind == "connected" else None


def collate(samples):
    return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)


torch.manual_seed(1)
workers = int(sys.argv[4])
loader = DataLoader(Data(), batch_size=2, shuffle=True, collate_fn=collate, num_workers=workers)
model = torch.nn.Linear(1, 1)
optimiser = torch.optim.SGD(model.parameters(), 0.1)
for batch in loader:
    model(batch[:, :1]).sum().backward()
    optimiser.step()
open("trained", "w").close()
