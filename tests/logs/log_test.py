"""Logs whose lines a pattern describes, on examples whose figures can be worked out by hand."""

import argparse
import io
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
from seqpoint_companion.faults import Fault  # noqa: E402
from seqpoint_companion.logs import log_command, printed_numbers  # noqa: E402

MS = 10**6  # ns
VERL = r"\bstep:(?<step1>\d+) - .*?perf/time_per_step:(?<time>-?[\d.e+-]+)"
MEGATRON = (
    r"iteration +(?<step1>\d+)/ *(?<of>\d+) .*?"
    r"iteration \((?:ms\): (?<time_ms>[\d.]+)|s\): (?<time>[\d.]+)) *\|"
)
SWIFT = r'"global_step/max_steps": "(?<step1>\d+)/(?<of>\d+)".*"elapsed_time": "(?<clock>[^"]+)"'
PLAIN = r"^(?<step>\S+) (?<time>\S+)$"
CLOCK = r"^(?<step1>\d+) (?<clock>.+)$"
BAR = r"(?<step1>\d+)/(?<of>\d+) \[(?<clock>[\d:]+)<"


def megatron(number, ms):
    return f" iteration {number}/ 1000 | elapsed time per iteration (ms): {ms} | loss: 1 |\n"


def verl(number, seconds):
    return f"step:{number} - perf/time_per_step:{seconds} - perf/throughput:1\n"


def read(pattern, text, per=None):
    """(steps, their reading) of a log in memory."""
    file = io.BytesIO(text.encode("utf-8", "surrogateescape"))
    reading = log_command.read_log(
        file, "x.log", argparse.Namespace(pattern=pattern, per=per, sum=False)
    )
    return list(reading), reading


def lines_of(pattern, text, per=None):
    return [(step.first, step.last, step.ns) for step in read(pattern, text, per)[0]]


def notes_of(pattern, text, per=None):
    return "\n".join(read(pattern, text, per)[1].notes)


class Case(unittest.TestCase):
    def refused(self, said, pattern, text, per=None):
        with self.assertRaises(Fault) as caught:
            read(pattern, text, per)
        self.assertIn(said, str(caught.exception))
        self.assertTrue(caught.exception.hint)


class PrintedNumbers(unittest.TestCase):
    def test_times_as_programs_print_them(self):
        second = printed_numbers.SECOND
        for text, unit, ns in (
            ("0.3102", second, 310_200_000),
            ("1,234.5", second, 1_234_500_000_000),
            ("11.5K", MS, 11_500_000_000),
            ("1e3", 1000, 1_000_000),
            ("1m 41s", second, 101 * second),
            ("2h 3m", second, 7380 * second),
            ("0:01:03", second, 63 * second),
            ("03:01.5", second, 181_500_000_000),
            ("2 days, 17:51:32", second, (2 * 86400 + 17 * 3600 + 51 * 60 + 32) * second),
        ):
            self.assertEqual(printed_numbers.time_ns(text, unit), ns, text)
        for none in ("", "1,5", "1.2.3", "nan", "inf", "s", "1,23.5", "fast", "1_0", "\u0663"):
            self.assertIsNone(printed_numbers.time_ns(none, second), none)

    def test_rounded_numbers_identify_no_step(self):
        self.assertEqual(printed_numbers.whole("1,024"), 1024)
        for none in ("", "1e+3", "12K", "7.0", "-1", "10,24", "4294967296", "9" * 5000, "\u0663"):
            self.assertIsNone(printed_numbers.whole(none), none)

    def test_dates_of_every_kind_have_their_differences(self):
        for begin, end, seconds in (
            ("2026-02-28 23:59:59,500", "2026-03-01 00:00:01,750", 2.25),
            ("2026-03-01T10:00:00Z", "2026-03-01T12:00:00.5+02:00", 0.5),
            ("03/01 10:00:06", "03/02 10:00:05", 86399),
            ("10/17/2025 16:31:56", "10/17/2025 16:32:00", 4),
            ("0811 21:54:44.943716", "0811 21:54:45.043716", 0.1),
            ("1700000000.25", "1700000001", 0.75),
            ("2026-03-01 10:00:00 -0130", "2026/3/1_11:30:00.25", 0.25),
            ("1/2, 3:04:05", "01/02 03:04:06,000000001", 1.000000001),
        ):
            ns = [
                printed_numbers.clock_ns(text, printed_numbers.SECOND)[0] for text in (begin, end)
            ]
            self.assertAlmostEqual((ns[1] - ns[0]) / 1e9, seconds, 9, begin)
        for none in (
            "2026-13-01 10:00:00",
            "2026-02-30 10:00:00",
            "1826-03-01 10:00:00",
            "2026-03-01 10:00",
            "2026-03-01 10:0:00",
            "2026-03-01 10-00-00",
            "2026-03-01 10:00:00.",
            "2026-03-01 10:00:00.0123456789",
            "2026-03-01 10:00:00+1:00",
            "2026-03-01 10:00:00 UTC",
            "2026-03-01",
            "1/2/26 10:00:00",
            "081 10:00:00",
            "-",
        ):
            self.assertIsNone(printed_numbers.clock_ns(none, printed_numbers.SECOND), none)


