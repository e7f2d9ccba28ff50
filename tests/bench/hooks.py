#!/usr/bin/env python3
"""The CPU time that `record` adds to a batch: python3 tests/bench/hooks.py [ROUNDS] [COMPANION...]

A job without any seqpoint code trains by itself and under the wrapper, in turn. Its iterations take
0 ms, which shows the hooks alone, or 5 ms of CPU time. The first 100 batches show what is added
once in a process: whether it trains, and by which optimisers. The figure is the CPU time per batch
from then to the last: the minimum over rounds with the wrapper less the minimum without it,
because other load on the machine only adds to either. Both medians are also printed. COMPANIONS are
folders that seqpoint_companion lies in, in turn as well; without any, this source tree's.
"""
import os
import statistics
import subprocess
import sys
import tempfile

COMPANION = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "python"))
BATCHES = {0: 4000, 5: 1000}  # by milliseconds an iteration
JOB = """
import sys, time
import torch
from torch.utils.data import DataLoader

torch.set_num_threads(1)
milliseconds, batches = int(sys.argv[1]), int(sys.argv[2])
data = [torch.zeros(10 + i % 50, dtype=torch.long) for i in range(4 * batches)]
pad = torch.nn.utils.rnn.pad_sequence
weight, began = torch.ones(1, requires_grad=True), []
for batch in DataLoader(data, batch_size=4, collate_fn=lambda rows: pad(rows, batch_first=True)):
    began.append(time.process_time())
    weight.sum().backward()
    until = time.process_time() + milliseconds / 1000
    while time.process_time() < until:
        pass
print((began[-1] - began[100]) / (batches - 101), began[100] - began[0])
"""


def seconds_of_job(companion, milliseconds, *around):
    """[seconds of a batch, seconds of the first 100 batches]."""
    done = subprocess.run(
        [sys.executable, *around, "job.py", str(milliseconds), str(BATCHES[milliseconds])],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": companion, "OMP_NUM_THREADS": "1"},
    )
    return [float(word) for word in done.stdout.split()]


def added_to_a_batch(companions, milliseconds, rounds):
    """[(without, with `record`)] of each companion, all in turn, as seconds_of_job() has them."""
    record = ("-m", "seqpoint_companion", "record", "-o", "out.csv", "--")
    runs = {companion: [] for companion in companions}
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        with open("job.py", "w", encoding="ascii") as file:
            file.write(JOB)
        for _ in range(rounds):
            for companion in companions:
                bare = seconds_of_job(companion, milliseconds)
                runs[companion].append((bare, seconds_of_job(companion, milliseconds, *record)))
        os.chdir(before)
    return runs


def text_of(companion, milliseconds, runs):
    without, recorded = zip(*runs)
    (bare, first), (more, more_first) = (map(min, zip(*of)) for of in (without, recorded))
    middle = [1e6 * statistics.median(a_batch for a_batch, _ in of) for of in (without, recorded)]
    return (
        f"{companion}: {milliseconds} ms an iteration: {1e6 * bare:.0f} us of CPU a batch; record "
        f"adds {1e6 * (more - bare):.1f} us, {100 * (more / bare - 1):.2f} % (medians of "
        f"{len(runs)}: {middle[0]:.0f} and {middle[1]:.0f} us), and "
        f"{1e3 * (more_first - first):.0f} ms in the first 100 batches"
    )


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    companions = [os.path.abspath(of) for of in sys.argv[2:]] or [COMPANION]
    for milliseconds in BATCHES:
        for companion, runs in added_to_a_batch(companions, milliseconds, rounds).items():
            print(text_of(os.path.relpath(companion), milliseconds, runs), flush=True)


if __name__ == "__main__":
    main()
