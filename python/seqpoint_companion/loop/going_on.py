"""Goes on from the order of a job's batches to their measurement, in the same process.

Once the order is written, all ranks wait for SEQPOINT_PLAN. Then the loop of the job gets the
plan's batches in the same pass over its loader. An empty plan says that nothing is measured here.
"""

from .. import ranks, report
from ..awaited_plan import to_measure, wait_for_plan
from .plan_loop import Measure


def is_wanted(order, loop):
    """Whether a plan is to come, and the pass of the job can go on with it."""
    if not getattr(order.options, "goes_on", None) or order.epochs > 1 or order.beside:
        return False
    can = not loop.streams and loop.sampler is not None
    return all(ranks.of_all_processes(can, "the end of the order"))


def measure_of(order, loop):
    """A Measure in the place of an Order, which hands its later calls on to it."""
    measure = Measure(to_measure(order.options))
    for name in ("training", "passes", "elected", "beside", "others", "loaders"):
        setattr(measure, name, getattr(order, name))
    order.training.at_first_backward = measure._note_first_backward
    measure.trainers = order.trainers
    measure.waiting = order.waiting()
    loop.options, loop.kept, loop.wanted = measure.options, {}, set()
    loop.given, loop.fetched = None, order.got
    loop.noted.clear()
    return measure


def go_on(order, loop):
    """The plan's batches, then the stretch's."""
    loop.batches.close()
    wait_for_plan(order.options.plan)
    measure = measure_of(order, loop)
    order.next = order.loaders.job = measure
    rank, number = ranks.process()
    report.tell("goes on", verb="measure", rank=rank, world_size=number)
    measure.found(loop)
    yield from measure.run_all(loop)
