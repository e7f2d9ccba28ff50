#!/usr/bin/env python3
"""The CPU time that `record` adds to a batch: python3 tests/bench/hooks.py [ROUNDS]

A job without any seqpoint code trains by itself and under the wrapper, in turn. Its iterations take
0 ms, which shows the hooks alone, or 5 ms of CPU time. The figure is the CPU time per batch from
the first batch to the last: the minimum over rounds with the wrapper less the minimum without it,
because other load on the machine only adds to either. Both medians are also printed.
"""
import os
import statistics
import subprocess
import sys
import tempfile

COMPANION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")
BATCHES = {0: 4000, 5: 1000}  # by milliseconds an iteration
JOB = """
import sys, time
import torch
from torch.utils.data import DataLoader

torch.set_num_threads(1)
milliseconds, batches = int(sys.argv[1]), int(sys.argv[2])
data = [torch.zeros(10 + i % 50, dtype=torch.long) for i in range(4 * batches)]
pad = torch.nn.utils.rnn.pad_sequence
weight, begin = torch.ones(1, requires_grad=True), None
for batch in DataLoader(data, batch_size=4, collate_fn=lambda rows: pad(rows, batch_first=True)):
    begin = begin or time.process_time()
    weight.sum().backward()
    until = time.process_time() + milliseconds / 1000
    while time.process_time() < until:
        pass
print((time.process_time() - begin) / (batches - 1))
"""


def seconds_a_batch(milliseconds, *around):
    done = subprocess.run(
        [sys.executable, *around, "job.py", str(milliseconds), str(BATCHES[milliseconds])],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": COMPANION, "OMP_NUM_THREADS": "1"},
    )
    return float(done.stdout)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("job.py", "w", encoding="ascii") as file:
            file.write(JOB)
        for milliseconds in BATCHES:
            record = ("-m", "seqpoint_companion", "record", "-o", "out.csv", "--")
            both = list(
                zip(
                    *[
                        (seconds_a_batch(milliseconds), seconds_a_batch(milliseconds, *record))
                        for _ in range(rounds)
                    ]
                )
            )
            (bare, recorded), middle = map(min, both), [1e6 * statistics.median(of) for of in both]
            print(
                f"{milliseconds} ms an iteration: {1e6 * bare:.0f} us of CPU a batch; record "
                f"adds {1e6 * (recorded - bare):.1f} us, "
                f"{100 * (recorded / bare - 1):.2f} % (medians of {rounds}: {middle[0]:.0f} and "
                f"{middle[1]:.0f} us)",
                flush=True,
            )


if __name__ == "__main__":
    main()
