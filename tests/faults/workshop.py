"""A folder in which a command runs again and again, and what it leaves there.

Inputs lie in in/, outputs are written to out/, where a file of each one's name stands before.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess

OLD = b"what stood here before\n"
SECONDS = 120  # after which a run counts as one that would never end


class Case:
    """A command line.

    `outputs` are the files that it writes to out/; `folder` is a folder that it makes there.
    """

    def __init__(self, name, arguments, outputs=(), folder=None, stdin=None, status=0):
        self.name, self.arguments, self.outputs, self.folder = (
            name,
            arguments.split(),
            tuple(outputs),
            folder,
        )
        self.stdin, self.status = stdin, status


class Result:
    """How a run ended: `status` is negative for a signal, None for a run that had to be stopped."""

    def __init__(self, status, out, err, left):
        self.status, self.out, self.err, self.left = status, out, err, left


class Workshop:
    def __init__(self, program, inputs, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        shutil.copytree(inputs, self.folder / "in")
        self.out = self.folder / "out"
        self.report = self.folder / "report"
        self.given = contents(self.folder / "in")

    def tidy(self, case):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        for name in case.outputs:
            (self.out / name).write_bytes(OLD)
        self.report.unlink(missing_ok=True)

    def command(self, case):
        return [str(self.program), *case.arguments]

    def start(self, case, variables=None, **how):
        stdin = open(self.folder / "in" / case.stdin, "rb") if case.stdin else subprocess.DEVNULL
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": stdin, **how}
        process = subprocess.Popen(
            self.command(case), cwd=self.folder, env=environment(variables), **how
        )
        if case.stdin:
            stdin.close()
        return process

    def finish(self, process):
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return Result(None, out, err.decode(errors="replace"), contents(self.out))
        return Result(
            process.returncode, out, (err or b"").decode(errors="replace"), contents(self.out)
        )

    def run(self, case, variables=None, **how):
        self.tidy(case)
        return self.finish(self.start(case, variables, **how))

    def is_untouched(self):
        return contents(self.folder / "in") == self.given


def environment(variables=None):
    kept = {
        name: os.environ[name]
        for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")
        if name in os.environ
    }
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TERM": "dumb", **kept, **(variables or {})}


def contents(folder):
    """Bytes of every file, by its path in the folder; None for entries that are not files.

    Other commands may remove theirs meanwhile.
    """
    found = {}
    paths = [
        pathlib.Path(parent, name)
        for parent, folders, files in os.walk(folder)
        for name in (*folders, *files)
    ]
    for path in sorted(paths):
        is_file = path.is_file() and not path.is_symlink()
        with contextlib.suppress(FileNotFoundError):
            found[str(path.relative_to(folder))] = path.read_bytes() if is_file else None
    return found


def old_state(case):
    return {name: OLD for name in case.outputs}


def is_leftover(name):
    return pathlib.PurePath(name).name.startswith(".seqpoint-") and name.endswith(".tmp")


def half_done(case, left, whole):
    """The outputs that are neither as before nor as after an undisturbed run."""
    wrong = [f"{name} is left behind" for name in left if name not in whole]
    for name in case.outputs:
        if left.get(name) not in (OLD, whole[name]):
            wrong.append(f"{name} is neither the old file nor the new one")
    if case.folder:
        made = {
            name: bytes_
            for name, bytes_ in left.items()
            if (name + "/").startswith(case.folder + "/")
        }
        if made and any(
            made.get(name) != whole[name]
            for name in whole
            if (name + "/").startswith(case.folder + "/")
        ):
            wrong.append(f"a part of {case.folder} is left behind")
    return wrong
