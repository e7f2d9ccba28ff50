"""A data set of the job's own code: MODULE:OBJECT is the samples, or a function that makes them."""

from ..faults import BadInput, BadUsage, first_line
from .sources import PIECE, pieces_of
from .text_tokens import named_object


def made(name):
    """The samples: the object itself if it can be read like a list or a stream, else its result."""
    try:
        found = named_object(name)
    except Exception as fault:  # importing the job's code may raise anything
        raise BadUsage(
            f"{name}: is no file, and no object of a module: {first_line(fault)}"
        ) from None
    readable = hasattr(found, "__getitem__") or hasattr(found, "__iter__")
    if not isinstance(found, type) and readable:
        return found
    if not callable(found):
        raise BadInput(f"{name}: is {found!r}, neither samples nor a function that makes them")
    try:
        return found()
    except Exception as fault:  # the job's code may raise anything
        raise BadInput(f"{name}: {first_line(fault)}") from None


class ObjectSet:
    format, files = "python", ()

    def __init__(self, name, options):
        self.path = name
        self.data = ObjectRows.made[name] = made(name)
        self.total = len(self.data) if is_indexed(self.data) else None

    def names(self):
        """None: the sample's own length is used, unless its record has fields."""
        first = next(iter(ObjectRows(self.path, 0, 1).samples())) if self.total else None
        return list(first) if isinstance(first, dict) else None

    def pieces(self, choice):
        if self.total is None:
            return pieces_of(self.path, self._streamed())
        return (
            ObjectRows(self.path, begin, min(begin + PIECE, self.total))
            for begin in range(0, self.total, PIECE)
        )

    def _streamed(self):
        row = 0
        try:
            for row, sample in enumerate(self.data, 1):
                yield sample
        except Exception as fault:  # the job's code may raise anything
            raise BadInput(f"{self.path}: row {row}: {first_line(fault)}") from None


def is_indexed(data):
    """Whether samples have indices. PyTorch's streams have none, whatever they define."""
    stream = any(kind.__name__ == "IterableDataset" for kind in type(data).__mro__)
    return not stream and hasattr(data, "__getitem__") and hasattr(data, "__len__")


class ObjectRows:
    """A piece: rows of a data set, which each process makes once for itself."""

    made = {}  # by name

    def __init__(self, path, begin, end):
        self.path, self.begin, self.end = path, begin, end

    def samples(self):
        if self.path not in self.made:
            self.made[self.path] = made(self.path)
        data = self.made[self.path]
        for index in range(self.begin, self.end):
            try:
                sample = data[index]
            except Exception as fault:  # the job's code may raise anything
                raise BadInput(f"{self.where(index - self.begin)}: {first_line(fault)}") from None
            yield sample

    def where(self, index):
        return f"{self.path}: row {self.begin + index}"
