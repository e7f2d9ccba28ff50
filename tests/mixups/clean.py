"""Set-ups without a mistake: those that mistakes are made in, and others that only look unusual."""

from profiles import Steps, Table, profile_of, trace_of
from situations import KINDS, cost, rng_of

VARIATIONS = []


def variation(keys=("companion", "point", "shape"), kinds=KINDS, form="single", of=None):
    """Registers a change that leaves a clean set-up clean.

    It is made in the set-ups of `project`, or in those that `of` returns of a catalogue.
    """

    def register(function):
        VARIATIONS.append(
            (function, of or (lambda catalogue: catalogue.project(keys, [form], kinds)))
        )
        return function

    return register


def setups(catalogue):
    found = catalogue.project() + catalogue.truth()
    found += catalogue.evaluate() + catalogue.plan()
    found += catalogue.scan()
    found += catalogue.select("manifest") + catalogue.select("trace") + catalogue.select("budget")
    for function, setups_of in VARIATIONS:
        for setup in setups_of(catalogue):
            made = setup.copy()
            made.name = f"{function.__name__.replace('_', '-')}/{setup.name}"
            function(made, rng_of(made.name))
            found.append(made)
    return found


@variation(keys=("point", "shape"), form="pair")
def milliseconds_beside_seconds(setup, _rng):
    for row in setup.profile.rows:
        row["runtime_s"] *= 1e3
    setup.profile.rename("runtime_s", "runtime_ms")


@variation(keys=("point", "length"))
def coarse_clock(setup, _rng):
    setup.profile.digits = 3


@variation(keys=("companion", "point", "shape"))
def measured_once_by_length(setup, _rng):
    table = setup.profile
    table.rows = [row for row in table.measured() if row["repeat"] == 0]
    table.rows.sort(key=lambda row: row["runtime_s"])


@variation(keys=("companion", "point", "shape"))
def two_sessions(setup, _rng):
    """The same points in two files: the first round in one, others in the other."""
    table = setup.profile
    rows = table.measured()
    setup.files["later.csv"] = Table(
        [row for row in rows if row["repeat"] > 0], list(table.columns), table.digits
    )
    table.rows = [row for row in rows if row["repeat"] == 0]
    setup.argv += ["--profile", "v1=later.csv"]


@variation(keys=("companion", "point", "shape"))
def any_order_of_rows(setup, rng):
    setup.profile.rows = rng.sample(setup.profile.rows, len(setup.profile.rows))


@variation(keys=("companion", "point"), form="pair")
def one_host_and_device(setup, _rng):
    for name in ("v1.csv", "v2.csv"):
        setup.files[name].add_column("host", lambda row: "node7")
        setup.files[name].add_column("device", lambda row: "NVIDIA H100 80GB HBM3")


@variation(
    keys=("shape",),
    kinds=("one", "pairs", "varlen", "fixed", "ranks", "epochs", "packed"),
    form="pair",
)
def logs_of_the_whole_run(setup, _rng):
    """A log has iterations of other signatures than the points'."""
    for name in ("v1", "v2"):
        setup.files[f"{name}.csv"] = trace_of(setup.situation, name)


@variation(
    of=lambda catalogue: catalogue.select("trace")
    + catalogue.select("budget")
    + catalogue.evaluate()
)
def a_sorted_run(setup, _rng):
    """Its times grow all the time, as its lengths do."""
    for name, table in setup.files.items():
        if name.endswith(".csv"):
            table.rows.sort(key=lambda row: cost(row, "v1"))
            for number, row in enumerate(table.rows):
                row["iteration"] = number
            table.columns = [column for column in table.columns if column not in ("epoch", "step")]


@variation(of=lambda catalogue: catalogue.select("trace") + catalogue.evaluate())
def a_rare_slow_iteration(setup, rng):
    for table in setup.files.values():
        rng.choice(table.rows)["runtime_s"] *= 4


@variation(keys=("point", "shape"), form="gate")
def several_costs(setup, rng):
    for name in ("v1.csv", "v2.csv"):
        setup.files[name].add_column(
            "energy_j", lambda row: row["runtime_s"] * 250 * rng.gauss(1, 0.01)
        )
        setup.files[name].add_column(
            "instructions", lambda row: int(row["runtime_s"] * 3e9 * rng.gauss(1, 0.001))
        )
        setup.files[name].add_column(
            "cycles", lambda row: int(row["runtime_s"] * 2e9 * rng.gauss(1, 0.001))
        )
    setup.argv += ["--rate", "ipc=instructions/cycles", "--median"]


