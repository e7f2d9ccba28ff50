"""The companion's own rules, without a training job:

    companion_test.py SOURCE_DIR
"""

import collections
import contextlib
import io
import itertools
import os
import platform
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

from plans import SOURCE, STEPS, Folder, companion, points_of, signature, step, torch
from torch.profiler import ProfilerAction
from torch.utils.data import DataLoader

from seqpoint_companion import busy, device, outputs, provenance, ranks, report
from seqpoint_companion.recorder import name_of

WARM_UP = [("warm-up", True)]
FIRSTS = [("sp1", True), ("sp2", True)]
MEASURED = [("sp1", False), ("sp2", False), ("sp1", False)]
SAID = ["host", "device", "session", "recorded_by", "load"]
TIMES = ["runtime_s", "cpu_s", "wait_s", "step_s"]  # of batches without a backward pass


def run(plan, out, seconds=lambda n: 0.1, workers=0, **options):
    """Runs a job whose n-th batch takes seconds(n); returns its batches."""
    batches, now = [], [0.0]
    with unittest.mock.patch.object(time, "perf_counter", lambda: now[0]):
        loader = DataLoader(range(10), batch_sampler=plan, collate_fn=list, num_workers=workers)
        for batch in companion.Recorder(out, plan=plan, **options)(loader):
            now[0] += seconds(len(batches))
            batches.append(batch)
    return batches


class Nvml:
    """Both of NVIDIA's libraries, on a machine whose job uses CUDA's device 3, on bus 0000:65:00.0.

    `found` is the status of the look-up of that bus (0 is success). Reading a clock fails after
    `fails_after` readings.
    """

    def __init__(self, found=0, fails_after=1000):
        self.found, self.left = found, fails_after
        self.nvmlInit_v2 = lambda: 0

    def __call__(self, name):
        assert name in ("libnvidia-ml.so.1", "libcuda.so.1"), name
        return self

    def cuDeviceGetPCIBusId(self, text, length, device):
        text.value = b"0000:65:00.0" if device == 3 else b"0000:00:00.0"
        return int(length < 13)

    def nvmlDeviceGetHandleByPciBusId_v2(self, bus, handle):
        handle._obj.value = 65
        return self.found or int(bus.value != b"0000:65:00.0")

    def nvmlDeviceGetClockInfo(self, handle, kind, value):
        self.left -= 1
        value._obj.value = {1: 1980, 2: 2619}[kind]  # multiprocessors, memory
        return int(handle.value != 65 or self.left < 0)


class Plans(Folder):
    def test_a_process_warms_up_between_first_executions_and_measurements(self):
        of = lambda rounds: points_of(self.plan(options={"warmup_rounds": rounds}))
        self.assertEqual(of(None), WARM_UP + FIRSTS + MEASURED)
        self.assertEqual(of(3), WARM_UP + FIRSTS + 2 * WARM_UP + MEASURED)
        self.assertEqual(of(0), FIRSTS + MEASURED)

    def test_a_loader_delivers_the_batches_in_the_order_of_their_index(self):
        plan = self.plan(list(reversed(STEPS)))
        loader = DataLoader(range(10), batch_sampler=plan, collate_fn=list)
        self.assertEqual(len(loader), 6)
        expected = [[9, 8], [4, 1], [9, 8], [4, 1], [9, 8], [4, 3]]
        self.assertEqual(list(loader), expected)
        self.assertEqual(list(loader), expected, "and again")

    def test_preflight_comes_first_and_leaves_no_row(self):
        largest = [
            {
                "index": n,
                "iteration": 9,
                "warmup": True,
                "preflight": True,
                "repeat": n,
                "src_len": max(rows),
                "batch_size": len(rows),
                "rows": rows,
                "weight": 0,
            }
            for n, rows in enumerate([[9, 8, 7], [5]])
        ]
        steps = [*largest, *({**step, "index": step["index"] + 2} for step in STEPS)]
        plan = self.plan(steps, {"warmup_rounds": 2})
        self.assertEqual(run(plan, self.out)[:5], [[9, 8, 7], [5], [9, 8], [4, 1], [9, 8]])
        self.assertEqual([row["warmup"] for row in self.table()], list("1111000"))
        with self.assertRaisesRegex(companion.WrongBatch, "names row 9"):
            self.plan([largest[0], *STEPS[1:2]]).require_rows_in(range(9))

    def test_a_rank_gets_its_own_rows(self):
        steps = [step(0, "sp1", [5, 6, 7], rank_ends=[2, 3])]
        self.assertEqual(
            list(self.plan(steps, {"rank": 0, "warmup_rounds": 0}, world_size=2)), [[5, 6]] * 2
        )
        self.assertEqual(
            list(self.plan(steps, {"rank": 1, "warmup_rounds": 0}, world_size=2)), [[7]] * 2
        )
        with self.assertRaisesRegex(ValueError, "is for 2 ranks, this job has 1.*rank="):
            self.plan(steps, world_size=2)

    def test_ranks_of_a_plan_without_manifests_are_asked_for(self):
        steps = [step(0, "sp1", [5, 6, 7]), step(1, "sp2", [8, 4])]
        by_rank = {0: [[5, 6], [7]], 7: [[8], [4]]}
        with unittest.mock.patch.object(ranks, "process", lambda: (1, 2)):
            plan = self.plan(steps, {"warmup_rounds": 0, "rows_of": by_rank.get})
            self.assertEqual(
                [row for batch in plan for row in batch if batch in ([7], [4])], [7, 4, 7, 4]
            )
            with self.assertRaisesRegex(
                ValueError, "step 1 has other rows than iteration 7 of this job"
            ):
                self.plan(steps, {"rows_of": {**by_rank, 7: [[4], [8]]}.get})

    def test_what_is_no_plan_is_refused(self):
        with self.assertRaisesRegex(ValueError, "'seqpoint/seqpoints/2', not 'seqpoint/plan/2'"):
            self.plan(schema="seqpoint/seqpoints/2")
        with self.assertRaisesRegex(
            ValueError,
            "'seqpoint/plan/3', not 'seqpoint/plan/2': .* of one version, and plan again",
        ):
            self.plan(schema="seqpoint/plan/3")
        with self.assertRaisesRegex(ValueError, "step 0 has no rows"):
            self.plan([{**STEPS[0], "rows": []}])

    def test_rows_that_the_data_set_does_not_have_are_named_before_a_worker_dies_of_them(self):
        plan = self.plan()
        with self.assertRaisesRegex(
            companion.WrongBatch, "names row 9, counted from 0; the data set has 9 samples"
        ):
            next(
                iter(
                    companion.Recorder(self.out, plan=plan)(
                        DataLoader(range(9), batch_sampler=plan)
                    )
                )
            )

    def test_where_first_executions_count_points_have_none_before(self):
        left_out = points_of(self.plan())
        counted = points_of(self.plan(counts_first=True))
        self.assertEqual(left_out.count(("sp1", True)) + left_out.count(("sp2", True)), 2)
        self.assertEqual(
            [one for one in counted if one[0].startswith("sp")],
            [
                ("sp1", False),
                ("sp2", False),
                ("sp1", False),
            ],
        )


