"""Data sets of Hugging Face, by `datasets`: folders of save_to_disk, and the hub or its cache."""

import json
import os

from . import tables
from ..faults import BadInput, BadUsage, first_line, library
from .sources import PIECE, Rows


def datasets():
    found = library("datasets", "reads data sets of Hugging Face")
    found.disable_progress_bars()
    return found


def undecoded(data):
    """One split. Its audio and images stay as stored, because a length needs no decoder."""
    kinds = [getattr(datasets(), name) for name in ("Audio", "Image") if hasattr(datasets(), name)]
    for name, feature in data.features.items():
        if isinstance(feature, tuple(kinds)):
            data = data.cast_column(name, type(feature)(decode=False))
    return data


class LoadedSet(tables.Columnar):
    """One split, read as Arrow tables in the order of its rows."""

    format = "hf"

    def __init__(self, path, data, options):
        self.path, self.options = path, options
        data = one_split(data, path, options)
        self.data = undecoded(data)
        self.schema = self.data.features.arrow_schema
        self.total = len(self.data)
        self.files = [file["filename"] for file in data.cache_files]

    def pieces(self, choice):
        needed = self.needed(choice)
        whole = self.data.select_columns(needed).with_format("arrow")
        for row, table in enumerate(whole.iter(batch_size=PIECE)):
            yield Rows(self.path, row * PIECE, tables.samples_of(table, needed))


class SavedSet(LoadedSet):
    """A folder that save_to_disk wrote, by the folder's state.json or dataset_dict.json."""

    def __init__(self, path, options):
        folder = os.path.dirname(path) or "."
        require_whole(folder)
        library_of_sets = datasets()
        try:
            data = library_of_sets.load_from_disk(folder)
        except Exception as fault:  # files that are missing, truncated or not Arrow
            raise BadInput(
                f"{folder}: cannot be loaded: {first_line(fault)}",
                "give the folder that save_to_disk wrote, whole; or the .arrow files in it",
            ) from None
        if options.split and not isinstance(data.column_names, dict):
            raise BadUsage(f"--split does not apply to {folder}: it has one split", "leave it out")
        super().__init__(folder, data, options)
        self.files.append(path)


def require_whole(folder):
    """Names the first file of a saved data set that is missing or is a pointer of Git LFS."""
    state = os.path.join(folder, "state.json")
    if not os.path.exists(state):
        return
    with open(state, encoding="utf-8") as file:
        parts = json.load(file).get("_data_files") or []
    for part in parts:
        path = os.path.join(folder, part["filename"])
        if not os.path.exists(path):
            raise BadInput(
                f"{state}: names {part['filename']}, which is not there",
                "give the folder that save_to_disk wrote, whole",
            )
        tables.refuse_pointer(path)


class HubSet(LoadedSet):
    """A data set by its name, from the cache or, if the library may use it, from the hub."""

    def __init__(self, name, options):
        library_of_sets = datasets()
        try:
            data = library_of_sets.load_dataset(name, options.subset, split=options.split)
        except Exception as fault:  # errors of the network, the cache, a name, a subset
            raise BadInput(
                f"hf:{name}: cannot be loaded: {first_line(fault)}",
                "check --subset and --split, and whether the data set is in the cache",
            ) from None
        super().__init__(f"hf:{name}", data, options)


def one_split(data, path, options):
    """The requested split of a data set that has several."""
    if not isinstance(data.column_names, dict):
        return data
    if options.split in data:
        return data[options.split]
    if len(data) == 1 and options.split is None:
        return next(iter(data.values()))
    raise BadInput(
        f"{path}: holds several splits: {', '.join(data)}",
        "choose one with --split NAME",
    )
