"""Messages for jobs whose training loop is not known, and when they are printed.

loop/unfed.py counts PyTorch's backward passes. Another library may compile a step once, and run it
out of Python's sight. What Python sees is that the job has asked for a gradient. If no loop is
known half a minute later, the job trains without one.
"""

import ctypes
import functools
import os
import sys
import threading

from . import caller
from .asking import attribute, has
from .frames import OWN, is_of_library, package_of, running, torch_folder
from .live_objects import has_loader
from .report import tell_imported, tell_plain
from .saying import give_up, say_meanwhile
from .untrained import BY_HAND

PATIENCE_S = 30  # since the first gradient
ITERATE = "one line in the script makes its loop known: for batch in seqpoint.iterate({}):"
GIVEN = "seqpoint.iterate(batches) in place of the batches"
CALLED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Watch:
    """Looks, half a minute after the first gradient of a library, whether a loop is known."""

    def __init__(self, library, loaders):
        self.library, self.loaders, self.begun = library, loaders, False
        self._look = CALLED(self.look)  # Python runs it later: it has to stay

    def asking(self, own):
        """The function `own`, whose call asks for a gradient."""

        @functools.wraps(own)
        def function(*arguments, **named):
            self.note()
            return own(*arguments, **named)

        return function

    def note(self):
        if self.begun or os.getpid() != self.loaders.process:
            return
        self.begun = True
        timer = threading.Timer(PATIENCE_S, self.ask)
        timer.daemon = True
        timer.start()

    def ask(self):
        """Has the main thread look, between two of its instructions."""
        ctypes.pythonapi.Py_AddPendingCall(self._look, None)

    def look(self, _):
        job = self.loaders.job
        if job is None or not (job.elected or job.loops):
            self.tell()
        return 0

    def tell(self):
        fault = f"the job trains with {self.library}, and on no batch of a DataLoader"
        if self.loaders.job is not None or uses_iterate() or has_loader():
            say_meanwhile(f"{fault} so far; if it trains already: {way_out()}")
        else:
            end(fault, way_out())


def jax_was_imported(module, loaders):
    """A step that is compiled calls the function of the gradient once, when it is traced."""
    tell_imported(module, loaders)
    watch = Watch("jax", loaders)
    for name in ("grad", "value_and_grad"):
        if has(module, name):  # a module of that name need not be JAX
            setattr(module, name, made_by(getattr(module, name), watch.asking))


def made_by(own, change):
    """`own`, a function that makes functions, with a change of what it makes."""

    @functools.wraps(own)
    def makes(*arguments, **named):
        return change(own(*arguments, **named))

    return makes


def thinc_was_imported(module, loaders):
    tell_plain("imported", "library", "thinc")
    kind = attribute(module, "Model")
    if has(kind, "finish_update"):
        kind.finish_update = Watch("thinc", loaders).asking(kind.finish_update)


def uses_iterate():
    return "seqpoint" in sys.modules


def way_out():
    """What fits the job: its own loop can be named, one in a library cannot."""
    files = [frame.f_code.co_filename for frame in running()]
    of_job = [file for file in files if not file.startswith((OWN, torch_folder(), "<"))]
    if of_job and is_of_library(of_job[0]):
        library = package_of(of_job[0])
        return f"its loop is in a library ({library}): give that {GIVEN}, or {BY_HAND}"
    return ITERATE.format("batches")


def end(fault, hint):
    try:
        give_up(fault, hint)
    except caller.Gone:  # then it trains as without the hook
        pass
