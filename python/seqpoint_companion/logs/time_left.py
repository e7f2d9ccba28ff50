"""The time of a run's remaining iterations, from the times of those that have run.

An iteration's cost is a sum of three functions of its shape: 1, tokens, tokens times length. Times
of few shapes do not show the amounts of each. So the interval contains those of all subsets of the
functions whose least-squares fit explains the times nearly as well as the best one; and predictions
of times that are known, from those before them, show how far predictions err.
"""

import math
from array import array
from itertools import combinations
from typing import NamedTuple, Optional

FUNCTIONS, TIME = 3, 3  # number of functions; position of the time behind them
TOKENS = (1,)  # the subset: cost in proportion to tokens
SUBSETS = [TOKENS, (0,), (2,), *combinations(range(3), 2), (0, 1, 2)]
LIKELY = 6.0  # chi squared of two amounts: exceeded by chance in 5 %
BLOCKS = 20  # noise and misfits last: times are worth at most so many independent ones
STRETCHES = 5  # the times after each of them but the last are predicted from those before
LEVEL = 0.02  # median by which the speed of a host differs between stretches (docs/method.md)
RESOLUTION = 1e-3  # of a mean time: no job repeats better
SLOW_FIRST, SLOW_SHARE = 10, 5  # at most so many first times, and a fifth of all, are a start


class Span(NamedTuple):
    """Iterations that were timed together."""

    begin: int  # rows of the order
    end: int
    seconds: float


class Spans:
    """A list of spans in arrays: a log may have millions."""

    def __init__(self, spans=()):
        self.columns = array("q"), array("q"), array("d")
        for span in spans:
            self.append(span)

    def append(self, span):
        for column, value in zip(self.columns, span):
            column.append(value)

    def pop(self):
        for column in self.columns:
            column.pop()

    def __len__(self):
        return len(self.columns[0])

    def __iter__(self):
        return map(Span._make, zip(*self.columns))

    def __getitem__(self, at):
        values = [column[at] for column in self.columns]
        if not isinstance(at, slice):
            return Span(*values)
        part = Spans()
        part.columns = tuple(values)
        return part


class Estimate(NamedTuple):
    seconds: float
    low: Optional[float]  # None: too few times for an interval
    high: Optional[float]


class Fit(NamedTuple):
    """A subset of the functions, fitted to times."""

    subset: tuple
    amounts: list
    inverse: list  # of the normal matrix
    squares: float  # of the residuals

    def predict(self, functions):
        return sum(a * functions[f] for a, f in zip(self.amounts, self.subset))

    def leverage(self, functions):
        x = [functions[f] for f in self.subset]
        return sum(a * b * c for a, row in zip(x, self.inverse) for b, c in zip(x, row))


class Sums:
    """Sums over times: with the functions, in units of their means over the run, and weights."""

    def __init__(self):
        self.count = 0
        self.totals = [0.0] * (FUNCTIONS + 1)  # of the functions, and the time
        self.roots = [0.0] * (FUNCTIONS + 1)  # the same over the root of a span's iterations
        self.products = [[0.0] * (FUNCTIONS + 1) for _ in self.totals]  # of those over the root

    def add(self, values):
        """Adds a span: its functions and its time."""
        self.count += 1
        root = math.sqrt(values[0])
        for i, value in enumerate(values):
            self.totals[i] += value
            self.roots[i] += value / root
            products, weighted = self.products[i], value / values[0]
            for j in range(i + 1):  # the others are equal to these: see sum_of()
                products[j] += weighted * values[j]

    def residual(self, fit):
        return self.roots[TIME] - fit.predict(self.roots)


def sum_of(blocks):
    total = Sums()
    for block in blocks:
        total.count += block.count
        total.totals = [a + b for a, b in zip(total.totals, block.totals)]
        total.roots = [a + b for a, b in zip(total.roots, block.roots)]
        total.products = [
            [a + b for a, b in zip(*rows)] for rows in zip(total.products, block.products)
        ]
    for i in range(FUNCTIONS + 1):
        for j in range(i):
            total.products[j][i] = total.products[i][j]
    return total


