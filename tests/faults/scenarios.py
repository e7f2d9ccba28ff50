"""Faults that no single call shows.

They are moments, descriptors, limits, files under two names, neighbours and a full disk.
"""
import itertools
import os
import random
import resource
import shutil
import signal
import subprocess
import time

import commands
from sweep import CAN_FAIL, INTERRUPTED
from workshop import Case, Workshop, contents, environment, half_done, is_leftover, old_state

BY_NAME = {case.name: case for case in commands.CASES}
BAD_USAGE = 2
NOBODY = 65534
ENDINGS = [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP]


class Skipped(Exception):
    """Why the machine does not allow it."""


class Scene:
    """A scenario's workshop, and what went wrong in it."""

    def __init__(self, given, inputs, root):
        self.given, self.workshop, self.wrong, self.runs = (
            given,
            Workshop(given.program.resolve(), inputs, root),
            [],
            0,
        )
        self.draw = random.Random(given.seed)

    def some(self, variants):
        """All of them, or as many as were asked for."""
        variants, most = list(variants), self.given.variants
        return self.draw.sample(variants, most) if 0 < most < len(variants) else variants

    def expect(self, right, what, result):
        if not right:
            self.wrong.append(
                f"{what} (status {result.status}; {result.err.strip()[:300]!r}; "
                f"{sorted(result.left)})"
            )

    def run(self, case, what, **how):
        self.runs += 1
        result = self.workshop.run(case, **how)
        self.expect(result.status is not None, f"{what}: it never ends", result)
        return result

    def whole_or_failed(self, case, whole, result, what):
        """It is done with everything, or fails with a message and nothing."""
        if result.status == whole.status:
            self.expect(
                (result.out, result.left) == (whole.out, whole.left),
                f"{what}: done, with another output",
                result,
            )
        else:
            self.expect(result.status in CAN_FAIL, f"{what}: that is no exit status for it", result)
            self.expect("seqpoint: error: " in result.err, f"{what}: there is no message", result)
            self.expect(
                result.left == old_state(case), f"{what}: outputs are not as they were", result
            )


def moments(scene):
    """Ended by a signal at any moment."""
    for name in ("scan-threads", "project", "plan"):
        case = BY_NAME[name]
        begun = time.monotonic()
        whole = scene.run(case, name)
        seconds = time.monotonic() - begun
        for number in scene.some(ENDINGS * 100):
            moment = scene.draw.random() * seconds
            scene.workshop.tidy(case)
            process = scene.workshop.start(case)
            time.sleep(moment)
            process.send_signal(number)
            result, what = (
                scene.workshop.finish(process),
                f"{name}, {number.name} after {moment:.4f} s",
            )
            scene.runs += 1
            left = result.left
            if (
                number == signal.SIGKILL
            ):  # which nobody can act on: unfinished files stay, and a part of a plan
                left = {
                    path: bytes_
                    for path, bytes_ in left.items()
                    if not is_leftover(path) and not case.folder
                }
            for text in half_done(case, left, whole.left):
                scene.expect(False, f"{what}: {text}", result)
            # Before main() has set handlers, a signal ends it as any program.
            early = result.status == -number and (
                left == old_state(case) or number == signal.SIGKILL
            )
            scene.expect(
                early or result.status in (0, INTERRUPTED),
                f"{what}: that is no exit status for it",
                result,
            )


def descriptors(scene):
    """0, 1 and 2 closed, empty or full, in every combination."""
    ways = {"closed": None, "null": "/dev/null", "full": "/dev/full"}
    for name in ("scan", "project-stdout", "scan-stdin"):
        case = BY_NAME[name]
        whole = scene.run(case, name)
        for chosen in scene.some(itertools.product(ways, repeat=3)):
            what = f"{name}, descriptors {', '.join(chosen)}"

            def prepare(chosen=chosen):
                for number, way in enumerate(chosen):
                    if ways[way] is None:
                        os.close(number)
                    else:
                        os.dup2(os.open(ways[way], os.O_RDWR), number)

            scene.workshop.tidy(case)
            process = scene.workshop.start(case, preexec_fn=prepare)
            result = scene.workshop.finish(process)
            scene.runs += 1
            if case.stdin:
                wanted = 3
            else:
                wanted = 4 if not case.outputs and chosen[1] != "null" else 0
            scene.expect(result.status == wanted, f"{what}: status {wanted} was expected", result)
            state = whole.left if wanted == 0 else old_state(case)
            scene.expect(
                result.left == state, f"{what}: outputs are not what the status says", result
            )


def limited(number, most):
    return lambda: resource.setrlimit(number, (most, most))


