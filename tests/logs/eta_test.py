"""The time left of a run: refusals, resumed jobs, and costs whose curvature few times show."""

import contextlib
import datetime
import io
import json
import os
import random
import re
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
from seqpoint_companion.logs import eta_command, time_left  # noqa: E402

TIMES = r"step (?<step0>\d+) of (?<of>\d+) time (?<time>\S+)"
BAR = r"(?<step1>\d+)/(?<of>\d+) \[(?<clock>[\d:.]+)<"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def written(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return self.path(name)

    def order(self, lengths, head="iteration,src_len,batch_size", more=lambda i: ""):
        """A batch list with eight samples in each batch."""
        rows = (f"{i}{more(i)},{length},8" for i, length in enumerate(lengths))
        return self.written("run.csv", "\n".join([head, *rows]) + "\n")

    def eta(self, log, pattern, *options):
        """(exit status, output, messages) of the verb."""
        out, said = io.StringIO(), io.StringIO()
        arguments = [self.path("run.csv"), self.written("train.log", log), pattern, *options]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            status = eta_command.main(arguments)
        return status, out.getvalue(), said.getvalue()

    def left(self, log, pattern, *options):
        """(value, low, high) of the seconds left, and the messages."""
        status, out, said = self.eta(log, pattern, *options, "--json")
        self.assertEqual(status, 0, said)
        left = json.loads(out)["seconds_left"]
        return left["value"], left["low"], left["high"], said

    def refused(self, expected, log, pattern, *options):
        status, out, said = self.eta(log, pattern, *options)
        self.assertEqual((status, out), (3, ""), said)
        self.assertIn(expected, said)
        self.assertIn("  hint: ", said)


def lines(costs, total, first=0):
    return "".join(f"step {first + i} of {total} time {c:.6f}\n" for i, c in enumerate(costs))


class Estimates(Case):
    def test_a_run_of_one_length(self):
        self.order([512] * 500)
        status, out, _ = self.eta(lines([1.5] * 200, 500), TIMES)
        self.assertEqual(status, 0)
        self.assertIn("done  200 of 500 batches, 40 % of the work, in 5 min 0 s\n", out)
        self.assertIn("left  7 min 30 s (", out)

    def test_a_run_that_is_done(self):
        self.order([512] * 4)
        self.assertIn("left  nothing", self.eta(lines([1.5] * 4, 4), TIMES)[1])

    def test_lengths_that_are_left_count(self):
        lengths = [random.Random(3).randint(20, 900) for _ in range(400)]
        costs = [0.05 + 0.0004 * n + 1e-6 * n * n for n in lengths]
        self.order(lengths)
        value, low, high, _ = self.left(lines(costs[:100], 400), TIMES)
        truth = sum(costs[100:])
        self.assertAlmostEqual(value / truth, 1, 3)
        self.assertTrue(low < truth < high < 1.1 * truth)

    def test_few_means_of_a_sorted_epoch_have_its_curvature(self):
        """Interval 95 %: of 200 noisy logs at least 180 have to cover (in 1 of 1000, fewer do)."""
        covered = 0
        for seed in range(200):
            rng = random.Random(seed)
            per, number = rng.choice((50, 100, 200)), rng.randint(5, 8)
            lengths = sorted(int(rng.lognormvariate(5, 0.6)) for _ in range(3000))
            costs = [0.02 + 2e-4 * n + 3e-6 * n * n for n in lengths]
            means = [
                sum(costs[i * per : (i + 1) * per]) / per * (1 + 0.01 * rng.gauss(0, 1))
                for i in range(number)
            ]
            text = "".join(f"{(i + 1) * per} {mean:.9f}\n" for i, mean in enumerate(means))
            self.order(lengths)
            left = self.left(text, r"^(?<step1>\d+) (?<time>\S+)$", "--per", str(per))
            truth = sum(costs[per * number :])
            covered += left[1] is None or left[1] <= truth <= left[2]
        self.assertGreaterEqual(covered, 180)

    def test_two_times_give_a_wide_interval_or_none(self):
        self.order(range(100, 200))
        value, low, high, said = self.left(lines([1, 1.01], 100), TIMES)
        self.assertTrue(low is None and "too few times" in said or high > 2 * value)

    def test_the_start_of_the_process_is_left_out(self):
        self.order([1024] * 500)
        costs = [300, 250, 200] + [20 + 0.1 * (-1) ** i for i in range(37)]
        value, low, high, said = self.left(lines(costs, 500), TIMES)
        self.assertTrue(low < 460 * 20 < high)
        self.assertAlmostEqual(value, 460 * 20, delta=20)
        self.assertIn("the first 3 times, 750 s in all, are the start of the process", said)

    def test_a_machine_that_slows_down(self):
        lengths = [100 + 7 * i % 40 for i in range(100)]
        self.order(lengths)
        costs = [0.001 * n * (1.5 if i >= 40 else 1) for i, n in enumerate(lengths[:50])]
        self.assertIn("the last 10 times are", self.left(lines(costs, 100), TIMES)[3])
        self.assertNotIn(
            "warning", self.left(lines([0.001 * n for n in lengths[:50]], 100), TIMES)[3]
        )

    def test_students_t(self):
        for degrees, quantile in ((1, 12.7062), (2, 4.30265), (5, 2.57058), (20, 2.08596)):
            self.assertAlmostEqual(time_left.t_quantile(0.95, degrees), quantile, 4)


class Resumed(Case):
    """The bar begins at 0, and jumps to the step from which the job goes on."""

    def bar(self, skipped, seconds, costs, total):
        now, text = seconds, f"0/{total} [00:00<?]\r"
        for i, cost in enumerate(costs):
            text += f"{skipped + i + 1}/{total} [{int(now) // 60:02}:{int(now) % 60:02}<9]\r"
            now += cost
        return text

    def test_what_was_not_executed_is_no_time(self):
        rng = random.Random(7)
        for skipped, seconds, number in (
            (800, 0, 300),
            (800, 25, 300),
            (1500, 0, 200),
            (100, 2, 500),
        ):
            lengths = [rng.randint(100, 800) for _ in range(2000)]
            costs = [0.1 + 0.0015 * n for n in lengths]
            self.order(lengths)
            log = self.bar(skipped, seconds, costs[skipped + 1 : skipped + number], 2000)
            value, low, high, said = self.left(log, BAR)
            truth = sum(costs[skipped + number - 1 :])
            self.assertTrue(low < truth < high, (skipped, seconds, value, truth))
            self.assertLess(abs(value / truth - 1), 0.1)
            self.assertIn("were not executed, as where a job resumes", said)

    def test_what_was_executed_between_two_lines_is(self):
        self.order([300] * 100)
        log = "".join(f"{n}/100 [00:{2 * n:02}<1]\n" for n in (0, 10, 11, 12, 13, 14, 20))
        value, _, _, said = self.left(log, BAR)
        self.assertAlmostEqual(value, 160, delta=1)
        self.assertNotIn("executed", said)

    def test_a_log_of_both_attempts(self):
        self.order([300] * 100)
        first = "".join(f"{n}/100 [00:{2 * n:02}<1]\n" for n in range(21))
        again = "0/100 [00:00<1]\n" + "".join(
            f"{n}/100 [00:{2 * n - 36:02}<1]\n" for n in range(18, 31)
        )
        value, _, _, _ = self.left(first + again, BAR)
        self.assertAlmostEqual(value, 140, delta=1)


MARIAN = r"Up\. (?<step1>[\d,]+) : .*Time (?<time>[\d.]+)s"


class DatesBesideTimes(Case):
    """Marian and TensorFlow's Estimator print the time of all steps since the line before."""

    def log(self, costs, per, shown=sum, pause=lambda line: 0):
        """A log with a line every `per` steps. `shown`: the time that it prints of their times;
        `pause`: seconds of other work before a line."""
        text, now = "", datetime.datetime(2019, 1, 15, 5, 14, 10)
        for line in range(len(costs) // per):
            times = costs[line * per : (line + 1) * per]
            now += datetime.timedelta(seconds=sum(times) + pause(line))
            text += (
                f"[{now:%Y-%m-%d %H:%M:%S}] Ep. 1 : Up. {(line + 1) * per:,} : Cost 7.1 : "
                f"Time {shown(times):.2f}s\n"
            )
        return text

    def run_of(self, count, seed=5):
        """The times of a run whose batch list is written."""
        rng = random.Random(seed)
        lengths = [rng.randint(15, 60) for _ in range(count)]
        self.order(lengths)
        return [0.1 + 0.02 * n * rng.uniform(0.9, 1.1) for n in lengths]

    def require_left(self, costs, done, log, *options):
        value, low, high, said = self.left(log, MARIAN, *options)
        truth = sum(costs[done:])
        self.assertTrue(low < truth < high, (low, truth, high))
        self.assertLess(abs(value / truth - 1), 0.1)
        return said

    def test_a_sum_is_recognised_by_the_dates(self):
        costs = self.run_of(6000)
        log = self.log(costs[:3000], 500)
        said = self.require_left(costs, 3000, log)
        self.assertIn("a time is of 500 steps together", said)
        self.assertNotIn("together", self.require_left(costs, 3000, log, "--per", "500", "--sum"))

    def test_validation_between_two_lines(self):
        costs = self.run_of(6000)
        log = self.log(costs[:3000], 500, pause=lambda line: 3600 if line == 3 else 0)
        self.require_left(costs, 3000, log)

    def test_a_reading_that_the_dates_contradict(self):
        costs = self.run_of(6000)
        log = self.log(costs[:3000], 500)
        truth = sum(costs[500:3000])
        for options in (["--per", "500"], ["--per", "1"]):
            status, out, said = self.eta(log, MARIAN, *options)
            self.assertEqual((status, out), (3, ""), said)
            self.assertIn(f"make {int(500 * truth / 3600)} h", said)
            self.assertIn(f"the clock in the same lines shows {int(truth / 60)} min", said)
            self.assertIn("hint: say --per 500 --sum", said)

    def test_means_that_are_said_to_be_sums(self):
        costs = self.run_of(3000)
        log = self.log(costs[:2000], 100, lambda times: sum(times) / len(times))
        self.refused("say --per 100: a time is the mean of", log, MARIAN, "--per", "100", "--sum")
        self.refused("the mean of 100, or that of all 100 together?", log, MARIAN)
        self.require_left(costs, 2000, log, "--per", "100")

    def test_a_wrong_unit(self):
        costs = self.run_of(3000)
        log = self.log(costs[:2000], 1, lambda times: 1000 * times[0])
        self.refused("check the unit of the group", log, MARIAN)

    def test_other_work_between_single_steps_is_no_contradiction(self):
        costs = self.run_of(3000)
        self.require_left(costs, 2000, self.log(costs[:2000], 1, pause=lambda line: 3))

    def test_a_clock_that_stands_still_or_is_missing(self):
        costs = self.run_of(3000)
        log = self.log(costs[:2000], 100)
        for clock in ("2019-01-15 05:14:10", "Tuesday"):
            plain = re.sub(r"\[.*?\]", f"[{clock}]", log)
            self.refused("or that of all 100 together?", plain, MARIAN)
            self.require_left(costs, 2000, plain, "--per", "100", "--sum")

    def test_a_sum_of_how_many(self):
        self.run_of(100)
        for options, expected in ((["--sum"], "of how many steps"), (["--per", "0"], "one step")):
            status, _, said = self.eta("Up. 1 : Time 1.0s\n", MARIAN, *options)
            self.assertEqual(status, 2)
            self.assertIn(expected, said)


class Refusals(Case):
    def test_another_total(self):
        self.order([512] * 100)
        self.refused("says that there are 300 steps in all, and", lines([0.5] * 40, 300), TIMES)
        # Counted from 0, the total may be the number of the last.
        for total in (100, 99):
            self.assertEqual(self.eta(lines([0.5] * 40, total), TIMES)[0], 0)
        one = TIMES.replace("step0", "step1")
        self.refused("there are 99 steps", lines([0.5] * 40, 99, 1), one)
        changed = lines([0.5] * 20, 300) + lines([0.5] * 20, 100, 20)
        self.assertIn("lines before say 300", self.left(changed, TIMES)[3])

    def test_totals_of_epochs(self):
        self.order([512] * 200, "iteration,epoch,src_len,batch_size", lambda i: f",{i // 100}")
        log = "".join(f"[0][{i}/100] 0.5\n" for i in range(100))
        pattern = r"\[(?<epoch0>\d+)\]\[(?<step0>\d+)/(?<of>\d+)\] (?<time>\S+)"
        self.assertEqual(self.eta(log, pattern)[0], 0)
        self.order([512] * 200)
        self.refused("there are 100 steps in an epoch, and", log, pattern)

    def test_lengths_of_another_run(self):
        self.order([512] * 100)
        log = "".join(f"step {i} seqlen {512 if i < 3 else 256} time 0.{i}\n" for i in (1, 2, 3))
        pattern = r"step (?<step1>\d+) seqlen (?<seqlen>\d+) time (?<time>\S+)"
        self.refused("iteration 2 has src_len 256, but", log, pattern)

    def test_iterations_beyond_the_run(self):
        self.order([512] * 10)
        pattern = TIMES.replace("(?<of>", "(?:")
        self.refused("iteration 10 is not in", lines([0.5] * 11, 11), pattern)

    def test_optimiser_steps_are_several_iterations(self):
        lengths = list(range(20, 120))
        self.order(lengths, "iteration,step,src_len,batch_size", lambda i: f",{i // 4}")
        costs = [0.001 * n for n in lengths]
        steps = [sum(costs[i : i + 4]) for i in range(0, 40, 4)]
        value, *_ = self.left(lines(steps, 25), TIMES)
        self.assertAlmostEqual(value, sum(costs[40:]), 1)
        beyond = TIMES.replace("(?<of>", "(?:")
        self.refused("step 25 is not in", lines([0.5] * 26, 25), beyond)
        self.order(lengths, "iteration,step,src_len,batch_size", lambda i: f",{1 + i // 4}")
        self.refused("step 0 is not in", lines(steps, 25), beyond)

    def test_lines_that_are_epochs(self):
        means = r"epoch (?<epoch1>\d+) .* batch (?<time_ms>\d+) ms"
        whole = r"epoch (?<epoch1>\d+) . total (?<time>[\d.]+) s"
        log = "epoch 1 | total 2.0 s | batch 500 ms\nepoch 2 | total 1.6 s | batch 400 ms\n"
        self.order([20, 21, 22, 23] * 3)
        self.assertAlmostEqual(self.left(log, means, "--per", "4")[0], 1.8, 1)
        self.refused("is a time of a whole one, or the mean", log, means)
        self.refused(
            "cannot end before step 4", log, means.replace("epoch1", "step1"), "--per", "4"
        )
        self.refused("lines are epochs, and", log, whole, "--per", "1")
        self.order(
            [20, 21, 22, 23] * 3, "iteration,epoch,src_len,batch_size", lambda i: f",{i // 4}"
        )
        self.assertAlmostEqual(self.left(log, whole, "--per", "1")[0], 1.8, 1)
        self.refused("but epoch 0 of", log, means, "--per", "5")

    def test_too_few_or_no_times(self):
        self.order([512] * 10)
        self.refused("has 1 times of steps", lines([0.5], 10), TIMES)
        self.refused("has no time above 0", lines([0, 0], 10), TIMES)

    def test_orders_that_are_none(self):
        head = "iteration,src_len,batch_size\n"
        for text, said in (
            ("", "is no batch list"),
            ("iteration,src_len\n0,5\n", "is no batch list"),
            (head, "has no iterations"),
            (head + "0,5\n", "has 2 cells of 3"),
            (head + "0,x,8\n", "run.csv:2: field 'src_len': 'x' is not a whole number below 1e18"),
            (head + "0,5,8\n1,9223372036854775808,8\n", "run.csv:3: field 'src_len'"),
            (head + "0,5\udcff,8\n", "run.csv:2: field 'src_len'"),
            ("\x7fELF\udcff\0\n", "run.csv:1: is no batch list"),
            (head + f"0,{'7' * 200000},8\n", "run.csv:2: is not a CSV"),
            (head + "0,5,8\n2,5,8\n", "are not numbered one by one"),
        ):
            self.written("run.csv", text)
            self.refused(said, lines([0.5] * 4, 4), TIMES)

    def test_files_that_are_missing(self):
        status, _, said = self.eta("", TIMES)
        self.assertEqual(status, 3)
        self.assertIn("run.csv: No such file", said)

    def test_an_order_without_padding(self):
        self.written(
            "run.csv",
            "iteration,tokens,sq_tokens\n"
            + "".join(f"{i},{100 + i},{200 + i}\n" for i in range(90)),
        )
        costs = [0.01 * (100 + i) for i in range(90)]
        value, *_ = self.left(lines(costs[:30], 90), TIMES)
        self.assertAlmostEqual(value / sum(costs[30:]), 1, 2)


if __name__ == "__main__":
    unittest.main()
