"""The projected time of an epoch by operator, compared with PyTorch's sums for the whole epoch."""
import csv
import gzip
import io
import json
from pathlib import Path

from epochs import DATA

FOLDER = DATA / "transformer-opennmt"
OUTSIDE = "(outside operators)"


def epoch_by_operator():
    """{operator: seconds}"""
    with open(FOLDER / "operators.csv", newline="") as file:
        return {row["operator"]: float(row["self_us"]) / 1e6 for row in csv.DictReader(file)}


def epoch_as_a_step(seconds):
    """The whole epoch as a profiler trace of one step that contains each operator once.

    So the epoch is put into the program's own categories.
    """
    events, end = [], 0
    for name, value in seconds.items():
        length = round(1e6 * value)
        if name != OUTSIDE:
            events.append(
                {
                    "ph": "X",
                    "cat": "cpu_op",
                    "name": name,
                    "pid": 1,
                    "tid": 1,
                    "ts": end,
                    "dur": length,
                }
            )
        end += length
    events.insert(
        0,
        {
            "ph": "X",
            "cat": "user_annotation",
            "name": "iter:0",
            "pid": 1,
            "tid": 1,
            "ts": 0,
            "dur": end,
        },
    )
    return json.dumps({"traceEvents": events})


class WhereTimeGoes:
    def __init__(self, program, folder):
        self.program, folder = program, Path(folder)
        points = FOLDER / "points.json"
        (folder / "one.csv").write_text("iteration,src_len,batch_size\n0,1,1\n")
        (folder / "epoch.json").write_text(epoch_as_a_step(epoch_by_operator()))
        program.run(
            "select", "-q", folder / "one.csv", "--method", "frequent", "-o", folder / "one.points"
        )
        steps = (points, f"v1={FOLDER / 'points.trace.json.gz'}")
        self.projected = {by: self.breakdown(by, *steps) for by in ("operator", "category")}
        self.epoch = {
            "operator": epoch_by_operator(),
            "category": self.breakdown(
                "category", folder / "one.points", f"epoch={folder / 'epoch.json'}"
            ),
        }
        self.total = sum(self.epoch["operator"].values())
        whole = json.loads(
            program.run("project", "-q", steps[0], "--profile", *steps[1:], "--json")
        )
        self.interval = whole["configurations"][0]["metrics"]["runtime_s"]

    def breakdown(self, by, points, profile, *more):
        """{name: seconds}"""
        text = self.program.run(
            "project", "-q", points, "--profile", profile, *more, "--by", by, "--export", "csv"
        )
        return {
            row["metric"].split(":", 1)[1]: float(row["value"])
            for row in csv.DictReader(io.StringIO(text))
            if row["metric"].startswith(by + ":")
        }

    def rows(self, by, most):
        """[(name, seconds of the epoch, share, seconds projected, share)], by time in the epoch.

        Operators after the first `most` are one row.
        """
        epoch, projected = self.epoch[by], self.projected[by]
        whole, projected_whole = sum(epoch.values()), sum(projected.values())
        order = sorted(epoch, key=lambda name: (-epoch[name], name))
        rows = [(name, epoch[name], projected.get(name, 0.0)) for name in order[:most]]
        if len(order) > most:
            listed = set(order[:most])
            rows.append(
                (
                    f"{len(order) - most} others",
                    sum(epoch[n] for n in order[most:]),
                    sum(v for n, v in projected.items() if n not in listed),
                )
            )
        rows.append(("all", whole, projected_whole))
        return [(name, e, e / whole, p, p / projected_whole) for name, e, p in rows]
