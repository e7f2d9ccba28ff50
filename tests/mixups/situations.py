"""Kinds of run, each made from a seed by the program itself.

Each has a manifest, points, a plan, a trace and earlier projections.
"""

import csv
import io
import json
import pathlib
import random
import subprocess
import tempfile
import zlib

SAMPLES = 640
REPEATS = 3

# Options of the run, options of its selection alone, and whether it has a target side.
KINDS = {
    "one": ("--sampler pytorch --seed 1 --batch-size 16", "--points 5", False),
    "pairs": ("--sampler pytorch --seed 1 --batch-size 16", "--points 5", True),
    "varlen": (
        "--sampler pytorch --seed 1 --batch-size 16 --shape varlen",
        "--points 5",
        False,
    ),
    "fixed": ("--sampler pytorch --seed 1 --batch-size 16 --pad-multiple 32", "--points 3", False),
    "packed": ("--sampler megatron:seq-length=256 --batch-size 4", "--points 1", False),
    "ranks": (
        "--sampler pytorch-distributed --seed 1 --batch-size 8 --world-size 2",
        "--points 5",
        False,
    ),
    "epochs": ("--sampler pytorch --seed 1 --batch-size 16 --epochs 3", "--points 6", False),
    "phases": ("--sampler pytorch --seed 1 --batch-size 16", "--points 3 --parts 2", False),
}

# Other possible selections: from `another` data set, or with other options in place of those of the
# kind.
VARIANTS = {
    "own": {},
    "another run": {"data": 2},
    "reshuffled": {"--seed": "2"},
    "another batch size": {"--batch-size": "20"},
    "fewer points": {"--points": -1},
    "more points": {"--points": +1},
    "another method": {"--method": "kmeans"},
}

# Seconds: of an iteration, of a token, of a token's pair within a sample.
CONFIGURATIONS = {
    "v1": (6e-3, 1.5e-5, 2e-8),
    "v2": (4e-3, 0.9e-5, 1e-8),
    "v3": (7e-3, 1.8e-5, 3e-8),
}

DIMENSIONS = ("src_len", "tgt_len", "batch_size", "tokens", "sq_tokens")


def rng_of(*words):
    return random.Random(zlib.crc32("/".join(map(str, words)).encode()))


def lengths(seed, side):
    rng = rng_of("lengths", seed, side)
    return [max(4, int(rng.gammavariate(4, 12))) for _ in range(SAMPLES)]


def cost(row, configuration):
    """Seconds that an iteration takes. Without padding its row has sq_tokens."""
    start, token, square = CONFIGURATIONS[configuration]
    if row.get("sq_tokens"):
        return start + token * int(row["tokens"]) + square * int(row["sq_tokens"])
    source, target, batch = (
        int(row["src_len"]),
        int(row.get("tgt_len") or 0),
        int(row.get("batch_size") or 16),
    )
    return start + batch * (token * (source + target) + square * (source + target) ** 2)


class Situation:
    """A run and what was selected of it. Everything is what the program wrote."""

    def __init__(self, program, kind, variant="own"):
        self.program, self.kind, self.variant = program, kind, variant
        run, selecting, paired = KINDS[kind]
        changes = dict(VARIANTS[variant])
        data = changes.pop("data", 1)
        self.run_options = changed(run.split(), changes)
        select_options = changed(selecting.split(), changes, may_add=("--method",))
        self.manifests = {"train.len": lengths_text(lengths(data, "src"))}
        if paired:
            self.manifests["train.tgt.len"] = lengths_text(lengths(data, "tgt"))
        self.inputs = ["train.len", *(["--tgt", "train.tgt.len"] if paired else [])]
        self.projections = {}
        with tempfile.TemporaryDirectory() as folder:
            write(folder, self.manifests)
            self.call(
                folder,
                "select",
                *self.inputs,
                *self.run_options,
                *select_options,
                "-o",
                "points.json",
            )
            self.call(folder, "plan", "points.json", "--repeats", str(REPEATS), "-o", "plan")
            self.call(folder, "scan", *self.inputs, *self.run_options, "-o", "trace.csv")
            self.points = json.loads(read(folder, "points.json"))
            self.plan = json.loads(read(folder, "plan/plan.json"))
            self.plan_rows = read(folder, "plan/rows.txt")
            trace = read(folder, "trace.csv")
        self.select_options = select_options
        self.trace_rows = list(csv.DictReader(io.StringIO(trace)))
        self.trace_columns = trace.splitlines()[0].split(",")

    def call(self, folder, *arguments):
        subprocess.run(
            [self.program, *arguments, "-q"], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )

    @property
    def dimensions(self):
        """Columns of a signature, in the order of the artefact."""
        return self.points["run"]["signature"]

    @property
    def point_ids(self):
        return [point["id"] for point in self.points["points"]]

    def point(self, name):
        return next(point for point in self.points["points"] if point["id"] == name)

    def content(self):
        """The properties that distinguish selections: run, points and weights."""
        keys = ("id", "phase", *DIMENSIONS, "weight")
        points = [[point.get(key) for key in keys] for point in self.points["points"]]
        return [self.points["run"], self.inputs, self.run_options, self.manifests, points]

    def signatures(self):
        """The rows of the whole run, as dictionaries."""
        return [dict(zip(self.dimensions, row)) for row in self.points["run"]["histogram"]]

    def projection(self, configurations=("v1",), onto=None):
        """The projection of other measurements of the same points, as an earlier build wrote it."""
        from profiles import profile_of  # a profile is of a situation

        if (configurations, onto) not in self.projections:
            with tempfile.TemporaryDirectory() as folder:
                files = {"points.json": self.points}
                arguments = []
                for name in configurations:
                    files[f"{name}.csv"] = profile_of(self, "companion", name, "earlier")
                    arguments += ["--profile", f"{name}={name}.csv"]
                if onto:
                    files["target.csv"] = onto
                    arguments += ["--for", "target.csv"]
                write(folder, files)
                self.call(
                    folder,
                    "project",
                    "points.json",
                    *arguments,
                    "--allow-partial",
                    "-o",
                    "main.json",
                )
                self.projections[configurations, onto] = json.loads(read(folder, "main.json"))
        return self.projections[configurations, onto]


def changed(options, changes, may_add=()):
    """The options with other values; a number is added to the value."""
    out = list(options)
    for name, value in changes.items():
        if name in out:
            at = out.index(name) + 1
            out[at] = value if isinstance(value, str) else str(max(1, int(out[at]) + value))
        elif name in may_add:
            out += [name, value]
    return out


class Situations:
    """Makes each situation once, when it is asked for."""

    def __init__(self, program):
        self.program, self.made = program, {}

    def get(self, kind, variant="own"):
        if (kind, variant) not in self.made:
            self.made[kind, variant] = Situation(self.program, kind, variant)
        return self.made[kind, variant]


def lengths_text(values):
    return "".join(f"{value}\n" for value in values)


def content(value):
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        return (json.dumps(value, indent=1) + "\n").encode()
    return value.text().encode()


def write(folder, files):
    for name, value in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(value))


def read(folder, name):
    return pathlib.Path(folder, name).read_text(encoding="utf-8")
