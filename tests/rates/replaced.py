#!/usr/bin/env python3
"""How often `run --by operator` names an operator that a build replaces; none if builds are equal:

    replaced.py PROGRAM [RUNS]

A network of PyTorch on one thread; the new build has GELU where the old one has ReLU. Prints a row
each: right if the largest certain difference is of these operators or their gradients, or if there
is none between equal builds. Takes about 25 s a run.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
JOB = """
import sys
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
lengths = torch.randint(8, 121, (1600,)).tolist()
texts = [torch.randint(0, 1000, (length,)) for length in lengths]
loader = torch.utils.data.DataLoader(
    texts,
    batch_size=16,
    shuffle=True,
    collate_fn=lambda batch: nn.utils.rnn.pad_sequence(batch, batch_first=True),
)
between = {"relu": nn.ReLU, "gelu": nn.GELU}[sys.argv[1]]()
model = nn.Sequential(nn.Embedding(1000, 64), nn.Linear(64, 512), between, nn.Linear(512, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for batch in loader:
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
"""
OPERATORS = re.compile("gelu|relu|clamp_min|threshold_backward", re.IGNORECASE)
NAMED = re.compile(r"^operator +\S+ .*   (.+)$", re.MULTILINE)


def named(new):
    """The operator of the largest certain difference from ReLU to `new`; "" if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "job.py"), "w", encoding="utf-8") as file:
            file.write(JOB)
        build = f"exec {shlex.quote(sys.executable)} -W ignore job.py"
        done = subprocess.run(
            [PROGRAM, "run", "-q", "--by", "operator", "--points", "4", "--max-processes", "3"]
            + [f"old={build} relu", f"new={build} {new}"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
    found = NAMED.search(done.stdout)
    return found[1] if found else ""


def main():
    for new in ("gelu", "relu"):
        found = [named(new) for _ in range(RUNS)]
        right = [bool(OPERATORS.search(name)) if new == "gelu" else not name for name in found]
        print(f"relu beside {new}: right {sum(right)} of {RUNS}: {', '.join(sorted(set(found)))}")


if __name__ == "__main__":
    main()
