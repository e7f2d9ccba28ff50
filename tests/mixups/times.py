"""Times that cannot be, and units."""

from cases import Hidden, Told, found, mistake, named, some
from profiles import Steps, profile_of
from setups import FORMS

CAUSE = "implausible times"


def spread(catalogue):
    """Every kind and key, each in one form, so that all forms come in turn."""
    all_setups = catalogue.project()
    pairs = list(dict.fromkeys((setup.kind, setup.key) for setup in all_setups))
    wanted = {(*pair, FORMS[number % len(FORMS)]) for number, pair in enumerate(pairs)}
    return [setup for setup in all_setups if (setup.kind, setup.key, setup.form) in wanted]


def stray(setup, name):
    """A profiler's step that is far too short is left out as cut off."""
    return Told("cut off", findings=found(setup, name).findings)


@mistake(CAUSE, spread)
def all_equal(setup, _rng):
    for row in setup.profile.rows:
        row["runtime_s"] = 0.031416
    return found(setup, "all-equal", "times-twice")


def equal_to(column):
    def apply(setup, _rng):
        if column not in setup.profile.columns or isinstance(setup.profile, Steps):
            return None
        for row in setup.profile.rows:
            row["runtime_s"] = row[column]
        return found(setup, "copied-column", "zero")

    return apply


for key in ("src_len", "tgt_len", "batch_size", "tokens", "sq_tokens", "iteration", "repeat"):
    named(CAUSE, spread, f"equal-to-{key.replace('_', '-')}", equal_to(key))


@mistake(CAUSE, spread)
def equal_to_another_metric(setup, _rng):
    if isinstance(setup.profile, Steps):
        return None
    setup.profile.add_column("forward_s", lambda row: row["runtime_s"])
    return found(setup, "copied-column")


def read_a_clock(setup, now):
    for row in setup.profile.rows:
        now += row["runtime_s"]
        row["runtime_s"] = now


@mistake(CAUSE, spread)
def time_since_the_start(setup, _rng):
    read_a_clock(setup, 0.0)
    return found(setup, "clock")


@mistake(CAUSE, spread)
def time_of_day(setup, _rng):
    read_a_clock(setup, 1.7e9)
    return found(setup, "date")


@mistake(CAUSE, spread)
def a_row_is_zero(setup, rng):
    row = rng.choice(setup.profile.measured())
    row["runtime_s"] = 0.0
    return stray(setup, "zero")


@mistake(CAUSE, spread)
def a_point_is_zero(setup, rng):
    return scaled_point(setup, rng, 0.0, "zero")


@mistake(CAUSE, spread)
def all_are_zero(setup, _rng):
    for row in setup.profile.rows:
        row["runtime_s"] = 0.0
    return found(setup, "zero")


@mistake(CAUSE, spread)
def a_row_is_negative(setup, rng):
    row = rng.choice(setup.profile.measured())
    row["runtime_s"] = -row["runtime_s"]
    return found(setup)  # refused


def scaled_row(factor):
    def apply(setup, rng):
        row = rng.choice(setup.profile.measured())
        row["runtime_s"] *= factor
        return stray(setup, "stray-repeat")

    return apply


def scaled_point(setup, rng, factor, name="stray-point"):
    chosen = rng.choice(setup.situation.point_ids)
    for row in setup.profile.rows:
        row["runtime_s"] *= factor if row["point"] == chosen else 1
    if len(setup.situation.point_ids) < 2 and factor != 0:
        return Hidden("the only point: nothing stands beside it")
    return found(setup, name)


for name, factor in (
    ("a-thousandth", 1e-3),
    ("a-thousandfold", 1e3),
    ("tenfold", 10),
    ("a-sixtieth", 1 / 60),
):
    named(CAUSE, spread, f"a-row-is-{name}", scaled_row(factor))
for name, factor in (("a-thousandth", 1e-3), ("a-thousandfold", 1e3)):
    named(
        CAUSE,
        spread,
        f"a-point-is-{name}",
        lambda setup, rng, factor=factor: scaled_point(setup, rng, factor),
    )


# --- units ----------------------------------------------------------------------------------------

