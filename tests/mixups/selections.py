"""Profiles of another selection, rows of points that do not exist, contradictory columns."""

from cases import Hidden, Told, mistake, named, some
from profiles import KEYS, Steps, profile_of
from situations import DIMENSIONS, KINDS, VARIANTS

ANOTHER = "profile of another selection"
FORMS = {
    "another run": ("single", "gate", "onto"),
    "reshuffled": ("pair", "against"),
    "another batch size": ("single", "gate"),
    "fewer points": ("single", "against"),
    "more points": ("pair", "single"),
    "another method": ("three", "single"),
}


# --- another selection ----------------------------------------------------------------------------


def forms_in_turn(variant):
    def chosen(catalogue):
        forms = FORMS[variant]
        places = [(kind, key) for kind in KINDS for key in KEYS]
        return [
            catalogue.project_setup(kind, key, form)
            for number, (kind, key) in enumerate(places)
            for form in (forms[number % len(forms)],)
            if catalogue.tells_apart(kind, key)
        ]

    return chosen


def written(row, columns):
    """The dimensions that a table has for a row.

    Without padding, lengths are no key, and with it tokens are none.
    """
    return {name: row[name] for name in DIMENSIONS if name in columns and row.get(name) is not None}


def points_of(row, columns, situation):
    """The points of a row by its key."""
    own = {point["id"]: point for point in situation.points["points"]}
    if "point" in columns:
        return [row["point"]] if row["point"] in own else []
    if columns[0] == "iteration" and not written(row, columns):
        return [name for name, point in own.items() if row["iteration"] in point["iterations"]]
    says = written(row, columns)
    return [
        name
        for name, point in own.items()
        if all(point.get(d, value) == value for d, value in says.items())
    ]


def gives_away(table, situation):
    """Whether the table itself shows that it belongs to another selection.

    It does if a row matches no iteration of the run, if a point has no row, or if a point has other
    lengths than its row.
    """
    run = situation.signatures()
    covered = set()
    for row in table.measured():
        names = points_of(row, table.columns, situation)
        covered.update(names)
        says = written(row, table.columns)
        if "point" in table.columns and not names:
            return True
        if (
            says
            and "point" not in table.columns
            and not any(says.items() <= signature.items() for signature in run)
        ):
            return True
        if (
            not says
            and "iteration" in table.columns
            and row["iteration"] >= situation.points["run"]["iterations"]
        ):
            return True
        points = [situation.point(name) for name in names] if "point" in table.columns else []
        if any(point.get(d, value) != value for point in points for d, value in says.items()):
            return True
    return covered != set(situation.point_ids)


def of_another(variant):
    def apply(setup, _rng):
        other = setup.other(variant)
        if other.content() == setup.situation.content():
            return None
        setup.files[setup.target] = table = profile_of(other, setup.key, setup.config)
        if not setup.digests and not gives_away(table, setup.situation):
            return Hidden(
                "each row goes by its key to a point, and the table does not say which selection "
                "it is of"
            )
        return Told(rf"\b{setup.config}\b|{setup.target}")

    return apply


for variant in VARIANTS:
    if variant != "own":
        named(ANOTHER, forms_in_turn(variant), variant.replace(" ", "-"), of_another(variant))


@mistake(
    ANOTHER,
    some(20, "one file", keys=("companion", "point", "shape"), forms=("single", "pair", "against")),
)
def one_of_two_files(setup, _rng):
    """A file of an earlier selection was left next to the new one."""
    table = profile_of(setup.other("another run"), setup.key, setup.config)
    setup.files["old.csv"] = table
    setup.argv += ["--profile", f"{setup.config}=old.csv"]
    run = setup.situation.signatures()
    foreign = any(
        not any(written(row, table.columns).items() <= s.items() for s in run)
        for row in table.measured()
    )
    if setup.key == "point" or not (setup.digests or foreign):
        return Hidden(
            "each row goes by its key to a point, and the table does not say which selection it "
            "is of"
        )
    return Told(r"old\.csv|" + rf"\b{setup.config}\b.*(selection|run|disagree|differ)")


@mistake(ANOTHER, some(24, "rows", keys=("companion",)))
def rows_of_two_selections_in_one_file(setup, _rng):
    """The file was appended to: its first half is of an earlier selection of the same run."""
    other = setup.other("another method")
    if other.content() == setup.situation.content():
        return None
    earlier = profile_of(other, setup.key, setup.config)
    setup.profile.rows = earlier.measured() + setup.profile.rows
    return Told(rf"\b{setup.config}\b|{setup.target}")


# --- rows of no point -----------------------------------------------------------------------------

UNKNOWN = "unknown points' rows"