class Patterns(Case):
    def test_need_a_step_and_a_time(self):
        self.refused("has no group 'step'", "(?<time>.)", "1\n")
        self.refused("has no group 'time' or 'clock'", "(?<step>.)", "1\n")
        self.refused("a group 'time' and a group 'clock'", "(?<step>.)(?<time>.)(?<clock>.)", "1\n")
        self.refused("a group 'loss', and a log", "(?<step>.)(?<time>.)(?<loss>.)", "1\n")
        self.refused("a group 'of_ms', and a log", "(?<step>.)(?<time>.)(?<of_ms>.)", "1\n")
        self.refused("from 0 and from 1", "(?<step0>.)|(?<step1>.)(?<time>.)", "1\n")
        self.refused("is not a regular expression", "(?<step>.)(?<time>", "1\n")

    def test_look_behind_is_no_name(self):
        self.assertEqual(
            lines_of(r"(?<=s)(?<step0>\d+) (?P<time>\d)", "s0 1\nt1 2\n"), [(0, 0, 10**9)]
        )


class Steps(Case):
    def test_a_time_is_of_the_lines_step(self):
        text = verl(1, "0.125") + "noise\n" + verl(2, "0.25") + verl(3, "1e-1")
        steps, reading = read(VERL, text)
        self.assertEqual(
            [step[:4] for step in steps],
            [(0, 0, 125 * MS, 1), (1, 1, 250 * MS, 3), (2, 2, 100 * MS, 4)],
        )
        self.assertTrue(all(step.is_one for step in steps))
        self.assertEqual(reading.notes, [])

    def test_a_line_may_be_the_mean_of_several(self):
        text = megatron(10, "4000.0") + megatron(20, "1000.5") + megatron(30, "2500")
        means = [(0, 9, 4000 * MS), (10, 19, 1000 * MS + 500000), (20, 29, 2500 * MS)]
        self.assertEqual(lines_of(MEGATRON, text, 10), means)
        self.assertFalse(read(MEGATRON, text, 10)[0][0].is_one)
        ones = [(9, 9, 4000 * MS), (19, 19, 1000 * MS + 500000), (29, 29, 2500 * MS)]
        self.assertEqual(lines_of(MEGATRON, text, 1), ones)

    def test_which_of_the_two_has_to_be_said(self):
        tens = megatron(10, "5") + megatron(20, "5") + megatron(30, "5")
        self.refused("lines come every 10 steps: is a time of one", MEGATRON, tens)
        self.refused("--per 10 for a mean of 10, --per 10 --sum for 10 together", MEGATRON, tens)
        self.refused("a single line does not say", MEGATRON, megatron(10, "5"))
        self.assertEqual(lines_of(MEGATRON, megatron(1, "5")), [(0, 0, 5 * MS)])
        self.refused("lines come every 10 steps, and --per 20", MEGATRON, tens, 20)
        mixed = megatron(40, "5") + megatron(41, "5") + megatron(42, "5") + megatron(43, "5")
        self.refused("every 10 steps", MEGATRON, tens + mixed)
        lost = verl(1, "1") + verl(2, "1") + verl(3, "1") + verl(5, "1")
        self.assertEqual(len(lines_of(VERL, lost)), 4)
        self.refused("a time is of one step or more", VERL, lost, 0)
        self.refused("--per: times of a clock", CLOCK, "1 0:01\n2 0:02\n", 2)

    def test_a_mean_cannot_end_before_its_steps(self):
        for text in (megatron(1, "5") + megatron(2, "5"), megatron(1, "5"), megatron(399, "5")):
            self.refused("cannot end before step 400", MEGATRON, text, 400)
        self.refused("call the group 'epoch'", MEGATRON, megatron(1, "5"), 400)
        self.assertEqual(lines_of(MEGATRON, megatron(400, "5"), 400), [(0, 399, 5 * MS)])

    def test_a_mean_reaches_to_the_line_before(self):
        text = megatron(1, "50") + megatron(10, "5") + megatron(20, "6") + megatron(40, "7")
        self.assertEqual(
            lines_of(MEGATRON, text, 10),
            [(0, 0, 50 * MS), (1, 9, 5 * MS), (10, 19, 6 * MS), (30, 39, 7 * MS)],
        )

    def test_steps_are_counted_from_0_or_from_1(self):
        def first(text, per=None):
            steps, reading = read(PLAIN, text, per)
            return steps[0].last, "\n".join(reading.notes)

        self.assertEqual(first("0 1\n1 1\n")[0], 0)
        self.assertIn("steps are counted from 0, as their numbers show", first("0 1\n1 1\n")[1])
        self.assertEqual(first("1 1\n2 1\n")[0], 0)
        self.assertIn("counted from 1", first("1 1\n2 1\n")[1])
        self.assertEqual(first("10 1\n20 1\n", 1)[0], 9)
        self.assertEqual(first("9 1\n19 1\n", 1)[0], 9)
        self.assertIn("counted from 0", first("9 1\n19 1\n", 1)[1])
        number, note = first("327281 1\n327282 1\n")
        self.assertEqual(number, 327280)
        self.assertIn("is not shown: 1 is taken; call the group 'step0' or 'step1'", note)
        self.refused("is 0, but steps are counted from 1", VERL, verl(0, "1") + verl(1, "1"))
        steps, reading = read(r"^(?<step0>\d+) (?<time>\S+)$", "5 1\n6 1\n")
        self.assertEqual((steps[0].last, reading.notes), (5, []))

    def test_lines_may_be_epochs(self):
        text = "epoch 1: 558 ms, at 10:00:00\nepoch 2: 521 ms, at 10:03:30\n"
        means = r"epoch (?<epoch1>\d+): (?<time_ms>\d+) ms"
        steps, reading = read(means, text, 400)
        self.assertEqual(reading.unit, "epoch")
        self.assertEqual([step[:3] for step in steps], [(0, 0, 558 * MS), (1, 1, 521 * MS)])
        self.assertFalse(steps[0].is_one)
        self.refused("is a time of a whole one, or the mean of its steps?", means, text)
        clocks = r"epoch (?<epoch1>\d+).* at (?<clock>.*)"
        self.assertEqual(lines_of(clocks, text), [(1, 1, 210_000 * MS)])
        self.refused("epochs are counted from 1", means, "epoch 0: 558 ms\n", 400)