UNITS = "units"
COLUMNS = {
    "runtime_ms": 1e3,
    "runtime (ms)": 1e3,
    "latency_us": 1e6,
    "time_ns": 1e9,
    "duration_ms": 1e3,
    "time": 1,
    "step_time_ms": 1e3,
    "iteration_time_ms": 1e3,
    "step time (ms)": 1e3,
    "step_ms": 1e3,
    "step_time": 1e3,
    "iter_time_us": 1e6,
    "Time (ms)": 1e3,
    "wall_ms": 1e3,
    "elapsed_ns": 1e9,
    "runtime_min": 1 / 60,
    "runtime_minutes": 1 / 60,
    "step_time [ms]": 1e3,
}


def unit_column(column, factor):
    def apply(setup, _rng):
        for row in setup.profile.rows:
            row["runtime_s"] *= factor
        setup.profile.rename("runtime_s", column)
        if setup.form == "pair":  # else the other build has a time of another name
            for row in setup.files["v1.csv"].rows:
                row["runtime_s"] *= factor
            setup.files["v1.csv"].rename("runtime_s", column)
        return Told(
            f"(?=.*{column.split('_')[0].split(' ')[0]})(?=.*(unit|minutes|seconds|time))",
            harmless=True,
        )

    return apply


for column, factor in COLUMNS.items():
    tables = some(12, column, keys=("companion", "point", "shape"), forms=("single", "pair"))
    named(UNITS, tables, f"column-{column.replace('_', '-')}", unit_column(column, factor))


def wrong_unit(factor):
    def apply(setup, _rng):
        for row in setup.profile.rows:
            row["runtime_s"] *= factor
        if setup.form in ("single", "onto"):
            return Hidden("one profile alone: a model may be a thousand times as large")
        return found(setup, "other-unit")

    return apply


for word, factor in (
    ("milliseconds", 1e3),
    ("microseconds", 1e6),
    ("thousandths", 1e-3),
    ("minutes", 1 / 60),
    ("by-1024", 1 / 1024),
):
    tables = some(30, word, keys=("companion", "point", "shape", "steps-point"))
    named(UNITS, tables, f"{word}-called-seconds", wrong_unit(factor))


# --- evidence of the unit in other columns and other files ----------------------------------------


def add_processor_time(setup, rng, cores):
    setup.profile.add_column("cpu_s", lambda row: row["runtime_s"] * cores * rng.gauss(1, 0.02))


def in_milliseconds(column, cores):
    def apply(setup, rng):
        add_processor_time(setup, rng, cores)
        for row in setup.profile.rows:
            row[column] *= 1e3
        return found(setup, "longer-than-processor", "shorter-than-processor", "mostly-waiting")

    return apply


for column, cores in (("runtime_s", 1), ("runtime_s", 8), ("cpu_s", 1), ("cpu_s", 4)):
    tables = some(
        20,
        f"beside {column} {cores}",
        keys=("companion", "point", "shape", "iteration"),
        forms=("single", "pair"),
    )
    named(
        UNITS,
        tables,
        f"{column.replace('_', '-')}-in-ms-of-{cores}-cores",
        in_milliseconds(column, cores),
    )


@mistake(UNITS, some(20, "two columns", keys=("point", "shape"), forms=("single", "pair")))
def one_time_in_two_units(setup, _rng):
    setup.profile.add_column("step_s", lambda row: row["runtime_s"] / 1e3)
    return found(setup, "same-time-in-other-unit")


@mistake(
    UNITS,
    some(20, "a file", keys=("companion", "point", "shape", "iteration"), forms=("single", "gate")),
)
def a_file_in_milliseconds(setup, _rng):
    other = profile_of(setup.situation, setup.key, setup.config, "later")
    for row in other.rows:
        row["runtime_s"] *= 1e3
    setup.files["later.csv"] = other
    setup.argv += ["--profile", f"{setup.config}=later.csv"]
    return found(setup, "other-unit-of-a-file")


# --- times that change along the way --------------------------------------------------------------

ALONG = "times that change along the way"


@mistake(ALONG, some(20, "growing", keys=("companion", "point", "shape"), forms=("single", "pair")))
def cost_that_doubles(setup, _rng):
    rows = setup.profile.measured()
    for place, row in enumerate(rows):
        row["runtime_s"] *= 1 + place / len(rows)
    return found(setup, "drift", "slow-start")


@mistake(ALONG, some(20, "first", keys=("point", "shape"), forms=("single", "pair")))
def a_start_in_the_first_row(setup, _rng):
    rows = setup.profile.measured()
    if sum(row["point"] == rows[0]["point"] for row in rows) < 4:
        return None  # of two or three repeats nobody knows which is usual
    rows[0]["runtime_s"] *= 12
    return found(setup, "slow-first")
