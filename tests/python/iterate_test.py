"""Loops around `seqpoint.iterate`, observed through the hook's environment variables only:

    iterate_test.py SOURCE_DIR

The jobs need no library. Each writes down the batches that its loop got.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

SOURCE = os.path.abspath(sys.argv.pop(1))
PYTHON = os.path.join(SOURCE, "python")
HOOK = os.path.join(PYTHON, "seqpoint_companion", "hook")
sys.path.insert(0, PYTHON)
import seqpoint  # noqa: E402

LENGTHS = [5, 9, 7, 9, 3, 8, 5, 6, 9, 4, 5, 8] * 3
#: A batch is a list of samples, and a sample a list of tokens: its first one is the batch's number.
JOB = """
import sys
import seqpoint

LENGTHS = {lengths}
batches = [[[number] * length, [0] * (length - 2)] for number, length in enumerate(LENGTHS)]
def stream():
    for number, batch in enumerate(batches):
        print("made", number, flush=True)
        yield batch
def train(batch):
    print("got", batch[0][0], len(batch[0]), flush=True)
    assert "torch" not in sys.modules and "numpy" not in sys.modules
    batch[0].clear()  # a job may use its batches up
"""
LOOP = """
for epoch in range(2):
    for batch in seqpoint.iterate(batches, lambda batch: max(map(len, batch))):
        train(batch)
