"""After how many batches the job's loop leaves its loader, as its source says."""

import ast
import itertools

from .expressions import Expression, value_of

UNKNOWN = "N"
NO_NUMBER = ("isnan", "isinf", "isfinite", "is_nan")  # a loss that is none ends no epoch


def leaves_after(loop, frame, done, most):
    """Batches that the `for` statement takes of an iterable of `most`; None if it takes all.

    UNKNOWN if that cannot be found without running the job. `frame` runs the statement, and has
    trained on `done` batches.
    """
    cut = cut_to(loop.iter, frame)
    found = [] if cut is None else [cut]
    counters = counters_of(loop, frame, done)
    for leaving in filter(leaves, loop.body):
        found.append(first_time(leaving, loop, frame, counters, most))
    known = [number for number in found if isinstance(number, int) and number < most]
    return min(known, default=UNKNOWN if UNKNOWN in found else None)


def leaves(node):
    """Whether the statement ends the loop that it is in the body of."""
    if isinstance(node, (ast.Break, ast.Return)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        inner = (inside for inside in ast.walk(node) if isinstance(inside, ast.Return))
        return any(inner) or any(map(leaves, node.orelse))
    return any(map(leaves, ast.iter_child_nodes(node)))


def cut_to(iterable, frame):
    """The number of items of islice(loader, 60) or zip(range(60), loader); None: all."""
    numbers = []
    for call in (node for node in ast.walk(iterable) if isinstance(node, ast.Call)):
        name = call_name(call)
        if name == "range":
            numbers.append(length_of(value_of(call, frame)))
        elif name == "islice" and len(call.args) > 1:
            numbers.append(length_of(sliced(call, frame)))
    return min(numbers, default=None, key=lambda number: (number == UNKNOWN, number))


def call_name(call):
    """'islice' of itertools.islice(loader, 60)"""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


def sliced(call, frame):
    values = [value_of(argument, frame) for argument in call.args[1:]]
    return range(*values) if all(isinstance(value, int) for value in values) else None


def length_of(numbers):
    return UNKNOWN if numbers is None else len(numbers)


def counters_of(loop, frame, done):
    """{name: (value at the first batch, added by each batch, line where it is added)}"""
    counters = {}
    for node in loop.body:
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            step, now = value_of(node.value, frame), value_of(node.target, frame)
            if isinstance(step, int) and isinstance(now, int):
                counters[ast.unparse(node.target)] = now - done * step, step, node.lineno
    name, begin = enumerated(loop, frame)
    return {**counters, name: (begin, 1, 0)} if name else counters


def enumerated(loop, frame):
    """(name, first number) of `for name, batch in enumerate(...)`; ("", 0) of any other loop."""
    calls = [node for node in ast.walk(loop.iter) if isinstance(node, ast.Call)]
    of = [call for call in calls if ast.unparse(call.func) == "enumerate"]
    if not of or not isinstance(loop.target, ast.Tuple):
        return "", 0
    begin = [*of[0].args[1:], *(word.value for word in of[0].keywords)]
    return ast.unparse(loop.target.elts[0]), value_of(begin[0], frame) if begin else 0


def first_time(statement, loop, frame, counters, most):
    """The number of batches after which the statement leaves the loop; None: it does not."""
    tests = tests_of(statement)
    if tests is None:
        return UNKNOWN
    if any(name in ast.unparse(test) for test in tests for name in NO_NUMBER):
        return None
    tests = [Expression(test, frame, counters) for test in tests]
    trained = is_behind_work(statement, loop)
    if not tests:
        return int(trained)
    if not any(test.counts for test in tests):
        return UNKNOWN
    for batch in range(most):
        given = {name: at(batch, statement, *counter) for name, counter in counters.items()}
        values = [test.value(given) for test in tests]
        if None in values or all(values):
            return UNKNOWN if None in values else batch + trained
    return None


def at(batch, statement, begin, step, line):
    """A counter's value where the statement is reached with that batch, from 0."""
    return begin + step * (batch + (0 < line < statement.lineno))


def tests_of(statement):
    """Conditions of the only `break` or `return` in nested `if`s; None for any other form."""
    if isinstance(statement, (ast.Break, ast.Return)):
        return []
    if not isinstance(statement, ast.If) or any(map(leaves, statement.orelse)):
        return None
    inner = list(itertools.filterfalse(lambda node: not leaves(node), statement.body))
    rest = tests_of(inner[0]) if len(inner) == 1 else None
    return None if rest is None else [statement.test, *rest]


def is_behind_work(statement, loop):
    """Whether the job calls something for the batch before it reaches the statement."""
    before = loop.body[: loop.body.index(statement)]
    return any(isinstance(node, ast.Call) for part in before for node in ast.walk(part))
