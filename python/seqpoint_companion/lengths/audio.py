"""Audio by the headers of its files: nothing is decoded."""

import collections
import io
import os

from . import sources
from ..faults import NoLength, first_line, library

ENDLESS = 2**63 - 1  # libsndfile's value for an unfinished stream

Header = collections.namedtuple("Header", "frames rate seconds")


def header_of(source):
    """The header of a path, of bytes, or of a {bytes, path} as Hugging Face stores audio."""
    if isinstance(source, dict):
        source = source["bytes"] if source.get("bytes") is not None else source.get("path")
    if source is None:
        raise NoLength("names no audio file")
    name = "audio" if isinstance(source, bytes) else f"audio file {source}"
    if isinstance(source, str):
        require_file(source)
    soundfile = library("soundfile", "reads headers of audio")
    try:
        info = soundfile.info(io.BytesIO(source) if isinstance(source, bytes) else source)
    except soundfile.LibsndfileError as fault:
        raise NoLength(f"{name}: is no audio: {fault.error_string}") from None
    except RuntimeError as fault:
        raise NoLength(f"{name}: is no audio: {first_line(fault)}") from None
    if not 0 <= info.frames < ENDLESS or info.samplerate <= 0:
        raise NoLength(f"{name}: its header does not state how long it is")
    return Header(info.frames, info.samplerate, info.frames / info.samplerate)


def require_file(path):
    if path.rstrip().endswith("|"):
        raise NoLength(f"{path}: is a command, not a file: Kaldi's get_utt2dur.sh runs it")
    if not os.path.isfile(path):
        raise NoLength(f"audio file {path}: there is no such file")


class AudioFile:
    """An audio file that is a sample itself."""

    format, total = "audio", 1

    def __init__(self, path, options):
        self.path, self.files = path, [path]

    def names(self):
        return None

    def pieces(self, choice):
        yield sources.Rows(self.path, 0, [{"bytes": None, "path": self.path}])
