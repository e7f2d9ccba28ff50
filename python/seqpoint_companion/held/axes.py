"""Finds the axes of samples and lengths in a batch's tensors, by the first batches' shapes."""

from ..saying import give_up
from ..shapes import MEANT, name_in

ENOUGH = 8  # batches until the choice: so many equal lengths are not by chance
BY_FUNCTION = "say --signature module:function"
NAMED = {name for names in MEANT.values() for name in names}


class Lengths:
    """Padded lengths of a batch; docs/pytorch.md lists the tensors that they are taken from."""

    def __init__(self):
        self.seen = []  # (shapes, number of samples or None) of the first batches
        self.ways = {}  # {column: (tensor, axis)}, once chosen
        self.still = {}  # {(tensor, axis): shape} of axes with constant size so far

    def see(self, shapes, samples):
        """Records the shapes of one of the first batches, until the axes are chosen."""
        self.seen.append((shapes, samples))
        ways = self.found()
        if not ways:
            give_up(
                f"no tensor of a batch has axes of samples and lengths ({shapes or 'no tensors'}): "
                f"{BY_FUNCTION}"
            )
        if len(self.seen) == ENOUGH or (len(ways) == 3 and self._varies(*ways["src_len"])):
            self.ways = ways
            first = self.seen[0][0]
            lengths = [way for column, way in ways.items() if column != "batch_size"]
            self.still = {(where, axis): first[where] for where, axis in lengths}

    def _varies(self, where, axis):
        return len({shapes[where][axis] for shapes, _ in self.seen}) > 1

    def of(self, shapes):
        """{column: size} of a batch."""
        ways = self.ways or self.found()
        if any(len(shapes.get(where, ())) <= axis for where, axis in ways.values()):
            give_up(f"lengths were in {ways}, and a batch has {shapes}: {BY_FUNCTION}")
        if self.still:
            self._require_still(shapes, ways["batch_size"][1])
        return {column: shapes[where][axis] for column, (where, axis) in ways.items()}

    def _require_still(self, shapes, samples_axis):
        """Ends the job if an axis varies that was not chosen as the lengths."""
        for (where, axis), first in list(self.still.items()):
            vary = {n for n, size in enumerate(shapes[where]) if size != first[n]} - {samples_axis}
            if axis in vary:
                del self.still[where, axis]
            elif vary:
                give_up(
                    f"all lengths were {first[axis]}, by axis {axis} of {where}, and now axis "
                    f"{min(vary)} varies. If that is the length, the rows so far have the "
                    f"wrong one: {BY_FUNCTION}"
                )

    def found(self):
        """{column: (tensor, axis)} for the batches so far."""
        axes = self._innermost({where: self._axes(where) for where in self.seen[0][0]})
        source = self._first("src_len", axes, lambda of: name_in(of) not in MEANT["tgt_len"])
        if source is None:
            return {}
        target = self._first("tgt_len", axes, lambda of: self._may_be_target(of, source, axes))
        ways = {"src_len": (source, axes[source][1])}
        if target is not None:
            ways["tgt_len"] = target, axes[target][1]
        return {**ways, "batch_size": (source, axes[source][0])}

    @staticmethod
    def _innermost(axes):
        """The shapes without tensors that lack axes or that contain other tensors."""
        axes = {where: of for where, of in axes.items() if of}
        return {where: of for where, of in axes.items() if not holds_any(where, axes)}

    @staticmethod
    def _first(side, axes, possible):
        """The tensor of that side of pairs: by its name, else the first."""
        tensors = [of for of in axes if possible(of)]
        known = [of for name in MEANT[side] for of in tensors if name_in(of) == name]
        return (known or tensors or [None])[0]

    def _may_be_target(self, where, source, axes):
        name = name_in(where)
        if where == source or name in MEANT["src_len"]:
            return False
        same = self._sizes(where, axes) == self._sizes(source, axes)
        return name == "decoder_input_ids" or not same

    def _sizes(self, where, axes):
        return [shapes[where][axes[where][1]] for shapes, _ in self.seen]

    def _axes(self, where):
        """(axis of samples, axis of lengths) of a tensor; None if it lacks them."""
        shapes = [of.get(where, ()) for of, _ in self.seen]
        if min(map(len, shapes)) < 2:
            return None
        sides = [axis for axis in (0, 1) if self._has_samples(where, axis)]
        if not sides and name_in(where) not in NAMED:
            return None
        if holds_any(where, self.seen[0][0]) and 0 not in sides:  # its content is not samples
            return None
        side = sides[0] if sides else 0
        rest = [axis for axis in range(min(map(len, shapes))) if axis != side]
        varying = [axis for axis in rest if len({of[axis] for of in shapes}) > 1]
        return side, (varying or rest)[0]

    def _has_samples(self, where, axis):
        """Whether that axis had the number of samples in all batches whose number is known."""
        for shapes, samples in self.seen:
            if samples is not None and shapes[where][axis] != samples:
                return False
        return True


def holds_any(where, tensors):
    return any(of.startswith((f"{where}[", f"{where}.")) for of in tensors)
