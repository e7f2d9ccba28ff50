"""A job that is observed changes no file of its user's.

A file is the job's if the job has made it and it is as the job left it. All else is somebody's: it
is not changed, replaced, moved or removed by the job's Python code. The job sees its change; the
file stays. What native code and other programs change is found.

    trackers   experiment trackers get no runs
    own        Python's own functions, before they are replaced
    replaced   functions in their place, which load the following when they need it:
    places     where the job sees its files
    copies     private copies of what is somebody's
    ours       what the job has made
    births     when files were born
    written    files that the job has open for writing
    readers    Python's functions that read paths
    files      Python's functions that change files
    moves      renaming of what is somebody's
    native     libraries that write in native code
    found      calls that none of these replace
"""

import atexit
import os
import sys

from ..on_import import change_on_import
from . import own, trackers

# Functions that read or write in native code, for native.py. {module: (function or method, position
# of the path among its arguments, its name, what is asked)}
NATIVE = {
    "torch.serialization": (
        ("save", 1, "f", "to_save"),
        ("load", 0, "f", "to_load"),  # with mmap=True
    ),
    "torch.jit": (("save", 1, "f", "to_save"), ("load", 0, "f", "to_load")),
    "safetensors": (
        ("serialize_file", 1, "filename", "to_save"),
        ("safe_open", 0, "filename", "to_load"),
    ),
    "transformers.tokenization_utils_fast": (  # before 5.0
        ("PreTrainedTokenizerFast._save_pretrained", 1, "save_directory", "to_save_in"),
    ),
    "transformers.tokenization_utils_tokenizers": (
        ("TokenizersBackend._save_pretrained", 1, "save_directory", "to_save_in"),
    ),
}
FOLDER = "SEQPOINT_SCRATCH"  # of the run; all processes of the job inherit it


def start(verb):
    """Protects the files of the job that runs in this process, and tells it the verb."""
    os.environ.setdefault("SEQPOINT_MODE", verb)
    scratch = scratch_folder()
    trackers.disable(scratch)
    if os.path.isdir(scratch):
        protect_files(scratch)


def scratch_folder():
    """The run's folder; without a run, one of this process, which its children use, too."""
    if not os.environ.get(FOLDER):
        import tempfile

        folder = tempfile.mkdtemp(prefix="seqpoint-")
        atexit.register(remove_folder, folder, os.getpid())
        os.environ[FOLDER] = os.path.join(folder, "scratch")
        os.mkdir(os.environ[FOLDER])
    return os.path.realpath(os.environ[FOLDER])


def remove_folder(folder, process):
    if os.getpid() == process:
        import shutil

        own.running.inside = True
        shutil.rmtree(folder, ignore_errors=True)


def protect_files(scratch):
    """Replaces Python's functions for files."""
    from . import found, replaced

    try:
        os.close(os.open(f"{scratch}/inventory", os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:  # the run's, or that of another process of the job
        pass
    calls = replaced.Calls(scratch)
    replaced.guard(calls)
    atexit.register(calls.end)
    sys.addaudithook(found.Found(calls).look)

    def redirect(module):
        from . import native

        native.redirect(calls, module, NATIVE[module.__name__])

    change_on_import(dict.fromkeys(NATIVE, redirect))