class Clocks(Case):
    def test_times_are_differences(self):
        def line(step, clock):
            return f'{{"global_step/max_steps": "{step}/400", "elapsed_time": "{clock}", "x": 1}}\n'

        text = line(10, "50s") + line(20, "1m 41s") + line(20, "4m 9s") + line(30, "5m")
        self.assertEqual(lines_of(SWIFT, text), [(10, 19, 5100 * MS), (20, 29, 5100 * MS)])
        self.assertIn(
            "148 s between lines of one step are in no step's time", notes_of(SWIFT, text)
        )
        self.assertIn("times are differences of a clock", notes_of(SWIFT, text))

    def test_one_of_whole_seconds_times_no_single_step(self):
        steps, _ = read(CLOCK, "1 0:59:58\n2 1:00:00\n3 1 day, 0:00:00\n")
        self.assertEqual([s[:3] for s in steps], [(1, 1, 2000 * MS), (2, 2, 82_800_000 * MS)])
        self.assertFalse(steps[0].is_one)
        self.assertTrue(read(CLOCK, "1 0:59:58.0\n2 1:00:00.5\n")[0][0].is_one)

    def test_may_begin_before_the_first_step(self):
        states = ("0/9 [00:00<?]", "1/9 [00:03<00:24]", "2/9 [00:05<00:20]", "3/9 [00:0")
        text = "\r".join(states)
        self.assertEqual(lines_of(BAR, text), [(0, 0, 3000 * MS), (1, 1, 2000 * MS)])
        self.assertIn("x.log:1: the last line has no end and is not used", notes_of(BAR, text))

    def test_one_that_goes_back_is_said(self):
        text = "1 23:59:58.5\n2 00:00:00.5\n3 00:00:01.5\n"
        self.assertEqual(lines_of(CLOCK, text), [(2, 2, 1000 * MS)])
        self.assertIn(
            "x.log:2: the clock goes back or jumps, 1 steps left out", notes_of(CLOCK, text)
        )


