"""Writes the events and files of a hooked job, with made-up times: fake_job.py [OPTIONS]

It needs no PyTorch. The same options, and the same name of the output, give the same bytes.
"""

import argparse
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time

FIRST_S = 0.05  # extra seconds of the first execution of a shape


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=400, help="of an epoch")
    parser.add_argument("--seed", default="order", help="of the order")
    parser.add_argument("--seedless", action="store_true", help="shuffle rows anew at each start")
    parser.add_argument("--stated", type=int, help="batches of all steps, in its report")
    parser.add_argument("--spread", type=float, help="of its draws, in its report")
    parser.add_argument("--shapes", type=int, default=60, help="different lengths")
    parser.add_argument("--slower", type=float, default=0, help="share by which a batch is slower")
    parser.add_argument("--level", type=float, default=0.002, help="by which processes differ")
    parser.add_argument("--noise", type=float, default=0.01, help="by which batches differ")
    parser.add_argument("--stretch", type=float, default=1, help="its times over those of points")
    parser.add_argument("--start", type=float, default=0, help="seconds before the first batch")
    parser.add_argument("--first", type=float, help="seconds of the first batch, in its report")
    parser.add_argument("--pace", type=float, help="seconds of a mean batch, in its report")
    parser.add_argument("--part", type=int, help="batches whose lengths are loaded, at random")
    parser.add_argument("--scale", type=float, default=1, help="of all times")
    parser.add_argument("--real", action="store_true", help="let batches take their time")
    parser.add_argument("--times", default="", help="factors of a process: NAME=FACTOR,...")
    parser.add_argument("--phases", action="store_true", help="of batches: half is backward")
    parser.add_argument("--pause", type=float, default=0, help="seconds before each row")
    parser.add_argument("--do", default="train", help="what goes wrong, or on")
    parser.add_argument("--settles", default="--batches 60", help="option of the doubt")
    parser.add_argument("--report", default="", help="end of its own report's name")
    parser.add_argument("--in", dest="only", default="", help="the output in which that happens")
    return parser.parse_args()