# Two processes; row n is as long as its number. The first is warmed up on [7, 6] and [2, 1], sp1 on
# another of its batches, [3, 4].
BY_TWO = [
    step(0, "sp2", [7, 6], warmup=True),
    step(1, "sp2", [2, 1], warmup=True, repeat=1),
    step(2, "sp1", [3, 4], warmup=True, first=True),
    step(3, "sp1", [4, 1]),
    step(4, "sp2", [9, 8], warmup=True, first=True),
    step(5, "sp2", [9, 8]),
    *(
        step(6 + n, of, rows, **more, process=1)
        for n, (of, rows, more) in enumerate(
            [
                ("sp2", [9, 8], {"warmup": True, "first": True, "repeat": 1}),
                ("sp2", [9, 8], {"repeat": 1}),
                ("sp1", [4, 1], {"warmup": True, "first": True, "repeat": 1}),
                ("sp1", [4, 3], {"repeat": 1}),
            ]
        )
    ),
]


class Processes(Folder):
    def of(self, options=None):
        return self.plan(BY_TWO, options, processes=2)

    def test_a_process_runs_its_own_steps(self):
        expected = {
            0: [[7, 6], [3, 4], [9, 8], [2, 1], [4, 1], [9, 8]],
            1: [[9, 8], [4, 1], [9, 8], [4, 3]],
        }
        for process, batches in expected.items():
            self.assertEqual(list(self.of({"process": process})), batches)
            with unittest.mock.patch.dict(os.environ, SEQPOINT_PROCESS=str(process)):
                self.assertEqual(list(self.of()), batches)
                self.assertEqual(
                    list(self.of({"process": 1 - process})),
                    expected[1 - process],
                    "what the job says wins",
                )

    def test_one_process_for_all_of_it_is_told_so(self):
        with self.assertWarnsRegex(
            UserWarning,
            (
                "is for 2 processes, this one runs all of it: start the job 2 times, with "
                "SEQPOINT_PROCESS=0 to 1"
            ),
        ):
            plan = self.of()
        self.assertEqual(
            list(plan),
            [[7, 6], [3, 4], [9, 8], [2, 1], [4, 1], [9, 8], [9, 8], [4, 3]],
            "no point warms up twice",
        )

    def test_a_process_that_the_plan_does_not_have_is_refused(self):
        for process in (2, -1, "x", 0.5):
            with self.assertRaisesRegex(
                ValueError, f"is for 2 processes: process is 0 to 1, not {process!r}"
            ):
                self.of({"process": process})


