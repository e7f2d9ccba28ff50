"""Finds the axes of samples and lengths in a batch's tensors, by the first batches' shapes."""

from ..saying import give_up
from ..shapes import IDS, MEANT, OTHERS, PACKED, name_in, sequences_in
from ..untrained import BY_HAND

ENOUGH = 8  # batches until the choice, if the lengths of some differ: a few may be by chance
PATIENCE = 1000  # batches until the choice if all lengths are equal, as a sorted epoch's first are
BY_FUNCTION = "say --signature module:function"
NAMED = {name for names in MEANT.values() for name in names}
MOST_CONSTANT = 2  # axes of sequences of one length; a tensor with more holds images or features


class Lengths:
    """Padded lengths of a batch; docs/companion.md lists the tensors that they are taken from.

    `patience`: after so many batches of equal lengths the axes are chosen all the same.
    """

    def __init__(self, patience=PATIENCE, why_none=""):
        self.patience = patience
        self.why_none = why_none  # why a batch may lack axes, if it is known
        self.batches = 0  # that were seen before the choice
        self.seen = []  # (shapes, number of samples or None) of them, each once
        self.ways = {}  # {column: (tensor, axis)}, once chosen; without an axis the length is 1
        self.still = {}  # {(tensor, axis): shape} of axes with constant size so far

    def see(self, shapes, samples):
        """Records the shapes of one of the first batches, until the axes are chosen."""
        self.batches += 1
        if (shapes, samples) not in self.seen:
            self.seen.append((shapes, samples))
        elif self.batches not in (ENOUGH, self.patience):
            return  # nothing new: recorded batches must not pay for it
        ways = self.found()
        if not ways:
            fault = (
                f"no tensor of a batch has axes of samples and lengths ({shapes or 'no tensors'})"
            )
            give_up(self.why_none or f"{fault}: {BY_FUNCTION}", BY_HAND if self.why_none else "")
        enough = self.batches >= ENOUGH or len(ways) == 3
        if self.batches >= self.patience or (enough and self._varies(*ways["src_len"])):
            self.choose(ways)

    def choose(self, ways):
        self.ways = ways
        first = self.seen[0][0]
        lengths = [way for column, way in ways.items() if column != "batch_size"]
        self.still = {(where, axis): first[where] for where, axis in lengths}

    def _varies(self, where, axis):
        return axis is not None and len({shapes[where][axis] for shapes, _ in self.seen}) > 1

    def of(self, shapes):
        """{column: size} of a batch."""
        ways = self.ways or self.found()
        try:
            sizes = {column: size_of(shapes, *way) for column, way in ways.items()}
        except (KeyError, IndexError):
            give_up(f"lengths were in {ways}, and a batch has {shapes}: {BY_FUNCTION}")
        if self.still:
            self._require_still(shapes, ways["batch_size"][1])
        return sizes

    def _require_still(self, shapes, samples_axis):
        """Ends the job if an axis varies that was not chosen as the lengths."""
        for (where, axis), first in list(self.still.items()):
            vary = {n for n, size in enumerate(shapes[where]) if size != first[n]} - {samples_axis}
            if axis in vary:
                del self.still[where, axis]
            elif vary:
                give_up(
                    f"all lengths were {size_of({where: first}, where, axis)} by "
                    f"{described(where, axis)}, and now axis {min(vary)} varies. If that is the "
                    f"length, the rows so far have the wrong one: {BY_FUNCTION}"
                )

    def found(self):
        """{column: (tensor, axis)} for the batches so far."""
        axes = self._innermost({where: self._axes(where) for where in self.seen[0][0]})
        source = self._source(axes)
        if source is None:
            return {}
        target = self._first(
            "tgt_len", [where for where in axes if self._may_be_target(where, source, axes)]
        )
        ways = {"src_len": (source, axes[source][1])}
        if target is not None:
            ways["tgt_len"] = target, axes[target][1]
        return {**ways, "batch_size": (source, axes[source][0])}

    @staticmethod
    def _innermost(axes):
        """The shapes without tensors that lack axes or that contain other tensors."""
        axes = {where: axis for where, axis in axes.items() if axis}
        return {where: axis for where, axis in axes.items() if not holds_any(where, axes)}

    def _source(self, axes):
        """A sample's first sequence; else a tensor that varies before one that does not."""
        sequences = [where for where in sequences_in(self.seen[0][0]) if where in axes]
        if len(sequences) > 1:
            return sequences[0]
        sources = [where for where in axes if name_in(where) not in MEANT["tgt_len"]]
        varying = [where for where in axes if self._varies(where, axes[where][1])]
        with_axis = [where for where in sources if axes[where][1] is not None]
        found = (
            self._first("src_len", [where for where in sources if where in varying])
            or self._first("tgt_len", varying)
            or self._first("src_len", with_axis or sources)
        )
        return found or self._first("tgt_len", list(axes))

    @staticmethod
    def _first(side, tensors):
        """The tensor of that side of pairs: by its name, else the first; None without any."""
        known = [where for name in MEANT[side] for where in tensors if name_in(where) == name]
        return (known or tensors or [None])[0]

    def _may_be_target(self, where, source, axes):
        """Whether a tensor has lengths of its own, and a name of targets or sizes that vary."""
        name = name_in(where)
        if where == source or name in MEANT["src_len"] or axes[where][1] is None:
            return False
        if len(sequences_in(self.seen[0][0])) > 1:
            return where == OTHERS
        if name == f"decoder_{IDS}":
            return True
        same = self._sizes(where, axes[where][1]) == self._sizes(source, axes[source][1])
        return not same and (name in MEANT["tgt_len"] or self._varies(where, axes[where][1]))

    def _sizes(self, where, axis):
        return [size_of(shapes, where, axis) for shapes, _ in self.seen]

    def _axes(self, where):
        """(axis of samples, axis of lengths or None) of a tensor; None if it lacks them."""
        shapes = [tensors.get(where, ()) for tensors, _ in self.seen]
        if min(map(len, shapes)) < 2:
            return None
        sides = [axis for axis in (0, 1) if self._has_samples(where, axis)]
        if not sides and not is_named(where) and not self._is_row(where):
            return None
        if holds_any(where, self.seen[0][0]) and 0 not in sides:  # its content is not samples
            return None
        side = sides[0] if sides else 0
        rest = [axis for axis in range(min(map(len, shapes))) if axis != side]
        varying = [axis for axis in rest if len({shape[axis] for shape in shapes}) > 1]
        if not varying and len(rest) + 1 > MOST_CONSTANT and not is_named(where):
            return side, None
        return side, (varying or rest)[0]

    def _is_row(self, where):
        """Whether the tensor is a row of packed samples."""
        packed = any(name_in(where).startswith(PACKED) for where in self.seen[0][0])
        return packed and all(shapes[where][0] == 1 for shapes, _ in self.seen)

    def _has_samples(self, where, axis):
        """Whether that axis had the number of samples in all batches whose number is known."""
        for shapes, samples in self.seen:
            if samples is not None and shapes[where][axis] != samples:
                return False
        return True

    def counted(self):
        """The axes that are counted, as "input_ids axis 1 + labels axis 1"."""
        ways = self.ways or self.found()
        lengths = [way for column, way in ways.items() if column != "batch_size"]
        others = [(where, 1) for where in sequences_in(self.seen[0][0])[1:]]
        shown = [way for found in lengths for way in (others if found[0] == OTHERS else [found])]
        return " + ".join(described(*way) for way in shown)

    def uncounted(self):
        """Other axes that vary by themselves, and tensors of one size that have many; or ""."""
        ways = list((self.ways or self.found()).values())
        ways += [(where, 1) for where in sequences_in(self.seen[0][0])]
        counted = [self._sizes(*way) for way in ways]
        parts = []
        for where, shape in self._tensors().items():
            varying = [axis for axis in range(len(shape)) if self._varies(where, axis)]
            parts += [
                f"{described(where, axis)} (varies)"
                for axis in varying
                if self._sizes(where, axis) not in counted
            ]
            if not varying and len(shape) > MOST_CONSTANT:
                parts.append(f"{shown_name(where)} (one size)")
        return ", ".join(parts)

    def _tensors(self):
        """{tensor: shape} of those in all batches: a list of samples counts, not its items."""
        shapes = self.seen[0][0]
        lists = [where for where, shape in shapes.items() if len(shape) > 1]
        return {
            where: shape
            for where, shape in shapes.items()
            if where != OTHERS
            and not name_in(where).startswith(PACKED)
            and not any(where.startswith(f"{name}[") for name in lists)
            and self._always(where)
        }

    def _always(self, where):
        """Whether the tensor was in all batches, with as many axes."""
        return {len(tensors.get(where, ())) for tensors, _ in self.seen} == {
            len(self.seen[0][0][where])
        }


def is_named(where):
    return name_in(where) in NAMED or name_in(where).endswith(IDS)


def size_of(shapes, where, axis):
    return 1 if axis is None else shapes[where][axis]


def described(where, axis):
    if axis is None:
        return f"samples of {shown_name(where)} (no axis varies)"
    return f"{shown_name(where)} axis {axis}"


def shown_name(where):
    """The last name of a tensor's place, if it has one."""
    name = name_in(where)
    return where if name.isdecimal() else name


def holds_any(where, tensors):
    return any(name.startswith((f"{where}[", f"{where}.")) for name in tensors)