print("trained")
"""
STREAM = LOOP.replace("iterate(batches", "iterate(stream()")


def step(index, iteration, point, **more):
    """A step of a plan for the batches of JOB."""
    return {
        "index": index,
        "point": int(point[2:]) - 1,
        "id": point,
        "iteration": iteration,
        "warmup": False,
        "repeat": 0,
        "src_len": LENGTHS[iteration],
        "batch_size": 2,
        "rows": [],
        "weight": 1,
        **more,
    }


STEPS = [
    step(0, 4, "sp1", warmup=True, first=True),
    step(1, 3, "sp2", warmup=True, first=True),
    step(2, 2, "sp3", warmup=True),
    step(3, 4, "sp1"),
    step(4, 3, "sp2"),
    step(5, 8, "sp2", repeat=1),
]


class Hooked(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("plan.json", json.dumps({"schema": "seqpoint/plan/2", "steps": STEPS}))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_job(self, verb, loop, status=0, lengths=tuple(LENGTHS), **more):
        self.write("report", "")
        self.write("job.py", JOB.format(lengths=list(lengths)) + textwrap.dedent(loop))
        environment = {
            **os.environ,
            "PYTHONPATH": f"{HOOK}:{PYTHON}",
            "SEQPOINT_HOOK": verb,
            "SEQPOINT_OUTPUT": self.path("out.csv"),
            "SEQPOINT_REPORT": self.path("report"),
            "SEQPOINT_LENGTHS": "1",
            **more,
        }
        done = subprocess.run(
            [sys.executable, "job.py"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.lines = [line.split() for line in done.stdout.splitlines()]
        return done

    def measure(self, loop=LOOP, **more):
        return self.run_job("measure", loop, SEQPOINT_PLAN=self.path("plan.json"), **more)

    def numbers(self, kind="got"):
        """The batches that the job's loop got, or that its stream made."""
        return [int(line[1]) for line in self.lines if line[0] == kind]

    def events(self, *kinds):
        with open(self.path("report"), encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        return [event for event in events if event["event"] in kinds]

    def rows(self, name="out.csv"):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Through(Hooked):
    def test_without_run_the_batches_are_handed_through(self):
        for batches in ([1, 2], iter([1, 2]), {"a": 1}, (n for n in [1])):
            self.assertIs(seqpoint.iterate(batches, len, pad=0), batches)

    def test_one_loop_is_held(self):
        other = "\nfor n in seqpoint.iterate([1, 2], len): print('other', n)"
        before = "for n in seqpoint.iterate([1, 2], len): pass\n"
        self.run_job("record", LOOP + other, SEQPOINT_BATCHES="5")
        self.assertEqual(self.events("held")[0]["loader"], "iterate at job.py:17")
        self.run_job("record", before + LOOP, SEQPOINT_LOADER="2", SEQPOINT_BATCHES="5")
        self.assertEqual(self.events("held")[0]["loader"], "iterate at job.py:18")

    def test_an_iterator_stays_one(self):
        loop = "batches = seqpoint.iterate(iter(batches), len)\ntrain(next(batches))\nlist(batches)"
        self.run_job("order", loop)
        self.assertEqual(len(self.rows()), len(LENGTHS))


class Order(Hooked):
    def columns(self, *names):
        return [tuple(int(row[name]) for name in names) for row in self.rows()]

    def test_the_job_trains_on_the_first_batches(self):
        self.run_job("order", LOOP)
        self.assertEqual(self.numbers(), [0, 1, 2])
        self.assertGreater(self.events("pace")[0]["batch_s"], 0)
        expected = [(0, n, length, 2) for n, length in enumerate(LENGTHS)]
        self.assertEqual(self.columns("epoch", "iteration", "src_len", "batch_size"), expected)
        (held,), (done,) = self.events("held"), self.events("done")
        self.assertEqual((held["batches"], done["rows"]), (len(LENGTHS), len(LENGTHS)))
        self.assertGreater(held["batch_s"], 0)

    def test_a_stream(self):
        self.run_job("order", STREAM)
        self.assertEqual([length for (length,) in self.columns("src_len")], LENGTHS)
        self.assertIsNone(self.events("held")[0]["batches"])

    def test_forms_of_lengths(self):
        forms = {
            "7": (7, None, 2),
            "(7, 4)": (7, 4, 2),
            "(7, None, 3)": (7, None, 3),
            "[7, 4, 3]": (7, 4, 3),
            "{'src_len': 7, 'batch_size': 5}": (7, None, 5),
        }
        for text, expected in forms.items():
            with self.subTest(text):
                self.run_job("order", f"for _ in seqpoint.iterate(batches, lambda _: {text}): pass")
                row = self.rows()[0]
                found = tuple(row.get(name) for name in ("src_len", "tgt_len", "batch_size"))
                self.assertEqual(found, tuple(n and str(n) for n in expected))

    def test_what_is_no_length(self):
        for text in ("{}", "(1, 2, 3, 4)", "None"):
            loop = f"for _ in seqpoint.iterate(batches, lambda _: {text}): pass"
            done = self.run_job("order", loop, status=2)
            self.assertIn("lengths(batch) returned", done.stderr)

    def test_arrays(self):
        loop = """
            class Array:
                def __init__(self, *shape): self.shape = shape
            batches = [{"labels": Array(4, 99), "mask": Array(4), "input_ids": Array(4, n)}
                       for n in (6, 8, 7)]
            for _ in seqpoint.iterate(batches): pass
        """
        self.run_job("order", loop)
        self.assertEqual(self.columns("src_len", "batch_size"), [(6, 4), (8, 4), (7, 4)])

    def test_without_arrays_lengths_are_asked_for(self):
        done = self.run_job("order", "for _ in seqpoint.iterate([1, 2]): pass", status=2)
        self.assertIn("say how long a batch is", done.stderr)

    def test_a_stream_that_does_not_end(self):
        loop = """
            import itertools
            for batch in seqpoint.iterate(itertools.cycle(batches), lambda _: 3): train(batch)
        """
        self.run_job("order", loop, SEQPOINT_BATCHES="40")
        self.assertEqual(len(self.rows()), 40)

    def test_a_stream_that_says_so(self):
        loop = """
            class Endless:
                def __iter__(self): return iter(batches)
                def __len__(self): raise TypeError("endless")
                def cardinality(self): return -1
            for batch in seqpoint.iterate(Endless(), lambda _: 3): train(batch)
        """
        done = self.run_job("order", loop, status=2)
        self.assertIn("such as --batches 250", done.stderr)

    def test_it_goes_on_to_measure(self):
        paths = {"SEQPOINT_PLAN": "plan.json", "SEQPOINT_GOES_ON": "times.csv"}
        self.run_job("order", LOOP, **{name: self.path(path) for name, path in paths.items()})
        self.assertEqual(len(self.rows()), len(LENGTHS))
        ran = [int(row["iteration"]) for row in self.rows("times.csv")]
        self.assertEqual(self.numbers(), [0, 1, 2, *ran])
        kinds = [event["event"] for event in self.events("held", "ordered", "goes on", "done")]
        self.assertEqual(kinds, ["held", "ordered", "goes on", "done"])

    def test_a_stream_has_been_read_and_does_not_go_on(self):
        paths = {"SEQPOINT_PLAN": "plan.json", "SEQPOINT_GOES_ON": "times.csv"}
        self.run_job("order", STREAM, **{name: self.path(path) for name, path in paths.items()})
        self.assertEqual(self.numbers(), [0, 1, 2])
        self.assertEqual(self.events("ordered"), [])

    def test_epochs_are_refused(self):
        done = self.run_job("order", LOOP, status=2, SEQPOINT_EPOCHS="2")
        self.assertIn("--epochs needs rows", done.stderr)


class Measure(Hooked):
    def planned(self):
        """The iterations of the file, which are those that the job ran."""
        return [int(row["iteration"]) for row in self.rows()]

    def test_the_plan_runs(self):
        self.measure()
        self.assertEqual(self.numbers(), self.planned())
        measured = [
            (row["point"], int(row["iteration"]), int(row["src_len"]), row["batch_size"])
            for row in self.rows()
            if row["execution"] == "measured"
        ]
        self.assertEqual(measured, [("sp1", 4, 3, "2"), ("sp2", 3, 9, "2"), ("sp2", 8, 9, "2")])
        self.assertTrue(all(float(row["runtime_s"]) > 0 for row in self.rows()))
        self.assertEqual(self.events("done")[0]["rows"], len(self.rows()))

    def test_a_batch_is_whole_each_time(self):
        self.measure()
        repeated = [int(line[2]) for line in self.lines if line[:2] == ["got", "4"]]
        self.assertGreater(len(repeated), 1)
        self.assertEqual(set(repeated), {LENGTHS[4]})

    def test_a_stream_is_read_as_far_as_the_plan_needs(self):
        self.measure(STREAM)
        self.assertEqual(self.numbers("made"), list(range(9)))
        self.assertEqual(self.numbers(), self.planned())

    def test_a_sequence_is_reached_by_index(self):
        loop = """
            class Reader:
                def __len__(self): return len(batches)
                def __getitem__(self, number):
                    print("made", number)
                    return [list(sample) for sample in batches[number]]
            for batch in seqpoint.iterate(Reader(), lambda batch: len(batch[0])): train(batch)
        """
        self.measure(loop)
        looked_at = sorted(set(self.planned()))
        self.assertEqual(self.numbers("made"), [*looked_at, *self.numbers()])

    def test_another_order_at_each_start(self):
        """Batches of the plan's lengths are found elsewhere, in a list and in a stream."""
        for loop in (LOOP, STREAM):
            self.measure(loop, lengths=LENGTHS[::-1])
            self.assertEqual(len(self.events("another draw")), 1)
            ran = [int(line[2]) for line in self.lines if line[:1] == ["got"]]
            self.assertEqual(ran, [int(row["src_len"]) for row in self.rows()])
            self.assertEqual(ran, [LENGTHS[place] for place in self.planned()])

    def test_lengths_that_do_not_come_are_left_out(self):
        others = [length if length == LENGTHS[3] else 50 for length in LENGTHS]
        self.measure(lengths=others)
        points = {row["point"] for row in self.rows() if row["execution"] == "measured"}
        self.assertEqual(points, {"sp2"})

    def test_no_length_of_the_plan_is_an_error(self):
        done = self.measure(status=3, lengths=[50] * len(LENGTHS))
        self.assertIn("no batch of this start has the lengths of a point", done.stderr)
        self.assertEqual(self.events("done"), [])

    def test_a_shorter_epoch_is_refused(self):
        done = self.measure(status=3, lengths=LENGTHS[:7])
        self.assertIn("has 7 batches", done.stderr)

    def test_a_plan_goes_on_in_the_next_pass(self):
        loop = """
            for _ in range(99):
                through = seqpoint.iterate(batches, lambda batch: len(batch[0]))
                for step, batch in enumerate(through):
                    if step == 3:
                        break
                    train(batch)
        """
        self.measure(loop)
        self.assertEqual(self.numbers(), self.planned())
        measured = [row["point"] for row in self.rows() if row["execution"] == "measured"]
        self.assertEqual(measured, ["sp1", "sp2", "sp2"])

    def test_a_stream_that_is_left_in_each_pass(self):
        """Each row contains the time that its batch took to make; a warning names the early end."""
        loop = """
            import time
            now = [0.0]
            time.perf_counter = time.thread_time = lambda: now[0]
            def slow():
                for batch in batches:
                    now[0] += 0.01
                    yield batch
            for _ in range(99):
                through = seqpoint.iterate(slow(), lambda batch: len(batch[0]))
                for _, batch in zip(range(3), through):
                    train(batch)
        """
        self.measure(loop)
        self.assertEqual({round(float(row["runtime_s"]), 8) for row in self.rows()}, {0.01})
        self.run_job("record", loop)
        self.assertEqual(self.events("part")[0]["last"], 3)

    def test_a_loop_that_ends_with_the_last_batch_has_not_left(self):
        loop = """
            for _, batch in zip(range(36), seqpoint.iterate(batches, lambda batch: len(batch[0]))):
                train(batch)
        """
        self.run_job("record", loop)
        self.assertEqual(self.events("part", "warning"), [])

    def test_a_loop_that_is_shorter_than_the_stretch_ends(self):
        loop = """
            for _ in range(99):
                for n, batch in enumerate(seqpoint.iterate(batches, lambda batch: len(batch[0]))):
                    if n == 9:
                        break
                    train(batch)
        """
        self.measure(loop, SEQPOINT_STRETCH=self.path("stretch.csv"))
        self.assertLess(len(self.numbers()), 99)

    def test_two_iterables_in_one_loop(self):
        one = "seqpoint.iterate(batches, len)"
        for zipped in (f"zip({one}, {one})", f"zip({one},\n    {one})"):
            done = self.run_job("order", f"for pair in {zipped}:\n    train(pair[0])", status=2)
            self.assertIn("put one around both", done.stderr)

    def test_a_job_that_ends_too_early(self):
        loop = LOOP.replace("range(2)", "range(1)").replace("train(batch)", "train(batch); break")
        self.measure(loop)
        (error,) = self.events("error")
        self.assertIn("the job ended before its plan: 0 of", error["fault"])
        self.assertEqual(error["hint"], "--batches 1 makes that an epoch")

    def test_an_exception_of_the_job(self):
        self.measure(LOOP.replace("train(batch)", "train(batch); 1 / 0"), status=1)
        self.assertIn("ZeroDivisionError", self.events("error")[0]["fault"])

    def test_sync_ends_each_step(self):
        loop = LOOP.replace(
            "len, batch))", 'len, batch)), sync=lambda: print("sync", flush=True)'
        ).replace("train(batch)", 'train(batch); print("ended")')
        self.measure(loop)
        kinds = [line[0] for line in self.lines]
        followers = {kinds[n + 1] for n, kind in enumerate(kinds[:-1]) if kind == "ended"}
        self.assertEqual(followers, {"sync"})

    def test_a_stretch(self):
        self.measure(SEQPOINT_STRETCH=self.path("stretch.csv"))
        rows = self.rows("stretch.csv")
        first, number = int(rows[0]["iteration"]), len(rows)
        self.assertGreaterEqual(number, 20)  # more, if that is 5 % of the plan's time
        stretch = list(range(first, first + number))
        self.assertEqual([int(row["iteration"]) for row in rows], stretch)
        self.assertEqual([int(row["src_len"]) for row in rows], [LENGTHS[n] for n in stretch])
        self.assertEqual(self.numbers()[-number - 1 :], [first - 1, *stretch])


class Record(Hooked):
    def test_the_first_epoch(self):
        self.run_job("record", LOOP)
        self.assertEqual(self.numbers(), list(range(len(LENGTHS))))
        self.assertEqual([int(row["src_len"]) for row in self.rows()], LENGTHS)
        self.assertNotIn(["trained"], self.lines)

    def test_a_job_that_leaves_its_loop(self):
        loop = LOOP.replace("range(2)", "range(1)").replace(
            "        train(batch)\n",
            "        train(batch)\n        if batch[1] == [0] * 7: break\n",
        )
        self.run_job("record", loop)
        self.assertIn(["trained"], self.lines)
        (part,) = self.events("part")
        self.assertEqual((part["last"], part["of"]), (2, len(LENGTHS)))
        self.assertEqual(self.events("warning")[0]["option"], "--batches 2")


if __name__ == "__main__":
    unittest.main()