class WarmUp(Folder):
    def test_a_number_of_batches_takes_those_of_the_plan_in_turn(self):
        def warmed(rounds):
            plan = self.plan(BY_TWO, {"warmup_rounds": rounds, "process": 0}, processes=2)
            return [step["rows"] for step in plan.steps if step["id"] == "warm-up"]

        self.assertEqual(warmed(None), [[7, 6], [2, 1]])
        self.assertEqual(warmed(1), [[7, 6]])
        self.assertEqual(warmed(5), [[7, 6], [2, 1], [7, 6], [2, 1], [7, 6]])
        self.assertEqual(list(self.plan(STEPS[1:], {"warmup_rounds": 0}))[0], [4, 1])
        with self.assertRaisesRegex(
            ValueError, "has no batches to warm up with: plan with --warmup 3"
        ):
            self.plan(STEPS[1:], {"warmup_rounds": 3})

    def test_rows_tell_a_points_own_warm_up_from_that_of_the_process(self):
        run(self.plan(BY_TWO, {"process": 0}, processes=2), self.out)
        self.assertEqual(
            [(row["point"], row["warmup"], row["execution"]) for row in self.table()],
            [
                ("warm-up", "1", "warm-up"),
                ("sp1", "1", "first"),
                ("sp2", "1", "first"),
                ("warm-up", "1", "warm-up"),
                ("sp1", "0", "measured"),
                ("sp2", "0", "measured"),
            ],
        )

    def test_rows_of_warm_up_have_the_planned_lengths_where_no_signature_tells_them(self):
        # Without the shapes no field shows which shapes ran before a point. A point's own shapes
        # are the plan's: copying them would confirm nothing.
        own_lengths = lambda: [
            (row["point"], row["src_len"], row["batch_size"])
            for row in self.table()
            if row["execution"] != "first"
        ]
        run(self.plan(BY_TWO, {"process": 0}, processes=2), self.out)
        self.assertEqual(
            own_lengths(),
            [("warm-up", "7", "2"), ("warm-up", "2", "2"), ("sp1", "", ""), ("sp2", "", "")],
        )
        run(self.plan(BY_TWO, {"process": 0}, processes=2), self.out, signature=signature)
        self.assertEqual(
            own_lengths(),
            [("warm-up", "7", "2"), ("warm-up", "2", "2"), ("sp1", "4", "2"), ("sp2", "9", "2")],
        )
        ranks = [{**one, "rank_ends": [1, 2], "heaviest_rank": 0} for one in BY_TWO]
        run(
            self.plan(ranks, {"process": 0, "rank": 1}, processes=2, world_size=2),
            self.out,
            signature=signature,
        )
        self.assertEqual(
            own_lengths(),
            [("warm-up", "7", "2"), ("warm-up", "2", "2"), ("sp1", "", ""), ("sp2", "", "")],
        )

    def test_a_shape_that_ran_before_is_no_first_execution(self):
        # The warm-up has sp2's shape, as in plans of version 1.0.
        run(self.plan(), self.out)
        self.assertEqual(
            [(row["point"], row["execution"]) for row in self.table()],
            [
                ("warm-up", "warm-up"),
                ("sp1", "first"),
                ("sp2", "warm-up"),
                ("sp1", "measured"),
                ("sp2", "measured"),
                ("sp1", "measured"),
            ],
        )

    def test_the_time_of_a_first_execution_is_in_its_row(self):
        run(self.plan(), self.out, lambda n: 0.1 * (n + 1))
        self.assertEqual(
            [float(row["runtime_s"]) for row in self.table() if row["execution"] == "first"], [0.2]
        )

    def test_batches_that_workers_take_ahead_change_nothing(self):
        batches = run(self.plan(), self.out, workers=2)
        self.assertEqual(batches, [[9, 8], [4, 1], [9, 8], [4, 1], [9, 8], [4, 3]])
        self.assertEqual([row["warmup"] for row in self.table()], list("111000"))

    def test_a_second_pass_begins_anew(self):
        plan = self.plan()
        self.assertEqual(len(run(plan, self.out)), 6)
        self.assertEqual(len(run(plan, self.out)), 6)


class UntilSteady(Folder):
    """Before it measures, a process repeats a batch until its time no longer falls.

    Its first batch and first executions are not looked at: all of them take a minute here.
    """

    def rows_of(self, seconds, steps=STEPS, most_brief=0, **options):
        clock = [0.0]

        def run_one(n):
            n -= len(FIRSTS) + (steps is STEPS)
            clock[0] += seconds(n) if n >= 0 else 60
            return seconds(n) if n >= 0 else 60

        plan = self.plan(steps, {"until_steady": True})
        plan.steady.clock, plan.steady.most_brief = lambda: clock[0], most_brief
        batches = run(plan, self.out, run_one, **options)
        self.assertLessEqual(len(batches), len(plan.steps))
        return batches, self.table()

    def repeats(self, seconds, **options):
        batches, rows = self.rows_of(seconds, **options)
        measured = [row["point"] for row in rows if row["warmup"] == "0"]
        self.assertEqual(measured, ["sp1", "sp2", "sp1"])
        warm = [row for row in rows if row["execution"] == "warm-up" and row["point"] == "warm-up"]
        self.assertEqual([row["repeat"] for row in warm], [str(n) for n in range(len(warm))])
        again = len(warm) - 1
        self.assertEqual(batches[: 3 + again], [[9, 8], [4, 1], [9, 8]] + [[9, 8]] * again)
        return again

    def test_times_that_do_not_fall_end_it_at_once(self):
        noise = [0.5, 0.101, 0.1, 0.102, 0.099]
        self.assertIn(self.repeats(lambda n: noise[n % 5] if n else 0.5), range(5, 9))

    def test_times_that_fall_go_on(self):
        falling = lambda n: 0.05 + 0.05 * 0.9**n + 0.0002 * (n % 3)
        self.assertIn(self.repeats(falling), range(25, 95))

    def test_no_more_than_a_hundred(self):
        # One more batch was already delivered.
        self.assertEqual(self.repeats(lambda n: 0.05 * 0.99**n), 101)

    def test_brief_batches_take_half_a_second_but_no_more_than_an_epoch(self):
        self.assertIn(self.repeats(lambda n: 0.002, most_brief=1000), range(249, 260))
        self.assertIn(self.repeats(lambda n: 0.002, most_brief=150), range(150, 160))
        epoch = [{**step, "weight": 0 if step["warmup"] else 80} for step in STEPS]
        plan = self.plan(epoch, {"until_steady": True})
        self.assertEqual(plan.steady.most_brief + len(plan.steps), 160)

    def test_no_longer_than_ten_seconds_but_three_executions(self):
        self.assertEqual(self.repeats(lambda n: 3 * 0.99**n), 5)
        self.assertEqual(self.repeats(lambda n: 20 * 0.99**n), 4)

    def test_batches_that_workers_take_ahead_run_as_well(self):
        self.assertIn(self.repeats(lambda n: 0.1, workers=2), range(5, 14))

    def test_a_plan_without_warm_up_repeats_its_last_point(self):
        batches, rows = self.rows_of(lambda n: 0.1, STEPS[1:])
        self.assertGreater([row["point"] for row in rows].count("warm-up"), 3)
        self.assertEqual(
            [row["point"] for row in rows if row["warmup"] == "0"], ["sp1", "sp2", "sp1"]
        )
        self.assertEqual(batches[:5], [[4, 1], [9, 8], [9, 8], [9, 8], [9, 8]])

    def test_a_hand_written_loop_is_warm_as_planned(self):
        self.assertEqual(len(run(self.plan(), self.out)), 6)


