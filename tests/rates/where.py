"""How often `project --by phase` names the place of a slowdown, and nothing of equal builds:

    where.py PROGRAM SOURCE_DIR [RUNS [PLACE...]]

A batch sleeps in the data set, in the forward and backward pass and in the optimiser's step, in
proportion to its length but for the last. The new build sleeps 5 % of the whole batch longer in one
place, or about 15 % longer in the longest third of the epoch. Every process has a level of its own,
with a standard deviation of 0.5 %. Processes are forked, because importing PyTorch takes longer
than they do. Prints a row for each place; exit status 1 if one of them is named in fewer than 19 of
20 runs, an interval covers the made amount in fewer than 94 %, or equal builds name anything in
more than 5 %.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time

import torch

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
CHOSEN = sys.argv[4:]  # places; all without one
sys.path.insert(0, os.path.join(SOURCE, "python"))
import seqpoint_companion as companion

PROCESSES, POINTS, BATCH_SIZE, ROWS = 3, 6, 4, 2000
SLOWER, LEVEL = 0.05, 0.005
LENGTHS = random.Random(75).choices(range(20, 401), k=ROWS)
COLUMNS = {
    "data": "wait_s",
    "forward": "forward_s",
    "backward": "backward_s",
    "optimizer": "optimizer_s",
}


def batches_of(lengths):
    """The padded length of each batch of the epoch, as the sampler draws it."""
    generator = torch.Generator()
    generator.manual_seed(1)
    rows = torch.randperm(len(lengths), generator=generator).tolist()
    cut = [rows[at : at + BATCH_SIZE] for at in range(0, len(rows), BATCH_SIZE)]
    return [max(lengths[row] for row in batch) for batch in cut]


def long_of(batches):
    """The length beyond which a third of the padded tokens are."""
    beyond, longest = 0, sorted(batches, reverse=True)
    while beyond < sum(batches) / 3:
        beyond += longest.pop(0)
    return longest[0]


LONG = long_of(batches_of(LENGTHS))


def nominal(length):
    """{place: seconds of a batch}."""
    return {
        "data": 10e-6 * length,
        "forward": 30e-6 * length,
        "backward": 45e-6 * length,
        "optimizer": 3e-3,
    }


def extra(place, length):
    """Seconds by which the new build's batch is longer."""
    seconds = sum(nominal(length).values())
    if place == "lengths":
        return 3 * SLOWER * seconds if length > LONG else 0.0
    return SLOWER * seconds if place in COLUMNS else 0.0


class Build:
    """The sleeps of a process: `place` is where it is slower; "" nowhere."""

    def __init__(self, place, level):
        self.place, self.level = place, level

    def sleep(self, place, length):
        seconds = nominal(length)[place]
        if place == self.place or (place == "forward" and self.place == "lengths"):
            seconds += extra(self.place, length)
        time.sleep(seconds * self.level)


class Data(torch.utils.data.Dataset):
    def __init__(self, lengths, build):
        self.lengths, self.build = lengths, build

    def __len__(self):
        return len(self.lengths)

    def __getitems__(self, rows):
        return self.fetch(rows)

    def fetch(self, rows):
        longest = max(self.lengths[row] for row in rows)
        self.build.sleep("data", longest)
        return torch.zeros(len(rows), longest)

    __getitem__ = fetch  # without automatic batching a row is a list


class Work(torch.autograd.Function):
    @staticmethod
    def forward(context, weight, build, length):
        context.build, context.length = build, length
        build.sleep("forward", length)
        return weight.clone()

    @staticmethod
    def backward(context, gradient):
        context.build.sleep("backward", context.length)
        return gradient, None, None


class Optimiser(torch.optim.SGD):
    build, length = None, 0

    def step(self, closure=None):
        self.build.sleep("optimizer", self.length)


