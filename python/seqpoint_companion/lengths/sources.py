"""Sources: the kind of each argument of the command, and its samples in pieces.

A source has

    path, format     for messages
    files            the files that are read, so that no output overwrites them
    total            the number of samples; None if it is unknown
    names()          its columns, or the keys of its first record; None if samples have no fields
    pieces(choice)   its samples in order, in pieces that can be passed to a process

and a piece has `samples()` and `where(index)`, the place of a sample in messages.
"""

import glob
import importlib
import itertools
import os
import re

from . import columns
from ..faults import BadInput, BadUsage

PIECE = 1000  # samples per piece

AUDIO = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".aif", ".au", ".sph", ".w64")
FORMATS = {  # format: the module and the class that read it, the endings without .gz and .zst
    "hf": ("hugging_face", "SavedSet", ()),
    "arrow": ("tables", "ArrowFile", (".arrow",)),
    "parquet": ("tables", "ParquetFile", (".parquet",)),
    "json": ("text_files", "JsonFile", (".jsonl", ".ndjson", ".json")),
    "csv": ("text_files", "CsvFile", (".csv",)),
    "tsv": ("text_files", "CsvFile", (".tsv",)),
    "text": ("text_files", "TextFile", (".txt", ".text")),
    "webdataset": ("web_dataset", "TarFile", (".tar", ".tgz")),
    "npy": ("arrays", "ArrayFile", (".npy",)),
    "audio": ("audio", "AudioFile", AUDIO),
}
PACKED = (".gz", ".zst")
SPLITS = ("train", "test", "validation", "valid", "val", "dev", "eval")


class Rows:
    """A piece of samples in memory. `lines` are their line numbers, if they have any."""

    def __init__(self, path, first, samples, lines=None):
        self.path, self.first, self.held, self.lines = path, first, samples, lines

    def samples(self):
        return self.held

    def where(self, index):
        if self.lines is not None:
            return f"{self.path}:{self.lines[index]}"
        return f"{self.path}: row {self.first + index}"


def pieces_of(path, samples, numbered=False):
    """Pieces of samples; `numbered`: of pairs of a line number and a sample."""
    samples, first = iter(samples), 0
    while held := list(itertools.islice(samples, PIECE)):
        lines = None
        if numbered:
            lines, held = map(list, zip(*held))
        yield Rows(path, first, held, lines)
        first += PIECE


def ending_of(path):
    """The format that a file's name indicates, or None."""
    name = path.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    return next((kind for kind in FORMATS if name.endswith(FORMATS[kind][2])), None)


class Group:
    """Files of one format that form one data set; the first determines the columns."""

    def __init__(self, members):
        first = members[0]
        self.members, self.format = members, first.format
        self.path = f"{first.path} and {len(members) - 1} more" if members[1:] else first.path
        self.files = [path for member in members for path in member.files]
        totals = [member.total for member in members]
        self.total = None if None in totals else sum(totals)

    def choose(self, options):
        first = self.members[0]
        names = first.names()
        if names is None:
            return columns.Choice(None)
        return getattr(first, "choose", columns.choose)(names, first.path, options)

    def pieces(self, choice):
        for member in self.members:
            yield from member.pieces(choice)


def open_groups(arguments, options):
    """The sources that all arguments name, in their order; neighbours of one format together."""
    found = [source for name in arguments for source in open_sources(name, options)]
    return [Group(list(alike)) for _, alike in itertools.groupby(found, lambda each: each.format)]


def open_sources(argument, options):
    """The sources that one argument names, in their order."""
    if argument.startswith("hf:"):
        return [opened("hugging_face", "HubSet", argument.removeprefix("hf:"), options)]
    if ":" in argument and not os.path.exists(argument) and "{" not in argument:
        return [opened("objects", "ObjectSet", argument, options)]
    found = files_of(argument, options)
    return [opened(*FORMATS[kind][:2], path, options) for path, kind in found]


def opened(module, name, path, options):
    """A source. BadUsage for --split and --subset if it has no such parts."""
    kind = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    for option, of in (("split", ("HubSet", "SavedSet")), ("subset", ("HubSet",))):
        if getattr(options, option) is not None and name not in of:
            hint = f"leave it out: it chooses a {option} of a data set hf:NAME"
            raise BadUsage(f"--{option} does not apply to {path} ({kind.format})", hint)
    return kind(path, options)