class LeftOut(Case):
    def test_a_negative_time(self):
        text = verl(1, "30") + verl(2, "-3569.75") + verl(3, "31") + verl(4, "32")
        kept = [(0, 0, 30000 * MS), (2, 2, 31000 * MS), (3, 3, 32000 * MS)]
        self.assertEqual(lines_of(VERL, text), kept)
        self.assertIn("x.log:2: the time is negative, as where a clock", notes_of(VERL, text))

    def test_what_is_no_number(self):
        self.assertIn("x.log:2: the step is no whole number", notes_of(PLAIN, "0 1\n1e+3 1\n1 1\n"))
        note = notes_of(PLAIN, "0 1\n1 1,5\n2 x\n")
        self.assertIn("x.log:2: the time is none; 2 such lines are left out", note)
        said = "no line that the pattern matches can be used: x.log:1: the time is none"
        self.refused(said, PLAIN, "0 x\n1 y\n")
        self.refused("none of its lines (2) matches the pattern", PLAIN, "a\nb\n")
        beyond = megatron(1, "5") + megatron(1001, "5") + megatron(2, "5")
        self.assertIn("x.log:2: the step is beyond the total", notes_of(MEGATRON, beyond))
        self.refused("is no text", PLAIN, "0 1\n\0\1\2\n")

    def test_a_last_line_without_an_end(self):
        whole = verl(1, "31.5") + verl(2, "31.5")
        self.assertEqual(len(lines_of(VERL, whole[:-1])), 1)
        self.assertIn("x.log:2: the last line has no end", notes_of(VERL, whole[:-1]))
        self.assertEqual(len(lines_of(VERL, whole)), 2)

    def test_blocks_may_end_anywhere(self):
        text = "".join(verl(i, "0.5") + ("x" * (i % 97) + "\r") for i in range(1, 40_000))
        steps, reading = read(VERL, text)
        self.assertEqual([step.line for step in steps], list(range(1, 40_000)))


