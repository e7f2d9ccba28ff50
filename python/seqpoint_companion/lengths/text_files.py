"""Text files: JSON, JSON lines, CSV and plain lines, also compressed by gzip or zstd."""

import contextlib
import csv
import gzip
import io
import json
import os
import shlex

from ..faults import BadInput, library
from .sources import ending_of, pieces_of

LONGEST_FIELD = 1 << 30  # characters of a CSV field; Python's default is 131,072


@contextlib.contextmanager
def open_text(path):
    """The lines of a text file, which end with \\n alone: csv and json see what stands in the file.

    Its first bytes, not its name, show whether it is packed.
    """
    with open(path, "rb") as file:
        first, unpacked = file.peek(4), file
        if first.startswith(b"\x1f\x8b"):
            unpacked = gzip.open(file)
        elif first.startswith(b"\x28\xb5\x2f\xfd"):
            unpacked = library("zstandard", "unpacks zstd").open(file)
        yield io.TextIOWrapper(unpacked, encoding="utf-8-sig", newline="")


def filtered(command, path, output):
    """The command of a shell that reads a file from standard input, also one that is packed."""
    word = shlex.quote(path)
    unpack = {".gz": "gzip -dc", ".zst": "zstd -dc"}.get(os.path.splitext(path)[1])
    if unpack:
        return f"{unpack} {word} | {command} >{output}"
    return f"{command} <{word} >{output}"


def samples_hint(document, path):
    """How to write the samples of a JSON object as lines: its values, or those of the first of them
    that has any records."""
    keys = (
        [""] if are_records(document) else [key for key in document if are_records(document[key])]
    )
    if not keys or set(keys[0]) & set("'\"\\"):
        return "write a line for each sample, a JSON object"
    part = f'."{keys[0]}"' if keys[0] else "."
    return "write a line for each sample: " + filtered(f"jq -c '{part}[]'", path, "samples.jsonl")


def are_records(value):
    values = list(value.values()) if isinstance(value, dict) else value
    return isinstance(values, list) and bool(values) and isinstance(values[0], dict)


class TextSource:
    """The common part of text files. `_numbered` yields (line number, sample)."""

    total = None

    def __init__(self, path, options):
        self.path, self.files = path, [path]
        if self.format != "json" and not (options.tokenizer or options.audio or options.collate):
            raise BadInput(
                f"{path}: is text here; lengths in it are read by `seqpoint scan`",
                "--tokenizer NAME counts its text, --audio reads the audio files that it names",
            )

    def pieces(self, choice):
        try:
            yield from self._pieces()
        except UnicodeDecodeError as fault:
            raise BadInput(
                f"{self.path}: is no text in UTF-8 ({fault.reason})",
                "write it as UTF-8: "
                + filtered("iconv -f ENCODING -t UTF-8", self.path, "utf8.txt"),
            ) from None
        except (EOFError, gzip.BadGzipFile) as fault:
            raise BadInput(f"{self.path}: {fault}", "is it whole? copy it again") from None

    def _pieces(self):
        return pieces_of(self.path, self._numbered(), numbered=True)

    def names(self):
        piece = next(self.pieces(None), None)
        first = piece.samples()[0] if piece else None
        return list(first) if isinstance(first, dict) else None


class TextFile(TextSource):
    """One sample per line."""

    format = "text"

    def names(self):  # without reading the file, which may be a pipe
        return None

    def _numbered(self):
        with open_text(self.path) as file:
            for number, line in enumerate(file, 1):
                yield number, line.rstrip("\r\n")


class CsvFile(TextSource):
    """Fields of text in a table with a header. `seqpoint scan` reads lengths of such tables."""

    format = "csv"

    def __init__(self, path, options):
        super().__init__(path, options)
        csv.field_size_limit(LONGEST_FIELD)
        tabs = "tsv" in (options.format, ending_of(path))
        self.dialect = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if tabs else {}

    def _numbered(self):
        with open_text(self.path) as file:
            rows = csv.DictReader(file, **self.dialect)
            for row in rows:
                if None in row or None in row.values():
                    raise BadInput(
                        f"{self.path}:{rows.line_num}: has another number of fields than its header"
                    )
                yield rows.line_num, row


class JsonFile(TextSource):
    """Lines of JSON, or a document that is an array."""

    format = "json"

    def _pieces(self):
        if self._has_lines():
            return super()._pieces()
        return pieces_of(self.path, self._elements())

    def _has_lines(self):
        """Whether the first line is a complete JSON value, and not an array."""
        with open_text(self.path) as file:
            first = next((line for line in file if line.strip()), "")
        try:
            return not isinstance(json.loads(first), list) if first else True
        except ValueError:
            return not first.lstrip().startswith(("[", "{")) or ".jsonl" in self.path.lower()

    def _numbered(self):
        with open_text(self.path) as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    yield number, json.loads(line)
                except ValueError as fault:
                    raise BadInput(
                        f"{self.path}:{number}: is no JSON: {fault}", "correct the line"
                    ) from None

    def _elements(self):
        with open_text(self.path) as file:
            try:
                document = json.load(file)
            except ValueError as fault:
                raise BadInput(f"{self.path}: is no JSON: {fault}", "is it whole?") from None
        if not isinstance(document, list):
            raise BadInput(
                f"{self.path}: is one JSON object, not an array of samples or lines of them",
                samples_hint(document, self.path),
            )
        return document
