"""Adversarial cost functions on the batches of real runs: are errors small, and do intervals cover?

Each kind of cost is drawn from the ranges given here; no range was chosen by its result.
"""
import json
import math
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from elsewhere import rows_of, write_csv
from epochs import in_parallel
from errors import geometric_mean
from histograms import ONE_LENGTH, PAIRS, SPEECH, WMT

INSTANCES = 4  # of each kind on each run
DRAWS = 100
PROFILES = 20  # that are drawn of another process
PLANS = {
    "24 x 1": ("--points", 24),
    "8 x 3": ("--points", 8, "--repeats", 3),
    "advised": ("--points", "auto", "--advised"),
}
MIDPOINTS = "`midpoints`, 24 x 1"
RUNS = [
    run
    for run in ONE_LENGTH + PAIRS
    if run[0] in ("speech-10ms", "speech-shuffled", "multi30k", "opennmt", "pairs", "iwslt-pairs")
]


def normal(rng):
    """Nearly: the sum of twelve, which is the same everywhere."""
    return sum(rng.random() for _ in range(12)) - 6


@dataclass(frozen=True)
class Batch:
    sides: tuple  # padded lengths
    size: int

    @property
    def work(self):
        return self.size * sum(self.sides)


def batches_of(rows):
    return [
        Batch(
            tuple(int(row[c]) for c in ("src_len", "tgt_len") if c in row), int(row["batch_size"])
        )
        for row in rows
    ]


# --- kinds of cost --------------------------------------------------------------------------------


class Smooth:
    """fixed + b (x^p + share x^2) of each side x, each part relative to its mean over the run.

    Up to 30 % fixed, p from 0.7 to 1.5, up to 30 % quadratic.
    """

    def __init__(self, rng, run):
        self.fixed, self.quadratic, self.power = (
            rng.uniform(0, 0.3),
            rng.uniform(0, 0.3),
            rng.uniform(0.7, 1.5),
        )
        self.means = [
            sum(b.size * sum(x**p for x in b.sides) for b in run) / len(run)
            for p in (self.power, 2)
        ]

    def of_lengths(self, size, sides):
        """The part of the cost that grows with the lengths."""
        rest = 1 - self.fixed - self.quadratic
        return sum(
            size * (rest * x**self.power / self.means[0] + self.quadratic * x * x / self.means[1])
            for x in sides
        )

    def __call__(self, batch):
        return self.fixed + self.of_lengths(batch.size, batch.sides)


