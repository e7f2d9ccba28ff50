"""The Python package `seqpoint` compared with the command line:

    package_test.py PROGRAM SOURCE_DIR
"""
import contextlib
import html.parser
import importlib.util
import io
import json
import logging
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from pathlib import Path
from unittest import mock

try:
    import numpy as np
except ImportError:
    print("no NumPy here")
    sys.exit(77)

PROGRAM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
os.environ["SEQPOINT_PROGRAM"] = str(PROGRAM)
sys.path.insert(0, str(SOURCE / "python"))
import seqpoint  # noqa: E402

PANDAS, PYTEST = (importlib.util.find_spec(name) is not None for name in ("pandas", "pytest"))
LENGTHS = np.random.default_rng(1).integers(3, 90, 3000)
LOADER = {"sampler": "sequential", "batch_size": 16}


def command(*arguments, folder=None):
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, cwd=folder, check=False
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def times_of(trace):
    return {
        "src_len": trace["src_len"],
        "batch_size": trace["batch_size"],
        "runtime_s": 0.01 + 1e-4 * trace["src_len"] * trace["batch_size"],
    }


class Scan(unittest.TestCase):
    def test_batches_are_padded_to_the_longest(self):
        trace = seqpoint.scan(LENGTHS, rows=True, **LOADER)
        batches = [LENGTHS[i : i + 16] for i in range(0, len(LENGTHS), 16)]
        np.testing.assert_array_equal(trace["src_len"], [batch.max() for batch in batches])
        np.testing.assert_array_equal(trace["tokens"], [batch.sum() for batch in batches])
        np.testing.assert_array_equal(
            np.concatenate([ranks[0] for ranks in trace["rows"]]), np.arange(len(LENGTHS))
        )

    def test_pairs_are_two_columns(self):
        trace = seqpoint.scan(np.stack([LENGTHS, LENGTHS[::-1]], axis=1), **LOADER)
        self.assertEqual(trace["tgt_len"][0], LENGTHS[::-1][:16].max())

    def test_ranks_are_apart(self):
        ranks = seqpoint.scan(
            LENGTHS, sampler="pytorch-distributed", world_size=2, batch_size=8, rows=True
        )["rows"][0]
        self.assertEqual([len(rank) for rank in ranks], [8, 8])

    def test_a_million_lengths_pass_the_pipe(self):
        trace = seqpoint.scan(np.tile(LENGTHS, 400), **LOADER)
        self.assertEqual(trace["batch_size"].sum(), 1_200_000)

    def test_paths_may_begin_as_options_do(self):
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                np.savetxt("--lengths.txt", LENGTHS, "%d")
                whole = seqpoint.scan("--lengths.txt", **LOADER)
                Path("--points.json").write_text(
                    json.dumps(seqpoint.select("--lengths.txt", points=4, **LOADER))
                )
                seqpoint.project(
                    "--points.json", {"--v1": times_of(whole)}, export="markdown=--table.md"
                )
                self.assertTrue(Path("--table.md").exists())
            finally:
                os.chdir(before)
        np.testing.assert_array_equal(whole["src_len"], seqpoint.scan(LENGTHS, **LOADER)["src_len"])

    def test_paths_are_read_as_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "with a blank=.txt"
            np.savetxt(file, LENGTHS, "%d")
            np.testing.assert_array_equal(
                seqpoint.scan(file, **LOADER)["src_len"],
                seqpoint.scan(LENGTHS, **LOADER)["src_len"],
            )

    def test_a_path_is_no_option(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                np.savetxt("--help.txt", LENGTHS, "%d")
                points = seqpoint.select("--help.txt", points=6, **LOADER)
                Path("--json").write_text(json.dumps(points))
                self.assertEqual(len(points["points"]), 6)
                trace = seqpoint.scan(["--help.txt"], tgt="--help.txt", **LOADER)
                self.assertIn("tgt_len", trace)
                self.assertEqual(
                    len(seqpoint.project("--json", {"v1": times_of(trace)})["configurations"]), 1
                )
            finally:
                os.chdir(before)

    def test_lengths_as_whatever_holds_numbers(self):
        class Tensor:
            def __array__(self, dtype=None, copy=None):
                return LENGTHS

        expected = seqpoint.scan(LENGTHS, **LOADER)["src_len"]
        for lengths in (LENGTHS.tolist(), tuple(LENGTHS.tolist()), list(LENGTHS), Tensor()):
            np.testing.assert_array_equal(seqpoint.scan(lengths, **LOADER)["src_len"], expected)
        self.assertEqual(seqpoint.scan([3, 9, 4], batch_size=2)["src_len"].tolist(), [9, 4])
        self.assertEqual(
            seqpoint.scan([0.1, 0.5], batch_size=2, length_unit="seconds")["src_len"].tolist(),
            seqpoint.scan(np.array([0.1, 0.5]), batch_size=2, length_unit="seconds")[
                "src_len"
            ].tolist(),
        )
        self.assertEqual(seqpoint.scan(range(1, 5), batch_size=2)["src_len"].tolist(), [2, 4])
        self.assertEqual(seqpoint.scan([(3, 7), (9, 1)], batch_size=2)["tgt_len"].tolist(), [7])

    def test_a_table_of_pandas_is_a_trace(self):
        class Table:  # as much of a DataFrame
            columns = ["src_len", "batch_size"]
            __iter__ = lambda self: iter(self.columns)
            __getitem__ = lambda self, name: {
                "src_len": np.array([9, 4, 6]),
                "batch_size": np.array([2, 2, 2]),
            }[name]

        columns = {"src_len": [9, 4, 6], "batch_size": [2, 2, 2]}
        self.assertEqual(
            seqpoint.select(Table(), points=2)["points"],
            seqpoint.select(columns, points=2)["points"],
        )

    def test_what_is_neither_is_named(self):
        for data in (
            [],
            7,
            None,
            [3, "train.txt"],
            ["train.txt", 3],
            [[1, 2], [3]],
            {3, 4},
            iter([3]),
            [True],
            b"train.txt",
        ):
            with self.assertRaisesRegex(TypeError, "neither paths of manifests, nor lengths"):
                seqpoint.scan(data, **LOADER)


class Types(unittest.TestCase):
    @unittest.skipUnless(
        shutil.which("mypy", path="/usr/bin") and PYTEST, "mypy or pytest is not installed"
    )
    def test_the_package_is_typed(self):
        done = subprocess.run(
            [
                "/usr/bin/mypy",
                "--strict",
                "--no-incremental",
                "--cache-dir",
                os.devnull,
                SOURCE / "python" / "seqpoint",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Metadata(unittest.TestCase):
    def test_an_index_page_resolves_no_relative_links(self):
        project = (SOURCE / "pyproject.toml").read_text(encoding="utf-8")
        path = re.search(r'(?m)^readme = "(.+?)"', project).group(1)
        text = (SOURCE / path).read_text(encoding="utf-8")
        links = re.findall(r"\]\(([^)]*)\)", text)
        self.assertEqual([link for link in links if not link.startswith("https://")], [])
        self.assertIn("seqpoint.iterate(", text)

    def test_the_versions_of_python(self):
        project = (SOURCE / "pyproject.toml").read_text(encoding="utf-8")
        least = re.search(r'requires-python = ">=3\.(\d+)"', project).group(1)
        named = re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', project)
        self.assertEqual(named[0], least)


class Prepared(unittest.TestCase):
    """A trace, SeqPoints, and a folder that has them and measurements."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        np.savetxt(root / "lengths.txt", LENGTHS, "%d")
        cls.trace = seqpoint.scan(LENGTHS, **LOADER)
        cls.points = seqpoint.select(LENGTHS, points=6, **LOADER)
        (root / "points.json").write_text(json.dumps(cls.points))
        columns = times_of(cls.trace)
        lines = [
            ",".join(columns),
            *(
                ",".join(map(repr, row))
                for row in zip(*(column.tolist() for column in columns.values()))
            ),
        ]
        (root / "v1.csv").write_text("\n".join(lines) + "\n")
        cls.root = root

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


class Artefacts(Prepared):
    def test_select_is_the_command_s(self):
        _, out, _ = command(
            "select",
            "lengths.txt",
            "--points",
            6,
            "--sampler",
            "sequential",
            "--batch-size",
            16,
            "-o",
            "-",
            folder=self.root,
        )
        self.assertEqual(json.loads(out)["points"], self.points["points"])

    def test_select_reads_a_trace(self):
        self.assertEqual(
            [p["src_len"] for p in seqpoint.select(self.trace, points=6)["points"]],
            [p["src_len"] for p in self.points["points"]],
        )

    def test_summary_counts_the_iterations(self):
        self.assertEqual(
            seqpoint.summary(LENGTHS, **LOADER)["run"]["iterations"], len(self.trace["src_len"])
        )

    def test_projections_are_the_command_s_and_near_the_truth(self):
        _, out, _ = command(
            "project", "points.json", "--profile", "v1=v1.csv", "--json", folder=self.root
        )
        of_file = seqpoint.project(self.root / "points.json", {"v1": self.root / "v1.csv"})
        of_columns = seqpoint.project(self.points, {"v1": times_of(self.trace)})
        self.assertEqual(json.loads(out)["configurations"], of_file["configurations"])
        self.assertEqual(of_file["configurations"], of_columns["configurations"])
        total = of_file["configurations"][0]["metrics"]["runtime_s"]
        self.assertTrue(total["low"] <= times_of(self.trace)["runtime_s"].sum() <= total["high"])

    def test_several_files_are_of_one_configuration(self):
        half = times_of({name: column[::2] for name, column in self.trace.items()})
        other = times_of({name: column[1::2] for name, column in self.trace.items()})
        files = []
        for name, columns in (("a", half), ("b", other)):
            files.append(self.root / f"{name}.csv")
            files[-1].write_text(seqpoint._csv(columns))
        self.assertEqual(len(seqpoint.project(self.points, {"v1": files})["configurations"]), 1)
        for alone in (self.root / "v1.csv", [self.root / "v1.csv"]):
            (build,) = seqpoint.project(self.points, alone)["configurations"]
            self.assertEqual(build["name"], "v1")

    def test_an_explanation_names_a_stray(self):
        noise = iter(np.random.default_rng(2).normal(1, 0.02, 24))
        rows = [
            (p["id"], (0.01 + 1e-4 * p["src_len"] * p["batch_size"]) * next(noise))
            for p in self.points["points"]
            for _ in range(4)
        ]
        rows[6] = rows[6][0], 7 * rows[6][1]
        measured = dict(zip(("point", "runtime_s"), zip(*rows)))
        found = seqpoint.project(self.points, {"v1": measured}, explain=True)
        self.assertEqual([finding["id"] for finding in found["findings"]], ["stray-repeat"])
        self.assertEqual(found["explanation"]["times"][0]["measurements"], 24)

    def test_a_limit_that_does_not_hold(self):
        slower = dict(times_of(self.trace))
        slower["runtime_s"] = slower["runtime_s"] * 1.5
        with self.assertRaises(seqpoint.LimitExceeded) as raised:
            seqpoint.project(
                self.points, {"main": times_of(self.trace), "change": slower}, max_regression="5%"
            )
        self.assertEqual(len(raised.exception.result["configurations"]), 2)
        self.assertEqual(raised.exception.status, 1)


class Frame(html.parser.HTMLParser):
    """Attributes of the only frame in a text, as a browser reads them."""

    def __init__(self, text):
        super().__init__()
        self.frames = []
        self.feed(text)
        (self.attributes,) = self.frames

    def handle_starttag(self, tag, attributes):
        self.frames.append(dict(attributes))
        assert tag == "iframe", tag


class Shown(Prepared):
    """Results as notebooks and pandas show them."""

    @unittest.skipUnless(PANDAS, "there is no pandas; apt-get install python3-pandas")
    def test_tables_of_pandas(self):
        trace = self.trace.to_pandas()
        self.assertEqual(list(trace.columns), list(self.trace))
        np.testing.assert_array_equal(trace["src_len"], self.trace["src_len"])
        self.assertEqual(
            seqpoint.select(trace, points=6)["points"],
            seqpoint.select(self.trace, points=6)["points"],
        )
        points = self.points.to_pandas()
        self.assertEqual(
            points["weight"].tolist(), [point["weight"] for point in self.points["points"]]
        )
        whole = seqpoint.project(
            self.points, {"1": times_of(self.trace), "NA": times_of(self.trace)}
        )
        rows = whole.to_pandas()
        self.assertEqual(rows["configuration"].tolist(), ["1", "NA"])
        self.assertEqual(
            rows["value"].tolist(),
            [one["metrics"]["runtime_s"]["value"] for one in whole["configurations"]],
        )
        self.assertEqual(
            rows["speedup_low"].tolist(),
            [one["speedup"]["runtime_s"]["low"] for one in whole["configurations"]],
        )
        figures = seqpoint.summary(LENGTHS, **LOADER).to_pandas().set_index("figure")["value"]
        self.assertEqual(int(figures["iterations"]), len(self.trace["src_len"]))

    def test_without_pandas_there_is_a_way_out(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(
                ImportError, "apt-get install python3-pandas.*export='csv=FILE'"
            ):
                self.points.to_pandas()

    def test_the_pages_are_the_program_s(self):
        whole = seqpoint.project(self.points, {"<b>&\"'": times_of(self.trace)})
        for result in (self.points, whole):
            frame = Frame(result._repr_html_()).attributes
            self.assertEqual(frame["srcdoc"], result._page)
            self.assertIn("<figure", result._page)
            self.assertEqual(frame["sandbox"], "allow-scripts")

    def test_what_has_no_page_is_a_table(self):
        shown = self.trace._repr_html_()
        self.assertIn("<table", shown) if PANDAS else self.assertIsNone(shown)

    def test_results_are_dicts(self):
        self.assertEqual(json.loads(json.dumps(self.points)), self.points)
        again = pickle.loads(pickle.dumps(self.points))
        self.assertEqual((again, again._repr_html_()), (self.points, self.points._repr_html_()))

    def test_a_limit_that_does_not_hold_is_shown_too(self):
        with self.assertRaises(seqpoint.LimitExceeded) as raised:
            seqpoint.project(
                self.points,
                {
                    "a": times_of(self.trace),
                    "b": {**times_of(self.trace), "runtime_s": 9 * self.trace["src_len"]},
                },
                max_regression="5%",
            )
        self.assertIn(
            "max-regression", Frame(raised.exception.result._repr_html_()).attributes["srcdoc"]
        )
        self.assertIn("\nb,runtime_s,", raised.exception.result._table)


class WhileItRuns(unittest.TestCase):
    """Messages of the program are visible before it ends."""

    def fake(self, folder, script):
        """A program that goes on only after somebody has made the file `seen`."""
        program = Path(folder) / "program"
        program.write_text(
            f'#!/bin/sh\nwait_for() {{ i=0; while [ ! -e "$1" ]; do i=$((i+1)); [ $i -lt 100 ] '
            f"|| exit 4; sleep 0.1; done; }}\n{script}\n"
        )
        program.chmod(0o755)
        return mock.patch.dict(os.environ, {"SEQPOINT_PROGRAM": str(program)})

    def test_notes_come_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            seen = Path(folder) / "seen"
            handler = logging.Handler()
            handler.emit = lambda record: seen.write_text(record.getMessage(), encoding="utf-8")
            logging.getLogger("seqpoint").addHandler(handler)
            try:
                with self.fake(
                    folder,
                    (
                        f"printf 'seqpoint: warning: so f\\303\\244r\\n' >&2; wait_for {seen}; "
                        "echo done"
                    ),
                ):
                    self.assertEqual(seqpoint.call("scan"), "done\n")
            finally:
                logging.getLogger("seqpoint").removeHandler(handler)
            self.assertEqual(seen.read_text(encoding="utf-8"), "so f\u00e4r")

    def test_errors_are_whole_in_a_notebook_too(self):
        with mock.patch.dict(sys.modules, {"ipykernel": types.ModuleType("ipykernel")}):
            Messages.test_what_is_refused_is_raised_in_the_program_s_words(self)
            Messages.test_notes_and_warnings_are_logged(self)

    def test_a_notebook_without_pseudo_terminals_has_no_progress(self):
        missing = OSError(19, "No such device")
        with mock.patch.dict(
            sys.modules, {"ipykernel": types.ModuleType("ipykernel")}
        ), mock.patch.object(os, "openpty", side_effect=missing):
            self.assertEqual(self.progress(), "")
            Messages.test_what_is_refused_is_raised_in_the_program_s_words(self)

    def progress(self):
        """Standard error of reading a pipe that waits for longer than a second."""
        screen = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(screen):
            pipe = Path(folder) / "lengths.txt"
            os.mkfifo(pipe)

            def write():
                with open(pipe, "w", encoding="ascii") as file:
                    for text in ("7\n" * 40_000, "9\n" * 40_000):
                        file.write(text)
                        file.flush()
                        time.sleep(1.5)

            writer = threading.Thread(target=write)
            writer.start()
            trace = seqpoint.scan(pipe, **LOADER)
            writer.join()
        self.assertEqual(trace["batch_size"].sum(), 80_000)
        return screen.getvalue()

    def test_progress_is_seen_in_a_notebook_and_gone_at_the_end(self):
        try:
            for end in os.openpty():
                os.close(end)
        except OSError as error:
            self.skipTest(f"no pseudo-terminals: {error}")
        with mock.patch.dict(
            sys.modules, {"ipykernel": types.ModuleType("ipykernel")}
        ), mock.patch.dict(os.environ, {"TERM": "dumb"}):
            said = self.progress()
        self.assertRegex(said, r"^reading  [\d.]+ kB  [\d.]+ kB/s\r +\r")
        self.assertTrue(said.endswith(" \r"), repr(said[-90:]))
        self.assertNotIn("\x1b", said)

    def test_elsewhere_there_is_none(self):
        self.assertEqual(self.progress(), "")


# A program that measures nothing: two builds with different batches, and an undecided comparison.
STAND_IN = f"""#!{sys.executable}
import json, sys
from pathlib import Path
words = sys.argv[1:]
folder = Path(words[words.index("--output") + 1])
folder.mkdir()
builds = [dict(name=word.partition("=")[0]) for word in words[words.index("--") + 1 :]]
(folder / "run.json").write_text(json.dumps(dict(request=dict(builds=builds))))
for build in builds:
    times = dict(runtime_s=dict(value=1))
    part = dict(configurations=[dict(build, metrics=times, speedup=times)])
    (folder / (build["name"] + "-projection.json")).write_text(json.dumps(part))
print("INCONCLUSIVE  new may be slower than old")
sys.exit("--on-inconclusive" in words)
"""


class Commands(unittest.TestCase):
    """The function measure(), with a stand-in for the program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        program = self.root / "program"
        program.write_text(STAND_IN)
        program.chmod(0o755)
        stand_in = mock.patch.dict(os.environ, {"SEQPOINT_PROGRAM": str(program)})
        stand_in.start()
        self.addCleanup(stand_in.stop)

    def measure(self, **options):
        builds = {"old": "true", "new": "true"}
        return seqpoint.measure(builds, folder=self.root / "run", max_regression="5%", **options)

    def test_builds_with_different_batches(self):
        done = self.measure()
        self.assertEqual(list(done.builds), ["old", "new"])
        self.assertEqual([build.speedup for build in done.builds.values()], [None, None])
        self.assertEqual(done.report, self.root / "run" / "old-report.html")

    def test_an_undecided_comparison_is_a_warning(self):
        with self.assertLogs("seqpoint", logging.WARNING) as logged:
            self.measure()
        self.assertEqual(
            [record.getMessage() for record in logged.records],
            ["INCONCLUSIVE  new may be slower than old"],
        )

    def test_an_undecided_comparison_that_fails(self):
        with self.assertRaisesRegex(seqpoint.LimitExceeded, "^INCONCLUSIVE  new may be slower"):
            self.measure(on_inconclusive="fail")

    def test_the_words_of_commands(self):
        words = seqpoint.measuring.words_of
        text = "CUDA_VISIBLE_DEVICES=0 python t.py"
        self.assertEqual(words(text), ["sh", "-c", text])
        self.assertEqual(words(["python", "t.py"]), ["python", "t.py"])
        self.assertEqual(words({"old": ["my job", "x"]}), ["old='my job' x"])
        for name in ("my job", "a=b", "plain"):
            program = self.root / name
            shutil.copy(shutil.which("true"), program)
            self.assertEqual(subprocess.run(words([program]), check=False).returncode, 0, name)
            self.assertEqual(len(words([program])), 3)

    @unittest.skipUnless(PYTEST, "there is no pytest; apt-get install python3-pytest")
    def test_gates(self):
        (self.root / "test_commands.py").write_text(GATES_OF_COMMANDS)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider"]
            + ["-p", "seqpoint.pytest_plugin"],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(SOURCE / "python")},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertIn("PASSED test_commands.py::test_two_gates", done.stdout)
        self.assertIn("GateWarning: INCONCLUSIVE  new may be slower than old", done.stdout)
        self.assertIn("FAILED test_commands.py::test_that_fails", done.stdout)


GATES_OF_COMMANDS = """
BUILDS = {"old": "true", "new": "true"}

def test_two_gates(seqpoint_gate):
    for _ in range(2):
        assert seqpoint_gate(BUILDS, max_regression="5%") is not None

def test_that_fails(seqpoint_gate):
    seqpoint_gate(BUILDS, max_regression="5%", on_inconclusive="fail")
"""

TESTS = """
def test_as_fast(seqpoint_gate):
    profiles = {"main": "same.csv"}
    result = seqpoint_gate("points.json", profiles, against="main.json", max_regression="30%")
    assert result["gates"][0]["verdict"] == "pass"

def test_slower(seqpoint_gate):
    seqpoint_gate("points.json", {"main": "slower.csv"}, against="main.json", max_regression="5%")

def test_near_the_limit(seqpoint_gate):
    seqpoint_gate("points.json", {"main": "near.csv"}, against="main.json", max_regression="5%")

def test_near_the_limit_fails(seqpoint_gate):
    limits = {"max_regression": "5%", "on_inconclusive": "fail"}
    seqpoint_gate("points.json", {"main": "near.csv"}, against="main.json", **limits)

def test_two_profiles(seqpoint_gate):
    result = seqpoint_gate("points.json", {"a": "main.csv", "b": "same.csv"}, max_regression="5%")
    assert len(result["configurations"]) == 2

def test_the_second_profile_is_slower(seqpoint_gate):
    seqpoint_gate("points.json", {"a": "main.csv", "b": "slower.csv"}, max_regression="5%")

def test_two_commands(seqpoint_gate):
    result = seqpoint_gate({"a": JOB, "b": [*JOB, "--slower", "-0.3"]}, max_regression="5%")
    assert result.builds["b"].speedup.low > 1 and result.report.exists()

def test_the_second_command_is_slower(seqpoint_gate):
    seqpoint_gate({"a": JOB, "b": [*JOB, "--slower", "0.5"]}, max_regression="5%")

def test_no_baseline(seqpoint_gate):
    seqpoint_gate("points.json", {"main": "same.csv"}, against="nowhere.json", max_regression="5%")

def test_no_such_option(seqpoint_gate):
    limits = {"max_regression": "5%", "allow_all": True}
    seqpoint_gate("points.json", {"main": "same.csv"}, against="main.json", **limits)
"""


@unittest.skipUnless(PYTEST, "there is no pytest; apt-get install python3-pytest")
class Gate(unittest.TestCase):
    """The fixture, in a pytest of its own that finds the plugin as it does in a wheel."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        info = root / "site" / "seqpoint-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: seqpoint\nVersion: 1\n")
        (info / "entry_points.txt").write_text("[pytest11]\nseqpoint = seqpoint.pytest_plugin\n")
        trace = seqpoint.scan(LENGTHS, **LOADER)
        points = seqpoint.select(LENGTHS, points=12, **LOADER)
        (root / "points.json").write_text(json.dumps(points))
        for name, factor in (("main", 0.999), ("same", 1), ("near", 1.05), ("slower", 1.5)):
            (root / f"{name}.csv").write_text(
                seqpoint._csv(
                    {**times_of(trace), "runtime_s": factor * times_of(trace)["runtime_s"]}
                )
            )
        (root / "main.json").write_text(
            json.dumps(seqpoint.project(points, {"main": root / "main.csv"}))
        )
        job = [sys.executable, str(SOURCE / "tests" / "run" / "fake_job.py")]
        (root / "test_gate.py").write_text(f"JOB = {job}\n{TESTS}")
        cls.root = root

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def pytest(self, *arguments, **more):
        environment = {
            **os.environ,
            "PYTHONPATH": f"{self.root / 'site'}:{SOURCE / 'python'}",
            "PYTHONDONTWRITEBYTECODE": "1",
            **more,
        }
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *arguments],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def message(self, profile, *options):
        """The verdict of `seqpoint project`."""
        _, _, err = command(
            "project", "points.json", "--profile", f"main={profile}", *options, folder=self.root
        )
        return next(line for line in err.splitlines() if line.startswith(("FAIL", "INCONCLUSIVE")))

    def test_verdicts_are_the_program_s(self):
        status, out = self.pytest("-q")
        self.assertEqual(status, 1, out)
        verdicts = dict(
            reversed(re.match(r"(PASSED|FAILED) test_gate.py::test_(\w+)", line).groups())
            for line in out.splitlines()
            if line.startswith(("PASSED", "FAILED"))
        )
        self.assertEqual(
            verdicts,
            {
                "as_fast": "PASSED",
                "slower": "FAILED",
                "near_the_limit": "PASSED",
                "near_the_limit_fails": "FAILED",
                "two_profiles": "PASSED",
                "the_second_profile_is_slower": "FAILED",
                "two_commands": "PASSED",
                "the_second_command_is_slower": "FAILED",
                "no_baseline": "FAILED",
                "no_such_option": "FAILED",
            },
            out,
        )
        gate = ("--against", "main.json", "--max-regression", "5%")
        self.assertIn(self.message("slower.csv", *gate), out)
        self.assertIn(self.message("near.csv", *gate, "--on-inconclusive", "fail"), out)
        self.assertIn("GateWarning: " + self.message("near.csv", *gate), out)
        self.assertIn("INCONCLUSIVE", self.message("near.csv", *gate))
        self.assertIn(
            "no verdict, status 3: nowhere.json: No such file or directory",
            out,
        )
        self.assertRegex(out, "no verdict, status 2: .*allow_all")
        self.assertRegex(out, r"FAIL +b is \d+ % slower than a .*; limit 5 %")
        self.assertNotIn("Traceback", out)

    def test_warnings_can_be_made_errors(self):
        status, out = self.pytest(
            "-q",
            "-W",
            "error::seqpoint.pytest_plugin.GateWarning",
            "-k",
            "near_the_limit and not fails",
        )
        self.assertEqual(status, 1, out)

    def test_the_fixture_is_described(self):
        _, out = self.pytest("--fixtures")
        self.assertIn("measures commands, or projects profiles, with a limit", out)


class Messages(unittest.TestCase):
    def test_what_is_refused_is_raised_in_the_program_s_words(self):
        status, _, err = command("scan", "/nowhere/at.all", "--batch-size", 4)
        with self.assertRaises(seqpoint.Error) as raised:
            seqpoint.scan("/nowhere/at.all", batch_size=4)
        self.assertEqual(raised.exception.status, status)
        self.assertEqual(
            [
                "seqpoint: error: " + line if i == 0 else line
                for i, line in enumerate(str(raised.exception).splitlines())
            ],
            err.splitlines(),
        )

    def test_an_option_that_is_unknown(self):
        with self.assertRaisesRegex(seqpoint.Error, "unknown option btch_size"):
            seqpoint.scan(LENGTHS, btch_size=4)

    def test_what_the_command_line_calls_otherwise_has_pythons_names(self):
        with self.assertRaises(seqpoint.Error) as raised:
            seqpoint.select(LENGTHS, points=4, max_error=0.0000001, **LOADER)
        self.assertNotIn("--", str(raised.exception))
        command = "python3 -m seqpoint_companion lengths chat.jsonl --tokenizer NAME"
        self.assertEqual(
            seqpoint._in_python(f"--points: 0\n  hint: {command}"), f"points: 0\n  hint: {command}"
        )
        with self.assertRaisesRegex(TypeError, "the name of its build"):
            seqpoint.project("points.json", types.SimpleNamespace(columns=["point"]))

    def test_notes_and_warnings_are_logged(self):
        with self.assertLogs("seqpoint", logging.INFO) as logged:
            seqpoint.scan(np.full(64, 7), batch_size=4)
        self.assertIn("INFO", {record.levelname for record in logged.records})
        self.assertIn("WARNING", {record.levelname for record in logged.records})

    def test_a_name_that_would_be_cut(self):
        with self.assertRaisesRegex(ValueError, "'lr=0.1': the name of a build cannot hold '='"):
            seqpoint.project("points.json", {"lr=0.1": "v1.csv"})

    def test_columns_of_different_lengths(self):
        with self.assertRaisesRegex(ValueError, "different lengths"):
            seqpoint.select({"iteration": [0, 1], "src_len": [3]})

    def test_no_program(self):
        path, os.environ["PATH"] = os.environ["PATH"], ""
        own = os.environ.pop("SEQPOINT_PROGRAM")
        try:
            with self.assertRaisesRegex(FileNotFoundError, "SEQPOINT_PROGRAM"):
                seqpoint.program()
        finally:
            os.environ.update(PATH=path, SEQPOINT_PROGRAM=own)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
