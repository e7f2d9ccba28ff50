"""Data sets of NVIDIA Energon: WebDataset shards and a folder .nv-meta that describes them.

split.yaml lists the shards of each split, .info.json all shards with their numbers of samples, and
index.sqlite contains the durations of media, if energon prepare-media wrote them.
"""

import contextlib
import dataclasses
import json
import os
import sqlite3

from .columns import Choice
from .faults import BadInput, first_line, library
from .sources import braces, pieces_of, require_options
from .web_dataset import TarFile


class EnergonSet:
    """Shards of the split `train`, or of --split, as .nv-meta/split.yaml lists them."""

    format = "energon"
    choose = staticmethod(TarFile.choose)

    def __init__(self, path, options):
        self.path, self.options = path, options
        self.root = os.path.dirname(os.path.dirname(os.path.abspath(path)))
        if os.path.dirname(os.path.dirname(path)):
            self.root = os.path.dirname(os.path.dirname(path))
        self.counts = self._counts()
        shards = self._shards()
        self.total = sum(self.counts[shard] for shard in shards)
        self.shards = [
            TarFile(
                os.path.join(self.root, shard),
                dataclasses.replace(options, split=None),
                self.counts[shard],
            )
            for shard in shards
        ]
        self.files = [path, *(shard.path for shard in self.shards)]

    def _counts(self):
        """Samples of each shard."""
        path = os.path.join(self.root, ".nv-meta", ".info.json")
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)["shard_counts"]
        except (OSError, ValueError, KeyError, TypeError) as fault:
            raise BadInput(
                f"{path}: does not state the samples of shards: {first_line(fault)}",
                "check that energon prepare wrote it",
            ) from None

    def _shards(self):
        if self.path.endswith(".json"):
            return list(self.counts)
        splits, excluded = self._splits()
        split = self.options.split or "train"
        if split not in splits:
            raise BadInput(f"{self.path}: has no split '{split}'", f"it has: {', '.join(splits)}")
        names = [name for pattern in splits[split] for name in braces(pattern)]
        out = {name for pattern in excluded for name in braces(pattern)}
        for name in (*names, *out):
            if name not in self.counts:
                raise BadInput(
                    f"{self.path}: {name} is no shard of .info.json; samples alone are not left "
                    "out here",
                    "give the shards themselves",
                )
        return [name for name in names if name not in out]

    def _splits(self):
        """Patterns of shards by split, and those that are excluded."""
        yaml = library("yaml", "reads Energon's split.yaml")
        try:
            with open(self.path, encoding="utf-8") as file:
                content = yaml.safe_load(file)
            return content["split_parts"], content.get("exclude") or []
        except (yaml.YAMLError, KeyError, TypeError) as fault:
            raise BadInput(
                f"{self.path}: is no split.yaml of Energon: {first_line(fault)}",
                "check that energon prepare wrote it",
            ) from None

    def names(self):
        return self.shards[0].names() if self.shards else None

    def pieces(self, choice):
        for shard in self.shards:
            yield from shard.pieces(choice)


class EnergonIndex:
    """Durations of media in .nv-meta/index.sqlite, if energon prepare-media wrote them."""

    format, total = "energon-index", None

    QUERY = (
        "SELECT s.sample_key, s.tar_file_id, s.sample_index, m.metadata_json FROM samples s"
        " LEFT JOIN sample_parts p"
        " ON p.tar_file_id = s.tar_file_id AND p.sample_index = s.sample_index"
        " LEFT JOIN media_metadata m ON m.entry_key = s.sample_key || '.' || p.part_name"
        " ORDER BY s.tar_file_id, s.sample_index, p.content_byte_offset"
    )

    def __init__(self, path, options):
        self.path, self.files = path, [path]
        require_options(options, self)

    def names(self):
        return ["audio_duration"]

    @staticmethod
    def choose(_names, _place, options):
        field = options.length_field or "audio_duration"
        unit = "seconds" if field.endswith("_duration") else None
        return Choice(field, options.tgt_length_field, unit=unit)

    def pieces(self, choice):
        return pieces_of(self.path, self._samples())

    def _samples(self):
        """A record for each sample with the values of its media, and no key twice."""
        with contextlib.closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as base:
            try:
                rows = base.execute(self.QUERY)
            except sqlite3.Error as fault:
                raise BadInput(
                    f"{self.path}: has no durations of media: {fault}",
                    "energon prepare-media --media-metadata-by-extension DATA writes them",
                ) from None
            sample, record = None, {}
            for key, shard, index, metadata in rows:
                if sample not in (None, (shard, index)):
                    yield record
                if sample != (shard, index):
                    sample, record = (shard, index), {}
                add_metadata(record, json.loads(metadata) if metadata else {}, key, self.path)
            if sample is not None:
                yield record


def add_metadata(record, metadata, key, path):
    for name, value in metadata.items():
        if name in record and name.endswith(("_duration", "_samples")):
            raise BadInput(
                f"{path}: sample {key} has several media with {name}",
                "give the shards, and the kind of the member: --length-field wav",
            )
        record[name] = value