def sizes(scene):
    """Files no longer than so much."""
    case = BY_NAME["page"]
    whole = scene.run(case, "page")
    size = len(whole.left["page.html"])
    for most in (0, 1, 4096, size // 2, size - 1, size):
        what = f"page, files of {most} B"
        result = scene.run(case, what, preexec_fn=limited(resource.RLIMIT_FSIZE, most))
        scene.expect(
            result.status == (0 if most == size else 4),
            f"{what}: that is no exit status for it",
            result,
        )
        scene.whole_or_failed(case, whole, result, what)


def open_files(scene):
    """Few open files."""
    for name in ("scan-gzip", "project", "plan", "inspect-sqlite"):
        case = BY_NAME[name]
        whole = scene.run(case, name)
        for most in scene.some(range(3, 14)):
            try:
                result = scene.run(case, name, preexec_fn=limited(resource.RLIMIT_NOFILE, most))
            except OSError:  # too few to start a program
                continue
            if result.status != 127:  # the loader's, which cannot open a library
                scene.whole_or_failed(case, whole, result, f"{name}, {most} open files")


def memory(scene):
    """Little address space."""
    for name in ("scan", "scan-threads", "project", "page", "inspect-sqlite"):
        case = BY_NAME[name]
        whole = scene.run(case, name)
        for megabytes in scene.some([*range(16, 96), 128, 192, 256]):
            limit = limited(resource.RLIMIT_AS, megabytes << 20)
            if scene.run(Case("version", "--version"), "version", preexec_fn=limit).status != 0:
                continue  # the libraries alone do not fit
            scene.whole_or_failed(
                case, whole, scene.run(case, name, preexec_fn=limit), f"{name}, {megabytes} MB"
            )


def threads(scene):
    """No thread but the first."""
    case = BY_NAME["scan-threads"]
    whole = scene.run(case, case.name)
    if os.getuid() == 0:
        for path in (scene.workshop.folder.parent, scene.workshop.folder, scene.workshop.out):
            path.chmod(0o777)
    scene.workshop.tidy(case)
    scene.workshop.out.chmod(0o777)

    def alone():
        if os.getuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))

    try:
        process = scene.workshop.start(case, preexec_fn=alone)
    except (OSError, subprocess.SubprocessError) as error:
        raise Skipped(f"nobody cannot start the program: {error}") from error
    result = scene.workshop.finish(process)
    scene.expect(
        (result.status, result.left) == (whole.status, whole.left),
        "one process a user: it is not done",
        result,
    )


def aliases(scene):
    """One file under two names."""
    out = scene.workshop.out
    arguments = "project in/points.json --profile v1=in/clean.csv -o out/a --export csv="
    for name, second, make in (
        ("same", "out/a", None),
        ("dotted", "out/../out/a", None),
        ("symbolic", "out/b", "symlink"),
        ("input", "in/clean.csv", None),
    ):
        case = Case(name, arguments + second, ["a"])
        scene.workshop.tidy(case)
        if make:
            (out / "b").symlink_to("a")
        result = scene.workshop.finish(scene.workshop.start(case))
        left = {path: bytes_ for path, bytes_ in result.left.items() if path != "b"}
        scene.expect(
            result.status == BAD_USAGE and left == old_state(case), f"{name}: not refused", result
        )
    links(scene, out)
    standard_output(scene, out)
    scene.runs += 8


def links(scene, out):
    """Hard links are two files after a replacement; a symbolic link leads to the new file."""
    case = Case("hard", "scan in/train.len --batch-size 4 -q -o out/a", ["a"])
    whole = scene.run(case, "hard")
    scene.workshop.tidy(case)
    os.link(out / "a", out / "b")
    result = scene.workshop.finish(scene.workshop.start(case))
    scene.expect(
        result.left == {"a": whole.left["a"], "b": old_state(case)["a"]}, "a hard link", result
    )
    scene.workshop.tidy(case)
    (out / "a").rename(out / "b")
    (out / "a").symlink_to("b")
    result = scene.workshop.finish(scene.workshop.start(case))
    is_link = (out / "a").is_symlink()
    scene.expect(
        is_link and result.left == {"a": None, "b": whole.left["a"]}, "a symbolic link", result
    )


def standard_output(scene, out):
    """The shell's > also names a file."""
    table = "project in/points.json --profile v1=in/clean.csv -q"
    for name, arguments in (
        ("an output", table + " -o out/a"),
        ("two to it", table + " -o - --export csv=/dev/stdout"),
        ("two to its number", table + " -o /dev/fd/1 --export csv"),
    ):
        case = Case(name, arguments, ["a"])
        scene.workshop.tidy(case)
        with open(out / "a", "ab") as stdout:
            result = scene.workshop.finish(scene.workshop.start(case, stdout=stdout))
        right = result.status == BAD_USAGE and result.left == old_state(case)
        scene.expect(right, f"standard output is {name}: not refused", result)


