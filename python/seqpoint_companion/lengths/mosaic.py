"""MosaicML's MDS, by `streaming`: a folder whose index.json names shards."""

import json
import os
import tempfile

from . import columns
from .faults import BadInput, BadUsage, NoLength, first_line, library
from .sources import require_options

WHOLE = "check that streaming's MDSWriter wrote it, and that it is complete"


class MosaicSet:
    format = "mds"

    def __init__(self, path, options):
        self.path, self.folder = path, os.path.dirname(path) or "."
        require_options(options, self)
        try:
            with open(path, encoding="utf-8") as file:
                self.shards = json.load(file)["shards"]
            self.total = sum(shard["samples"] for shard in self.shards)
            other = [shard["format"] for shard in self.shards if shard["format"] != "mds"]
        except (ValueError, KeyError, TypeError) as fault:
            raise BadInput(f"{path}: names no shards: {first_line(fault)}", WHOLE) from None
        if other:
            raise BadInput(
                f"{path}: is of shards in the format '{other[0]}', not mds",
                "give the shards themselves, in order",
            )
        self.files = [path, *(self._stored(shard) for shard in self.shards)]

    def _stored(self, shard):
        """The file of a shard: uncompressed if it exists, else compressed."""
        names = [shard[key]["basename"] for key in ("raw_data", "zip_data") if shard.get(key)]
        paths = [os.path.join(self.folder, name) for name in names]
        found = [path for path in paths if os.path.exists(path)]
        if not found:
            raise BadInput(f"{self.path}: names {names[0]}, which is not there", WHOLE)
        return found[0]

    def names(self):
        return self.shards[0]["column_names"] if self.shards else None

    def pieces(self, choice):
        for shard, stored in zip(self.shards, self.files[1:]):
            fields = [Field(name, shard, self.path) for name in (choice.src, choice.tgt) if name]
            yield MosaicShard(stored, shard, fields)


class Field:
    """A column of a shard; `tokens:int64` states the type of the numbers in a column of bytes."""

    def __init__(self, name, shard, path):
        names = shard["column_names"]
        self.name, self.column, self.type = name, name, None
        if name not in names and ":" in name:
            self.column, self.type = name.rsplit(":", 1)
        columns.require_column(self.column, names, path)
        encoding = shard["column_encodings"][names.index(self.column)]
        if encoding == "bytes" and self.type is None:
            raise BadInput(
                f"{path}: field '{name}': contains bytes of an unknown type",
                f"--length-field {name}:int64 counts 8 bytes each, as LLM Foundry writes tokens",
            )
        if self.type is not None and encoding != "bytes":
            raise BadUsage(f"--length-field {name}: the column is of '{encoding}', not of bytes")
        if encoding == "pkl":
            raise BadInput(
                f"{path}: field '{name}': is a pickle, which runs code when it is read",
                "name a column of arrays, numbers, bytes or text with --length-field",
            )

    def value(self, data):
        """Numbers in a column of bytes as an array; other columns as `streaming` decodes them."""
        if self.type is None:
            return data.item() if getattr(data, "shape", None) == () else data
        numpy = library("numpy", "reads arrays")
        try:
            return numpy.frombuffer(data, dtype=numpy.dtype(self.type))
        except (TypeError, ValueError) as fault:
            raise NoLength(f"is no {self.type}: {fault}") from None


class MosaicShard:
    """A piece: a shard that the process reads itself."""

    def __init__(self, path, shard, fields):
        self.path, self.shard, self.fields = path, shard, fields

    def samples(self):
        with tempfile.TemporaryDirectory() as unpacked:
            reader = self._reader(unpacked)
            for index in range(self.shard["samples"]):
                try:
                    sample = reader[index]
                except Exception as fault:  # a truncated or damaged shard
                    raise BadInput(
                        f"{self.path}: row {index}: {first_line(fault)}", WHOLE
                    ) from None
                yield {field.name: field.value(sample[field.column]) for field in self.fields}

    def _reader(self, unpacked):
        streaming = library("streaming.base.format", "reads MDS")
        folder = os.path.dirname(self.path) or "."
        raw = self.shard["raw_data"]["basename"]
        if os.path.basename(self.path) != raw:
            self._unpack(os.path.join(unpacked, os.path.basename(raw)))
            folder = unpacked
        reader = streaming.reader_from_json(folder, "", self.shard)
        # Other columns stay bytes: images need no decoding, and unpickling is unsafe.
        wanted = {field.column for field in self.fields}
        reader.column_encodings = [
            encoding if name in wanted else "bytes"
            for name, encoding in zip(reader.column_names, reader.column_encodings)
        ]
        return reader

    def _unpack(self, path):
        compression = library("streaming.base.compression", "unpacks MDS")
        with open(self.path, "rb") as packed, open(path, "wb") as file:
            file.write(compression.decompress(self.shard["compression"], packed.read()))

    def where(self, index):
        return f"{self.path}: row {index}"
