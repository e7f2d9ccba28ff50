"""Results with half and twice each constant of the model, and with other seeds of the search."""
from errors import by_kind, errors_of, geometric_mean, ratios
from epochs import MEASURES, in_parallel
from source import model_constants

SEEDS = range(5)
SIZES = (8, 15)


def variants():
    """[(label, of which constant, value, arguments)]; scales are a factor."""
    found = []
    for name, value in model_constants().items():
        option, base = name.replace("_", "-"), 1 if isinstance(value, list) else value
        for factor in (0.5, 2):
            found.append((option, factor, ("--model", f"{option}={base * factor:g}")))
    return found + [("seed", seed, ("--search-seed", str(seed))) for seed in SEEDS]


def outcome(program, networks, more=()):
    """(geometric mean ratios to bins by (kind, measure), coverage of 95 % intervals of times).

    The coverage is that of one measurement per point.
    """
    jobs = [(n, m) for n in networks for m in MEASURES]
    found = dict(
        zip(
            jobs,
            in_parallel(lambda job: ratios(program, *job, "calibrated", more, sizes=SIZES), jobs),
        )
    )
    held = [
        float(row["coverage"])
        for job in jobs
        for row in errors_of(program, *job, "calibrated", more, SIZES).values()
    ]
    return {
        key: geometric_mean(x for logs in of.values() for x in logs)
        for key, of in by_kind(found).items()
    }, sum(held) / len(held)


def outcomes(program, networks):
    """[(option, factor or seed, ratios, coverage)], first with nothing changed."""
    return [("as it is", "", *outcome(program, networks))] + [
        (option, change, *outcome(program, networks, more)) for option, change, more in variants()
    ]