class Busy(Folder):
    """The share of an execution in which the device works, from events in kineto's format."""

    def event(self, device, begin_us, length_us):
        return types.SimpleNamespace(
            device_type=lambda: device, start_us=lambda: begin_us, duration_us=lambda: length_us
        )

    def test_what_overlaps_counts_once_and_the_host_not_at_all(self):
        cpu, gpu = torch.profiler.DeviceType.CPU, torch.profiler.DeviceType.CUDA
        events = [
            self.event(gpu, 0, 100),
            self.event(gpu, 50, 100),
            self.event(gpu, 60, 10),
            self.event(gpu, 300, 50),
            self.event(cpu, 0, 9000),
        ]
        self.assertAlmostEqual(busy.covered(busy.intervals_in(events)), 200e-6)
        nanoseconds = types.SimpleNamespace(
            device_type=lambda: gpu, start_ns=lambda: 5_000, duration_ns=lambda: 2_000
        )
        self.assertAlmostEqual(busy.covered(busy.intervals_in([nanoseconds])), 2e-6)
        self.assertEqual(busy.covered([]), 0)

    def test_one_more_execution_behind_the_plan_has_it(self):
        events = [self.event(torch.profiler.DeviceType.CUDA, 0, 60_000)]
        profiler = unittest.mock.MagicMock()
        profiler.profiler.kineto_results.events.return_value = events
        with unittest.mock.patch.object(torch.cuda, "is_available", lambda: True):
            plan = self.plan([STEPS[0], {**STEPS[1], "weight": 5}, *STEPS[2:]])
        with unittest.mock.patch.object(
            device, "uses_device", lambda: True
        ), unittest.mock.patch.object(
            torch.cuda, "synchronize", lambda: None
        ), unittest.mock.patch.object(
            torch.cuda, "get_device_name", lambda: "GPU"
        ), unittest.mock.patch.object(
            torch.cuda, "profiler"
        ), unittest.mock.patch.object(
            device, "named", lambda name: contextlib.nullcontext()
        ), unittest.mock.patch.object(
            torch.profiler, "profile", lambda activities: profiler
        ):
            self.assertEqual(
                len(run(plan, self.out, lambda n: 0.1 if n < 6 else 0.5, phases=False)), 7
            )
        *others, last = self.table()
        self.assertEqual({row["device_busy"] for row in others}, {""})
        self.assertEqual(
            (last["point"], last["warmup"], last["execution"], last["device_busy"]),
            ("sp1", "1", "profiled", "0.600000"),
        )

    def test_on_a_cpu_there_is_no_such_column(self):
        with unittest.mock.patch.object(torch.cuda, "is_available", lambda: True):
            plan = self.plan()
        run(plan, self.out)
        self.assertNotIn("device_busy", self.table()[0])
        self.assertEqual(len(self.table()), 6)


# Iterations 1, 2 and 5, in two traces.
CHOSEN = {
    0: ProfilerAction.WARMUP,
    1: ProfilerAction.RECORD,
    2: ProfilerAction.RECORD_AND_SAVE,
    4: ProfilerAction.WARMUP,
    5: ProfilerAction.RECORD_AND_SAVE,
}


