"""WebDataset's tar shards, by `webdataset`.

Members with the same name up to the first dot form a sample; the rest of the name is the field.
Fields of JSON are parsed, so that `json.duration` is a key in them.
"""

import contextlib
import json
import os

from . import columns
from ..faults import BadInput, NoLength, first_line, library
from .sources import AUDIO

END_MARK = 1024  # bytes: two blocks of zeros
TEXTS = ("txt", "text")
AUDIO_FIELDS = tuple(ending.removeprefix(".") for ending in AUDIO)


def samples_in(path):
    """The samples of a shard, as webdataset groups them, their fields as bytes."""
    webdataset = library("webdataset", "reads tar shards")
    require_whole(path)
    try:
        yield from webdataset.WebDataset(path, shardshuffle=False, empty_check=False)
    except Exception as fault:  # errors of the archive and of its members
        raise BadInput(
            f"{path}: cannot be read: {first_line(fault)}", "is it whole and undamaged?"
        ) from None


def require_whole(path):
    """Raises an error for an archive without its end mark: readers would take it as complete."""
    if not os.path.isfile(path):
        raise BadInput(f"{path}: there is no such file")
    if not path.lower().endswith(".tar"):
        return  # compressed files have their own checksum
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - END_MARK))
        if size % 512 or file.read().strip(b"\0") or size < END_MARK:
            raise BadInput(f"{path}: has no end mark of a tar archive", "is it cut? copy it again")


def with_audio_as(sample, fields):
    """The sample with its only audio under the chosen field: shards mix endings of audio files."""
    members = members_of(sample)
    audio = [member for member in members if member in AUDIO_FIELDS]
    missing = [field for field in fields if field in AUDIO_FIELDS and field not in members]
    return {**sample, missing[0]: sample[audio[0]]} if missing and len(audio) == 1 else sample


def decoded(sample, fields):
    """The members of a sample that contain the fields, in the form that lengths are taken from."""
    values = {}
    for field in members_of(sample):
        if not any(f"{whole}.".startswith(f"{field}.") for whole in fields):
            continue
        data = sample[field]
        if field.endswith("json"):
            values[field] = parsed(data)
        elif field in AUDIO_FIELDS:
            values[field] = {"bytes": data, "path": None}
        elif field in TEXTS:
            values[field] = data.decode("utf-8")
        else:
            raise NoLength(f"has a member .{field}, whose length is not known")
    return values


def parsed(data):
    try:
        return json.loads(data)
    except ValueError as fault:
        raise NoLength(f"has JSON that cannot be read: {fault}") from None


def members_of(sample):
    return [field for field in sample if not field.startswith("__")]


class Shard:
    """A piece: a shard that the process reads itself."""

    def __init__(self, path, fields, any_audio):
        self.path, self.fields, self.key = path, fields, None
        self.any_audio = any_audio  # whether the field of audio stands for any ending

    def samples(self):
        for sample in samples_in(self.path):
            self.key = sample["__key__"]
            if self.any_audio:
                sample = with_audio_as(sample, self.fields)
            yield Later(sample, self.fields)

    def where(self, index):
        return f"{self.path}: row {index} ({self.key})"


class Later:
    """A sample whose fields are decoded when it is measured, so that an error names its place."""

    def __init__(self, sample, fields):
        self.sample, self.fields = sample, fields

    def decode(self):
        return decoded(self.sample, self.fields)


def inner_names(sample, members):
    """json.KEY of the members that are objects."""
    names = []
    for member in members:
        if member.endswith("json"):
            with contextlib.suppress(ValueError):
                value = json.loads(sample[member])
                names += [f"{member}.{key}" for key in value] if isinstance(value, dict) else []
    return names


def choose_field(names, place, options):
    """The field of a shard: a usual key of its JSON, else its audio or, with a tokenizer, text."""
    if options.length_field is not None:
        return columns.Choice(options.length_field, options.tgt_length_field)
    inner = {name.split(".", 1)[1]: name for name in names if "json." in name}
    if options.tokenizer is not None:
        known = [inner[key] for key in columns.text_columns(list(inner)) if key in inner]
        known += [name for name in names if name in TEXTS]
    else:
        known = [inner[key] for key in columns.usual_columns(list(inner))]
        known = known or [name for name in names if name in AUDIO_FIELDS]
    if not known:
        raise BadInput(
            f"{place}: its first sample states no length: it has {columns.listed(names)}",
            "name the field of the length with --length-field: json.KEY, or txt with --tokenizer",
        )
    return columns.Choice(known[0], options.tgt_length_field, known[1:])


class TarFile:
    format, total = "webdataset", None
    choose = staticmethod(choose_field)

    def __init__(self, path, options):
        self.path, self.options, self.files = path, options, [path]

    def names(self):
        """Fields of the first sample that may hold lengths: keys in its JSON, text, audio."""
        first = next(samples_in(self.path), None)
        if first is None:
            raise BadInput(f"{self.path}: holds no samples: no file with a dot in its name")
        members = members_of(first)
        return inner_names(first, members) + members

    def pieces(self, choice):
        fields = list(filter(None, (choice.src, choice.tgt)))
        yield Shard(self.path, fields, self.options.length_field is None)
