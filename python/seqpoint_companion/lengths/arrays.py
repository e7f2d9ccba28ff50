"""NumPy's .npy: an array of lengths, or of two columns, source and target."""

from ..faults import BadInput, BadUsage, first_line, library
from .sources import pieces_of


class ArrayFile:
    format = "npy"

    def __init__(self, path, options):
        self.path, self.options, self.files = path, options, [path]
        numpy = library("numpy", "reads .npy")
        try:
            self.array = numpy.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError) as fault:
            raise BadInput(f"{path}: is no .npy of numbers: {first_line(fault)}") from None
        self._require_lengths()
        self.total = len(self.array)

    def _require_lengths(self):
        shape, kind = self.array.shape, self.array.dtype.kind
        if len(shape) != 1 and shape[1:] != (2,):
            raise BadInput(
                f"{self.path}: is an array of shape {shape}, not (N,) or (N, 2)",
                "save the lengths alone, or source and target lengths as two columns",
            )
        if kind not in "iuf":
            raise BadInput(f"{self.path}: is an array of {self.array.dtype}, not of numbers")
        if len(shape) == 1 and self.options.length_field is not None:
            raise BadUsage(f"--length-field: {self.path} has only one column")

    def names(self):
        """'src_len' and 'tgt_len' of two columns, which may also be named 0 and 1."""
        return None if len(self.array.shape) == 1 else ["src_len", "tgt_len", "0", "1"]

    def pieces(self, choice):
        rows = self.array.tolist() if len(self.array.shape) == 1 else self._pairs()
        return pieces_of(self.path, rows)

    def _pairs(self):
        for src, tgt in self.array.tolist():
            yield {"src_len": src, "tgt_len": tgt, "0": src, "1": tgt}
