"""What twenty lines do: random batches, scaled by their padded tokens, alone or with a line.

Also every method with measurements from one stretch of time, as a process really measures them.
"""
import json
import math
import random
from functools import lru_cache

from elsewhere import rows_of
from epochs import MEASURES, in_parallel

DRAWS = 100
WINDOWED = ("calibrated", "midpoints", "random", "ratio", "line")
WINDOW_SIZES = (16, 32)


@lru_cache(maxsize=None)
def epoch_of(path):
    """(shapes, padded tokens, {column: costs}) of the iterations of a trace."""
    rows = rows_of(path)
    shapes = [(int(r["src_len"]), int(r.get("tgt_len", 0)), int(r["batch_size"])) for r in rows]
    return (
        shapes,
        [b * (s + t) for s, t, b in shapes],
        {m: [float(r[m]) for r in rows] for m in MEASURES},
    )


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def total_of(estimator, tokens, of_epoch, costs):
    """The total by costs of batches of these tokens. `of_epoch`: tokens of all batches."""
    number, mean_of_epoch = len(of_epoch), mean(of_epoch)
    cost, size = mean(costs), mean(tokens)
    if estimator == "random":
        return number * cost
    if estimator == "ratio":
        return number * mean_of_epoch * cost / size
    spread = sum((x - size) ** 2 for x in tokens)
    slope = sum((x - size) * y for x, y in zip(tokens, costs)) / spread if spread > 0 else 0
    return number * (cost + slope * (mean_of_epoch - size))


def rms(errors):
    return 100 * math.sqrt(mean(e * e for e in errors))


def errors_of_random(network, measure, estimator, size):
    """{configuration: RMS error in percent} of `ratio` and `line` from so many random batches."""
    found = {}
    for configuration, path in network.traces:
        _, tokens, columns = epoch_of(path)
        costs, rng, errors = columns[measure], random.Random(f"{network.name} {size}"), []
        for _ in range(DRAWS):
            drawn = rng.sample(range(len(tokens)), min(size, len(tokens)))
            total = total_of(
                estimator, [tokens[i] for i in drawn], tokens, [costs[i] for i in drawn]
            )
            errors.append(total / sum(costs) - 1)
        found[configuration] = rms(errors)
    return found


# --- one stretch of time --------------------------------------------------------------------------


def points_of(program, path, method, size, folder):
    """[(iterations of the point's shape, weight)]"""
    place = folder / f"{path.parent.name}-{path.stem}-{method}-{size}.json"
    program.run("select", path, "--method", method, "--points", size, "-q", "-o", place)
    return json.loads(place.read_text())["points"]


def designs(points, shapes, rng):
    """A draw of iterations, one of each point's shape, with the points' weights."""
    by_shape = {}
    for i, shape in enumerate(shapes):
        by_shape.setdefault(shape, []).append(i)
    drawn = []
    for point in points:
        shape = (point["src_len"], point.get("tgt_len", 0), point["batch_size"])
        drawn.append((rng.choice(by_shape[shape]), point["weight"]))
    return drawn


def window_errors(program, network, folder):
    """{(method, size, where): [RMS error in percent of each configuration]}

    A batch takes its fastest time, times what another batch, of the moment in which it runs, took
    more than its own fastest one. The truth is the total of the single times. Where: `anywhere`,
    the moments are drawn from the whole epoch; `stretch`, they are consecutive.
    """
    found = {}
    for configuration, path in network.traces:
        shapes, tokens, columns = epoch_of(path)
        fastest, single = columns["runtime_s"], columns["single_s"]
        noise = [s / f for s, f in zip(single, fastest)]
        for size in WINDOW_SIZES:
            chosen = {
                m: points_of(program, path, m, size, folder) for m in ("calibrated", "midpoints")
            }
            for method in WINDOWED:
                for where in ("anywhere", "stretch"):
                    rng = random.Random(f"{network.name} {configuration} {size} {method}")
                    errors = [
                        one_error(
                            method,
                            chosen.get(method),
                            size,
                            where,
                            rng,
                            shapes,
                            tokens,
                            fastest,
                            noise,
                        )
                        / sum(single)
                        - 1
                        for _ in range(DRAWS)
                    ]
                    found.setdefault((method, size, where), []).append(rms(errors))
    return found


def one_error(method, points, size, where, rng, shapes, tokens, fastest, noise):
    """The total of one trial."""
    number = len(tokens)
    drawn = (
        designs(points, shapes, rng)
        if points
        else [(i, 0) for i in rng.sample(range(number), min(size, number))]
    )
    begin = rng.randrange(max(1, number - len(drawn) + 1))
    moments = (
        range(begin, begin + len(drawn))
        if where == "stretch"
        else [rng.randrange(number) for _ in drawn]
    )
    costs = [fastest[i] * noise[t % number] for (i, _), t in zip(drawn, moments)]
    if points:
        return sum(weight * cost for (_, weight), cost in zip(drawn, costs))
    return total_of(method, [tokens[i] for i, _ in drawn], tokens, costs)


def windows(program, networks, folder):
    """{(kind, method, size, where): [RMS errors]}"""
    folder.mkdir(exist_ok=True)
    found = {}
    jobs = in_parallel(lambda network: window_errors(program, network, folder), networks)
    for network, errors in zip(networks, jobs):
        for (method, size, where), each in errors.items():
            found.setdefault((network.kind, method, size, where), []).extend(each)
    return found