class Job:
    def __init__(self, given):
        self.given, self.output = given, os.environ["SEQPOINT_OUTPUT"]
        self.name = os.path.basename(self.output)
        self.does = given.do if given.only in ("", self.name) else "train"
        self.draw = self.name  # what a start without a seed draws, the same until it ends

    def tell(self, event, **fields):
        report = os.environ["SEQPOINT_REPORT"] + self.given.report
        with open(report, "a", encoding="utf-8") as file:
            print(json.dumps({"event": event, "pid": os.getpid(), **fields}), file=file)

    def epoch(self, number=0):
        """(length, rows) of each batch. The second epoch has half of the batches, and so on."""
        lengths = self.lengths(number)
        if self.given.seedless:
            return self.shuffled(lengths, random.Random(f"{self.draw} {number}"))
        return [(length, range(4 * i, 4 * i + 4)) for i, length in enumerate(lengths)]

    def lengths(self, number):
        draw = random.Random(self.given.seed + str(number or ""))
        return [
            20 + 7 * min(int(draw.random() ** 2 * self.given.shapes), self.given.shapes - 1)
            for _ in range(self.given.batches // (number + 1))
        ]

    def shuffled(self, lengths, draw):
        """Batches of shuffled rows, which have the lengths of the batches that they came from."""
        rows = list(range(4 * len(lengths)))
        draw.shuffle(rows)
        batches = [rows[i : i + 4] for i in range(0, len(rows), 4)]
        return [(max(lengths[row // 4] for row in batch), batch) for batch in batches]

    def tell_draws(self):
        """What the companion finds out about further epochs of the sampler."""
        lengths = self.lengths(0)
        totals = [
            sum(length for length, _ in self.shuffled(lengths, random.Random(n))) for n in range(40)
        ]
        spread = statistics.stdev(map(math.log, totals))
        self.tell("draws", spread=self.given.spread or spread)

    def seconds(self, iteration, length, repeat):
        level = random.Random(self.name).gauss(0, self.given.level)
        draw = random.Random(f"{self.name} {iteration} {repeat}")
        cost = (0.02 + 0.001 * length) * (1 + self.given.slower)
        cost *= 2 if self.does == "slow" else 1
        factors = dict(pair.split("=") for pair in self.given.times.split(",") if pair)
        cost *= self.given.scale * float(factors.get(self.name.removesuffix(".csv"), 1))
        return cost * (1 + level) * (1 + draw.gauss(0, self.given.noise))

    def write(self, rows, pause):
        loader = {"loader": "DataLoader at train.py:41"} if self.does == "protect" else {}
        known = {"verb": os.environ["SEQPOINT_HOOK"], "batch_s": self.given.first}
        if self.does == "leave" and known["verb"] == "record":
            rows = rows[: len(rows) // 2]
        rows = rows[: int(os.environ.get("SEQPOINT_BATCHES", len(rows)))]
        self.tell("held", rank=0, world_size=1, **known, **loader)
        if known["verb"] == "order" and self.given.pace is not None:
            self.tell("pace", batch_s=self.given.pace)
        self.contradict(known["verb"], len(rows))
        if self.does == "protect":
            self.protect()
        if self.does == "write":
            subprocess.run(["sh", "-c", "echo 3,4 >> history.csv; rm -rf runs"], check=True)
        with open(self.output, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            for done, row in enumerate(rows):
                self.misbehave(done, len(rows))
                time.sleep(pause + float(row.get("runtime_s", 0)) * self.given.real)
                writer.writerow(row)
                file.flush()
                self.tell("progress", done=done + 1, of=len(rows))
        if known["verb"] == "order" and self.goes_on(len(rows)):
            return
        if "SEQPOINT_DUET" in os.environ and self.does != "alone":
            self.tell("duet", waited_s=0.001, whole=True)
        self.tell("done", rank=0, output=self.output, rows=len(rows))

    def goes_on(self, rows):
        """Whether it goes on to measure, or is to end."""
        if "SEQPOINT_GOES_ON" not in os.environ or self.does == "end with order":
            return False
        self.tell("ordered", rank=0, rows=rows)
        while not os.path.exists(os.environ["SEQPOINT_PLAN"]):
            time.sleep(0.02)
        if not os.path.getsize(os.environ["SEQPOINT_PLAN"]):
            return True
        self.tell("goes on", verb="measure", rank=0, world_size=1)
        os.environ["SEQPOINT_HOOK"] = "measure"
        os.environ["SEQPOINT_OUTPUT"] = os.environ["SEQPOINT_GOES_ON"]
        job = Job(self.given)
        job.draw = self.draw
        job.measure()
        return True

    def contradict(self, verb, rows):
        """What the companion finds of the job's loop."""
        if self.does == "leave" and verb == "record":
            self.tell("part", last=rows, of=self.given.batches)
        if self.does == "resume" and verb == "order":
            self.tell("part", first=rows - 9, of=rows)
        if self.does == "doubt" and verb == "order":
            self.tell(
                "warning", text="the loop at train.py:9 ends early", option=self.given.settles
            )

    def misbehave(self, done, of):
        if done < of // 2:
            return
        if self.does == "crash":
            sys.exit("Traceback: the GPU has fallen off the bus")
        if self.does == "crowd" and "SEQPOINT_DUET" in os.environ:
            sys.exit("RuntimeError: out of memory")
        if self.does == "hang":
            time.sleep(600)
        if self.does == "end":
            self.tell("error", fault="the job ended before its plan", hint="", status=1)
            sys.exit(0)
        if self.does == "full":
            self.tell("error", fault="cannot be written: No space left", hint="", status=4)
            sys.exit(4)

    def protect(self):
        """What the companion tells of files and trackers."""
        self.tell("lengths", counted="input_ids axis 1", uncounted="labels axis 1")
        self.tell("untouched", text="Comet was disabled")
        for path in ("best.pt", "runs/exp1/best.pkl", "runs/exp1"):
            self.tell("kept", path=os.path.abspath(path))
        os.mkdir("made")  # an error if the process before it has left it
        with open("made/model.pt", "wb") as file:
            file.write(b"weights")

    def order(self):
        """Iterations are numbered through all epochs."""
        epochs = int(os.environ.get("SEQPOINT_EPOCHS", "1"))
        batches = [(number, *batch) for number in range(epochs) for batch in self.epoch(number)]
        of_rows = [self.lengths(number) for number in range(epochs)]
        loaded = range(len(batches))
        if self.given.seedless:
            self.tell_draws()
        if self.given.stated is not None:
            self.tell("steps", batches=self.given.stated, of=self.given.batches)
        if self.given.part is not None:
            loaded = random.Random(1).sample(loaded, self.given.part)
        part = {} if self.given.part is None else {"batches": len(batches)}
        self.write(
            [
                {
                    "epoch": number,
                    "iteration": i,
                    "src_len": length,
                    "batch_size": len(rows),
                    "tokens": sum(3 * of_rows[number][row // 4] for row in rows) // 4,
                    "rows": " ".join(map(str, rows)),
                    **part,
                }
                for i, (number, length, rows) in enumerate(batches)
                if i in loaded
            ],
            0,
        )

    def record(self):
        self.write(
            [
                {
                    "iteration": i,
                    "src_len": length,
                    "batch_size": len(rows),
                    "runtime_s": f"{self.seconds(i, length, 0):.9f}",
                }
                for i, (length, rows) in enumerate(self.epoch())
            ],
            0,
        )

    def measure(self):
        with open(os.environ["SEQPOINT_PLAN"], encoding="utf-8") as file:
            plan = json.load(file)
        if self.given.seedless and self.draw == self.name:
            self.tell("another draw")
        session = int(os.environ["SEQPOINT_PROCESS"])
        steps = [step for step in plan["steps"] if step["process"] == session]
        rows = [self.row(plan, step, number) for number, step in enumerate(steps)]
        if "SEQPOINT_STRETCH" in os.environ:
            self.write_stretch({step["src_len"] for step in steps})
        self.write(rows, self.given.pause)

    def own_epoch(self):
        """The epoch of this start; to move rows, that of the order from its middle on."""
        if self.does != "grow moved":
            return self.epoch()
        self.draw = "order.csv"
        batches = self.epoch()
        return [*batches[200:], *batches[:200]]

    def write_stretch(self, known):
        """Twenty batches of the epoch in a row, after those of the plan, with `known` lengths.

        A new length has a first execution here, too.
        """
        with open(os.environ["SEQPOINT_STRETCH"], "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["iteration", "rows", "src_len", "batch_size", "runtime_s"])
            for i, (length, rows) in list(enumerate(self.own_epoch()))[20:40]:
                length += self.does in ("grow", "grow moved")
                seconds = self.given.stretch * self.seconds(i, length, "stretch")
                seconds += FIRST_S * (length not in known)
                known.add(length)
                time.sleep(seconds * self.given.real)
                writer.writerow([i, " ".join(map(str, rows)), length, len(rows), f"{seconds:.9f}"])

    def row(self, plan, step, number):
        first, warmup = step.get("first", False), step["warmup"]
        seconds = self.seconds(step["iteration"], step["src_len"], number) + FIRST_S * first
        seconds *= 0 if step["id"] == plan["steps"][0]["id"] and self.is_disturbed() else 1
        phases = {}
        if self.does == "skip":
            skips = step["src_len"] > 300
            seconds *= 0.01 if skips else 1
            halves = {"backward_s": 0 if skips else seconds / 2, "optimizer_s": 0}
            phases = {"wait_s": 0, "forward_s": seconds / 2, **halves}
            phases["other_s"] = seconds - sum(phases.values())
        elif self.given.phases:
            halves = {"backward_s": seconds / 2, "optimizer_s": 0, "other_s": seconds / 8}
            phases = {"wait_s": 0, "forward_s": seconds - sum(halves.values()), **halves}
        return {
            "point": "warm-up" if warmup and not first else step["id"],
            "repeat": step["repeat"],
            "iteration": step["iteration"],
            "warmup": int(warmup),
            "execution": "first" if first else "warm-up" if warmup else "measured",
            "selection": plan["selection"],
            "src_len": step["src_len"],
            "batch_size": step["batch_size"],
            "host": os.environ.get("FAKE_HOST", "here"),
            "device": os.environ.get("FAKE_DEVICE", "cpu"),
            "session": self.name,
            "runtime_s": f"{seconds:.9f}",
            **{name: f"{value:.9f}" for name, value in phases.items()},
        }

    def is_disturbed(self):
        """Whether a clock fails: always, or until a measurement was set aside."""
        folder = os.path.dirname(os.path.dirname(self.output))
        refused = os.path.join(folder, self.name.replace(".csv", ".refused.csv"))
        return self.does == "stray" or (self.does == "stray once" and not os.path.exists(refused))


def leave_parent():
    """Becomes a daemon: a new session, and a parent that has ended."""
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)


def main():
    given = options()
    print("the job begins", flush=True)
    time.sleep(given.start)
    job = Job(given)
    if job.does == "fail":
        sys.exit("ModuleNotFoundError: no module named 'flash_attn'")
    if job.does == "nothing":
        return
    if job.does == "sleep":
        time.sleep(600)
    if job.does == "daemon":
        leave_parent()
    if job.does == "twice" and os.fork() == 0:
        time.sleep(0.2)  # so that the order of the two does not change events
    getattr(job, os.environ["SEQPOINT_HOOK"])()
    if job.does == "go on":
        print("evaluating", flush=True)
        time.sleep(600)


main()
