"""Whether a pass over a loader is the job's epoch, as the job's source and its trainer say.

It is where a `for` statement takes all batches of the loader, within one loop over epochs that
trains on nothing else. Whatever differs is a Doubt. A library's source tells nothing of the job.
"""

import ast
import dis
import inspect
import os
import sys
import typing

import torch

from ..asking import attribute, is_a, length_of
from ..frames import running
from . import early_end
from .early_end import UNKNOWN, call_name
from .expressions import value_of
from .position import OWN, is_of_library

LOOPS = (ast.For, ast.AsyncFor, ast.While)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TAKES_ALL = ("FOR_ITER", "SEND", "YIELD_FROM")  # what Python runs for `for` and `yield from`
LEAVES = ("POP_TOP", "POP_ITER", "POP_EXCEPT")  # where `break` or `return` leaves a `for`
LETS_GO = ("STORE_", "DELETE_", "RETURN_")  # beginnings of those where a variable held its iterator
MOST = 100_000  # batches that are counted through


class Doubt(typing.NamedTuple):
    text: str
    option: str  # that settles it, as "--batches 60"; "" if none does
    excludes: bool = False  # whether a pass is certainly less than the job's epoch


class Place:
    """A frame of the job, and the statements around its line."""

    def __init__(self, frame):
        self.frame, self.file = frame, frame.f_code.co_filename
        with open(self.file, "rb") as file:
            self.tree = ast.parse(file.read())
        self.path = path_to(self.tree, frame.f_lineno)
        begins = [n for n, node in enumerate(self.path) if isinstance(node, FUNCTIONS)]
        self.inner = self.path[begins[-1] + 1 :] if begins else self.path[1:]

    def loops(self):
        """Loops of this function around its line, the innermost first."""
        return [node for node in reversed(self.inner) if isinstance(node, LOOPS)]

    def name(self, node):
        return f"{os.path.basename(self.file)}:{node.lineno}"


def path_to(tree, line):
    """The nodes around a line, from the module to the innermost statement."""
    path = [tree]
    while True:
        children = (
            node
            for field in ("body", "orelse", "handlers", "finalbody", "cases")
            for node in getattr(path[-1], field, [])
            if first_line(node) <= line <= last_line(node)
        )
        child = next(children, None)
        if child is None:
            return path
        path.append(child)


def first_line(node):
    return getattr(node, "lineno", None) or node.body[0].lineno


def last_line(node):
    return getattr(node, "end_lineno", None) or node.body[-1].end_lineno


def of_job():
    """The frames that run but for those of this package, the innermost first."""
    for frame in running():
        if not frame.f_code.co_filename.startswith((OWN, "<")):
            yield frame


def takers():
    """Frames from the one that takes the batches on, without those of progress bars."""
    frames = list(of_job())
    while frames and is_installed(frames[0]) and is_generator(frames[0]) and takes_all(frames[0]):
        frames.pop(0)
    return frames


def is_installed(frame):
    return is_of_library(frame.f_code.co_filename)


def is_generator(frame):
    return bool(frame.f_code.co_flags & inspect.CO_GENERATOR)


def takes_all(frame):
    """Whether the frame takes the next item by a `for`, not by next()."""
    return instruction_of(frame) in TAKES_ALL


def instruction_of(frame):
    """The name of the instruction that a frame runs.

    Python 3.12 may be in the cache behind it, and those before 3.11 at the prefix before it.
    """
    code, at = frame.f_code.co_code, frame.f_lasti
    while at > 0 and dis.opname[code[at]] == "CACHE":
        at -= 2
    while at >= 0 and dis.opname[code[at]] == "EXTENDED_ARG":
        at += 2
    return dis.opname[code[at]] if at >= 0 else ""


# --- an exception of the job ---------------------------------------


def taking():
    """The frames that take a batch: generators of the job, and what is behind them."""
    for frame in of_job():
        yield frame
        if not is_generator(frame):
            return


def taken_by():
    """(id of the frame whose `for` takes a batch, or 0; id of the exception that is handled)"""
    behind = list(taking())[-1:]
    by_for = behind and takes_all(behind[0])
    return id(behind[0]) if by_for else 0, id(sys.exc_info()[1])


