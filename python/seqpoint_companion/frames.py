"""The frames of Python that are running, and whose source files they are of."""

import os
import sys
import sysconfig

OWN = os.path.dirname(os.path.abspath(__file__))
STANDARD = os.path.join(sysconfig.get_path("stdlib"), "")
INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
NOWHERE = "\0"  # begins no path


def running():
    """From the one that asks outwards. A frame that kept this iterator would keep itself."""
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_of_library(path):
    """Whether the source file is not the user's: of an installed package, or of Python."""
    in_folder = any(folder in path for folder in INSTALLED)
    return in_folder or path.startswith((STANDARD, torch_folder()))


def package_of(path):
    """The package that a library's source file is of: eole of .../site-packages/eole/trainer.py."""
    for folder in (*INSTALLED, STANDARD):
        if folder in path:
            within = path.rpartition(folder)[2]
            return os.path.splitext(within.split(os.sep)[0])[0]
    return os.path.basename(path)


def torch_folder():
    """The folder of PyTorch, which may be a build of the user's; NOWHERE before it is imported."""
    module = sys.modules.get("torch")
    path = getattr(module, "__file__", None)
    return os.path.join(os.path.dirname(path), "") if path else NOWHERE