class Schedules(Folder):
    def test_pytorch_records_them(self):
        traces = []
        ready = lambda profiler: traces.append({event.key for event in profiler.key_averages()})
        with torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU],
            schedule=lambda step: CHOSEN.get(step, ProfilerAction.NONE),
            on_trace_ready=ready,
        ) as profiler:
            for _ in companion.Recorder(self.out, signature, profiler=profiler)(
                [[n] for n in range(1, 9)]
            ):
                torch.ones(2) + 1
        names = [sorted(name for name in trace if name.startswith("iter:")) for trace in traces]
        self.assertEqual(
            names,
            [
                ["iter:1 src_len=2 batch_size=1", "iter:2 src_len=3 batch_size=1"],
                ["iter:5 src_len=6 batch_size=1"],
            ],
        )

    @contextlib.contextmanager
    def traced(self, plan, traces):
        """A profiler that adds to `traces` how often each range is in a trace."""
        with torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU],
            schedule=plan.schedule(),
            on_trace_ready=lambda profiler: traces.append(
                collections.Counter(event.name for event in profiler.events())
            ),
        ) as profiler:
            yield profiler

    def test_of_a_plan_that_was_begun_anew_what_it_measures_is_recorded(self):
        plan, traces = self.plan(), []
        with self.traced(plan, traces) as profiler:
            recorder = companion.Recorder(self.out, plan=plan, profiler=profiler)
            loader = DataLoader(range(10), batch_sampler=plan, collate_fn=list)
            for _ in recorder(loader):
                break
            for _ in recorder(loader):
                pass
        self.assertEqual([(trace["sp1"], trace["sp2"]) for trace in traces], [(2, 1)])

    def test_a_plan_records_from_its_first_measurement_to_its_last(self):
        for workers in (0, 2):
            plan, traces = self.plan(), []
            with self.traced(plan, traces) as profiler:
                run(plan, self.out, workers=workers, profiler=profiler)
            self.assertEqual(
                [(trace["sp1"], trace["sp2"], trace["warm-up"]) for trace in traces], [(2, 1, 0)]
            )