class Tiles(Smooth):
    """Lengths padded to a multiple of m.

    The width m is from 4 to 100 or a quarter of the longest length; its logarithm is uniform.
    """

    def __init__(self, rng, run):
        super().__init__(rng, run)
        most = min(100, max(x for b in run for x in b.sides) / 4)
        self.width = round(4 * (most / 4) ** rng.random())

    def __call__(self, batch):
        return self.fixed + self.of_lengths(
            batch.size, [-(-x // self.width) * self.width for x in batch.sides]
        )


class Waves(Smooth):
    """A whole number of waves, of which the largest batch has 5 to 40."""

    def __init__(self, rng, run):
        super().__init__(rng, run)
        self.wave = max(self.of_lengths(b.size, b.sides) for b in run) / rng.uniform(5, 40)

    def __call__(self, batch):
        return self.fixed + self.wave * math.ceil(
            self.of_lengths(batch.size, batch.sides) / self.wave
        )


class MultiplesOfEight(Smooth):
    """Each side takes 10 to 40 % less where its length is a multiple of 8."""

    def __init__(self, rng, run):
        super().__init__(rng, run)
        self.less = rng.uniform(0.1, 0.4)

    def __call__(self, batch):
        return self.fixed + sum(
            (1 - self.less * (x % 8 == 0)) * self.of_lengths(batch.size, [x]) for x in batch.sides
        )


class Cliff(Smooth):
    """20 to 80 % more above some length, which 30 to 90 % of the batches do not reach."""

    def __init__(self, rng, run):
        super().__init__(rng, run)
        self.more = rng.uniform(0.2, 0.8)
        self.above = sorted(b.sides[0] for b in run)[int(rng.uniform(0.3, 0.9) * len(run))]

    def __call__(self, batch):
        return super().__call__(batch) * (1 + self.more * (batch.sides[0] > self.above))


class Shapes(Smooth):
    """A standard deviation of 8 % between shapes."""

    def __init__(self, rng, run):
        super().__init__(rng, run)
        self.factors = {
            batch: 1 + 0.08 * normal(rng)
            for batch in sorted(set(run), key=lambda b: (b.sides, b.size))
        }

    def __call__(self, batch):
        return super().__call__(batch) * self.factors[batch]


SHOWN = {
    "smooth": Smooth,
    "tiles of an unknown width": Tiles,
    "waves": Waves,
    "faster at multiples of 8": MultiplesOfEight,
    "a cliff": Cliff,
    "8 % a shape": Shapes,
}


# --- costs that no measurement of points shows: factors of the run's iterations and of the process


def experts(rng, iterations):
    """Routing becomes uneven, until the busiest expert delays a batch by 5 to 15 %.

    The measured process is a fresh model.
    """
    most = rng.uniform(0.05, 0.15)
    return [1 + most * i / iterations for i in range(iterations)], 1


def heat(rng, iterations):
    """Clocks fall by 3 to 10 % within the first 2 to 20 % of the run.

    The measured process is shorter than that.
    """
    less, until = rng.uniform(0.03, 0.1), rng.uniform(0.02, 0.2) * iterations
    return [1 + less * min(1, i / until) for i in range(iterations)], 1


def stragglers(rng, iterations):
    """0.2 to 1 % of the iterations take 3 to 10 times as long."""
    share = rng.uniform(0.002, 0.01)
    return [1 + (rng.random() < share) * rng.uniform(2, 9) for _ in range(iterations)], 1


def other_process(rng, iterations):
    """The process that measures is 4 % slower or faster as a whole."""
    return [1] * iterations, 1 + (0.04 if rng.random() < 0.5 else -0.04)


NOT_SHOWN = {
    "imbalance of experts": experts,
    "thermal drift": heat,
    "stragglers": stragglers,
    "a process 4 % off": other_process,
}


# --- synthetic epochs -----------------------------------------------------------------------------


@dataclass
class Scores:
    """Cells of a kind: an instance on a run."""

    rms: list = field(default_factory=list)  # percent
    held: list = field(default_factory=list)  # share, of the draws with an interval
    widths: list = field(default_factory=list)  # half-width over RMS error
    least: float = math.inf  # that a projection can have been, over the truth

    def add(self, rms, held, half, least=math.inf):
        self.rms.append(rms)
        self.least = min(self.least, least)
        if held is None:
            return
        self.held.append(held)
        self.widths.append(half / rms)

    def summary(self):
        """(RMS error in percent, coverage, half-width over RMS error).

        Errors and ratios are geometric means over the cells.
        """
        mean = lambda values: geometric_mean(map(math.log, values))
        return (
            mean(self.rms),
            sum(self.held) / len(self.held) if self.held else None,
            mean(self.widths) if self.widths else None,
        )


def disturbance(rng):
    """Standard deviation between the iterations of a signature: 0.5 to 4 %, every ratio alike."""
    return 0.005 * 8 ** rng.random()


def scan(program, folder, run):
    """The rows of a run's trace."""
    name, manifest, options = run
    path = Path(folder) / f"{name}.csv"
    program.run("scan", "-q", manifest, *options.split(), "-o", path)
    return rows_of(path)


def write_epoch(path, rows, costs):
    columns = [c for c in ("iteration", "src_len", "tgt_len", "batch_size") if c in rows[0]] + [
        "runtime_s"
    ]
    write_csv(
        path, columns, [{**row, "runtime_s": f"{cost:.9g}"} for row, cost in zip(rows, costs)]
    )
    return path


def of_shown(program, folder, run):
    """[(kind, plan, RMS error, coverage, half-width)]

    All epochs of a run are configurations of one evaluation.
    """
    rows, traces = scan(program, folder, run), {}
    batches = batches_of(rows)
    for kind, make in SHOWN.items():
        for i in range(INSTANCES):
            rng = random.Random(f"{kind} on {run[0]}, {i}")
            cost, spread = make(rng, batches), disturbance(rng)
            path = Path(folder) / f"{run[0]}-{len(traces)}.csv"
            traces[f"{kind}:{i}"] = write_epoch(
                path, rows, [cost(batch) * (1 + spread * normal(rng)) for batch in batches]
            )
    found = []
    for plan, arguments in {**PLANS, MIDPOINTS: PLANS["24 x 1"]}.items():
        asked = "advised" if plan == "advised" else str(arguments[1])
        for row in program.rows(
            "evaluate",
            "-q",
            *(f"{name}={path}" for name, path in traces.items()),
            "--lengths-only",
            "--method",
            "midpoints" if plan == MIDPOINTS else "calibrated",
            "--draws",
            DRAWS,
            *arguments,
        ):
            if row["asked"] == asked:
                found.append(
                    (
                        row["configuration"].split(":")[0],
                        plan,
                        float(row["rms_error_pct"]),
                        float(row["coverage"]),
                        float(row["interval_width_pct"]) / 2,
                    )
                )
    return found


def of_not_shown(program, folder, run):
    """The same from profiles that another process makes, by `project`."""
    rows, found = scan(program, folder, run), []
    batches = batches_of(rows)
    keys = [c for c in ("src_len", "tgt_len", "batch_size") if c in rows[0]]
    for plan, arguments in PLANS.items():
        points = Path(folder) / f"{run[0]}-{plan.replace(' ', '')}.json"
        number = () if plan == "advised" else ("--points", arguments[1])
        program.run(
            "select", "-q", Path(folder) / f"{run[0]}.csv", *number, "--processes", 1, "-o", points
        )
        selected = json.loads(points.read_text())["points"]
        for kind, change in NOT_SHOWN.items():
            for i in range(INSTANCES):
                rng = random.Random(f"{kind} on {run[0]}, {i}")
                cost, spread = Smooth(rng, batches), disturbance(rng)
                factors, of_process = change(rng, len(batches))
                truth = sum(
                    f * cost(batch) * (1 + spread * normal(rng))
                    for f, batch in zip(factors, batches)
                )
                profiles = []
                for draw in range(PROFILES):
                    measured = []
                    for point in selected:
                        batch = Batch(tuple(point[k] for k in keys[:-1]), point["batch_size"])
                        for _ in range(
                            point["repeats"] if plan == "advised" else 3 if plan == "8 x 3" else 1
                        ):
                            own = (
                                factors[int(rng.random() * len(factors))]
                                if change is stragglers
                                else 1
                            )
                            seconds = of_process * own * cost(batch)
                            seconds *= 1 + spread * normal(rng)
                            measured.append({"point": point["id"], "runtime_s": f"{seconds:.9g}"})
                    path = Path(folder) / f"{run[0]}-{kind}-{i}-{draw}.csv".replace(" ", "-")
                    write_csv(path, ["point", "runtime_s"], measured)
                    profiles += ["--profile", f"{draw}={path}"]
                made = json.loads(
                    program.run("project", "-q", points, *profiles, "--json", "--allow-partial")
                )
                metrics = [c["metrics"]["runtime_s"] for c in made["configurations"]]
                rms = math.sqrt(sum((m["value"] / truth - 1) ** 2 for m in metrics) / len(metrics))
                half = sum(m["high"] - m["low"] for m in metrics) / len(metrics) / 2 / truth
                found.append(
                    (
                        kind,
                        plan,
                        100 * rms,
                        sum(m["low"] <= truth <= m["high"] for m in metrics) / len(metrics),
                        100 * half,
                    )
                )
    return found


def table(program, folder):
    """{(kind, plan): Scores}"""
    found = defaultdict(Scores)
    for of_run in in_parallel(
        lambda run: of_shown(program, folder, run) + of_not_shown(program, folder, run), RUNS
    ):
        for kind, plan, *cell in of_run:
            found[kind, plan].add(*cell)
    return found


# --- onto another order of the same batches -------------------------------------------------------

ORDERS = [
    ("speech-16", SPEECH, "--batch-size 16 --drop-last"),
    ("one-length-16", WMT, "--batch-size 16 --drop-last"),
    ("one-length-64", WMT, "--batch-size 64 --drop-last"),
]
SHUFFLED, SORTED = "--sampler pytorch --seed 1", "--sampler sorted"
DIRECTIONS = {
    "shuffled onto sorted": (SHUFFLED, SORTED),
    "sorted onto shuffled": (SORTED, SHUFFLED),
}
ONTO = ("smooth", "tiles of an unknown width", "a cliff")


def of_orders(program, folder, job):
    """Results of 8 points that are measured once.

    [(kind, direction, RMS error, coverage or None, half-width, smallest projection over truth)]
    """
    (name, manifest, options), direction = job
    runs = [
        scan(
            program,
            folder,
            (f"{name}-{direction.replace(' ', '-')}-{i}", manifest, f"{order} {options}"),
        )
        for i, order in enumerate(DIRECTIONS[direction])
    ]
    batches, found = [batches_of(rows) for rows in runs], []
    for kind in ONTO:
        for i in range(INSTANCES):
            rng = random.Random(f"{kind} {name} {direction} {i}")
            cost, spread = SHOWN[kind](rng, batches[0]), disturbance(rng)
            paths = [
                write_epoch(
                    Path(folder) / f"{name}-{direction}-{kind}-{i}-{j}.csv".replace(" ", "-"),
                    rows,
                    [cost(batch) * (1 + spread * normal(rng)) for batch in of],
                )
                for j, (rows, of) in enumerate(zip(runs, batches))
            ]
            (row,) = program.rows(
                "evaluate",
                "-q",
                f"v1={paths[0]}",
                "--for",
                paths[1],
                "--lengths-only",
                "--method",
                "calibrated",
                "--points",
                8,
                "--draws",
                DRAWS,
            )
            held = float(row["onto_coverage"]) if row["onto_coverage"] else None
            half = float(row["onto_interval_width_pct"]) / 2 if row["onto_coverage"] else None
            bias, rms = (float(row[f"onto_{of}_pct"]) for of in ("bias", "rms_error"))
            # The smallest of n values is at least their mean less sqrt(n - 1) standard deviations
            # (Samuelson 1968).
            least = 1 + (bias - math.sqrt((DRAWS - 1) * max(0.0, rms**2 - bias**2))) / 100
            found.append((kind, direction, rms, held, half, least))
    return found


def onto(program, folder):
    """{(kind, direction): Scores}"""
    found = defaultdict(Scores)
    for of_job in in_parallel(
        lambda job: of_orders(program, folder, job),
        [(order, direction) for order in ORDERS for direction in DIRECTIONS],
    ):
        for kind, direction, *cell in of_job:
            found[kind, direction].add(*cell)
    return found