class Restarts(Case):
    def test_a_job_that_began_again(self):
        text = verl(1, "1") + verl(2, "2") + verl(3, "3") + verl(2, "4") + verl(3, "5")
        got = [(first, ns // MS) for first, _, ns in lines_of(VERL, text)]
        self.assertEqual(got, [(0, 1000), (1, 2000), (2, 3000), (1, 4000), (2, 5000)])
        said = "x.log:4: step 2 follows 3: the job began again; what ran twice is there twice"
        self.assertIn(said, notes_of(VERL, text))

    def test_from_the_first_step_on_they_are_of_another_epoch_or_run(self):
        said = "x.log:3: step 1 follows 2, as of several epochs, ranks or runs"
        self.refused(said, VERL, verl(1, "1") + verl(2, "2") + verl(1, "3") + verl(2, "4"))
        bars = "".join(f"{i}/9 [00:{i:02}<1]\n" for i in (0, 1, 2, 3, 0, 1, 2))
        self.refused("x.log:6: step 1 follows 0", BAR, bars)

    def test_a_bar_of_a_resumed_job_begins_at_0(self):
        bars = "".join(
            f"{i}/90 [00:{t:02}<1]\n" for i, t in ((0, 0), (1, 2), (2, 4), (0, 0), (3, 1), (4, 3))
        )
        self.assertEqual([s[:2] for s in lines_of(BAR, bars)], [(0, 0), (1, 1), (0, 2), (3, 3)])

    def test_epochs(self):
        pattern = r"epoch (?<epoch1>\d+): +(?<step1>\d+) / (?<of>\d+) .*wall=(?<clock>\d+)"
        text = (
            "| epoch 001:    100 / 150 loss=7.6, wall=240\n"
            "| epoch 002:     50 / 140 loss=4.6, wall=340\n"
            "| epoch 004:     10 / 150 loss=4.6, wall=590\n"
        )
        # The third epoch is taken to be as large as the fourth.
        self.assertEqual(lines_of(pattern, text), [(100, 199, 1000 * MS), (200, 449, 1000 * MS)])
        self.assertIn("epochs differ in how many steps they have", notes_of(pattern, text))

    def test_an_epoch_without_a_total_ends_with_its_last_line(self):
        pattern = (
            r"(?<epoch1>\d+)epoch:train:\d+-(?<iteration1>\d+)batch:.*train_time=(?<time>[\d.e+-]+)"
        )
        text = "".join(
            f"{epoch}epoch:train:{last - 19}-{last}batch: train_time={time}\n"
            for epoch, last, time in ((1, 20, 0.5), (1, 40, 0.25), (2, 20, 0.5))
        )
        expected = [(0, 19, 500 * MS), (20, 39, 250 * MS), (40, 59, 500 * MS)]
        self.assertEqual(lines_of(pattern, text, 20), expected)
        self.assertIn("to end with its last line: the first has 40", notes_of(pattern, text, 20))


class LinesOfSeveralRanks(Case):
    def test_the_slowest_line_of_a_step_counts(self):
        steps, reading = read(VERL, verl(1, "1") + verl(1, "3") + verl(1, "2") + verl(2, "2"))
        self.assertEqual([s[:4] for s in steps], [(0, 0, 3000 * MS, 1), (1, 1, 2000 * MS, 4)])
        self.assertIn("2 more lines of a step that already has one", "\n".join(reading.notes))
        self.refused(
            "a group 'rank', and a log", r"(?<rank>\d) (?<step1>\d) (?<time>\d)", "1 1 1\n"
        )


class Table(unittest.TestCase):
    """The verb itself, as a command without any library."""

    def run_log(self, text, *arguments):
        command = [sys.executable, "-S", "-m", "seqpoint_companion", "log", *arguments]
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")},
        )

    def test_rows_are_iterations(self):
        done = self.run_log(verl(1, "0.125") + verl(2, "0.25"), VERL)
        self.assertEqual(
            (done.returncode, done.stdout), (0, "iteration,runtime_s\n0,0.125\n1,0.25\n")
        )
        self.assertIn("with gradient accumulation they are no batches", done.stderr)

    def test_lengths_and_the_total_are_of_the_log(self):
        pattern = r"(?<iteration1>\d+)/(?<of>\d+) (?<seqlen>\d+) (?<tokens>\S*) (?<time>\S+)$"
        done = self.run_log("1/3 128 1,024 0.5\n2/3 64  0.25\n3/3 64 5.1K 0.25\n", pattern)
        head = "iteration,runtime_s,src_len,tokens,run_iterations\n"
        self.assertEqual(done.stdout, head + "0,0.5,128,1024,3\n1,0.25,64,,3\n")
        self.assertIn("-:3: tokens, the length or the total are no whole number", done.stderr)

    def test_means_identify_no_iteration(self):
        done = self.run_log(megatron(10, "500") + megatron(20, "250"), MEGATRON, "--per", "10")
        head = "first_iteration,last_iteration,runtime_s\n"
        self.assertEqual(done.stdout, head + "0,9,0.5\n10,19,0.25\n")
        self.assertIn("2 times are of several batches", done.stderr)

    def test_gaps_of_a_clock_are_left_out(self):
        done = self.run_log("1 0:01.5\n2 0:02.5\n5 0:05.5\n6 0:08.0\n", CLOCK)
        self.assertEqual(done.stdout, "iteration,runtime_s\n1,1.0\n5,2.5\n")
        self.assertIn("1 times are of several batches", done.stderr)

    def test_progress_that_was_not_executed_is_left_out(self):
        bars = [(0, 0)] + [(501 + i, 4 + 2 * i) for i in range(9)]
        text = "".join(f"{n}/900 [00:{s:02}.0<1]\n" for n, s in bars)
        done = self.run_log(text, BAR.replace(r"[\d:]", r"[\d:.]"))
        self.assertEqual(done.stdout.split("\n")[1], "501,2.0,900")
        self.assertIn("were not executed, as where a job resumes", done.stderr)

    def test_refusals_write_nothing(self):
        for text, pattern, status in (
            ("1 1\n", "(?<step>.)", 2),
            ("a\n", PLAIN, 3),
            ("epoch 1: 558 ms\n", r"epoch (?<epoch1>\d+): (?<time_ms>\d+) ms", 3),
            ("1 0:01.5\n", CLOCK, 3),
        ):
            done = self.run_log(text, pattern)
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.assertIn("hint: ", done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
