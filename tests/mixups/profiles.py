"""Measurements of a situation: a table by one of several keys, or a profiler trace."""

import csv
import io
import json

from situations import DIMENSIONS, cost, rng_of

NOISE = 0.01

# The key by which a row names its point. `companion` is the key that the PyTorch companion writes:
# only it contains the digest of the selection. Steps are of a trace of PyTorch's profiler.
KEYS = ("companion", "point", "length", "shape", "iteration", "steps-point", "steps-shape")


class Table:
    """A CSV. Rows may contain more than is written: `columns` names the written part."""

    def __init__(self, rows, columns, digits=6):
        self.rows, self.columns, self.digits = rows, columns, digits

    def measured(self):
        return [row for row in self.rows if not int(row.get("warmup") or 0)]

    def add_column(self, name, value_of):
        for row in self.rows:
            row[name] = value_of(row)
        self.columns.insert(0 if name == "point" else len(self.columns), name)

    def rename(self, old, new):
        self.columns[self.columns.index(old)] = new
        for row in self.rows:
            row[new] = row.pop(old)

    def cell(self, value):
        return (
            f"{value:.{self.digits}f}"
            if isinstance(value, float)
            else ""
            if value is None
            else str(value)
        )

    def text(self):
        out = io.StringIO()
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(self.columns)
        lines.writerows(
            [self.cell(row.get(column)) for column in self.columns] for row in self.rows
        )
        return out.getvalue()


class Steps(Table):
    """A trace of PyTorch's profiler, with steps named after the columns; times in microseconds."""

    def name_of(self, row):
        if row.get("name"):
            return row["name"]
        words = [row["point"]] if "point" in self.columns else []
        words += [f"iter:{row['iteration']}"] if "iteration" in self.columns else []
        return " ".join(
            words + [f"{name}={row[name]}" for name in DIMENSIONS if name in self.columns]
        )

    def text(self):
        events, now = [], 0.0
        for row in self.rows:
            duration = float(row["runtime_s"]) * 1e6
            events.append(
                {
                    "name": self.name_of(row),
                    "cat": "user_annotation",
                    "ph": "X",
                    "pid": 1,
                    "tid": 1,
                    "ts": round(now, 3),
                    "dur": round(duration, 3),
                }
            )
            now += abs(duration) + 100
        return json.dumps({"traceEvents": events}, indent=1)


def columns_of(situation, key):
    """None if that key cannot distinguish the points."""
    dimensions = list(situation.dimensions)
    padded = "src_len" in dimensions
    phase = ["iteration"] if situation.kind == "phases" else []
    if key == "companion":
        ranks = ["rank"] if situation.kind == "ranks" else []
        digest = ["selection"] if "selection" in situation.plan else []
        return [
            "point",
            "repeat",
            "warmup",
            *(dimensions if padded else []),
            *ranks,
            "runtime_s",
            *digest,
        ]
    if key in ("point", "steps-point"):
        return ["point", "runtime_s"]
    if key == "iteration":
        return ["iteration", "runtime_s"]
    if key == "length":
        return [*phase, *dimensions[:-1], "runtime_s"] if padded else None
    return [*phase, *dimensions, "runtime_s"]


def profile_of(situation, key, configuration, draw="", repeats=None, noise=NOISE):
    """The plan's steps, measured: a `draw` is another measurement of the same."""
    rng = rng_of(situation.kind, situation.variant, configuration, draw)
    rows = []
    for step in situation.plan["steps"]:
        if repeats is not None and step["repeat"] >= repeats:
            continue
        row = {name: step.get(name) for name in DIMENSIONS}
        row |= {
            "point": step["id"],
            "repeat": step["repeat"],
            "warmup": int(step["warmup"]),
            "iteration": step["iteration"],
            "rank": 0,
            "selection": situation.plan.get("selection"),
        }
        row["runtime_s"] = cost(row, configuration) * rng.gauss(1, noise)
        rows.append(row)
    columns = columns_of(situation, key)
    if key == "companion":
        return Table(rows, columns, digits=9)
    rows = [row for row in rows if not row["warmup"]]
    return (Steps if key.startswith("steps") else Table)(rows, columns)


def trace_of(situation, configuration=None, draw=""):
    """The run's iterations; with a configuration each with the time that it took."""
    rows = [dict(row) for row in situation.trace_rows]
    if configuration is None:
        return Table(rows, list(situation.trace_columns))
    rng = rng_of(situation.kind, situation.variant, configuration, "trace", draw)
    for row in rows:
        row["runtime_s"] = cost(row, configuration) * rng.gauss(1, NOISE)
    return Table(rows, [*situation.trace_columns, "runtime_s"])
