"""Odd values of options, a wrong --map or --match, and targets of another kind."""

from cases import Hidden, Told, mistake, named, some
from profiles import Steps, profile_of, trace_of

ODD = "options"

# Options that are added, to `project` of that form, and what has to be named.
OPTIONS = [
    ("gate", "--max-regression 1", "max-regression"),
    ("gate", "--max-regression 5", "max-regression"),
    ("gate", "--max-regression 25", "max-regression"),
    ("gate", "--max-regression 150%", "max-regression"),
    ("gate", "--max-regression 1.0", "max-regression"),
    ("against", "--max-regression 1", "max-regression"),
    ("against", "--max-regression 1000%", "max-regression"),
    ("single", "--require-weight 1", "require-weight"),
    ("single", "--require-weight 95", "require-weight"),
    ("single", "--require-weight 120%", "require-weight"),
    ("single", "--confidence 95", "confidence"),
    ("single", "--confidence 1", "confidence"),
    ("single", "--confidence 100%", "confidence"),
    ("pair", "--baseline v3", "baseline|v3"),
    ("pair", "--baseline v1.csv", "baseline"),
    ("single", "--aggregate runtime_s=rate", "runtime_s|kind"),
    ("single", "--aggregate loss=max", "loss"),
    ("single", "--rate ipc=instructions/cycles", "instructions"),
    ("single", "--metric runtime", "runtime"),
    ("gate", "--metric energy_j", "energy_j"),
    ("single", "--skip 1000", "skip|warm-up"),
    ("single", "--epoch-overhead -5", "overhead"),
    ("single", "--epoch-overhead 60s", "overhead"),
    ("single", "--time-source gpu-busy", "time-source|gpu"),
    ("single", "--cold-start-cost 1ms", "cold-start"),
    ("single", "--max-regression 5%", "max-regression"),
    ("single", "--profile v1.csv", "v1.csv"),
    ("single", "--for points.jso", "points.jso"),
    ("single", "--against points.json", "points.json|against"),
]


def option(words, pattern):
    name, *value = words.split(" ", 1)

    def apply(setup, _rng):
        if name in setup.argv and name not in ("--profile", "--metric"):
            at = setup.argv.index(name)
            del setup.argv[at : at + 2]
        setup.argv += [name, *value]
        return Told(pattern)

    return apply


for form, words, pattern in OPTIONS:
    tables = some(3, words, keys=("companion", "point", "shape"), forms=(form,))
    named(
        ODD,
        tables,
        f"{words.replace(' ', '=').replace('/', '-over-')}-{form}",
        option(words, pattern),
    )


def selecting(words, way="manifest"):
    """An option of select and of scan instead of the right one, or in addition to it."""

    def apply(setup, rng):
        return (
            option(words, words.split()[0].strip("-"))(setup, rng)
            if setup.kind in ("one", "ranks")
            else None
        )

    named(ODD, lambda catalogue: catalogue.select(way), f"select-{words.replace(' ', '=')}", apply)


for words in (
    "--batch-size 0",
    "--epochs 0",
    "--points 0",
    "--parts 0",
    "--seed x",
    "--epoch -1",
    "--pad-multiple 0",
    "--sampler pytroch",
    "--method calibrate",
    "--sampler-version 99.7",
    "--max-error 150%",
    "--world-size 0",
    "--max-length 0",
    "--min-length 100000",
    "--length-unit minutes",
):
    selecting(words)
selecting("--budget 0", "budget")
selecting("--budget 10x", "budget")


# --- maps -----------------------------------------------------------------------------------------

MAP = "--map and others"
STEPS = some(8, "map", keys=("steps-point",), forms=("single",))


def nameless(setup, warmup=False):
    rows = profile_of(setup.situation, "companion", "v1").rows if warmup else setup.profile.rows
    for number, row in enumerate(rows):
        row["name"] = f"ProfilerStep#{number}"
    setup.files[setup.target] = Steps(rows, ["point", "runtime_s"])
    return rows


