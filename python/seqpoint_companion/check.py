"""Checks that batches are the plan's: by their `signature`, else by the shapes of their tensors."""

import warnings

from . import ranks
from .shapes import MEANT, name_in

CLEARLY_LONGER = 1.5  # planned lengths with a larger ratio have the same order in every unit
LAST_SHOWN = 5  # maximum number of batches in a message

CAUSES = """Usual causes: the data set is not the manifest's, or in another order (each run has one
of its own, without a seed); it shuffles or drops samples itself; the batch size is another one;
the loader has no batch_sampler=plan; samples are cut or padded otherwise than planned. Where
lengths are off by one frame, choose the points with the --front-end of the job. If the batch is
right, pass Recorder a signature(batch) that returns its lengths in the manifest's unit."""


class WrongBatch(ValueError):
    """The loader delivered a batch that differs from the plan's. Nothing was recorded for it."""


class BatchCheck:
    """Compares batches with the plan's, one after the other.

    Without a signature, any tensor axes that fit all batches so far are accepted: one with the
    planned number of samples and, if a length varies, one whose sizes may be the planned lengths of
    the side that its name suggests (MEANT). docs/companion.md lists what is not detected.
    """

    def __init__(self, plan, by_signature):
        self.plan, self.by_signature = plan, by_signature
        # The plan's batches whose lengths were compared so far. A point's repeats are alike, and a
        # comparison of all batches with each other takes as long as a short iteration.
        self.steps, self.compared = [], set()
        self.sample_axes = None  # axes of the samples' size in all batches so far
        self.lengths = None  # {axis: its sizes so far}
        self.doubted = False
        self.exact = False  # whether lengths are those of an order that this job has made
        self.any_length = False  # whether lengths are drawn anew, and only samples are compared

    def samples(self, step, rank):
        """The planned number of samples of a rank; if samples are packed, fewer than rows."""
        if "rank_ends" in step:
            ends = [0, *step["rank_ends"]]
            return ends[rank + 1] - ends[rank]
        return step.get("batch_size", len(step["rows"]))

    def fault(self, step, batches):
        """A description of the mismatch, or "".

        `batches`: (rank, signature or sizes by axis) of each process.
        """
        samples = [self.samples(step, rank) for rank, _ in batches]
        heaviest = dict(batches).get(self._heaviest_rank(step))
        if self.by_signature:
            signatures = [found for _, found in batches]
            return self._fault_of_signatures(step, signatures, samples, heaviest)
        if "tokens" in step:
            return self._doubt("runs without padding have no shape to compare")
        first = batches[0][1]
        axes = {axis for axis in first if [found.get(axis) for _, found in batches] == samples}
        self.sample_axes = axes if self.sample_axes is None else self.sample_axes & axes
        if not self.sample_axes:
            return "no axis has the planned number of samples, or not the same as so far"
        if self.any_length:
            return ""
        if heaviest is None:
            return self._doubt("the plan has those of another rank")
        compared = step["id"], *(step.get(side) for side in MEANT), *sorted(heaviest.items())
        if compared in self.compared:
            return ""
        self.compared.add(compared)
        self.steps.append(step)
        return self._fault_of_lengths(heaviest)

    def exact_axes(self):
        """{column: (tensor, axis)} with the planned sizes in all batches; {} if one has none."""
        if not (self.exact and self.lengths and self.sample_axes):
            return {}
        axes = {side: self._equal_to(side, sizes) for side, sizes in self._planned().items()}
        axes["batch_size"] = sorted(self.sample_axes)
        if not all(axes.values()):
            return {}
        places = {column: found[0].rsplit(" axis ", 1) for column, found in axes.items()}
        return {column: (tensor, int(axis)) for column, (tensor, axis) in places.items()}

    def _equal_to(self, side, planned):
        """Axes with exactly these sizes, those with a name of this side first."""
        equal = [axis for axis, sizes in self.lengths.items() if sizes == planned]
        lengths = [axis for axis in equal if axis not in self.sample_axes]
        return sorted(lengths, key=lambda axis: (name_in(axis) not in MEANT[side], axis))

    def _heaviest_rank(self, step):
        """The rank whose lengths the plan contains; None if the plan does not name it."""
        return step.get("heaviest_rank", None if "rank_ends" in step else self.plan.rank)

    def _fault_of_signatures(self, step, signatures, samples, heaviest):
        if [found.get("batch_size", n) for found, n in zip(signatures, samples)] != samples:
            return "batch_size is another one"
        if heaviest is None:
            return ""
        if not {"src_len", "tgt_len", "tokens"} & heaviest.keys():
            return self._doubt("signature(batch) returns none")
        for column, size in heaviest.items():
            if column != "batch_size" and step.get(column, size) != size:
                return f"{column} is {size}"
        return ""

    def _doubt(self, why):
        """Reports once which properties are not compared. This is not a mismatch."""
        if not (self.doubted or self.exact) and ranks.process()[0] == 0:
            warnings.warn(
                f"{self.plan.path}: cannot check from the batches whether lengths are the planned "
                f"ones: {why}. Cut samples or another data set may go undetected: "
                "Recorder(..., signature) compares exactly"
            )
        self.doubted = True
        return ""

    def _fault_of_lengths(self, sizes):
        before = {axis: () for axis in sizes} if self.lengths is None else self.lengths
        self.lengths = {axis: (*before[axis], n) for axis, n in sizes.items() if axis in before}
        planned = self._planned()
        axes = {side: self._axes(side) for side in planned}
        varying = {
            side: [values for values in axes[side] if len(set(values)) > 1] for side in planned
        }
        found = sorted({values for sides in varying.values() for values in sides})
        shown = self._shown(planned, found)
        if self.exact and not all(planned[side] in axes[side] for side in planned):
            return f"lengths are not those of the job's order: they depend on the step {shown}"
        if cut(planned, varying):
            return f"lengths are the planned ones but for some, as where samples are cut {shown}"
        if found and not self._fit(planned, varying, found):
            return f"lengths are the planned ones in no unit {shown}"
        if self._every_point_has_come() and not same_everywhere(planned, axes):
            self._doubt(f"they are in another unit, or all alike {shown}")
        return ""

    def _planned(self):
        """{side of pairs: its planned lengths so far}"""
        sides = {side: tuple(step.get(side, 0) for step in self.steps) for side in MEANT}
        return {side: lengths for side, lengths in sides.items() if any(n > 1 for n in lengths)}

    def _axes(self, side):
        """Sizes, batch by batch, of the axes that may be this side of pairs."""
        axes = {
            axis: values for axis, values in self.lengths.items() if axis not in self.sample_axes
        }
        meant = [axis for axis in axes if name_in(axis) in MEANT[side]]
        others = {name for other in MEANT if other != side for name in MEANT[other]}
        unnamed = [axis for axis in axes if name_in(axis) not in others]
        return sorted({axes[axis] for axis in meant or unnamed or list(axes)})

    def _shown(self, planned, found):
        if not found:
            return "(no axis varies)"
        batches = list(zip(planned.get("src_len", ()), zip(*found)))[-LAST_SHOWN:]
        text = ", ".join(f"{plan}: {'/'.join(map(str, sizes))}" for plan, sizes in batches)
        return f"(planned src_len: axes that vary, up to this batch: {text})"

    def _fit(self, planned, varying, found):
        """Whether each side has an axis that may be it; a single axis may be either side."""
        fits = []
        for side, lengths in planned.items():
            others = [values for other, values in planned.items() if other != side]
            other = others[0] if others else (0,) * len(lengths)
            fits.append(
                not varying[side] or any(may_be(values, lengths, other) for values in varying[side])
            )
        return all(fits) if len(found) > 1 else any(fits)

    def _every_point_has_come(self):
        return {step["id"] for step in self.steps} >= {step["id"] for step in self.plan.measured}


