"""Clean set-ups: every command that combines files, over kinds of run and keys of profiles."""

import functools
import re

from cases import Setup
from profiles import KEYS, Table, columns_of, profile_of, trace_of
from situations import KINDS, rng_of

BINS = ("--method", "bins", "--points", "4")
FORMS = ("single", "pair", "gate", "against", "onto", "three")


class Catalogue:
    """Makes set-ups of situations; each list is made once."""

    def __init__(self, situations):
        self.situations = situations

    def kinds(self):
        return list(KINDS)

    def project(self, keys=KEYS, forms=FORMS, kinds=KINDS):
        """`project` for every kind of run and every key that distinguishes its points.

        `fixed` is not projected onto another run, because three lengths cannot reveal it.
        """
        return [
            self.project_setup(kind, key, form)
            for kind in kinds
            for key in keys
            for form in forms
            if self.tells_apart(kind, key) and (kind, form) != ("fixed", "onto")
        ]

    @functools.cache
    def tells_apart(self, kind, key):
        situation = self.situations.get(kind)
        columns = columns_of(situation, key)
        if columns is None:
            return False
        rows = [step for step in situation.plan["steps"] if not step["warmup"]]
        names = ["id" if column == "point" else column for column in columns]
        return len({tuple(row[name] for name in names if name in row) for row in rows}) >= len(
            situation.point_ids
        )

    @functools.cache
    def project_setup(self, kind, key, form):
        situation = self.situations.get(kind)
        configurations = {
            "pair": ["v1", "v2"],
            "gate": ["v1", "v2"],
            "three": ["v1", "v2", "v3"],
        }.get(form, ["v1"])
        suffix = "json" if key.startswith("steps") else "csv"
        argv, files = ["project", "points.json", "--metric", "all"], {
            "points.json": situation.points
        }
        for name in configurations:
            argv += ["--profile", f"{name}={name}.{suffix}"]
            files[f"{name}.{suffix}"] = profile_of(situation, key, name)
        if form == "gate":
            argv += ["--max-regression", "50%"]
        if form == "against":
            argv += ["--max-regression", "50%", "--against", "main.json"]
            files["main.json"] = situation.projection()
        if form == "onto":
            argv += ["--for", "target.csv"]
            files["target.csv"] = target_within(situation, self.situations.get(kind, "reshuffled"))
        if form == "three":
            argv += ["--baseline", "v2", "--require-weight", "99%"]
        config = configurations[1] if form in ("pair", "gate") else configurations[0]
        return Setup(
            f"project-{form}/{kind}/{key}",
            [*argv, "--json"],
            files,
            situation,
            self.situations,
            key,
            form,
            f"{config}.{suffix}",
            config,
        )

    @functools.cache
    def truth(self):
        """`project` with the traces of whole runs."""
        setups = []
        for kind in KINDS:
            situation = self.situations.get(kind)
            argv, files = ["project", "points.json", "--metric", "all"], {
                "points.json": situation.points
            }
            for name in ("v1", "v2"):
                argv += ["--profile", f"{name}={name}.csv", "--truth", f"{name}={name}-epoch.csv"]
                files[f"{name}.csv"] = profile_of(situation, "companion", name)
                files[f"{name}-epoch.csv"] = trace_of(situation, name)
            setups.append(
                Setup(
                    f"truth/{kind}",
                    [*argv, "--json"],
                    files,
                    situation,
                    self.situations,
                    target="v1-epoch.csv",
                    config="v1",
                )
            )
        return setups

    @functools.cache
    def evaluate(self):
        setups = []
        for kind in KINDS:
            if kind == "packed":  # one signature: nothing to choose
                continue
            situation = self.situations.get(kind)
            argv = ["evaluate", "v1=v1-epoch.csv", "v2=v2-epoch.csv", *BINS, "--draws", "20"]
            argv += ["--shape", "varlen"] if kind == "varlen" else []
            files = {f"{name}-epoch.csv": trace_of(situation, name) for name in ("v1", "v2")}
            setups.append(
                Setup(
                    f"evaluate/{kind}",
                    argv,
                    files,
                    situation,
                    self.situations,
                    target="v2-epoch.csv",
                    config="v2",
                )
            )
        return setups

    @functools.cache
    def plan(self):
        setups = []
        for kind in KINDS:
            situation = self.situations.get(kind)
            setups.append(
                Setup(
                    f"plan/{kind}",
                    ["plan", "points.json", "-o", "plan"],
                    {"points.json": situation.points},
                    situation,
                    self.situations,
                )
            )
        return setups

    @functools.cache
    def select(self, way):
        """`select` from manifests, from a trace with a measured column, or with a time budget."""
        setups = []
        for kind in KINDS:
            situation = self.situations.get(kind)
            argv, files, target = ["select", "-o", "chosen.json"], dict(situation.manifests), ""
            if way == "trace":
                argv, files, target = (
                    [*argv, "run.csv", "--metric", "runtime_s", *BINS],
                    {},
                    "run.csv",
                )
                argv += ["--shape", "varlen"] if kind == "varlen" else []
                if kind == "packed":
                    continue
            else:
                argv += [*situation.inputs, *situation.run_options]
            if way == "manifest":
                argv += situation.select_options
            if way == "budget":
                argv, target = (
                    argv + ["--budget", "1s", "--processes", "1", "--timings", "timed.csv"],
                    "timed.csv",
                )
            if target:
                files[target] = trace_of(situation, "v1")
            setups.append(
                Setup(
                    f"select-{way}/{kind}", argv, files, situation, self.situations, target=target
                )
            )
        return setups

    @functools.cache
    def scan(self):
        return [
            Setup(
                f"scan/{kind}",
                ["scan", *situation.inputs, *situation.run_options, "-o", "run.csv"],
                dict(situation.manifests),
                situation,
                self.situations,
            )
            for kind, situation in ((kind, self.situations.get(kind)) for kind in KINDS)
        ]


def target_within(situation, other):
    """Another run's batch list, limited to lengths, tokens and batch sizes within the points'."""
    dimensions = situation.dimensions
    points = situation.points["points"]
    rows = [
        row
        for row in other.trace_rows
        if all(
            min(p[d] for p in points) <= int(row[d]) <= max(p[d] for p in points)
            for d in dimensions
        )
    ]
    if len(rows) < 3:  # few shapes: those of the points themselves
        keys = {tuple(point[d] for d in dimensions) for point in points}
        rows = [
            row for row in situation.trace_rows if tuple(int(row[d]) for d in dimensions) in keys
        ]
    columns = [c for c in other.trace_columns if not re.fullmatch("iteration|epoch|step", c)]
    return Table([dict(row) for row in rows], columns)
