"""Traces that were measured, in select, in evaluate and as calibrations; manifests of plan."""

import copy
import math

from cases import Hidden, Told, mistake, named
from profiles import trace_of
from situations import cost

SELECT, BUDGET, EVALUATE, PLAN = (
    "odd input to select",
    "budgets and calibrations",
    "evaluate",
    "plan",
)
SAME = "same|copy|copies|twice|identical|repeat|again|duplicate|already|equal|digit for digit"


def told_twice(*names):
    return Told(rf"(?=.*({'|'.join(names)}))(?=.*({SAME}))")


def calibrations(catalogue):
    return catalogue.select("budget")


def evaluations(catalogue):
    return catalogue.evaluate()


# --- times of a trace -----------------------------------------------------------------------------


def odd_trace(change, stem):
    def apply(setup, rng):
        result = change(setup.files[setup.target], rng)
        return result or Told(
            rf"(?=.*({setup.target}|runtime_s|timed.csv|run.csv|v2))(?=.*({stem}))"
        )

    return apply


def assign(function):
    def change(table, _rng):
        for number, row in enumerate(table.rows):
            row["runtime_s"] = function(number, row)

    return change


def since_the_start(table, _rng):
    now = 0.0
    for row in table.rows:
        now = row["runtime_s"] = now + row["runtime_s"]


def one_row(factor):
    def change(table, rng):
        row = rng.choice(table.rows)
        row["runtime_s"] *= factor

    return change


def a_length(table, _rng):
    for row in table.rows:
        row["runtime_s"] = int(row.get("src_len") or row["tokens"])
    if {"src_len", "sq_tokens"} <= set(table.columns):
        return Hidden("a column that a varlen signature does not have is not read")
    return None


def rows_twice(table, _rng):
    table.rows = table.rows + [dict(row) for row in table.rows]
    if "iteration" not in table.columns:
        return Hidden("two epochs in one order look the same")
    return None


GROWS = "grow|increas|clock|cumulat|elapsed|ascend|ris(e|ing)|monoton|since|drift"
SCALE = (
    r"thousand|1000|unit|neighbou?r|outlier|stray|times|fold|implausib|far "
    r"|range|differ|median|among|iteration|row"
)
TRACES = {
    "all-times-are-equal": (
        assign(lambda number, row: 0.031416),
        "equal|same|identical|constant|alike|vary|one value",
    ),
    "times-are-a-length": (a_length, SAME + "|_len|tokens"),
    "times-since-the-start": (since_the_start, GROWS),
    "times-are-row-numbers": (assign(lambda number, row: float(number)), GROWS + r"|\b0\b|zero"),
    "all-times-are-zero": (assign(lambda number, row: 0.0), r"\b0\b|zero|equal"),
    "a-time-is-zero": (one_row(0), r"\b0\b|zero"),
    "a-time-is-a-thousandfold": (one_row(1e3), SCALE),
    "a-time-is-a-thousandth": (one_row(1e-3), SCALE),
    "a-time-is-negative": (one_row(-1), "negative|below|less than"),
    "all-rows-twice": (rows_twice, SAME + "|iteration|numbered"),
    "a-header-alone": (lambda table, rng: table.rows.clear(), "header|no iterations"),
}
for name, (change, stem) in TRACES.items():
    named(
        SELECT,
        lambda catalogue: catalogue.select("trace"),
        f"trace-{name}",
        odd_trace(change, stem),
    )
    named(BUDGET, calibrations, name, odd_trace(change, stem))
    named(EVALUATE, evaluations, name, odd_trace(change, stem))


@mistake(BUDGET, calibrations)
def a_calibration_in_another_unit_of_length(setup, _rng):
    for row in setup.files["timed.csv"].rows:
        for column in ("src_len", "tgt_len", "tokens"):
            if row.get(column):
                row[column] = int(row[column]) * 160
        if row.get("sq_tokens"):
            row["sq_tokens"] = int(row["sq_tokens"]) * 160 * 160
    return Told("timed.csv|calibration")