def same_unit(lengths, planned):
    """Whether these are the planned lengths, perhaps with marks for start and end."""
    return len({length - plan for length, plan in zip(lengths, planned)}) == 1


def same_everywhere(planned, axes):
    """Whether each side of pairs has an axis of exactly the planned lengths."""

    def exact(sizes, lengths):
        return same_unit(sizes, lengths) if len(set(lengths)) > 1 else sizes == lengths

    return all(any(exact(values, planned[side]) for values in axes[side]) for side in planned)


def strays(lengths, planned):
    """Whether these are the planned lengths with some exceptions, and more agree than by chance."""
    same = [plan for length, plan in zip(lengths, planned) if length == plan]
    if 2 * len(same) > len(planned) > len(same) and len(set(same)) > 2:
        return True
    longest = max(lengths)
    below = {length for length in lengths if length < longest}
    if max(planned) <= longest + 1 or len(below) < 2:
        return False
    # A length that is one larger has a start or end mark, one that is one smaller lacks a frame.
    # For larger differences, a cut makes some lengths larger than planned and some smaller.
    return any(
        all(length == min(plan + marks, longest) for length, plan in zip(lengths, planned))
        for marks in (-1, 0, 1)
    )


def may_be(lengths, planned, others):
    """Whether batches of these lengths may be the planned ones.

    `others`: planned for the other side of pairs.
    """
    if same_unit(lengths, planned):
        return True
    batches = sorted(set(zip(lengths, planned, others)))
    # A finer unit makes every length larger, a coarser one smaller, except for a mark or a cut.
    shorter = any(length < plan - 1 for length, plan, _ in batches)
    longer = any(length > plan + 1 for length, plan, _ in batches)
    return not (shorter and longer) and not any(swapped(a, b) for a in batches for b in batches)


def swapped(a, b):
    """Whether batch a is clearly longer than b in the plan, but shorter as measured."""
    return a[1] >= CLEARLY_LONGER * b[1] and a[2] >= b[2] and a[0] < b[0]


def cut(planned, varying):
    """Whether an axis is one side with some exceptions, and no axis is that side without them."""
    whole = {
        side: {values for values in varying[side] if same_unit(values, planned[side])}
        for side in planned
    }
    used = {values for axes in whole.values() for values in axes}
    return any(
        strays(values, planned[side])
        for side in planned
        if not whole[side]
        for values in varying[side]
        if values not in used
    )
