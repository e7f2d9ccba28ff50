"""`seqpoint run` with a job whose every start draws other batches, as a loader that shuffles does:

    seedless_test.py PROGRAM SOURCE_DIR
"""

import csv
import glob
import json
import random
import re
import statistics
import unittest

from run_test import Folder, build, job

BATCHES, SHAPES = 400, 60  # of fake_job.py


def epochs_s(number):
    """The times of that many epochs without noise, each of the same rows in another order."""
    draw = random.Random("order")
    of_four = [20 + 7 * min(int(draw.random() ** 2 * SHAPES), SHAPES - 1) for _ in range(BATCHES)]
    rows = [length for length in of_four for _ in range(4)]
    times = []
    for seed in range(number):
        random.Random(seed).shuffle(rows)
        batches = [max(rows[i : i + 4]) for i in range(0, len(rows), 4)]
        times.append(sum(0.02 + 0.001 * length for length in batches))
    return times


class Seedless(Folder):
    def result(self, folder="seqpoint-run"):
        with open(self.path(folder, "projection.json"), encoding="utf-8") as file:
            (epoch,) = json.load(file)["configurations"]
        return epoch

    def test_points_and_rows(self):
        done = self.run_it("--max-processes", "2", "--", *job("--seedless"))
        times, epoch = epochs_s(300), self.result()
        mean_s = statistics.fmean(times)
        spread = statistics.stdev(times) / mean_s
        self.assertAlmostEqual(epoch["draws"], spread, delta=0.3 * spread)
        said = re.search(r"no seed: .* and epochs differ by ± ([\d.]+) %", done.stderr)
        self.assertAlmostEqual(float(said[1]), 196 * epoch["draws"], delta=0.06)
        self.assertEqual(done.stderr.count("no seed:"), 1)
        time_of = epoch["metrics"]["runtime_s"]
        self.assertLess(time_of["low"], mean_s)
        self.assertGreater(time_of["high"], mean_s)
        self.assertEqual(epoch["missing_points"], [])
        words = ["--max-processes", "3", "--precision", "0.01%"]
        again = self.run_it("--resume", "seqpoint-run", *words)
        self.assertIn("process 3", again.stderr)

    def test_with_a_seed_nothing_is_said(self):
        done = self.run_it("--max-processes", "2", "--", *job())
        self.assertNotIn("no seed", done.stderr)
        self.assertNotIn("draws", self.result())

    def test_draws_are_a_part_of_the_interval(self):
        widths = []
        for folder, spread in (("a", "0.0001"), ("b", "0.2")):
            quiet = ["--noise", "0.001", "--level", "0", "--spread", spread]
            self.run_it("-o", folder, "--max-processes", "2", "--", *job("--seedless", *quiet))
            time_of = self.result(folder)["metrics"]["runtime_s"]
            widths.append((time_of["high"] - time_of["low"]) / 2 / time_of["value"])
        lengths = statistics.fmean(epochs_s(20)) / BATCHES
        of_length = 1 - 0.02 / lengths  # the share of the time that grows with length
        self.assertAlmostEqual(widths[1], 1.96 * 0.2 * of_length, delta=0.05)
        self.assertLess(widths[0], 0.1)

    def test_a_recorded_epoch_has_other_shapes(self):
        self.run_it("--max-processes", "2", "--", *job("--seedless"))
        done = self.run_it("--record", "--resume", "seqpoint-run")
        self.assertNotIn("not measured", done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"in the interval\nrun .* yes\n")

    def test_whole_epochs(self):
        """Each is whole, though none has the shapes of the order."""
        brief = ["--scale", "0.001", "--pace", "0.0001", "--first", "0.0001"]
        done = self.run_it("--max-processes", "2", "--", *job("--seedless", *brief))
        self.assertNotIn("not measured", done.stdout + done.stderr)
        epoch, totals = self.result(), []
        self.assertEqual((epoch["measured_weight"], epoch["missing_points"]), (1, []))
        for name in glob.glob(self.path("seqpoint-run", "epoch-*-of-run.csv")):
            with open(name, newline="", encoding="utf-8") as file:
                totals.append(sum(float(row["runtime_s"]) for row in csv.DictReader(file)))
        mean_s = statistics.fmean(totals)
        value = epoch["metrics"]["runtime_s"]["value"]
        self.assertAlmostEqual(value, mean_s, delta=0.02 * mean_s)

    def test_two_builds(self):
        builds = build("old", "--seedless"), build("new", "--seedless", "--slower", "0.3")
        done = self.run_it("--max-regression", "10%", *builds, status=1)
        self.assertIn("FAIL", done.stdout)

    def test_several_epochs(self):
        self.run_it("--epochs", "2", "--max-processes", "2", "--", *job("--seedless"))

    def test_the_same_rows_with_other_lengths_are_an_error(self):
        """The rows of the order come in another place, longer than there: by the step."""
        options = ["--seedless", "--do", "grow moved"]
        done = self.run_it("--max-processes", "2", "--", *job(*options), status=3)
        self.assertRegex(done.stderr, r"stretch.csv: iteration \d+ has src_len .* same rows")


if __name__ == "__main__":
    unittest.main()