def namespace(*kinds):
    """The beginning of a command that runs in its own namespaces."""
    for begin in (["unshare", *kinds], ["unshare", "--user", "--map-root-user", *kinds]):
        if (
            shutil.which("unshare")
            and subprocess.run([*begin, "true"], capture_output=True, check=False).returncode == 0
        ):
            return begin
    raise Skipped(f"unshare {' '.join(kinds)} is not allowed, or not there")


def neighbours(scene):
    """Processes of one number, each the first of its namespace, that write to one place at once."""
    unshare = namespace("--pid", "--fork")
    for name in ("scan", "page", "plan"):
        case = BY_NAME[name]
        whole = scene.run(case, name)
        for _ in scene.some(range(20)):
            scene.workshop.tidy(case)
            command = [*unshare, *scene.workshop.command(case)]
            started = [
                subprocess.Popen(
                    command,
                    cwd=scene.workshop.folder,
                    env=environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                )
                for _ in range(6)
            ]
            results = [scene.workshop.finish(process) for process in started]
            scene.runs += len(results)
            result = results[-1]
            result.left = contents(scene.workshop.out)
            done = [each for each in results if each.status == 0]
            scene.expect(
                result.left == whole.left, f"{name}, six at once: the output is not whole", result
            )
            scene.expect(
                len(done) == (1 if case.folder else 6),
                f"{name}, six at once: {len(done)} are done",
                result,
            )
            for other in results:
                scene.expect(
                    other.status in (0, BAD_USAGE),
                    f"{name}, six at once: no exit status for it",
                    other,
                )


def full_disk(scene):
    """A file system of a few pages."""
    mounts = (
        "mount -t tmpfs -o size={0}k none out && for name in {1}; do cp in/train.len out/$name; "
        "done && cp in/train.len old"
    )
    check = (
        'for name in {1}; do cmp -s old out/$name || echo "$name changed"; done; ls -A out | '
        'grep "^[.]"'
    )
    unshare = [*namespace("--mount"), "sh", "-c"]
    for name in ("scan-threads", "project", "page"):
        case = BY_NAME[name]
        for kilobytes in (32, 36, 48):
            scene.workshop.tidy(case)
            names = " ".join(case.outputs)
            script = (
                f'{mounts.format(kilobytes, names)} || exit 77; "$@"; echo "status $?"; '
                f'{check.format("", names)}; true'
            )
            done = subprocess.run(
                [*unshare, script, "sh", *scene.workshop.command(case)],
                cwd=scene.workshop.folder,
                env=environment(),
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                raise Skipped(f"no file system may be mounted: {done.stderr.strip()[:100]}")
            scene.runs += 1
            failed = (
                done.stdout.split("\n")[-2:] == ["status 4", ""]
                and "No space left on device" in done.stderr
            )
            if "status 0" not in done.stdout and not failed:
                scene.wrong.append(
                    f"{name} on {kilobytes} kB: {done.stdout[-300:]!r}; {done.stderr[-300:]!r}"
                )


def no_folder(scene):
    """A working folder that is gone."""
    folder = scene.workshop.folder / "gone"
    inputs = scene.workshop.folder / "in"
    for arguments, wanted in (
        (f"scan {inputs}/train.len --batch-size 4 -q -o {scene.workshop.out}/a", 0),
        (f"scan {inputs}/train.len --batch-size 4 -q -o a", 4),
        (f"plan {inputs}/chosen.json -o plan", 4),
        (f"plan {inputs}/chosen.json --dry-run", 0),
    ):
        scene.workshop.tidy(Case("gone", arguments))
        folder.mkdir()
        script = 'rmdir "$PWD" && exec "$@"'
        done = subprocess.run(
            ["sh", "-c", script, "sh", str(scene.workshop.program), *arguments.split()],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        scene.runs += 1
        if done.returncode != wanted:
            scene.wrong.append(
                f"gone: {arguments.split()[0]}: status {done.returncode}, not {wanted}; "
                f"{done.stderr[:300]!r}"
            )


SCENARIOS = (
    moments,
    descriptors,
    sizes,
    open_files,
    memory,
    threads,
    aliases,
    neighbours,
    full_disk,
    no_folder,
)


def run_all(given, inputs, root):
    wrong = []
    for scenario in SCENARIOS:
        if not given.only.search(scenario.__name__):
            continue
        scene = Scene(given, inputs, root / f"scenario-{scenario.__name__}")
        try:
            scenario(scene)
            print(f"{scenario.__name__}: {scene.runs} runs, {len(scene.wrong)} went wrong")
        except Skipped as reason:
            print(f"{scenario.__name__}: skipped: {reason}")
        wrong += [f"{scenario.__name__}: {text}" for text in scene.wrong]
        if not scene.workshop.is_untouched():
            wrong.append(f"{scenario.__name__}: an input has changed")
    return wrong
