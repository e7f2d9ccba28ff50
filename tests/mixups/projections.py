"""--truth and --against with what is of something else, or one that was edited by hand."""

from cases import Hidden, Told, mistake, named, some
from profiles import profile_of, trace_of
from situations import VARIANTS

TRUTH = "--truth of another configuration"
AGAINST = "--against another run"
EDITED = "hand-edited projection"


# --- truth ----------------------------------------------------------------------------------------


@mistake(TRUTH, lambda catalogue: catalogue.truth())
def a_measured_trace_of_another_run(setup, _rng):
    setup.files[setup.target] = trace_of(setup.other("another run"), setup.config)
    if setup.kind == "packed":
        return Hidden("both runs have one shape, and a trace does not say of which data set it is")
    return Told(setup.target)


@mistake(TRUTH, lambda catalogue: catalogue.truth())
def swapped(setup, _rng):
    files = setup.files
    files["v1-epoch.csv"], files["v2-epoch.csv"] = files["v2-epoch.csv"], files["v1-epoch.csv"]
    return Told(r"\bv[12]\b|v[12]-epoch.csv")


@mistake(TRUTH, lambda catalogue: catalogue.truth())
def one_for_both(setup, _rng):
    setup.put("v2=v2-epoch.csv", "v2=v1-epoch.csv")
    return Told(r"\bv2\b|v1-epoch.csv")


@mistake(TRUTH, lambda catalogue: catalogue.truth())
def of_a_third(setup, _rng):
    setup.files["v1-epoch.csv"] = trace_of(setup.situation, "v2", "again")
    return Told(r"\bv1\b|v1-epoch.csv")


@mistake(TRUTH, lambda catalogue: catalogue.truth())
def under_a_name_that_is_not_projected(setup, _rng):
    setup.put("v1=v1-epoch.csv", "v9=v1-epoch.csv")
    return Told(r"\bv9\b")


@mistake(TRUTH, lambda catalogue: catalogue.truth())
def in_milliseconds(setup, _rng):
    for row in setup.profile.rows:
        row["runtime_s"] *= 1e3
    return Told(r"\bv1\b|v1-epoch.csv")


@mistake(TRUTH, lambda catalogue: catalogue.truth())
def times_since_the_start(setup, _rng):
    now = 0.0
    for row in setup.profile.rows:
        now = row["runtime_s"] = now + row["runtime_s"]
    return Told(r"\bv1\b|v1-epoch.csv")


# --- against --------------------------------------------------------------------------------------

AGAINST_FORM = some(48, "against", forms=("against",))


def against(variant):
    def apply(setup, _rng):
        setup.files["main.json"] = setup.other(variant).projection()
        if (variant, setup.kind) == ("reshuffled", "packed"):
            return Hidden("all batches have one shape: in another order they are the same run")
        return Told("main.json|against")

    return apply


for variant in ("another run", "reshuffled", "another batch size"):
    named(AGAINST, AGAINST_FORM, variant.replace(" ", "-"), against(variant))


@mistake(AGAINST, some(12, "onto", forms=("against",)))
def of_another_target(setup, _rng):
    setup.files["main.json"] = setup.situation.projection(
        onto=trace_of(setup.other("another batch size"))
    )
    return Told("main.json|against")


@mistake(
    AGAINST,
    some(16, "itself", forms=("against",), keys=("companion", "point", "shape", "iteration")),
)
def the_projection_of_this_very_profile(setup, _rng):
    """The profile of the new build was never written: the old one still lay there."""
    setup.files["main.json"] = setup.situation.projection()
    setup.files[setup.target] = profile_of(setup.situation, "companion", "v1", "earlier")
    return Told("(?=.*(main.json|against|v1.csv))(?=.*(same|identical|itself|equal|copy))")


@mistake(AGAINST, some(8, "other name", forms=("against",)))
def of_other_configurations(setup, _rng):
    setup.files["main.json"] = setup.situation.projection(("v2", "v3"))
    return Told("main.json|against|v1")


# --- edited ---------------------------------------------------------------------------------------


def metric(p):
    return p["configurations"][0]["metrics"]["runtime_s"]


def scale(figure, factor):
    for key in ("value", "low", "high", "per_epoch"):
        if figure.get(key) is not None:
            figure[key] *= factor


def measured(p):
    return p["configurations"][0]["measured"]["runtime_s"]


EDITS = {
    "the-value": lambda p: metric(p).update(value=metric(p)["value"] * 1.5),
    "value-and-interval": lambda p: scale(metric(p), 1.5),
    "the-interval": lambda p: metric(p).update(
        low=metric(p)["value"] * 1.2, high=metric(p)["value"] * 1.5
    ),
    "the-value-per-epoch": lambda p: metric(p).update(per_epoch=metric(p)["per_epoch"] * 0.5),
    "weight-above-one": lambda p: p["configurations"][0].update(measured_weight=1.2),
    "weight-below-zero": lambda p: p["configurations"][0].update(measured_weight=-0.1),
    "weight-with-all-points": lambda p: p["configurations"][0].update(measured_weight=0.5),
    "the-baseline": lambda p: p.update(baseline="v7"),
    "a-name-twice": lambda p: p["configurations"].append(p["configurations"][0]),
    "the-confidence": lambda p: p.update(confidence=95),
    "iterations": lambda p: p["run"].update(iterations=p["run"]["iterations"] + 1),
    "samples": lambda p: p["run"].update(samples=p["run"]["samples"] + 1),
    "epochs": lambda p: p["run"].update(epochs=p["run"]["epochs"] + 1),
    "the-number-of-points": lambda p: p["run"].update(points=p["run"]["points"] + 1),
    "a-missing-point": lambda p: p["configurations"][0].update(missing_points=["sp1"]),
    "an-unknown-missing-point": lambda p: p["configurations"][0].update(missing_points=["sp99"]),
    "the-throughput": lambda p: p["configurations"][0]["throughput"].update(samples_per_s=1.0),
    "a-speedup": lambda p: p["configurations"][-1]["speedup"]["runtime_s"].update(
        value=9, low=8.5, high=9.5
    ),
    "a-measured-mean": lambda p: measured(p)[0].__setitem__(2, measured(p)[0][2] * 2),
    "a-measured-point-twice": lambda p: measured(p).append(measured(p)[0]),
    "an-unknown-measured-point": lambda p: measured(p)[0].__setitem__(0, "sp99"),
    "measured-never": lambda p: measured(p)[0].__setitem__(1, 0),
    "matched-rows": lambda p: p["configurations"][0].update(
        matched_rows=p["configurations"][0]["profile_rows"] + 5
    ),
    "the-kind": lambda p: metric(p).update(kind="rate"),
    "overheads": lambda p: p.update(overheads={"per_epoch_s": 5, "seconds": 99}),
}


def edited_main(edit):
    def apply(setup, _rng):
        edit(setup.files["main.json"])
        return Told("main.json")

    return apply


for name, edit in EDITS.items():
    if name != "a-speedup":  # one configuration has none
        named(EDITED, some(6, name, forms=("against",)), f"against-{name}", edited_main(edit))
