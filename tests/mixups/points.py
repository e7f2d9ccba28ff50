"""SeqPoints that were edited by hand, in every command that reads them."""

from cases import Hidden, Told, mistake, named
from situations import SAMPLES

EDITED = "hand-edited points"


def points(p):
    return p["points"]


def weigh(point, weight, p):
    point["weight"] = round(weight, 6)
    point["share"] = round(weight / p["run"]["iterations"], 9)


def need_two(edit):
    """Does not apply to a run with only one point."""

    def apply(p):
        if len(points(p)) < 2:
            return False
        edit(p)
        return True

    return apply


def swap(p, *keys):
    a, b = points(p)[0], points(p)[-1]
    for key in keys:
        a[key], b[key] = b[key], a[key]


def equal_weights(p):
    weights = [round(p["run"]["iterations"] / len(points(p)), 6)] * (len(points(p)) - 1)
    for point, weight in zip(points(p), weights):
        weigh(point, weight, p)
    weigh(points(p)[-1], p["run"]["iterations"] - sum(weights), p)


def take_out(p):
    """With its weight given to the next, as if it had never been."""
    gone = points(p).pop(0)
    weigh(points(p)[0], points(p)[0]["weight"] + gone["weight"], p)


def move_count(p):
    """The sum of the counts stays."""
    rows = p["run"]["histogram"]
    if len(rows) < 2:
        return False
    rows[0][-1] += 1
    rows[-1][-1] -= 1
    return True


def iterations_of_another(p):
    points(p)[0]["iterations"] = points(p)[1]["iterations"]


def histogram_row(p):
    p["run"]["histogram"][0][0] += 1


EDITS = {
    "a-weight": lambda p: points(p)[0].update(weight=points(p)[0]["weight"] + 1),
    "a-negative-weight": lambda p: points(p)[0].update(weight=-1.0),
    "a-share": lambda p: points(p)[0].update(share=0.5 + points(p)[0]["share"] / 3),
    "weights-and-not-shares": need_two(lambda p: swap(p, "weight")),
    "weights-swapped": need_two(lambda p: swap(p, "weight", "share")),
    "weights-made-equal": need_two(equal_weights),
    "an-id-twice": need_two(lambda p: points(p)[0].update(id=points(p)[1]["id"])),
    "ids-swapped": need_two(lambda p: swap(p, "id")),
    "keys-swapped": need_two(lambda p: swap(p, *p["run"]["signature"])),
    "a-point-taken-out": need_two(take_out),
    "a-key-of-no-iteration": lambda p: points(p)[0].update({p["run"]["signature"][0]: 7}),
    "an-iteration-beyond-the-run": lambda p: points(p)[0].update(iterations=[10**6]),
    "iterations-of-another-point": need_two(iterations_of_another),
    "a-count": lambda p: p["run"]["histogram"][0].__setitem__(-1, p["run"]["histogram"][0][-1] + 1),
    "counts-moved": move_count,
    "a-signature-of-the-run": histogram_row,
    "the-iterations": lambda p: p["run"].update(iterations=p["run"]["iterations"] * 2),
    "the-samples": lambda p: p["run"].update(samples=p["run"]["samples"] * 2),
    "the-epochs": lambda p: p["run"].update(epochs=p["run"]["epochs"] + 1),
    "the-padded-tokens": lambda p: p["run"].update(padded_tokens=p["run"]["padded_tokens"] // 2),
    "the-tokens": lambda p: p["run"].update(tokens=p["run"]["padded_tokens"] * 2),
    "the-number-of-points": lambda p: p["method"].update(points=len(points(p)) + 2),
    "the-repeats-of-a-point": lambda p: points(p)[0].update(repeats=points(p)[0]["repeats"] + 7),
    "the-repeats-of-all": lambda p: p["method"]["repeats"].update(
        measurements=p["method"]["repeats"]["measurements"] + 1
    ),
    "an-expected-error": lambda p: p["method"]["repeats"].update(expected_error_pct=0.001),
    "an-iteration-twice": lambda p: points(p)[0]["iterations"].append(
        points(p)[0]["iterations"][0]
    ),
    "the-effective-size": lambda p: p["method"].update(n_eff=len(points(p)) + 3.5),
}


def readers(salt):
    """Every kind in two commands, which come in turn."""

    def chosen(catalogue):
        setups = []
        for number, kind in enumerate(catalogue.kinds()):
            others = [setup for setup in catalogue.plan() if setup.kind == kind]
            project = [
                catalogue.project_setup(kind, "companion", form)
                for form in ("single", "gate", "against" if kind == "fixed" else "onto")
            ]
            commands = [project[0], *others, *project[1:]]
            setups += [commands[(number + salt + step) % len(commands)] for step in (0, 2)]
        return list({setup.name: setup for setup in setups}.values())

    return chosen


# Figures of a selection that no command computes with: no digest contains them, and they change no
# result.
ONLY_SAID = {"a-share", "the-number-of-points", "an-expected-error", "the-effective-size"}


def edited(edit, harmless):
    def apply(setup, _rng):
        if edit(setup.files["points.json"]) is False:
            return None
        return Told("points.json", harmless=harmless)

    return apply


for number, (name, edit) in enumerate(EDITS.items()):
    named(EDITED, readers(number), name, edited(edit, name in ONLY_SAID))


@mistake(EDITED, readers(1))
def a_sample_of_an_iteration(setup, _rng):
    rows = points(setup.files["points.json"])[0]["samples"][0]
    rows[0] = (rows[0] + 1) % SAMPLES
    return Hidden("which samples an iteration has follows from the manifest, which is not there")
