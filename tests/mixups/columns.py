"""Columns that are no cost, cells that are no numbers, files that are no tables."""

from cases import Told, mistake, named, some
from profiles import Steps

TABLES = ("companion", "point", "shape", "iteration")
FORMS = ("single", "pair", "gate", "against")

# --- no costs -------------------------------------------------------------------------------------

NO_COST = "columns that are no cost"
WORDS = "no cost|not (a )?cost|sum|added|unknown|listed|left|total|maxim|rate|not projected"
VALUES = {
    "loss": lambda row, rng: 4.2 * rng.gauss(1, 0.05),
    "lr": lambda row, rng: 1e-4 * (1 + row["repeat"]),
    "learning_rate": lambda row, rng: 1e-4 * (1 + row["repeat"]),
    "epoch": lambda row, rng: row["repeat"],
    "grad_norm": lambda row, rng: abs(rng.gauss(1, 0.3)),
    "ppl": lambda row, rng: 60 * rng.gauss(1, 0.05),
    "accuracy": lambda row, rng: rng.random(),
    "peak_mem_gb": lambda row, rng: 11 + row["runtime_s"],
    "max_memory_allocated": lambda row, rng: 2**33 + rng.randrange(2**20),
    "num_gpus": lambda row, rng: 8,
    "memory_mb": lambda row, rng: 8000 + rng.randrange(9),
    "gpu_temp_c": lambda row, rng: 60 + rng.randrange(9),
    "gpu_util": lambda row, rng: 90 + rng.randrange(9),
    "seed": lambda row, rng: 1234,
    "global_step": lambda row, rng: 1000 + row["iteration"],
    "samples_per_s": lambda row, rng: 16 / row["runtime_s"],
    "timestamp": lambda row, rng: 1.7e9 + row["repeat"] * 100,
    "train_loss": lambda row, rng: 4.2 * rng.gauss(1, 0.05),
}


def no_cost(column, value_of):
    def apply(setup, rng):
        for name, table in setup.files.items():
            if name in ("v1.csv", "v2.csv"):
                table.add_column(column, lambda row: value_of(row, rng))
        return Told(rf"\b{column}\b.*({WORDS})", harmless=True)

    return apply


for column, value_of in VALUES.items():
    named(
        NO_COST,
        some(8, column, keys=TABLES, forms=FORMS),
        column.replace("_", "-"),
        no_cost(column, value_of),
    )


# --- text -----------------------------------------------------------------------------------------

TEXT = "text"


def cells(change, name, number=8, harmless=True):
    """A change to the text of times, in one row or in all."""
    for every in (False, True):

        def apply(setup, rng, every=every):
            table = setup.profile
            rows = table.measured()
            for row in rows if every else [rng.choice(rows)]:
                row["runtime_s"] = change(row["runtime_s"])
            return Told(f"{setup.target}|runtime_s", harmless=harmless)

        place = "everywhere" if every else "in-a-row"
        named(TEXT, some(number, name, keys=TABLES, forms=FORMS), f"{name}-{place}", apply)


cells(lambda seconds: f"{seconds:.6f}s", "a-unit-in-the-cell")
cells(lambda seconds: f"{seconds:.6f}".replace(".", ","), "a-decimal-comma")
cells(lambda seconds: "OOM", "out-of-memory")
cells(lambda seconds: f"~{seconds:.3f}", "about")
cells(lambda seconds: f"0:00:0{seconds:.6f}", "a-clock")
cells(lambda seconds: f"{seconds:.6f} ± 0.001", "plus-minus")
cells(lambda seconds: f"{seconds * 1e6:,.0f}e-6", "thousands-apart")
cells(lambda seconds: "inf", "infinite")


def whole_file(name, change):
    def apply(setup, rng):
        setup.files[setup.target] = change(setup.profile.text(), rng)
        return Told(rf"{setup.target}|\b{setup.config}\b", harmless=True)

    named(TEXT, some(8, name, keys=TABLES, forms=FORMS), name, apply)


whole_file("utf-16", lambda text, rng: text.encode("utf-16"))
whole_file("semicolons-and-commas", lambda text, rng: text.replace(",", ";").replace(".", ","))
whole_file(
    "a-page-of-the-tracker",
    lambda text, rng: f"<!DOCTYPE html><html><body><pre>{text}</pre></body></html>\n",
)
whole_file("two-files-pasted", lambda text, rng: text + text)
whole_file(
    "a-markdown-table", lambda text, rng: "| " + text.replace(",", " | ").replace("\n", " |\n| ")
)
whole_file("cut-in-the-last-number", lambda text, rng: text.rstrip("\n")[:-3])
whole_file("no-header", lambda text, rng: text.split("\n", 1)[1])
whole_file("a-header-alone", lambda text, rng: text.split("\n", 1)[0] + "\n")
whole_file("empty", lambda text, rng: "")
whole_file("a-title-above-the-header", lambda text, rng: "Measurements of Tuesday\n" + text)
whole_file(
    "an-index-of-pandas",
    lambda text, rng: "".join(
        f"{number or ''},{line}\n" for number, line in enumerate(text.splitlines())
    ),
)


@mistake(TEXT, some(10, "steps", keys=("steps-point", "steps-shape"), forms=FORMS))
def a_trace_cut_short(setup, _rng):
    assert isinstance(setup.profile, Steps)
    text = setup.profile.text()
    setup.files[setup.target] = text[: len(text) * 2 // 3]
    return Told(rf"{setup.target}|\b{setup.config}\b")