@mistake(BUDGET, calibrations)
def a_calibration_of_another_kind(setup, _rng):
    kind = "one" if setup.kind in ("varlen", "pairs") else "pairs"
    setup.files["timed.csv"] = trace_of(setup.situations.get(kind), "v1")
    return Told("timed.csv|calibration")


@mistake(BUDGET, calibrations)
def a_calibration_on_another_machine(setup, _rng):
    setup.files["timed.csv"] = trace_of(setup.situation, "v2")
    return Hidden("a trace does not say on which machine it was timed")


# --- evaluate -------------------------------------------------------------------------------------


@mistake(EVALUATE, evaluations)
def one_trace_under_two_names(setup, _rng):
    setup.put("v2=v2-epoch.csv", "v2=v1-epoch.csv")
    return told_twice(r"\bv2\b", "v1-epoch.csv")


@mistake(EVALUATE, evaluations)
def a_copied_trace(setup, _rng):
    setup.files["v2-epoch.csv"] = copy.deepcopy(setup.files["v1-epoch.csv"])
    return told_twice(r"\bv2\b", "v1-epoch.csv", "v2-epoch.csv")


@mistake(EVALUATE, evaluations)
def a_trace_of_another_run(setup, _rng):
    setup.files["v2-epoch.csv"] = trace_of(setup.other("another run"), "v2")
    return Told("v2-epoch.csv")


@mistake(EVALUATE, evaluations)
def a_trace_of_another_order(setup, rng):
    table = setup.files["v2-epoch.csv"]
    table.rows = [dict(row) for row in rng.sample(table.rows, len(table.rows))]
    for number, row in enumerate(table.rows):
        row["iteration"] = number
    return Told("v2-epoch.csv")


@mistake(EVALUATE, evaluations)
def lengths_before_padding(setup, _rng):
    """Batches cost what their buckets cost, whose edges are a fifth apart."""
    if setup.kind not in ("one", "pairs", "epochs"):
        return None

    def edge(length):
        return math.ceil(1.2 ** math.ceil(math.log(length, 1.2)))

    for row in setup.files["v1-epoch.csv"].rows:
        padded = dict(row)
        for column in ("src_len", "tgt_len"):
            if row.get(column):
                padded[column] = edge(int(row[column]))
        row["runtime_s"] *= cost(padded, "v1") / cost(row, "v1")
    return Told(r"(?=.*v1-epoch.csv)(?=.*length)(?=.*grow)")


@mistake(EVALUATE, evaluations)
def milliseconds_called_seconds(setup, _rng):
    for row in setup.files["v2-epoch.csv"].rows:
        row["runtime_s"] *= 1e3
    return Told(r"(?=.*(\bv2\b|v2-epoch))(?=.*(unit|\bms\b|milli|thousand|1000|factor))")


@mistake(EVALUATE, evaluations)
def a_column_that_is_no_cost(setup, rng):
    for table in (setup.files["v1-epoch.csv"], setup.files["v2-epoch.csv"]):
        table.rename("runtime_s", "loss")
    return Told("runtime_s|loss")


# --- plan -----------------------------------------------------------------------------------------


def plans(catalogue):
    return catalogue.plan()


def planned(name, change, pattern):
    def apply(setup, rng):
        change(setup, rng)
        return Told(pattern)

    named(PLAN, plans, name, apply)


def points_that_are(what):
    def change(setup, _rng):
        setup.files["points.json"] = what(setup)

    return change


planned(
    "a-projection-for-points",
    points_that_are(lambda setup: setup.situation.projection()),
    "points.json",
)
planned("a-plan-for-points", points_that_are(lambda setup: setup.situation.plan), "points.json")
planned("repeats-of-zero", lambda setup, rng: setup.argv.extend(["--repeats", "0"]), "repeats")
planned(
    "repeats-without-end",
    lambda setup, rng: setup.argv.extend(["--repeats", "1000000000000"]),
    "repeats",
)