def is_raised(error, taken):
    """Whether the job leaves its loop by an exception; `error` is what a pass over it ends with.

    `taken`: taken_by() of its last batch. Python closes the pass of a `for` before the job can
    catch anything: only the instruction tells an exception from `break`, `return` and the end of an
    islice(). In doubt there is none.
    """
    (taker, handled), context = taken, error.__context__
    if not isinstance(error, GeneratorExit):  # of the loader
        return True
    closes = context is not None and not isinstance(context, StopIteration)
    if closes and id(context) != handled:  # closed where the job handles one
        return True
    frames = list(taking())
    if not frames or id(frames[-1]) != taker:
        return False
    at = list(map(instruction_of, frames))
    leaves = any(name in LEAVES or name.startswith(LETS_GO) for name in at)
    return not leaves and at[-1] not in TAKES_ALL  # a generator before it may be anywhere


def doubts(loop):
    """What speaks against a pass over the loop's loader being an epoch of the job."""
    frames = takers()
    if not frames:
        return []
    if loop.is_over:
        is_left = loop.last_trained and loop.length and loop.fetched < loop.length
        of_user = is_left and not is_installed(frames[0])
        return [left(loop, name_of(frames[0]), loop.last_trained)] if of_user else []
    if loop.stated:  # which decides
        return []
    if loop.trainer is not None:
        return []
    if is_installed(frames[0]):  # whose loops a library's epochs need not follow
        return []
    repeats = []  # loops of generators that the job takes its batches from
    while is_generator(frames[0]) and not is_installed(frames[0]) and len(frames) > 1:
        repeats += [of for of in Place(frames[0]).loops() if isinstance(of, ast.While)]
        frames.pop(0)
    places = [Place(frame) for frame in frames if not is_installed(frame)]
    found = ends(loop, places, repeats) if places else []
    return [*found, *other_loops(loop, places)]


def name_of(frame):
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def pulled(loop, where, number):
    has = f"; a pass over it has {loop.length}" if loop.length else ""
    what = "so the end of a pass ends no epoch" if number == UNKNOWN else f"{number} in its loop"
    text = f"{where} takes the batches of {loop.name} by next(), {what}"
    return Doubt(text + has, option_of(loop, number))


def option_of(loop, number):
    if number == UNKNOWN or not loop.length or number <= loop.length:
        return f"--batches {number}"
    return f"--epochs {-(-number // loop.length)}"


# --- where the job's loop ends ---------------------------------------


def ends(loop, places, repeats):
    taker = places[0]
    if not takes_all(taker.frame):
        around = next((place for place in places if place.loops()), None)
        if around is None:
            return [pulled(loop, taker.name(taker.inner[-1]), UNKNOWN)]
        return [pulled(loop, around.name(around.loops()[0]), times_of(around))]
    loops = taker.loops()
    most = MOST if repeats or is_while(loops[1:]) else loop.length or MOST
    number = early_end.leaves_after(loops[0], taker.frame, loop.fetched, most) if loops else None
    if number is not None:
        return [left(loop, taker.name(loops[0]), number)]
    return repeated(loop, places)


def is_while(loops):
    return bool(loops) and isinstance(loops[0], ast.While)


def times_of(place):
    """How often the innermost loop around a line runs: for _ in range(250)."""
    loop = place.loops()[0]
    times = None
    if isinstance(loop, ast.For):
        times = early_end.cut_to(loop.iter, place.frame)
    return UNKNOWN if times is None else times


def left(loop, where, number):
    of = f" of the {loop.length}" if loop.length else ""
    if number == UNKNOWN:
        text = f"the loop at {where} has a break or a return, which may end it before the last{of}"
        return Doubt(f"{text} batches of {loop.name}", "--batches N")
    text = f"the loop at {where} ends after {number}{of} batches of {loop.name}"
    return Doubt(text, option_of(loop, number))


def repeated(loop, places):
    """A pass within two loops, or within one that ends by no number of passes."""
    around = [(place, node) for place in places for node in loops_behind(place, places)]
    if len(around) > 1:
        place, node = around[0]
        times = early_end.cut_to(node.iter, place.frame) if isinstance(node, ast.For) else None
        often = f"{times} times" if isinstance(times, int) else "again and again"
        outer = around[1][0].name(around[1][1])
        text = (
            f"the loop at {place.name(node)} goes through {loop.name} {often}, within the loop at "
            f"{outer}: an epoch of the job may be more than one pass of {loop.length} batches"
        )
        return [Doubt(text, f"--epochs {times if isinstance(times, int) else UNKNOWN}")]
    if around and isinstance(around[0][1], ast.While) and counts_within(around[0][1]):
        place, node = around[0]
        text = (
            f"the loop at {place.name(node)} goes through {loop.name} until it has done enough: an "
            f"epoch of the job may be more than one pass of {loop.length} batches"
        )
        return [Doubt(text, "--epochs N")]
    return []