class Recorders(Folder):
    def test_a_run_becomes_a_trace(self):
        recorder = companion.Recorder(self.out, signature)
        for _ in range(2):
            for _ in recorder([[3, 2], [5]]):
                pass
        rows = self.table()
        self.assertEqual(
            list(rows[0]),
            ["iteration", "epoch", "src_len", "batch_size", *SAID, *TIMES],
        )
        self.assertEqual(
            [list(row.values())[:4] for row in rows],
            [
                ["0", "0", "3", "2"],
                ["1", "0", "5", "1"],
                ["2", "1", "3", "2"],
                ["3", "1", "5", "1"],
            ],
        )
        self.assertTrue(all(0 <= float(row["runtime_s"]) < 1 for row in rows))

    def test_a_file_says_once_what_it_was_recorded_by(self):
        for _ in companion.Recorder(self.out, signature)([[3], [5]]):
            pass
        first, second = self.table()
        said = dict(word.split("=", 1) for word in first["recorded_by"].split())
        said.pop("commit", None)  # of the repository of the tests
        self.assertEqual(
            list(said), ["date", "clock", "resolution_s", "python", "torch", "cuda", "hip"]
        )
        self.assertEqual(said["torch"], torch.__version__)
        self.assertEqual(second["recorded_by"], "")
        self.assertEqual([row["device"] for row in (first, second)], ["cpu", "cpu"])
        self.assertEqual({row["host"] for row in (first, second)}, {platform.node()})

    def test_a_file_says_the_commit_of_the_working_folder(self):
        """Git has written a branch, packs it, and leaves it."""
        git = ["git", "-c", "user.name=A", "-c", "user.email=a@b"]
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            self.addCleanup(os.chdir, here)
            os.makedirs(f"{folder}/deep/er")
            os.chdir(f"{folder}/deep/er")
            self.assertEqual(provenance.commit(), [])
            subprocess.run([*git, "init", "-q", folder], check=True)
            self.assertEqual(provenance.commit(), [])
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
            head = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True)
            for command in (
                ["status", "-s"],
                ["pack-refs", "--all"],
                ["checkout", "-q", head.strip()],
            ):
                subprocess.run([*git, *command], check=True)
                self.assertEqual(provenance.commit(), [f"commit={head[:12]}"], command)
        self.assertEqual(provenance.commit(), [], "the folder has gone")

    def test_every_row_says_which_process_measured_it(self):
        def recorded():
            for _ in companion.Recorder(self.out, signature)([[3], [5]]):
                pass
            return {row["session"] for row in self.table()}

        here = recorded()
        self.assertRegex(" ".join(here), r"^p\d+-[0-9a-f]{8}$")
        self.assertEqual(recorded(), here, "a second file of the process")
        child = os.fork()
        if child == 0:
            recorded()
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        forked = {row["session"] for row in self.table()}
        self.assertEqual((len(forked), forked & here), (1, set()))

    def test_rows_that_wait_are_written_when_a_job_leaves_its_plan(self):
        """If every point has run once; before, rows are no profile."""
        job = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "import seqpoint_companion as companion\n"
            "plan = companion.Plan(sys.argv[2])\n"
            "recorder = companion.Recorder(sys.argv[3], plan=plan)\n"
            "recorder.rows.every_s = 3600\n"
            "for number, _ in enumerate(recorder(iter(plan))):\n"
            "    if number == int(sys.argv[4]): break\n"
            "assert recorder.rows.written == 0"
        )
        self.plan([*STEPS, step(4, "sp2", [9, 8], repeat=1)])
        for last, rows in ((6, 6), (4, 0)):
            out = self.out + str(last)
            words = ["-W", "ignore", "-c", job, os.path.join(SOURCE, "python"), self.path, out]
            subprocess.run([sys.executable, *words, str(last)], check=True)
            with open(out, encoding="utf-8") if rows else contextlib.nullcontext([]) as file:
                self.assertEqual(len(list(file)), rows + 1 if rows else 0)
            self.assertEqual(os.path.exists(out), rows > 0)

    def test_many_rows_do_not_wait(self):
        """Before their time has come: Python's garbage collector would look at all of them."""
        recorder = companion.Recorder(self.out, signature)
        recorder.rows.every_s, recorder.rows.most_waiting = 3600, 3
        rows = [recorder.rows.written for _ in recorder([[3]] * 8)]
        self.assertEqual(rows, [0, 0, 0, 3, 3, 3, 6, 6])
        self.assertEqual(recorder.close(), "")
        self.assertEqual(len(self.table()), 8)

    def test_nothing_else_is_read_while_an_iteration_is_timed(self):
        read, clock, cpu = [], time.perf_counter, time.process_time
        note = lambda name, value: read.append(name) or value
        with unittest.mock.patch.object(
            time, "perf_counter", lambda: note("clock", clock())
        ), unittest.mock.patch.object(
            time, "process_time", lambda: note("cpu", cpu())
        ), unittest.mock.patch.object(
            os, "getloadavg", lambda: note("load", (1.25, 2, 3))
        ):
            for _ in companion.Recorder(self.out, signature)([[3]]):
                read.append("iteration")
        loader = ["clock", "cpu"]  # it may be asked for a batch, and say that there is none
        timed = ["cpu", "clock", "iteration", "clock", "clock", "cpu", "load"]
        self.assertEqual(read, 2 * loader + timed + loader)
        self.assertEqual(self.table()[0]["load"], "1.25")

    def test_a_machine_that_does_not_tell_its_load_leaves_it_empty(self):
        missing = unittest.mock.Mock(side_effect=OSError)
        with unittest.mock.patch.object(os, "getloadavg", missing):
            for _ in companion.Recorder(self.out, signature)([[3]]):
                pass
        self.assertEqual(self.table()[0]["load"], "")

    def test_processor_time_is_that_of_the_process(self):
        """By the clock of all its threads, which stands still while they wait."""
        now = [0.0]
        with unittest.mock.patch.object(time, "process_time", lambda: now[0]):
            for batch in companion.Recorder(self.out, signature)([[1], [2]]):
                now[0] += 0.25 * (batch == [2])
        self.assertEqual([float(row["cpu_s"]) for row in self.table()], [0, 0.25])

    def test_clocks_of_a_gpu_are_in_every_row_where_its_library_tells_them(self):
        recorded = lambda libraries: self.on_a_gpu(libraries) or [
            [row.get(c) for c in ("gpu_clock_mhz", "gpu_memory_clock_mhz")] for row in self.table()
        ]
        self.assertEqual(recorded(Nvml()), [["1980", "2619"]] * 2)
        self.assertEqual(recorded(Nvml(fails_after=2)), [["1980", "2619"], ["", ""]])
        self.assertEqual(recorded(Nvml(found=1)), [[None, None]] * 2)
        self.assertEqual(
            recorded(unittest.mock.Mock(side_effect=OSError("no such library"))), [[None, None]] * 2
        )
        self.assertEqual(recorded(lambda name: object()), [[None, None]] * 2, "an old library")

    def test_a_clock_that_changes_while_points_are_measured_is_said(self):
        for clocks, said in (
            (itertools.cycle([1980, 1830]), True),
            (itertools.repeat(1980), False),
        ):
            changing = unittest.mock.Mock(columns=lambda: {"gpu_clock_mhz": next(clocks)})
            plan = self.plan()
            loader = DataLoader(range(10), batch_sampler=plan, collate_fn=list)
            out = self.out + str(said)
            with unittest.mock.patch.object(
                device, "Clocks", lambda: changing
            ), contextlib.redirect_stderr(io.StringIO()) as heard:
                for _ in companion.Recorder(out, plan=plan)(loader):
                    pass
            line = "the GPU's clock was between 1830 and 1980 MHz while points were measured"
            self.assertEqual(line in heard.getvalue(), said, heard.getvalue())
            self.assertEqual("takes up to 8% longer" in heard.getvalue(), said)

    def on_a_gpu(self, libraries):
        with unittest.mock.patch.object(
            device.ctypes, "CDLL", libraries
        ), unittest.mock.patch.object(
            device, "uses_device", lambda: True
        ), unittest.mock.patch.object(
            device, "named", lambda name: contextlib.nullcontext()
        ), unittest.mock.patch.object(
            torch.cuda, "synchronize", lambda: None
        ), unittest.mock.patch.object(
            torch.cuda, "get_device_name", lambda: "GPU"
        ), unittest.mock.patch.object(
            torch.cuda, "current_device", lambda: 3
        ):
            for _ in companion.Recorder(self.out, signature, phases=False)([[3], [5]]):
                pass

    def test_the_length_of_the_loader_is_kept(self):
        plan = self.plan()
        loader = DataLoader(range(10), batch_sampler=plan, collate_fn=list)
        recorded = companion.Recorder(self.out, plan=plan)(loader)
        self.assertEqual(len(recorded), 6)
        self.assertIs(recorded.dataset, loader.dataset)
        self.assertEqual(len(companion.Recorder(self.out, signature)([[1], [2]])), 2)

    def test_an_iteration_that_did_not_end_has_no_row(self):
        for batch in companion.Recorder(self.out, signature)([[3], [5], [6]]):
            if batch == [5]:
                break
        self.assertEqual(len(self.table()), 1)

    def test_an_epoch_that_is_left_is_an_epoch(self):
        recorder = companion.Recorder(self.out, signature)
        for _ in range(3):
            for batch in recorder([[1], [2], [3], [4], [5]]):
                if batch == [4]:
                    break
        self.assertEqual(
            [(row["iteration"], row["epoch"], row["src_len"]) for row in self.table()],
            [(str(4 * epoch + n), str(epoch), str(n + 1)) for epoch in range(3) for n in range(3)],
        )

    def test_a_loader_that_changes_the_order_is_refused(self):
        plan = self.plan()
        loader = DataLoader(range(10), batch_sampler=plan, collate_fn=list)
        loader.in_order = False  # an option of torch 2.6
        with self.assertRaisesRegex(companion.WrongBatch, "leave out in_order=False"):
            list(companion.Recorder(self.out, plan=plan)(loader))

    def test_two_loops_over_one_plan_by_turns_are_refused(self):
        plan = self.plan()
        first, second = iter(plan), iter(plan)
        next(first), next(second)
        with self.assertRaisesRegex(RuntimeError, "two loops iterate over this Plan at once"):
            next(first)

    def test_processes_at_different_places_are_refused(self):
        other = lambda values, own: values.__setitem__(slice(None), [own, ("batch 1", *own[1:])])
        with unittest.mock.patch.object(
            ranks, "process", lambda: (0, 2)
        ), unittest.mock.patch.object(torch.distributed, "all_gather_object", other):
            with self.assertRaisesRegex(RuntimeError, "at different batches: batch 0, batch 1"):
                ranks.of_all_processes("value", "batch 0")

    def test_the_body_is_timed_and_the_wait_but_not_the_start_of_the_loader(self):
        now = [0.0]

        def slow_loader():
            for n in (1, 2):
                now[0] += 0.2
                yield [n]

        with unittest.mock.patch.object(time, "perf_counter", lambda: now[0]):
            for batch in companion.Recorder(self.out, signature)(slow_loader()):
                now[0] += 0.05 * batch[0]
        self.assertEqual([float(row["runtime_s"]) for row in self.table()], [0.05, 0.3])
        self.assertEqual([float(row["wait_s"]) for row in self.table()], [0, 0.2])

    def test_lengths_are_in_a_profile_where_they_were_seen_and_not_copied_from_the_plan(self):
        run(self.plan(), self.out)
        self.assertEqual(
            list(self.table()[0]),
            [
                "point",
                "repeat",
                "iteration",
                "warmup",
                "execution",
                "src_len",
                "batch_size",
                *SAID,
                *TIMES,
            ],
        )
        run(self.plan(selection="0123456789abcdef-fedcba9876543210"), self.out, signature=signature)
        rows = self.table()
        self.assertEqual(
            list(rows[0]),
            [
                "point",
                "repeat",
                "iteration",
                "warmup",
                "execution",
                "selection",
                "src_len",
                "batch_size",
                *SAID,
                *TIMES,
            ],
        )
        self.assertEqual(
            [list(row.values())[:8] for row in rows if row["warmup"] == "0"],
            [
                [*row, "0", "measured", "0123456789abcdef-fedcba9876543210", length, "2"]
                for row, length in (
                    (["sp1", "0", "7"], "4"),
                    (["sp2", "0", "14"], "9"),
                    (["sp1", "1", "21"], "4"),
                )
            ],
        )

    def test_nothing_is_written_before_every_point_has_come(self):
        plan = self.plan()
        for number, _ in enumerate(companion.Recorder(self.out, plan=plan)(iter(plan))):
            self.assertEqual(
                os.path.exists(self.out), number > 4
            )  # from the end of the first measurement of sp2 on
        self.assertEqual(len(self.table()), 6)

    def test_without_plan_or_signature_there_is_nothing_to_write(self):
        with self.assertRaisesRegex(ValueError, "needs a signature"):
            companion.Recorder(self.out)


