"""The command behind `--` is the user's, byte for byte; so are names of files in brackets:

    command_test.py PROGRAM SOURCE_DIR [TEST...]
"""

import concurrent.futures
import json
import os
import random
import shlex
import subprocess
import unittest

from run_test import FAKE, PROGRAM, PYTHON, Folder

LISTS, SEED = 200, 97
PIECES = (
    *"[]{}()<>'\"`$\\,;&|=*?!#~%@:-+/. \t\n\r0aZ",
    *("--", "[1,2,3]", "[]", "{}", "[0]", "NAME=", "-o", "++", "%%", "***"),
    *("\u00e9", "\u65e5", "\U0001f600", "\u202e", "\ufffd"),
    *map(os.fsdecode, (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x80", b"\x01\x1b[0m")),
)
ODD = ("[1,2,3]", "[]", "a b", "", "{}", "x\ny", os.fsdecode(b"\xff\xfe"), "--", "-o", "\u00e9")


def random_list(draw):
    """One to six arguments of none to five pieces each."""
    return ["".join(draw.choices(PIECES, k=draw.randrange(6))) for _ in range(draw.randint(1, 6))]


class Command(Folder):
    def setUp(self):
        super().setUp()
        self.write(
            "print", "cat /proc/$$/cmdline; exit 0"
        )  # of the shell: sh, the script, arguments
        self.write("train", f'cat /proc/$$/cmdline; exec {PYTHON} {FAKE} --seed "$1"')

    def write(self, name, script):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(self.path(name), 0o755)

    def printed(self, *words):
        """The arguments that a program gets which is started without `run`."""
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, check=True)
        return done.stdout.split(b"\0")[2:]

    def logged(self, folder, log="order.log"):
        """The same of the start with that log."""
        with open(self.path(folder, log), "rb") as file:
            return file.read().split(b"\0")[2:]

    def run_all(self, commands):
        """Runs them into folders 0, 1, ...: their jobs train nothing."""
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            each = enumerate(commands)
            runs = [pool.submit(self.run_it, "-o", str(n), *words, status=3) for n, words in each]
            for run in runs:
                run.result()

    def test_200_random_lists(self):
        draw = random.Random(SEED)
        lists = [random_list(draw) for _ in range(LISTS)]
        self.run_all(["--", "./print", *arguments] for arguments in lists)
        for n, arguments in enumerate(lists):
            with self.subTest(seed=SEED, n=n, arguments=arguments):
                self.assertEqual(self.logged(str(n)), self.printed("./print", *arguments))

    def test_the_text_of_a_build(self):
        draw = random.Random(SEED)
        texts = [shlex.join(["./print", *random_list(draw)]) for _ in range(20)]
        texts.append("./print $(printf '[%s]' 1,2) {} [] '' \"\"")
        self.run_all([f"old={text}", "new=true"] for text in texts)
        for n, text in enumerate(texts):
            with self.subTest(text=text):
                printed = self.printed("sh", "-c", text)
                self.assertEqual(self.logged(str(n), "old-order.log"), printed)

    def test_a_run_that_goes_on_has_the_same_command(self):
        command = ["./train", *ODD]
        self.run_it("--max-processes", "2", "--", *command)
        expected = [os.fsencode(word) for word in ODD]
        words = self.record()["request"]["builds"][0]
        self.assertEqual([bytes.fromhex(word) for word in words["command_hex"]][1:], expected)
        self.assertEqual(words["command"][7], "\ufffd\ufffd")
        self.assertEqual(self.logged("seqpoint-run", "run-2.log")[: len(ODD)], expected)
        for again in ([], ["--", *command]):
            os.remove(self.path("seqpoint-run", "run-2.csv"))
            os.remove(self.path("seqpoint-run", "run-2.log"))
            self.run_it("--max-processes", "2", "--resume", "seqpoint-run", *again)
            self.assertEqual(self.logged("seqpoint-run", "run-2.log")[: len(ODD)], expected)

    def test_another_byte_is_another_command(self):
        command = ["./train", *ODD]
        self.run_it("--max-processes", "2", "--", *command)
        others = (os.fsdecode(b"\xff\xff"), "\ufffd\ufffd", "", "[1,2,3]")
        for other in others:
            command[7] = other
            done = self.run_it("--resume", "seqpoint-run", "--", *command, status=2)
            self.assertIn("is a run of another command line", done.stderr)
        (typed,) = [part for part in done.stderr.split("line: -- ") if part.startswith("./train")]
        typed = typed.split(", and not ")[0]
        printed = self.printed("bash", "-c", typed.replace("./train", "./print"))
        self.assertEqual(
            printed, self.printed("./print", *ODD), "the command is shown as bash reads it"
        )

    def test_words_on_both_sides(self):
        done = self.run_it("[1]", "--", "./print", "[2]", status=2)
        self.assertIn("a command after -- follows another word", done.stderr)


class Files(Folder):
    """Names that CLI11 would take for lists."""

    NAMES = ("[1,2]", "[]", "{}", "[a]", "[1].csv")

    def seqpoint(self, *words):
        return super().seqpoint(*words).stdout

    def test_manifests_and_profiles(self):
        for name in self.NAMES:
            with self.subTest(name=name):
                with open(self.path(name), "w", encoding="utf-8") as file:
                    file.write("iteration,src_len,runtime_s\n0,7,0.5\n1,9,0.25\n")
                steps = json.loads(self.seqpoint("inspect", name, "--json"))["steps"]
                self.assertEqual([step["host_ns"] for step in steps], [500_000_000, 250_000_000])
                self.seqpoint("inspect", name, "--export", f"json={name}.json")
                self.assertTrue(os.path.exists(self.path(f"{name}.json")))
                self.seqpoint("scan", "--lengths-only", "--format", "text", name)


if __name__ == "__main__":
    unittest.main()
