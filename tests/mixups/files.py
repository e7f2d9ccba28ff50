"""One file given as two, two as one, configurations swapped, hosts and ranks in one file."""

import copy

from cases import Hidden, Told, found, mistake, named, some
from profiles import Table, profile_of

TWICE = "two files of one configuration"
CSV = ("companion", "point", "shape", "iteration")
ALL = (*CSV, "steps-point", "steps-shape")


def suffix_of(setup):
    return setup.target.rsplit(".", 1)[1]


# --- a file twice ---------------------------------------------------------------------------------


@mistake(TWICE, some(16, "twice", keys=ALL))
def the_same_path_twice(setup, _rng):
    setup.argv += ["--profile", f"{setup.config}={setup.target}"]
    return found(setup, "file-twice")


@mistake(TWICE, some(12, "other path", keys=ALL))
def the_same_file_by_another_path(setup, _rng):
    setup.argv += ["--profile", f"{setup.config}=./{setup.target}"]
    return found(setup, "file-copied")


@mistake(TWICE, some(20, "copied", keys=ALL))
def a_copy(setup, _rng):
    setup.files[f"copy.{suffix_of(setup)}"] = copy.deepcopy(setup.profile)
    setup.argv += ["--profile", f"{setup.config}=copy.{suffix_of(setup)}"]
    return found(setup, "file-copied")


@mistake(TWICE, some(20, "sorted", keys=CSV))
def a_copy_in_another_order(setup, rng):
    table = copy.deepcopy(setup.profile)
    table.rows = rng.sample(table.rows, len(table.rows))
    setup.files["copy.csv"] = table
    setup.argv += ["--profile", f"{setup.config}=copy.csv"]
    return found(setup, "times-twice")


