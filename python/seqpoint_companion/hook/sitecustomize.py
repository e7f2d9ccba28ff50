"""Python runs this at its start if PYTHONPATH begins with this folder, without changes to the job.

It starts seqpoint_companion.hooked, whose docstring specifies the environment variables and files,
then runs the `sitecustomize` that Python would otherwise have found. sys.path stays unchanged, so
the job finds the same modules as without the hook. Every Python process of a job runs these
imports, so there are few.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PARENT = os.path.dirname(os.path.dirname(HERE))  # of the package


def start_hook():
    sys.path.insert(0, PARENT)
    try:
        from seqpoint_companion import caller, hooked
    finally:
        sys.path.remove(PARENT)
    if not caller.is_gone():
        hooked.start()


def run_next():
    """Runs the `sitecustomize` that Python would have found without this one, if there is one."""
    own = sys.modules.pop(__name__)
    place = sys.path.index(HERE) if HERE in sys.path else None  # the hook may have left
    if place is not None:
        del sys.path[place]
    try:
        import sitecustomize  # noqa: F401
    except ModuleNotFoundError as error:
        sys.modules[__name__] = own
        if error.name != __name__:
            raise
    finally:
        if place is not None:
            sys.path.insert(place, HERE)


def main():
    try:
        if os.environ.get("SEQPOINT_HOOK"):
            start_hook()
    except SystemExit as end:  # a variable is wrong; here python itself would print a traceback
        os._exit(end.code)
    except Exception as error:  # the job runs as without the hook
        print(f"seqpoint: error: the hook did not start: {error!r}", file=sys.stderr)
    run_next()


if __name__ == "sitecustomize" and HERE in sys.path:
    main()
