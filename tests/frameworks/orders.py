"""`order --sampler` with the functions of examples/orders against the batches in vectors/."""

import contextlib
import csv
import functools
import io
import json
import pathlib
import re
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples" / "orders")]

from seqpoint_companion.samplers.sampler_command import main  # noqa: E402


class Case:
    """A vector: lengths, the options of `scan` in version 1 by name, and the expected steps."""

    def __init__(self, vector):
        self.vector, self.options = vector, {}
        words = vector["options"]
        for at, word in enumerate(words):
            if word.startswith("--"):
                value = words[at + 1] if at + 1 < len(words) else "--"
                self.options[word[2:]] = True if value.startswith("--") else value

    def __getitem__(self, name):
        return self.options.get(name)

    def columns(self):
        if "seconds" in self.vector:
            return {"src_len": self.vector["seconds"]}
        if "lengths" in self.vector:
            return {"src_len": self.vector["lengths"]}
        sides = {"src_len": self.vector["src"], "tgt_len": self.vector.get("tgt")}
        return {name: of for name, of in sides.items() if of}

    def same(self, *names):
        """Options that have the same name in `order`, as words of the command line."""
        found = []
        for name in names:
            if self[name] is True:
                found.append(f"--{name}")
            elif self[name] is not None:
                found += [f"--{name}", self[name]]
        return found

    def given(self, **names):
        """{parameter: value} for parameter=option, if the option is there."""
        values = {parameter: self[option] for parameter, option in names.items()}
        return {name: typed(value) for name, value in values.items() if value is not None}

    def turned_off(self, **names):
        """{parameter: False} for parameter=option, if the option is there."""
        return {parameter: False for parameter, option in names.items() if self[option]}


def typed(value):
    """The value of an option: a number, numbers, a flag, or its text."""
    try:
        return value if value is True else json.loads(value)
    except ValueError:
        pass
    parts = re.split("[,:]", value)
    return [typed(part) for part in parts] if len(parts) > 1 else value


def cases(name):
    path = HERE / "vectors" / name
    if not path.exists():
        path = ROOT / "tests" / "vectors" / name
    return [Case(vector) for vector in json.loads(path.read_text())]


def order(columns, function, words):
    """(exit status, the rows of the order that the command writes, what it says)"""
    sys.modules["mine"] = types.SimpleNamespace(sampler=function)
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(said):
        lengths, written = pathlib.Path(folder, "lengths.csv"), pathlib.Path(folder, "order.csv")
        with open(lengths, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(columns)
            out.writerows(zip(*columns.values()))
        status = main(["--sampler", "mine:sampler", *words, str(lengths), "-o", str(written)])
        if status:
            return status, [], said.getvalue()
        with open(written, newline="") as file:
            return status, list(csv.DictReader(file)), said.getvalue()


def steps_of(rows):
    return [[list(map(int, rank.split())) for rank in row["rows"].split("|")] for row in rows]


class Orders(unittest.TestCase):
    """A test of one framework."""

    def compare(self, name, function, given, words=lambda case: [], but=lambda case: False):
        """Every case of a file of vectors, but those that differ (examples/orders/README.md).

        `function` makes the sampler of examples/orders. given(case) has its arguments by name, and
        words(case) options of `order` besides the epochs and ranks of the case.
        """
        compared = 0
        for case in cases(name):
            if but(case):
                continue
            with self.subTest(" ".join(case.vector["options"])):
                sampler = functools.partial(function, **given(case))
                self.compare_case(case, sampler, words(case))
            compared += 1
        self.assertGreater(compared, 0)

    def compare_case(self, case, sampler, words):
        options = case.same("epoch", "epochs", "world-size", "no-set-epoch")
        status, rows, said = order(case.columns(), sampler, [*options, *words])
        self.assertEqual(status, 0, said)
        self.assertNotIn("another order", said)
        self.assertTrue(steps_of(rows) == case.vector["expected_steps"], "other batches")
        for row, lengths in zip(rows, case.vector.get("expected_padded_lengths", [])):
            self.assertEqual([int(row["src_len"]), int(row.get("tgt_len", 0))], lengths)
        for row, sums in zip(rows, case.vector.get("expected_sums", [])):
            if "sq_tokens" in row:
                self.assertEqual([int(row["tokens"]), int(row["sq_tokens"])], sums)


def run():
    del sys.argv[1:3]  # the source folder and the program, which tests/frameworks/run.py gives
    unittest.main()