@variation(
    keys=("companion", "point"), kinds=[kind for kind in KINDS if kind != "fixed"], form="pair"
)
def peak_memory(setup, rng):
    for name in ("v1.csv", "v2.csv"):
        setup.files[name].add_column("peak_bytes", lambda row: 2**30 + rng.randrange(2**20))
    setup.argv += ["--aggregate", "peak_bytes=max"]


@variation(keys=("companion", "shape"), form="gate")
def costs_beside_iterations(setup, _rng):
    setup.argv += ["--epoch-overhead", "0.2", "--cold-start-cost", "0.001", "--confidence", "90%"]


@variation(keys=("companion", "point"), form="against")
def against_other_points_of_the_same_run(setup, _rng):
    setup.files["main.json"] = setup.other("fewer points").projection()


@variation(keys=("companion",), form="gate")
def against_two_builds(setup, _rng):
    setup.files["main.json"] = setup.situation.projection(("v1", "v2"))
    setup.argv += ["--against", "main.json"]


@variation(keys=("steps-point",))
def a_map_of_the_plan(setup, _rng):
    """The n-th step is the point of the plan's n-th row; warm-up is also recorded."""
    rows = profile_of(setup.situation, "companion", "v1").rows
    for number, row in enumerate(rows):
        row["name"] = f"ProfilerStep#{number}"
    setup.files["v1.json"] = Steps(rows, ["point", "runtime_s"])
    setup.files["rows.txt"] = setup.situation.plan_rows
    setup.argv += ["--map", "rows.txt"]


@variation(keys=("steps-point",))
def a_map_of_measured_steps(setup, _rng):
    lines = [f"{number},{row['point']}\n" for number, row in enumerate(setup.profile.rows)]
    for number, row in enumerate(setup.profile.rows):
        row["name"] = f"ProfilerStep#{number}"
    setup.files["steps.csv"] = "index,point\n" + "".join(lines)
    setup.argv += ["--map", "steps.csv"]


@variation(keys=("steps-shape",), kinds=("one", "fixed", "ranks", "epochs"))
def a_pattern(setup, _rng):
    for row in setup.profile.rows:
        row["name"] = f"len_{row['src_len']}x{row['batch_size']}"
    setup.argv += ["--match", r"len_(?<seqlen>[0-9]+)x(?<batch_size>[0-9]+)"]


@variation(keys=("companion", "point"))
def an_unflagged_warm_up(setup, _rng):
    table = setup.profile
    rows = table.measured()
    slow = dict(rows[-1])
    slow["runtime_s"] *= 3
    table.rows = [slow, *rows]
    setup.argv += ["--skip", "1"]


@variation(keys=("companion",), kinds=("ranks",), form="pair")
def every_rank_in_one_file(setup, rng):
    add_ranks(setup, rng)


@variation(keys=("companion",), kinds=("ranks",), form="pair")
def a_file_of_every_rank(setup, rng):
    add_ranks(setup, rng)
    for name in ("v1", "v2"):
        table = setup.files[f"{name}.csv"]
        rows = table.rows
        others = [row for row in rows if row["rank"]]
        setup.files[f"{name}-rank1.csv"] = Table(others, list(table.columns), table.digits)
        table.rows = [row for row in rows if not row["rank"]]
        setup.argv += ["--profile", f"{name}={name}-rank1.csv"]


def add_ranks(setup, rng):
    for name in ("v1.csv", "v2.csv"):
        table = setup.files[name]
        others = [
            dict(row, rank=1, runtime_s=row["runtime_s"] * rng.gauss(1, 0.002))
            for row in table.rows
        ]
        table.rows = [row for pair in zip(table.rows, others) for row in pair]


@variation(keys=("shape",), kinds=("one", "pairs", "fixed", "packed", "ranks"))
def beside_what_is_known(setup, _rng):
    """A table with every column of the plan, which all agree."""
    setup.profile.columns = ["point", "iteration", *setup.situation.dimensions, "runtime_s"]


@variation(keys=("companion", "point"))
def points_of_another_version(setup, _rng):
    """Written again by a later version, from another folder's manifest: the same content."""
    points = dict(reversed(setup.files["points.json"].items()))
    points["provenance"]["tool"]["version"] = "9.0.0"
    for record in points["provenance"]["inputs"]:
        record["path"] = "/elsewhere/" + record["path"]
    setup.files["points.json"] = points


@variation(keys=("companion", "point"), form="against")
def against_another_version(setup, _rng):
    earlier = dict(reversed(setup.files["main.json"].items()))
    earlier["provenance"]["tool"]["version"] = "9.0.0"
    setup.files["main.json"] = earlier
