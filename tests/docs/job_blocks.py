"""Blocks of documents that need a job are run with one:

    job_blocks.py EXE SOURCE_DIR

A block after the line <!-- run with a job --> is run in a folder with the training scripts that the
documents name: examples/pytorch/minimal.py, small if a document compares builds. Commands have to
succeed, or to end a comparison with status 1: FAIL, or inconclusive where the command fails that.
The output in a ```console block has the lines of the real one: the same words in the same order,
where times, and all numbers but those of the order, may differ. Ends with 77 (skipped) if this
Python has no PyTorch.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import torch  # noqa: F401  the job needs it
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

DOCUMENTS = ["README.md", "docs/run.md", "docs/ci.md"]
BLOCK = re.compile(r"^<!-- run with a job -->\n```(sh|console)\n(.*?)^```$", re.M | re.S)
#: Lines that are the same in every run but for numbers. Others depend on the machine.
STABLE = ("order", "measure", "epoch", "measured")
#: A comparison on a machine with many other programs may be refused.
BUSY, ATTEMPTS = "wait for a quieter machine", 3
#: A run that costs more than the epoch prints no factor.
FEWER = re.compile(r" \(\S+x fewer\)")
NUMBER = re.compile(r"[+-]?\d[\d,.]*( (ms|s|min|h|d)\b)?( \d+ (s|min|h)\b)?")


def make_folder(folder, exe, source):
    programs = os.path.join(folder, "bin")
    os.makedirs(programs)
    os.symlink(exe, os.path.join(programs, "seqpoint"))
    for name in ("python", "python3"):
        os.symlink(sys.executable, os.path.join(programs, name))
    job = os.path.join(source, "examples", "pytorch", "minimal.py")
    shutil.copy(job, os.path.join(folder, "train.py"))
    with open(os.path.join(folder, "finetune.py"), "w", encoding="utf-8") as file:
        file.write('import runpy, sys\nsys.argv[1:] = ["8"]\nrunpy.run_path("train.py")\n')
    for script in ("old.sh", "new.sh", "train.sh"):
        with open(os.path.join(folder, script), "w", encoding="utf-8") as file:
            file.write("python train.py 8\n")
    return {**os.environ, "PATH": programs + ":" + os.environ["PATH"]}


def run_once(command, folder, environment):
    """The command, without folders that earlier ones left."""
    for entry in os.scandir(folder):
        if entry.is_dir() and entry.name != "bin":
            shutil.rmtree(entry.path)
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def run(command, folder, environment):
    """What the command printed. It is repeated where it asks for a quieter machine."""
    for _ in range(ATTEMPTS):
        done = run_once(command, folder, environment)
        decides = "FAIL" in done.stdout or "--on-inconclusive fail" in command
        if done.returncode == 0 or (done.returncode == 1 and decides):
            return done.stdout
        if BUSY not in done.stdout:
            break
    raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}")


def pattern_of(line):
    """The line with its numbers replaced, and blanks as one; of the order only the times."""
    units = NUMBER if not line.startswith("order") else re.compile(r"\d[\d.]* (ms|s|min)\b")
    line = FEWER.sub("", line)
    return " ".join(units.sub("#", line).split())


def check_output(shown, printed):
    """Every line that is shown is printed, in this order; lines that are left out do not matter."""
    lines = iter(printed.splitlines())
    for line in shown.splitlines():
        label = line.split(" ")[0]
        wanted = pattern_of(line) if label in STABLE else label
        for other in lines:
            if (pattern_of(other) if label in STABLE else other.split(" ")[0]) == wanted:
                break
        else:
            raise AssertionError(f"not printed, or not there: {line}\n{printed}")


def main():
    exe, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    count = 0
    for document in DOCUMENTS:
        with open(os.path.join(source, document), encoding="utf-8") as file:
            blocks = BLOCK.findall(file.read())
        assert blocks, f"{document}: no block of a job"
        for kind, text in blocks:
            with tempfile.TemporaryDirectory() as folder:
                environment = make_folder(folder, exe, source)
                first, _, rest = text.partition("\n")
                if kind == "console":
                    assert first.startswith("$ "), first
                    check_output(rest, run(first[2:], folder, environment))
                else:
                    for command in text.splitlines():
                        run(command, folder, environment)
            count += 1
    print(count, "blocks of", ", ".join(DOCUMENTS))


main()
