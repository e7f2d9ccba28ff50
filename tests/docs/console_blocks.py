"""The commands of a document do what it says:

    console_blocks.py EXE SOURCE_DIR DOCUMENT [--update]

Runs the blocks of the document in order, in one folder with the examples in it:

  ```console   Lines that begin with "$ " are commands. Each is followed by its output, of both
               streams. --update writes that again.
  ```sh        A script that has to succeed. If the next block is ```text, the script's output
               contains its lines, one after the other.

A block after the line <!-- not run: WHY --> (or: not run here) is skipped. So is one after <!-- run
on a cluster -->, which tests/slurm/document.sh runs, and after <!-- run with a job -->, which
job_blocks.py runs.
"""
import difflib
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(
    r"^(<!-- (?:not run(?: here)?: [^\n]+|run on a cluster|run with a job) -->\n)?"
    r"```(console|sh|text)\n(.*?)^```$",
    re.M | re.S,
)


class Sandbox:
    def __init__(self, folder, exe, source):
        self.folder = os.path.join(folder, "repository")
        os.makedirs(os.path.join(folder, "bin"))
        os.symlink(exe, os.path.join(folder, "bin", "seqpoint"))
        shutil.copytree(os.path.join(source, "examples"), os.path.join(self.folder, "examples"))
        self.write_speech_data()
        self.environment = {
            "PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"],
            "PYTHONPATH": os.path.join(source, "python"),
            "HOME": folder,
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
            "GITHUB_STEP_SUMMARY": os.path.join(folder, "summary"),
        }

    def write_speech_data(self):
        """The user's manifests that documents name: train.json of NeMo, cuts.jsonl.gz of Lhotse."""
        durations = [1 + n % 97 / 10 for n in range(400)]
        with open(os.path.join(self.folder, "train.json"), "w", encoding="utf-8") as file:
            for n, duration in enumerate(durations):
                row = {"audio_filepath": f"{n}.wav", "duration": duration, "text": "a"}
                file.write(json.dumps(row) + "\n")
        with gzip.open(os.path.join(self.folder, "cuts.jsonl.gz"), "wt", encoding="utf-8") as file:
            for n, duration in enumerate(durations):
                row = {"id": f"c{n}", "start": 0, "duration": duration, "type": "MonoCut"}
                file.write(json.dumps(row) + "\n")

    def run(self, script, *options):
        done = subprocess.run(
            ["bash", *options, "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8")


class Document:
    def __init__(self, sandbox):
        self.sandbox, self.printed, self.blocks, self.wrong = sandbox, "", 0, []

    def as_run(self, match):
        """The block with what its commands print now."""
        skipped, kind, text = match.groups()
        if skipped or (kind == "text" and not self.printed):
            return match.group(0)
        self.blocks += 1
        return f"```{kind}\n{getattr(self, kind)(text)}```"

    def console(self, text):
        commands = [line for line in text.split("\n") if line.startswith("$ ")]
        assert commands, "a block without a command"
        self.printed = ""
        return "".join(f"{command}\n{self.sandbox.run(command[2:])[1]}" for command in commands)

    def sh(self, text):
        status, self.printed = self.sandbox.run(text, "-eu")
        if status != 0:
            self.wrong.append(f"exit status {status} of\n{text}{self.printed}")
        return text

    def text(self, text):
        if f"\n{text}" not in f"\n{self.printed}":
            self.wrong.append(f"not printed:\n{text}but:\n{self.printed}")
        self.printed = ""
        return text


def main():
    exe, source, path = (os.path.abspath(path) for path in sys.argv[1:4])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        document = Document(Sandbox(folder, exe, source))
        now = BLOCK.sub(document.as_run, text)
    if "--update" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(now)
    elif now != text:
        sys.stdout.writelines(
            difflib.unified_diff(
                text.splitlines(True), now.splitlines(True), path, "what the commands print"
            )
        )
        sys.exit(1)
    if document.wrong:
        sys.exit("\n".join(document.wrong))
    print(document.blocks, "blocks of", os.path.basename(path))


main()
