"""Arrow and Parquet, by pyarrow, which also counts the elements of list columns."""

import os

from . import columns
from .chats import MEDIA_KEYS
from ..faults import BadInput, first_line, library
from .sources import PIECE, Rows

GIT_LFS = b"version https://git-lfs"


def arrow():
    return library("pyarrow", "reads Arrow and Parquet")


def kind_of(column_type):
    """number, list, nested, objects, text, audio or other."""
    types = arrow().types
    if types.is_dictionary(column_type):
        return kind_of(column_type.value_type)
    if any(is_(column_type) for is_ in (types.is_integer, types.is_floating, types.is_decimal)):
        return "number"
    if types.is_string(column_type) or types.is_large_string(column_type):
        return "text"
    if getattr(types, "is_string_view", lambda _: False)(column_type):
        return "text"
    if types.is_struct(column_type):
        return struct_kind(column_type)
    if types.is_fixed_size_list(column_type) or is_list(column_type):
        inner = kind_of(column_type.value_type)
        return {"list": "nested", "nested": "nested", "objects": "objects"}.get(inner, "list")
    return "other"


def struct_kind(column_type):
    names = {column_type.field(place).name for place in range(column_type.num_fields)}
    return "audio" if names == {"bytes", "path"} else "objects"


def is_list(column_type):
    types = arrow().types
    views = getattr(types, "is_list_view", lambda _: False)
    return types.is_list(column_type) or types.is_large_list(column_type) or views(column_type)


def require_lengths(field, schema, path, options):
    """Raises an error for a column whose type cannot be lengths, before it is read."""
    if field not in schema.names:
        return
    column_type = schema.field(field).type
    kind = kind_of(column_type)
    if kind == "nested" and options.length_field is None:
        raise BadInput(
            f"{path}: field '{field}': holds lists of lists, not one sequence",
            "with --length-field their elements are counted all the same",
        )
    if kind in ("list", "nested") and field in columns.NUMBERS_ONLY:
        raise BadInput(
            f"{path}: field '{field}': holds lists where one number is expected",
            "if each element is the length of a sample, write those alone",
        )
    if kind == "other":
        raise BadInput(
            f"{path}: field '{field}': holds {column_type}",
            "name a column of numbers, lists or text with --length-field",
        )


def samples_of(batch, needed):
    """The rows of a batch as records of the needed columns, with lists as their lengths."""
    values = {name: values_of(batch.column(name)) for name in needed}
    return [dict(zip(values, row)) for row in zip(*values.values())]


def values_of(column):
    compute = library("pyarrow.compute", "reads Arrow and Parquet")
    kind = kind_of(column.type)
    if kind in ("list", "nested"):
        if arrow().types.is_dictionary(column.type):
            column = column.dictionary_decode()
        return compute.list_value_length(column).to_pylist()
    return column.to_pylist()


def table_pieces(path, batches, needed):
    """Pieces of the needed columns of record batches, which may be of any size."""
    row = 0
    for batch in batches:
        for begin in range(0, batch.num_rows, PIECE):
            piece = batch.slice(begin, PIECE)
            yield Rows(path, row + begin, samples_of(piece, needed))
        row += batch.num_rows


def refuse_pointer(path):
    with open(path, "rb") as file:
        if file.read(len(GIT_LFS)) == GIT_LFS:
            raise BadInput(
                f"{path}: is a pointer of Git LFS, in place of the file",
                "git lfs pull fetches the file",
            )


class Columnar:
    """Samples in the columns of an Arrow `schema`, of the source `path`, with `options`."""

    def _kinds(self):
        return {name: kind_of(self.schema.field(name).type) for name in self.schema.names}

    def names(self):
        """The columns that may be chosen: without a tokenizer, text columns contain no lengths."""
        kinds, usable = self._kinds(), ("number", "list", "nested")
        if self.options.tokenizer is not None:
            return self.schema.names
        return [name for name in kinds if kinds[name] in usable] or self.schema.names

    def choose(self, names, place, options):
        """A usual column; without one, and unless text is counted, the first of audio."""
        audio = [name for name, kind in self._kinds().items() if kind == "audio"]
        named = options.length_field is not None or options.tokenizer is not None or options.collate
        if named or not audio or columns.usual_columns(names):
            return columns.choose(names, place, options)
        return columns.Choice(audio[0], options.tgt_length_field, audio[1:])

    def needed(self, choice):
        """The columns of both sides, and the media columns that count with conversations.

        BadInput: one is missing, or cannot be lengths.
        """
        names, wanted = self.schema.names, []
        for field in filter(None, (choice.src, choice.tgt)):
            columns.require_column(field, names, self.path)
            require_lengths(field, self.schema, self.path, self.options)
            wanted += columns.parts_of(field, names) or [field.split(".")[0]]
        if {kind_of(self.schema.field(name).type) for name in wanted} & {"objects", "text"}:
            wanted += [*MEDIA_KEYS, "tools", "chat_template_kwargs"]
        return [name for name in dict.fromkeys(wanted) if name in names]


class Table(Columnar):
    """The common part of Arrow and Parquet files."""

    def __init__(self, path, options):
        self.path, self.options, self.files = path, options, [path]
        refuse_pointer(path)
        try:
            self.schema = self._schema()
        except (arrow().ArrowInvalid, OSError) as fault:
            raise BadInput(
                f"{path}: cannot be read as {self.format}: {first_line(fault)}",
                "is it whole and undamaged? copy it again",
            ) from None

    def pieces(self, choice):
        needed = self.needed(choice)
        try:
            yield from table_pieces(self.path, self._batches(needed), needed)
        except (arrow().ArrowInvalid, OSError) as fault:
            raise BadInput(f"{self.path}: {first_line(fault)}", "is it whole?") from None


class ParquetFile(Table):
    format = "parquet"

    def _schema(self):
        parquet = library("pyarrow.parquet", "reads Parquet")
        self.file = parquet.ParquetFile(self.path)
        self.total = self.file.metadata.num_rows
        return self.file.schema_arrow

    def _batches(self, needed):
        return self.file.iter_batches(batch_size=64 * PIECE, columns=needed)


class ArrowFile(Table):
    """Arrow's stream or file format, as Hugging Face caches and saves data sets."""

    format, total = "arrow", None

    def _schema(self):
        return self._reader().schema

    def _reader(self):
        ipc = library("pyarrow.ipc", "reads Arrow")
        source = arrow().memory_map(self.path) if os.path.getsize(self.path) else self.path
        with open(self.path, "rb") as file:
            is_file = file.read(6) == b"ARROW1"
        return ipc.open_file(source) if is_file else ipc.open_stream(source)

    def _batches(self, needed):
        reader = self._reader()
        if hasattr(reader, "num_record_batches"):
            yield from (reader.get_batch(place) for place in range(reader.num_record_batches))
        else:
            yield from reader