def mapped(name, change):
    """A map of the measured steps, changed."""

    def apply(setup, rng):
        rows = nameless(setup)
        lines = [[str(number), row["point"]] for number, row in enumerate(rows)]
        if change(lines, rng) is False:
            return None
        setup.files["steps.csv"] = "index,point\n" + "".join(
            ",".join(line) + "\n" for line in lines
        )
        setup.argv += ["--map", "steps.csv"]
        return Told(rf"steps.csv|{setup.target}|ProfilerStep|\bv1\b")

    named(MAP, STEPS, name, apply)


mapped("a-map-of-too-few-steps", lambda lines, rng: lines.pop())
mapped("a-map-of-too-many-steps", lambda lines, rng: lines.append([str(len(lines) + 5), "sp1"]))
mapped("a-map-with-an-unknown-point", lambda lines, rng: lines[-1].__setitem__(1, "sp99"))
mapped("a-map-with-an-index-twice", lambda lines, rng: lines.append(["0", lines[-1][1]]))
mapped(
    "a-map-one-step-off",
    lambda lines, rng: [line.__setitem__(0, str(int(line[0]) + 1)) for line in lines] and None,
)


@mistake(MAP, STEPS)
def the_plan_of_another_selection(setup, _rng):
    nameless(setup, warmup=True)
    setup.files["rows.txt"] = setup.other("more points").plan_rows
    setup.argv += ["--map", "rows.txt"]
    return (
        Told(r"rows.txt|ProfilerStep|\bv1\b")
        if setup.files["rows.txt"] != setup.situation.plan_rows
        else None
    )


@mistake(MAP, some(8, "names", keys=("steps-point", "steps-shape"), forms=("single",)))
def a_map_against_the_names(setup, rng):
    """The steps name their points, and the map names others."""
    rows = setup.profile.rows
    ids = setup.situation.point_ids
    if len(ids) < 2:
        return None
    turned = dict(zip(ids, ids[1:] + ids[:1]))
    setup.files["steps.csv"] = "index,point\n" + "".join(
        f"{n},{turned[row['point']]}\n" for n, row in enumerate(rows)
    )
    setup.argv += ["--map", "steps.csv"]
    return Told(r"steps.csv|\bsp\d|\bv1\b")


@mistake(
    MAP,
    some(
        8,
        "match",
        keys=("steps-shape",),
        kinds=("one", "fixed", "epochs"),
        forms=("single", "gate"),
    ),
)
def a_pattern_of_the_wrong_number(setup, _rng):
    """The batch size is taken for the length."""
    setup.argv += ["--match", "batch_size=(?<seqlen>[0-9]+)"]
    return Told(rf"match|{setup.target}|\bv1\b")


@mistake(MAP, some(8, "match none", keys=("steps-point",), forms=("single", "gate")))
def a_pattern_that_finds_nothing(setup, _rng):
    setup.argv += ["--match", "step_(?<point>sp[0-9]+)"]
    return Told(rf"match|{setup.target}|\bv1\b")


# --- another target -------------------------------------------------------------------------------

ONTO = "--for"


def onto(name, change):
    def apply(setup, rng):
        change(setup, rng)
        return Told("target.csv")

    named(ONTO, some(16, name, forms=("onto",), keys=("companion", "point", "shape")), name, apply)


def target_lengths(factor):
    def change(setup, _rng):
        for row in setup.files["target.csv"].rows:
            for name in ("src_len", "tgt_len", "tokens"):
                if row.get(name):
                    row[name] = int(row[name]) * factor
            if row.get("sq_tokens"):
                row["sq_tokens"] = int(row["sq_tokens"]) * factor * factor

    return change


onto("lengths-in-another-unit", target_lengths(160))


def of_another_kind(setup, _rng):
    kind = "one" if setup.kind in ("varlen", "pairs") else "pairs"
    setup.files["target.csv"] = trace_of(setup.situations.get(kind))


def a_profile(setup, _rng):
    setup.files["target.csv"] = profile_of(setup.situation, "companion", "v1")


onto("a-run-of-another-kind", of_another_kind)
onto("a-header-alone", lambda setup, rng: setup.files["target.csv"].rows.clear())
onto("a-profile-for-a-trace", a_profile)


@mistake(ONTO, some(8, "twice", forms=("onto",), keys=("companion", "point", "shape")))
def the_same_rows_twice(setup, _rng):
    setup.files["target.csv"].rows *= 2
    return Hidden("two epochs in one order look the same")
