"""A training job whose epoch is known: price_job.py KIND BATCHES START LOADING

KIND      shuffled, bucketed (batches of similar lengths, in random order) or sorted
START     seconds before its first batch
LOADING   sleeps or computes: 2.5 ms for each of the four samples of a batch

A batch takes 5 ms and 60 us for each of its padded tokens of four samples, times the level of its
process, which differs by 1 %, and noise of 5 %. Training sleeps, so that its time does not depend
on other work of the machine. With SECONDS set it prints as JSON what the first batches took, as
many as end within these seconds, and the padded tokens of all. With STEADY set, processes and
batches do not differ.
"""

import json
import os
import random
import sys
import time

KIND, BATCHES, START, LOADING = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
SAMPLES, LOAD_S = 4, 0.0025
FIXED_S, TOKEN_S = 0.005, 60e-6
LEVEL, NOISE = (0, 0) if os.environ.get("STEADY") else (0.01, 0.05)
BEGUN = time.monotonic()


def lengths():
    """Lengths of all samples. A few are ten times as long as most."""
    draw = random.Random(BATCHES)
    return [min(8 + int(draw.lognormvariate(3.4, 0.6)), 400) for _ in range(SAMPLES * BATCHES)]


def batches(of):
    """The rows of each batch."""
    draw, rows = random.Random(7), list(range(len(of)))
    draw.shuffle(rows)
    if KIND != "shuffled":
        rows.sort(key=of.__getitem__)
    made = [rows[at : at + SAMPLES] for at in range(0, len(rows), SAMPLES)]
    if KIND == "bucketed":
        draw.shuffle(made)
    return made


def padded(of, rows):
    return SAMPLES * max(of[row] for row in rows)


def cost(tokens):
    return FIXED_S + TOKEN_S * tokens


def truth():
    """Seconds of an epoch without noise and what PyTorch takes, with loading in the loop."""
    of = lengths()
    return sum(cost(padded(of, rows)) + SAMPLES * LOAD_S for rows in batches(of))


def load():
    if LOADING == "sleeps":
        return time.sleep(LOAD_S)
    end = time.thread_time() + LOAD_S
    while time.thread_time() < end:
        pass


def main():
    import torch

    of = lengths()

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return len(of)

        def __getitem__(self, row):
            load()
            return torch.ones(of[row], dtype=torch.long)

    def collate(samples):
        return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)

    draw = random.Random()
    level = draw.lognormvariate(0, LEVEL)
    loader = torch.utils.data.DataLoader(Data(), batch_sampler=batches(of), collate_fn=collate)
    model = torch.nn.Embedding(2, 2)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    time.sleep(max(START - (time.monotonic() - BEGUN), 0))
    limit, took, begun = float(os.environ.get("SECONDS", "inf")), [], time.perf_counter()
    for batch in loader:
        time.sleep(cost(batch.numel()) * level * draw.lognormvariate(0, NOISE))
        model(batch[:1, :1]).sum().backward()
        optimiser.step()
        now = time.perf_counter()
        took.append((batch.numel(), now - begun))
        begun = now
        if time.monotonic() - BEGUN > limit:
            break
    if limit < float("inf"):
        print(json.dumps({"took": took, "all": [padded(of, rows) for rows in batches(of)]}))


if __name__ == "__main__":
    main()