def files_of(argument, options):
    """(path, format) of the files that an argument names: a file, a folder or a pattern."""
    if os.path.isdir(argument):
        return folder_files(argument, options)
    paths = [argument] if os.path.exists(argument) else matching(argument)
    if not paths:
        raise BadInput(
            f"{argument}: there is no such file",
            "check the path; hf:NAME is a data set of the hub or its cache, MODULE:OBJECT one of "
            "the job's own code",
        )
    require_one_split(argument, paths)
    return [(path, format_of(path, options)) for path in paths]


def matching(pattern):
    """The files that a pattern names: * and ? sorted by name, {000..127} as written."""
    paths = []
    for name in braces(pattern):
        found = sorted(glob.glob(name))
        if not found and name != pattern:
            raise BadInput(f"{name}: there is no such file", f"{pattern} names it")
        paths.extend(found)
    return paths


def braces(pattern):
    """{a,b} and {000..127} expanded, as webdataset's shell-like patterns are."""
    found = re.search(r"\{(?:(\d+)\.\.(\d+)|([^{}]*,[^{}]*))\}", pattern)
    if not found:
        return [pattern]
    begin, end, words = found.groups()
    if words is None:
        words = [str(number).zfill(len(begin)) for number in range(int(begin), int(end) + 1)]
    else:
        words = words.split(",")
    before, after = pattern[: found.start()], pattern[found.end() :]
    return [name for word in words for name in braces(before + word + after)]


def format_of(path, options):
    """The format of a file: stated, by its name, or by its first bytes."""
    if options.format is not None:
        return options.format
    if os.path.basename(path) in ("state.json", "dataset_dict.json"):
        return "hf"
    found = ending_of(path) or format_of_content(path)
    if found is None:
        raise BadInput(
            f"{path}: its name does not show its format",
            f"--format {', '.join(FORMATS)}; `seqpoint scan` reads text manifests and indexes",
        )
    return "text" if options.audio and found == "csv" else found


def format_of_content(path):
    with open(path, "rb") as file:
        head = file.read(64)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    return "json" if head.lstrip().startswith((b"{", b"[")) else None


def folder_files(folder, options):
    """(path, format) of a data set that is a folder."""
    for sign in ("dataset_dict.json", "state.json"):
        path = os.path.join(folder, sign)
        if os.path.exists(path):
            return [(path, "hf")]
    paths = parts_below(folder)
    if not paths:
        names = sorted(os.listdir(folder))
        raise BadInput(
            f"{folder}: is a folder of no kind that is read: {', '.join(names[:8]) or 'empty'}",
            "name the files in it",
        )
    require_one_kind(folder, paths)
    require_one_split(folder, paths)
    return [(path, format_of(path, options)) for path in paths]


def parts_below(folder):
    """Files of a known format in a folder and in its partitions, folders named key=value."""
    paths = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.startswith((".", "_")):
            continue
        if os.path.isdir(path):
            paths += parts_below(path) if "=" in name else []
        elif ending_of(name):
            paths.append(path)
    return paths


def require_one_kind(folder, paths):
    kinds = sorted({ending_of(path) for path in paths})
    if len(kinds) > 1:
        raise BadInput(
            f"{folder}: holds files of several formats: {', '.join(kinds)}",
            "name those that belong together",
        )


def split_of(path):
    """The split that the name of a part contains, or the map() whose result it caches."""
    name = os.path.basename(path)
    if name.startswith("cache-"):
        return re.split("[_.]", name)[0]
    return next((word for word in re.split("[-_.]", name) if word in SPLITS), "no split")


def require_one_split(argument, paths):
    """Parts of several splits are several data sets."""
    splits = sorted({split_of(path) for path in paths})
    if len(splits) > 1:
        raise BadInput(
            f"{argument}: holds files of several data sets: {', '.join(splits)}",
            "name those that belong together, for example with a pattern: "
            f"'{os.path.dirname(paths[0])}/train-*'",
        )