class Prediction:
    """What times say about others. `blocks`: Sums of consecutive parts of them."""

    def __init__(self, blocks):
        self.blocks, self.sums = blocks, sum_of(blocks)
        fits = list(self._fits())
        self.lasting = self._lasting_noise(min(fits, key=lambda fit: fit.squares))
        independent = min(max(self.sums.count / self.lasting, 2.0), BLOCKS)
        self.possible = likely(fits, independent)
        costs = likely([fit for fit in fits if min(fit.amounts) >= 0], independent)
        self.chosen = costs[0] if costs[0].subset == TOKENS else simplest(costs, independent)

    def _fits(self):
        products = self.sums.products
        squares = products[TIME][TIME]
        for subset in SUBSETS:
            inverse = inverse_of([[products[i][j] for j in subset] for i in subset])
            if inverse is None:
                continue
            with_time = [products[f][TIME] for f in subset]
            amounts = [sum(c * t for c, t in zip(row, with_time)) for row in inverse]
            left = squares - sum(a * t for a, t in zip(amounts, with_time))
            yield Fit(subset, amounts, inverse, max(left, RESOLUTION**2 * squares))

    def _lasting_noise(self, fit):
        """By how much sums of times vary more than if each time had noise of its own."""
        return max(1.0, sum(block.residual(fit) ** 2 for block in self.blocks) / fit.squares)

    def errors(self):
        """Relative errors: the times after each stretch, predicted from those up to it."""
        count, parts = len(self.blocks), min(STRETCHES, len(self.blocks))
        for part in range(1, parts):
            split = count * part // parts
            later = sum_of(self.blocks[split:]).totals
            yield later[TIME] / Prediction(self.blocks[:split]).chosen.predict(later) - 1

    def estimate(self, functions, confidence):
        """The time of iterations with these sums of functions."""
        seconds = self.chosen.predict(functions)
        fits = [*self.possible, self.chosen]
        if self.sums.count <= max(len(fit.subset) for fit in fits):
            return Estimate(seconds, None, None)
        errors = list(self.errors())
        level = math.sqrt((LEVEL**2 + sum(e * e for e in errors)) / (1 + len(errors)))
        level *= t_quantile(confidence, 1 + len(errors))
        ends = []
        for fit in fits:
            value = fit.predict(functions)
            width = math.hypot(self._width(fit, functions, confidence), level * value)
            ends += [value - width, value + width]
        return Estimate(seconds, max(min(ends), 0.0), max(ends))

    def _width(self, fit, functions, confidence):
        """Half the interval of a fit, by its amounts and the noise of each time."""
        degrees = self.sums.count - len(fit.subset)
        noise = self.lasting * fit.squares / degrees * (fit.leverage(functions) + functions[0])
        return t_quantile(confidence, min(degrees, BLOCKS)) * math.sqrt(noise)


def likely(fits, independent):
    """The fits that explain `independent` times nearly as well as the best of them."""
    best = min(fit.squares for fit in fits)
    return [fit for fit in fits if independent * math.log(fit.squares / best) <= LIKELY]


def simplest(fits, independent):
    """The fit that the Bayesian information criterion takes."""
    penalty = math.log(independent)
    return min(
        fits, key=lambda fit: independent * math.log(fit.squares) + penalty * len(fit.subset)
    )


class Timed:
    """The spans of a run that were timed."""

    def __init__(self, order, spans):
        self.order, self.spans = order, spans
        self.scale = [mean / order.count or 1.0 for mean in order.functions(0, order.count)]

    def functions(self, begin, end):
        return [f / s for f, s in zip(self.order.functions(begin, end), self.scale)]

    def blocks(self, spans):
        """The sums of consecutive parts of the spans."""
        parts = min(BLOCKS, len(spans))
        blocks = [Sums() for _ in range(parts)]
        for number, (begin, end, seconds) in enumerate(spans):
            blocks[number * parts // len(spans)].add([*self.functions(begin, end), seconds])
        return blocks

    def estimate(self, begin, end, confidence=0.95, until=None):
        """The time of the rows from `begin` to before `end`, from the first `until` spans."""
        prediction = Prediction(self.blocks(self.spans[:until]))
        return prediction.estimate(self.functions(begin, end), confidence)

    def least_seconds(self, span):
        """What a span that is none of these takes at least: by the end of its interval, and by each
        of the functions as if it were all of the cost."""
        prediction = Prediction(self.blocks(self.spans))
        functions, known = self.functions(span.begin, span.end), prediction.sums.totals
        alone = min(known[TIME] * f / of_known for f, of_known in zip(functions, known))
        return max(alone, prediction.estimate(functions, 0.95).low or 0.0)

    def slow_beginning(self):
        """How many first spans are the start of the process: each took twice as long as any later
        one, by iterations and by tokens. 0 if the first iteration was not timed."""
        most = min(SLOW_FIRST, len(self.spans) // SLOW_SHARE)
        if not self.spans or self.spans[0].begin != 0:
            return 0
        first = [self._rates(span) for span in self.spans[:most]]
        later = [0.0, 0.0]
        for span in self.spans[most:]:
            later = [max(pair) for pair in zip(later, self._rates(span))]
        for number in range(most, 0, -1):
            if all(
                rate > 2 * of_later for one in first[:number] for rate, of_later in zip(one, later)
            ):
                return number
            later = [max(pair) for pair in zip(later, first[number - 1])]
        return 0

    def _rates(self, span):
        iterations, tokens, _ = self.functions(span.begin, span.end)
        return span.seconds / iterations, span.seconds / (tokens or 1.0)


def inverse_of(matrix):
    """The inverse of a symmetric positive definite matrix; None if it is singular."""
    n = len(matrix)
    rows = [list(row) + [float(i == j) for j in range(n)] for i, row in enumerate(matrix)]
    for i in range(n):
        if rows[i][i] <= 1e-9 * matrix[i][i]:
            return None
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(n):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i])]
    return [row[n:] for row in rows]


def t_quantile(confidence, degrees):
    """The two-sided quantile of Student's t, for a whole number of degrees of freedom."""
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_inside(middle, degrees) < confidence else (low, middle)
    return high


def t_inside(t, degrees):
    """The probability of -t to t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(1 + odd, degrees, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
