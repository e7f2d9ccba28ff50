"""A training job whose epoch is known: price_job.py KIND BATCHES START LOADING

KIND      shuffled, bucketed (batches of similar lengths, in random order) or sorted
START     seconds before its first batch
LOADING   sleeps or computes: 10 ms a batch, with what it takes to put its four samples together

A batch takes 5 ms and 60 us for each of its padded tokens of four samples, times the level of its
process, which differs by 1 %, and noise of 5 %. Training waits for its end to come, so that its
time depends neither on other work of the machine nor on how late a sleep ends. With SECONDS set
it prints as JSON what the first batches took, as many as end within these seconds, and the padded
tokens and planned seconds of all. With STEADY set, processes and batches do not differ.
"""

import json
import os
import random
import sys
import time

KIND, BATCHES, START, LOADING = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
SAMPLES, LOAD_S = 4, 0.01
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


def wait(end):
    """Sleeps until a millisecond before the end, as a sleep may end late, then looks."""
    time.sleep(max(end - time.perf_counter() - 0.001, 0))
    while time.perf_counter() < end:
        pass


def load(begun):
    """Waits for the end of a batch's loading, or has the processor for what is left of it."""
    if LOADING == "sleeps":
        return wait(begun + LOAD_S)
    end = time.thread_time() + LOAD_S - (time.perf_counter() - begun)
    while time.thread_time() < end:
        pass


def main():
    import torch

    of = lengths()

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return len(of)

        def __getitem__(self, row):
            return time.perf_counter(), torch.ones(of[row], dtype=torch.long)

    def collate(loaded):
        samples = [sample for _, sample in loaded]
        batch = torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)
        load(loaded[0][0])
        return batch

    draw = random.Random()
    level = draw.lognormvariate(0, LEVEL)
    loader = torch.utils.data.DataLoader(Data(), batch_sampler=batches(of), collate_fn=collate)
    model = torch.nn.Embedding(2, 2)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    time.sleep(max(START - (time.monotonic() - BEGUN), 0))
    limit, took, begun = float(os.environ.get("SECONDS", "inf")), [], time.perf_counter()
    for batch in loader:
        end = time.perf_counter() + cost(batch.numel()) * level * draw.lognormvariate(0, NOISE)
        model(batch[:1, :1]).sum().backward()
        optimiser.step()
        wait(end)
        now = time.perf_counter()
        took.append((batch.numel(), now - begun))
        begun = now
        if time.monotonic() - BEGUN > limit:
            break
    if limit < float("inf"):
        tokens = [padded(of, rows) for rows in batches(of)]
        planned = [LOAD_S + cost(number) for number in tokens]
        print(json.dumps({"took": took, "tokens": tokens, "planned": planned}))


if __name__ == "__main__":
    main()