@mistake(TWICE, some(20, "grown", keys=CSV))
def a_file_that_has_grown_since(setup, _rng):
    table = copy.deepcopy(setup.profile)
    later = profile_of(setup.situation, setup.key, setup.config, "later")
    table.rows = table.rows + later.rows[: len(later.rows) // 2]
    setup.files["grown.csv"] = table
    setup.argv += ["--profile", f"{setup.config}=grown.csv"]
    return found(setup, "rows-twice")


@mistake(TWICE, some(20, "other digits", keys=CSV))
def a_copy_of_more_digits(setup, _rng):
    table = copy.deepcopy(setup.profile)
    for row in table.rows:
        row["runtime_s"] = float(table.cell(row["runtime_s"]))
    table.digits += 3
    setup.files["copy.csv"] = table
    setup.argv += ["--profile", f"{setup.config}=copy.csv"]
    return found(setup, "rows-twice")


@mistake(TWICE, some(20, "pasted", keys=CSV))
def all_rows_twice_in_one_file(setup, _rng):
    table = setup.profile
    table.rows = table.rows + [dict(row) for row in table.rows]
    return found(setup, "times-twice", "rows-repeated")


@mistake(TWICE, some(20, "copied repeats", keys=CSV))
def one_measurement_as_three_repeats(setup, _rng):
    first = {row["point"]: row["runtime_s"] for row in reversed(setup.profile.measured())}
    for row in setup.profile.measured():
        row["runtime_s"] = first[row["point"]]
    return found(setup, "times-twice")


@mistake(TWICE, some(20, "other build", keys=CSV, forms=("single", "gate", "against")))
def another_build_under_one_name(setup, _rng):
    """v3 is slower by a quarter to a half: its measurements are no repeats."""
    setup.files["v3.csv"] = profile_of(
        setup.situation, setup.key, "v2" if setup.config == "v1" else "v3"
    )
    setup.argv += ["--profile", f"{setup.config}=v3.csv"]
    where = rf"{setup.target}|v3\.csv|\b{setup.config}\b"
    return Told(
        rf"(?=.*({where}))(?=.*(disagree|differ|apart|session|spread|slower|faster|other|file))"
    )


# --- two configurations ---------------------------------------------------------------------------

SWAPPED = "two configurations that are one file or swapped"
PAIRS = ("pair", "gate", "three")


@mistake(SWAPPED, some(20, "one file", keys=ALL, forms=PAIRS))
def one_file_under_two_names(setup, _rng):
    setup.put(f"v2=v2.{suffix_of(setup)}", f"v2=v1.{suffix_of(setup)}")
    return found(setup, "same-times")


@mistake(SWAPPED, some(20, "a copy", keys=ALL, forms=PAIRS))
def a_copy_under_two_names(setup, _rng):
    setup.files[f"v2.{suffix_of(setup)}"] = copy.deepcopy(setup.files[f"v1.{suffix_of(setup)}"])
    return found(setup, "same-times")


@mistake(SWAPPED, some(16, "a copy sorted", keys=CSV, forms=PAIRS))
def a_copy_in_another_order_under_two_names(setup, rng):
    table = copy.deepcopy(setup.files["v1.csv"])
    table.rows = rng.sample(table.rows, len(table.rows))
    setup.files["v2.csv"] = table
    return found(setup, "same-times")


def labelled(setup, column):
    """The column as a companion on each machine would write it."""
    for name in ("v1", "v2"):
        setup.files[f"{name}.csv"].add_column(column, lambda row, name=name: name)


def swap(setup):
    setup.put("v1=v1.csv", "v1=v2.csv")
    at = len(setup.argv) - 1 - setup.argv[::-1].index("v2=v2.csv")
    setup.argv[at] = "v2=v1.csv"


def swapped_by(column):
    def apply(setup, _rng):
        labelled(setup, column)
        swap(setup)
        return found(setup, "other-configuration")

    return apply


for column in ("host", "device", "config"):
    tables = some(14, column, keys=CSV, forms=("pair", "gate"))
    named(SWAPPED, tables, f"swapped-with-a-column-{column}", swapped_by(column))


@mistake(SWAPPED, some(8, "no label", keys=CSV, forms=("pair", "gate")))
def swapped_without_a_label(setup, _rng):
    swap(setup)
    return Hidden(
        "which of two unlabelled profiles is of which build is in nothing but the names of the "
        "files"
    )


# --- hosts and ranks ------------------------------------------------------------------------------

MIXED = "two hosts or ranks in one"
RANKS = {
    "keys": ("companion",),
    "kinds": ("ranks",),
    "forms": ("single", "pair", "against", "three", "onto"),
}


def half_from_another(setup, column):
    """Every second repeat was measured elsewhere."""
    elsewhere = profile_of(setup.situation, setup.key, setup.config, "elsewhere")
    table = setup.profile
    table.rows = [
        theirs if row["repeat"] % 2 else row for row, theirs in zip(table.rows, elsewhere.rows)
    ]
    if column:
        table.add_column(column, lambda row: "node2" if row["repeat"] % 2 else "node1")
    return table


@mistake(MIXED, some(16, "two hosts", keys=CSV))
def two_hosts_in_one_file(setup, _rng):
    half_from_another(setup, "host")
    return found(setup, "origin-changes")


@mistake(MIXED, some(16, "two devices", keys=CSV))
def two_devices_in_one_file(setup, _rng):
    half_from_another(setup, "device")
    return found(setup, "origin-changes")


@mistake(MIXED, some(16, "two host files", keys=CSV, forms=("single", "gate", "against")))
def files_of_two_hosts(setup, _rng):
    other = profile_of(setup.situation, setup.key, setup.config, "elsewhere")
    other.add_column("host", lambda row: "node2")
    setup.profile.add_column("host", lambda row: "node1")
    setup.files["node2.csv"] = other
    setup.argv += ["--profile", f"{setup.config}=node2.csv"]
    return found(setup, "other-origin")


@mistake(MIXED, some(8, "unlabelled", keys=CSV))
def two_hosts_without_a_label(setup, _rng):
    half_from_another(setup, None)
    return Hidden("two machines of one kind, and no column says that there are two")


def slower_rank(rows):
    return [dict(row, rank=1, runtime_s=row["runtime_s"] * 1.2) for row in rows]


@mistake(MIXED, some(10, "ranks", **RANKS))
def two_ranks_in_one_file(setup, _rng):
    """They are no repeats: an iteration takes as long as its slowest rank."""
    table = setup.profile
    slowest = slower_rank(table.rows)
    wanted = setup.copy()
    wanted.name = f"slowest-rank/{setup.name}"
    wanted.profile.rows = slowest
    table.rows = [row for pair in zip(table.rows, slowest) for row in pair]
    return Told(r"rank.*(two|several|each|slowest|repeat|2)", harmless=wanted)


@mistake(MIXED, some(10, "rank files", **RANKS))
def two_files_of_ranks(setup, _rng):
    table = setup.profile
    wanted = setup.copy()
    wanted.name = f"slowest-rank/{setup.name}"
    wanted.profile.rows = slower_rank(table.rows)
    setup.files["rank1.csv"] = Table(slower_rank(table.rows), list(table.columns), table.digits)
    setup.argv += ["--profile", f"{setup.config}=rank1.csv"]
    return Told(r"rank.*(two|several|each|slowest|repeat|2)", harmless=wanted)


@mistake(
    MIXED,
    some(
        4,
        "no rank",
        keys=("point",),
        kinds=("ranks",),
        forms=("single", "pair", "against", "three"),
    ),
)
def two_ranks_without_a_column(setup, rng):
    table = setup.profile
    others = [dict(row, runtime_s=row["runtime_s"] * rng.gauss(1.01, 0.01)) for row in table.rows]
    table.rows = [row for pair in zip(table.rows, others) for row in pair]
    return Hidden("rows of two ranks look like repeats, and no column says that there are two")