def measure(path, plan, process, lengths, build):
    """Runs the plan of one process. Called in a process of its own."""
    torch.set_num_threads(1)
    steps = companion.Plan(plan, process=process)
    weight = torch.ones(1, requires_grad=True)
    optimiser = Optimiser([weight], lr=0.1)
    optimiser.build = build
    loader = torch.utils.data.DataLoader(Data(lengths, build), batch_size=None, sampler=steps)
    for batch in companion.Recorder(path, plan=steps)(loader):
        optimiser.length = batch.shape[1]
        Work.apply(weight, build, batch.shape[1]).sum().backward()
        optimiser.step()


def seqpoint(*arguments):
    done = subprocess.run([PROGRAM, "-q", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"seqpoint {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def forked(work, *arguments):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work(*arguments)
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1]:
        sys.exit("a process that measured has failed")


def result_of(folder, lengths, place, rng):
    """The projection of both builds, each measured in processes by turns."""
    plan = os.path.join(folder, "plan", "plan.json")
    files = {"old": [], "new": []}
    for process in range(PROCESSES):
        turn = ["old", "new"] if process % 2 == 0 else ["new", "old"]
        for name in turn:
            path = os.path.join(folder, f"{name}-{process}.csv")
            build = Build(place if name == "new" else "", 1 + rng.gauss(0, LEVEL))
            forked(measure, path, plan, process, lengths, build)
            files[name].append(path)
    profiles = [f"--profile={name}={path}" for name in files for path in files[name]]
    points = os.path.join(folder, "points.json")
    return json.loads(seqpoint("project", points, *profiles, "--by", "phase", "--json"))


def judge(result, place, made):
    """(whether the first that is named is the place, whether its interval covers, words)"""
    new = result["configurations"][1]
    causes = [(abs(of["change"]), name) for name, of in new["phases"].items() if of["is_cause"]]
    lengths = [of for of in new.get("by_length", []) if of["is_cause"]]
    first = max(causes)[1] if causes else "nothing"
    words = f"{first} {100 * max(causes)[0] if causes else 0:.1f} %, {len(lengths)} ranges"
    if not place:
        return not causes and not lengths, True, words
    if place == "lengths":
        most = max(lengths, key=lambda of: abs(of["change"] - of["others"]), default=None)
        named = most is not None and most["up_to"] is None
        return named, True, words
    phase = new["phases"][COLUMNS[place]]
    return first == COLUMNS[place], phase["low"] <= made <= phase["high"], words


def main():
    rng, lengths, failed = random.Random(76), LENGTHS, False
    for place in CHOSEN or ["", *COLUMNS, "lengths"]:
        right = covered = 0
        for run in range(RUNS):
            with tempfile.TemporaryDirectory() as folder:
                order = os.path.join(folder, "lengths.csv")
                with open(order, "w", encoding="utf-8") as file:
                    file.write("src_len\n" + "".join(f"{length}\n" for length in lengths))
                points, plan = os.path.join(folder, "points.json"), os.path.join(folder, "plan")
                sampler = ["--sampler", "pytorch:generator-seed=1"]
                sampler += ["--batch-size", str(BATCH_SIZE)]
                seqpoint("select", order, *sampler, "--points", str(POINTS), "-o", points)
                processes = str(PROCESSES)
                seqpoint("plan", points, "--processes", processes, "-o", plan)
                result = result_of(folder, lengths, place, rng)
                time_s = result["configurations"][0]["metrics"]["runtime_s"]["value"]
                batches = batches_of(lengths)
                made = sum(extra(place, length) for length in batches) / time_s
                named, covers, words = judge(result, place, made)
                right, covered = right + named, covered + covers
                print(f"  {place or 'equal'} {run}: {words} (made {100 * made:.1f} %)", flush=True)
        print(f"{place or 'equal builds'}: right {right} of {RUNS}, covered {covered}", flush=True)
        failed = failed or right < 0.95 * RUNS or covered < 0.94 * RUNS
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