def unknown_row(change, keys, name):
    def apply(setup, rng):
        table = setup.profile
        row = dict(rng.choice(table.measured()))
        change(row, setup)
        table.rows.append(row)
        return Told(f"{setup.target}.*({row['point']}|:\\d+)|sp99|(of|at) no point")

    named(
        UNKNOWN, some(14, name, keys=keys, forms=("single", "gate", "against", "pair")), name, apply
    )


unknown_row(
    lambda row, setup: row.update(point="sp99"),
    ("companion", "point", "steps-point"),
    "an-unknown-id",
)
unknown_row(
    lambda row, setup: row.update(point="warm-up"), ("companion", "point"), "a-warm-up-not-flagged"
)
unknown_row(
    lambda row, setup: row.update(iteration=10**6), ("iteration",), "an-iteration-beyond-the-run"
)
unknown_row(
    lambda row, setup: row.update({d: 77777 for d in setup.situation.dimensions}),
    ("length", "shape", "steps-shape"),
    "a-signature-of-no-iteration",
)


@mistake(UNKNOWN, some(14, "capitals", keys=("companion", "point", "steps-point")))
def an_id_in_capitals(setup, rng):
    row = rng.choice(setup.profile.measured())
    row["point"] = row["point"].upper()
    return Told(rf"{setup.target}.*{row['point']}", harmless=True)


# --- columns that contradict each other -----------------------------------------------------------

CONTRADICTION = "contradicting columns"
NAMED, SHAPED = ("companion", "point", "steps-point"), ("shape", "length", "steps-shape")
BESIDE = ("src_len", "tgt_len", "batch_size", "tokens", "sq_tokens", "iteration", "phase")


def show(setup, *columns):
    """The profile contains all of these columns in each row; else it does not apply."""
    table = setup.profile
    if isinstance(table, Steps) and "phase" in columns:
        return False
    for row in table.rows:
        row["phase"] = setup.situation.point(row["point"]).get("phase")
    if any(row.get(column) is None for row in table.rows for column in columns):
        return False
    table.columns = [*columns, *[column for column in table.columns if column not in columns]]
    return True


def told_row(setup, row, column):
    return Told(
        f"({setup.target}|{row['point']}).*({column}|{row[column]})|{column}.*({setup.target}|"
        f"{row['point']})"
    )


def other_value(setup, row, column, rng):
    """Another point's value, if it differs."""
    values = sorted(
        {other[column] for other in setup.profile.rows if other["point"] != row["point"]}
        - {row[column]}
    )
    return rng.choice(values) if values else None


def beside_point(column, whole):
    def apply(setup, rng):
        rows = setup.profile.measured()
        row = rng.choice(rows)
        if not show(setup, "point", column):
            return None
        value = other_value(setup, row, column, rng)
        if column == "batch_size" and value is None:
            value = row[column] * 2
        if value is None:
            return None
        for other in rows:
            if other is row or (whole and other["point"] == row["point"]):
                other[column] = value
        return told_row(setup, row, column)

    return apply


for column in BESIDE:
    for whole, words in ((False, "a-row"), (True, "a-point")):
        tables = some(16, column + words, keys=NAMED, forms=("single", "pair", "gate", "against"))
        named(
            CONTRADICTION,
            tables,
            f"point-and-{column.replace('_', '-')}-in-{words}",
            beside_point(column, whole),
        )


@mistake(CONTRADICTION, some(24, "rotated", keys=NAMED, forms=("single", "gate", "onto")))
def points_one_row_off(setup, _rng):
    """The column was pasted a row too low."""
    rows = setup.profile.measured()
    column = setup.situation.dimensions[0]
    if len(setup.situation.point_ids) < 2 or not show(setup, "point", column):
        return None
    ids = [row["point"] for row in rows]
    for row, name in zip(rows, ids[-1:] + ids[:-1]):
        row["point"] = name
    return told_row(setup, rows[1], column)


@mistake(CONTRADICTION, some(24, "iteration", keys=SHAPED, forms=("single", "pair", "gate")))
def iteration_and_lengths(setup, rng):
    """An iteration of one point with the lengths of another."""
    row = rng.choice(setup.profile.measured())
    columns = [column for column in setup.profile.columns if column in DIMENSIONS]
    value = other_value(setup, row, "iteration", rng)
    if value is None or not show(setup, *columns, "iteration"):
        return None
    row["iteration"] = value
    return told_row(setup, row, "iteration")


@mistake(CONTRADICTION, some(20, "unit", keys=("companion",), forms=("single", "gate", "against")))
def lengths_in_another_unit(setup, _rng):
    """The job counts frames of 40 ms, the manifest frames of 10 ms."""
    if "src_len" not in setup.profile.columns:
        return None
    for row in setup.profile.rows:
        row["src_len"] = row["src_len"] // 4 + 1
    return told_row(setup, setup.profile.rows[1], "src_len")