WRITER = """
import sys, time
sys.path.insert(0, sys.argv[1])
import seqpoint_companion as companion
recorder = companion.Recorder(sys.argv[2], lambda batch: {"src_len": batch, "batch_size": 1})
for batch in recorder(range(int(sys.argv[3]), int(sys.argv[3]) + int(sys.argv[4]))):
    print(batch, flush=True)
    sys.stdin.readline()
"""


class Writers(Folder):
    """Several independent processes record into one file."""

    def start(self, first, batches=40):
        code = [
            "-c",
            WRITER,
            os.path.dirname(os.path.dirname(companion.__file__)),
            self.out,
            str(first),
            str(batches),
        ]
        job = subprocess.Popen(
            [sys.executable, "-W", "ignore", *code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(lambda: (job.kill(), job.communicate()))
        return job

    def run_batches(self, job, number):
        for _ in range(number):
            job.stdout.readline()
            job.stdin.write("\n")
            job.stdin.flush()

    def lengths(self):
        return [int(row["src_len"]) for row in self.table()]

    def test_the_second_ends_and_the_first_goes_on(self):
        first, second = self.start(100), self.start(500)
        self.run_batches(first, 10)
        self.assertEqual(first.stdout.readline(), "110\n")
        _, said = second.communicate("\n" * 40, timeout=60)
        self.assertNotEqual(second.returncode, 0)
        self.assertIn(
            "out.csv: another process is recording into it: give each process a file of its own",
            said,
        )
        _, said = first.communicate("\n" * 40, timeout=60)
        self.assertEqual((first.returncode, said), (0, ""))
        self.assertEqual(self.lengths(), list(range(100, 140)))

    def test_many_at_once_leave_one_whole_profile(self):
        jobs = [self.start(100 * (n + 1)) for n in range(3)]
        for job in jobs:
            job.stdin.write("\n" * 40)
            job.stdin.flush()
        ends = [job.communicate(timeout=60)[1] for job in jobs]
        self.assertIn(self.lengths(), [list(range(first, first + 40)) for first in (100, 200, 300)])
        self.assertTrue(all("a file of its own" in said for said in ends if said), ends)

    def test_a_job_that_begins_again_writes_anew(self):
        killed = self.start(100)
        self.run_batches(killed, 10)
        killed.stdout.readline()
        killed.kill()
        killed.wait()
        again = self.start(500, batches=5)
        self.assertEqual(again.communicate("\n" * 5, timeout=60)[1], "")
        self.assertEqual(self.lengths(), list(range(500, 505)))

    def test_where_locks_are_missing_it_is_said_and_a_second_writer_noticed(self):
        missing = unittest.mock.Mock(side_effect=OSError(37, "No locks available"))
        with unittest.mock.patch.object(outputs.fcntl, "lockf", missing):
            recorder = companion.Recorder(self.out, signature)
            batches = iter(recorder([[1], [2], [3]]))
            next(batches)
            with self.assertWarnsRegex(UserWarning, "out.csv: locks are missing here"):
                next(batches)
            with open(self.out, "r+", encoding="utf-8") as file:
                file.seek(0, os.SEEK_END)
                file.write("1")
            with self.assertRaisesRegex(RuntimeError, "something else has written into it"):
                next(batches)

    def test_a_file_that_goes_away_is_missed(self):
        batches = iter(companion.Recorder(self.out, signature)([[1], [2], [3]]))
        next(batches), next(batches)
        os.remove(self.out)
        with self.assertRaisesRegex(RuntimeError, "removed or replaced"):
            next(batches)

    def test_one_process_may_record_anew_while_an_old_recorder_is_there(self):
        old = companion.Recorder(self.out, signature)
        list(old([[1], [2]]))
        list(companion.Recorder(self.out, signature)([[5]]))
        self.assertEqual(self.lengths(), [5])
        with self.assertRaisesRegex(RuntimeError, "removed or replaced"):
            list(old([[3]]))
        self.assertEqual(self.lengths(), [5])

    def test_workers_of_a_loader_do_not_keep_the_file(self):
        list(companion.Recorder(self.out, signature)([[1]]))
        recorder = companion.Recorder(self.out, signature)
        for number, _ in enumerate(
            recorder(
                DataLoader(
                    range(4), batch_size=1, collate_fn=list, num_workers=1, persistent_workers=True
                )
            )
        ):
            if number == 2:
                break
        self.assertIn(
            "another process is recording", self.start(500, 3).communicate("\n" * 3, timeout=60)[1]
        )
        del recorder, _
        self.assertEqual(self.start(500, 3).communicate("\n" * 3, timeout=60)[1], "")

    def test_what_is_no_file_is_for_all(self):
        for _ in range(2):
            list(companion.Recorder(os.devnull, signature)([[1], [2]]))


class Devices(Folder):
    """The calls for a GPU, and their times; a GPU is not needed."""

    def calls(self, plan):
        done = []
        cuda = unittest.mock.MagicMock()
        cuda.is_available.return_value = cuda.is_initialized.return_value = True
        cuda.synchronize.side_effect = lambda: done.append("wait")
        cuda.nvtx.range_push.side_effect = lambda name: done.append(f"push {name}")
        cuda.nvtx.range_pop.side_effect = lambda: done.append("pop")
        cuda.profiler.start.side_effect = lambda: done.append("start")
        cuda.profiler.stop.side_effect = lambda: done.append("stop")
        cuda.get_device_name.return_value = "Some GPU, 80 GB"
        cuda.current_device.return_value = 0  # with a GPU, its clocks are read by that number
        with unittest.mock.patch.object(torch, "cuda", cuda):
            for _ in companion.Recorder(self.out, plan=plan)(iter(plan)):
                done.append("train")
        return done

    def test_a_range_holds_all_that_the_device_does(self):
        names = ("warm-up", "warm-up", "warm-up", "sp1", "sp2", "sp1")
        calls = [["wait", f"push {name}", "train", "wait", "pop"] for name in names]
        warmup, measured = itertools.chain(*calls[:3]), itertools.chain(*calls[3:])
        self.assertEqual(self.calls(self.plan()), [*warmup, "start", *measured, "stop"])
        self.assertEqual({row["device"] for row in self.table()}, {"Some GPU, 80 GB"})


class Names(unittest.TestCase):
    def test_names_say_what_a_step_is(self):
        self.assertEqual(
            name_of({"iteration": 17, "src_len": 35, "tgt_len": 30, "batch_size": 8}),
            "iter:17 src_len=35 tgt_len=30 batch_size=8",
        )
        self.assertEqual(name_of({"point": "sp3", "warmup": 0, "src_len": 35}), "sp3")
        self.assertEqual(name_of({"point": "sp3", "warmup": 1, "src_len": 35}), "warm-up")


unittest.main(warnings="ignore")  # batches here are lists of numbers, without lengths