def loops_behind(place, places):
    """The loops around a place, without the one that takes the batches."""
    return place.loops()[1:] if place is places[0] else place.loops()


def counts_within(loop):
    """Whether the condition of a `while` changes with batches, not with passes."""
    names = {ast.unparse(node) for node in ast.walk(loop.test) if isinstance(node, ast.expr)}
    added = [node for node in loop.body if isinstance(node, ast.AugAssign)]
    return not any(ast.unparse(node.target) in names for node in added)


# --- other loops of the same epoch ---------------------------------------


def other_loops(loop, places):
    """Loops over other loaders that the job trains on beside this one, epoch by epoch."""
    for place, inside in zip(places, [None, *places]):
        found = [
            (node, loader, not isinstance(statement, ast.If))
            for statement in beside(place)
            for node, loader in trainings(statement, place, inside, loop)
        ]
        if found or loops_behind(place, places):
            return [other(loop, place, *of) for of in found]
    return []


def other(loop, place, node, loader, sure):
    batches = length_of(loader)
    size = "" if batches is None else f" ({batches} batches)"
    text = (
        f"an epoch of the job trains on {loop.name}, and on {type(loader).__name__} at "
        f"{place.name(node)}{size}"
    )
    return Doubt(text, f"--loader {loop.number}", sure)


def beside(place):
    """The other statements of the loop or block around a place."""
    loops = place.loops()
    own = loops[0] if loops and takes_all(place.frame) else place.inner[-1]
    end = place.path.index(own)
    for outer, inner in zip(place.path[end - 1 :: -1], place.path[end:0:-1]):
        for block in (getattr(outer, field, []) for field in ("body", "orelse", "finalbody")):
            if inner in block:
                yield from (node for node in block if node is not inner)
        if isinstance(outer, (*LOOPS, *FUNCTIONS)):
            return


def trainings(statement, place, inside, loop):
    """(node, loader) of the loops and calls in a statement that train on another loader."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return
    for node in ast.walk(statement):
        if inside is None and isinstance(node, ast.For) and trains(node):
            loaders = loaders_in([node.iter], place, loop)
        elif inside is not None and is_same_call(node, place, inside):
            loaders = loaders_in(node.args + [word.value for word in node.keywords], place, loop)
        else:
            continue
        for loader in loaders[:1]:
            yield node, loader


def trains(node):
    """Whether a loop's body has a backward pass, or calls something that is named after it."""
    return any(isinstance(call, ast.Call) and is_training(call) for call in ast.walk(node))


def is_training(call):
    """Also train(batch), but not model.train(), which sets a mode."""
    name = call_name(call)
    given = any(not isinstance(argument, ast.Constant) for argument in call.args)
    return "backward" in name or ("train" in name and given)


def is_same_call(node, place, inside):
    """Whether a call differs from the one that leads to the loop in its loaders only."""
    if not isinstance(node, ast.Call) or call_name(node) != inside.frame.f_code.co_name:
        return False
    own = [
        call
        for call in ast.walk(place.inner[-1])
        if isinstance(call, ast.Call) and call_name(call) == call_name(node)
    ]
    return bool(own) and without_loaders(own[0], place) == without_loaders(node, place)


def without_loaders(call, place):
    arguments = [(str(n), value) for n, value in enumerate(call.args)]
    arguments += [(word.arg, word.value) for word in call.keywords]
    return [
        (name, ast.unparse(value))
        for name, value in arguments
        if not is_a(value_of(value, place.frame), torch.utils.data.DataLoader)
    ]


def loaders_in(expressions, place, loop):
    """The loaders that expressions name, of other data sets than the loop's."""
    nodes = [node for of in expressions for node in ast.walk(of) if isinstance(node, ast.expr)]
    values = [value_of(node, place.frame) for node in nodes]
    return [
        value
        for value in values
        if is_a(value, torch.utils.data.DataLoader)
        and attribute(value, "dataset") is not loop.dataset
    ]
