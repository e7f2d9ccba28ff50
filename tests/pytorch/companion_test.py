"""The companion's own rules, without a training job:

    companion_test.py SOURCE_DIR

Exit status 77 (skipped) where PyTorch cannot be imported.
"""

import json
import os
import sys
import tempfile
import unittest
import unittest.mock

try:
    import torch
    from torch.profiler import ProfilerAction
    from torch.utils.data import DataLoader
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.abspath(sys.argv.pop(1)), "examples", "pytorch"))
import seqpoint_companion as companion


def step(index, point, rows, warmup=False, repeat=0, **more):
    return {"index": index, "point": int(point[2:]) - 1, "id": point, "iteration": 7 * index, "warmup": warmup, "repeat": repeat,
            "src_len": max(rows), "batch_size": len(rows), "rows": rows, "weight": 1, **more}


STEPS = [step(0, "sp2", [9, 8], warmup=True), step(1, "sp1", [4, 1]), step(2, "sp2", [9, 8]), step(3, "sp1", [4, 1], repeat=1)]
TASKS = [{"index": 0, "points": ["sp1"], "steps": 3}, {"index": 1, "points": ["sp2"], "steps": 2}]


def signature(batch):  # the value of a sample is its length here
    return {"src_len": max(batch), "batch_size": len(batch)}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "plan.json")
        self.out = os.path.join(folder.name, "out.csv")

    def plan(self, steps=STEPS, options=None, **keys):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"schema": "seqpoint/plan/1", "steps": steps, "tasks": TASKS, **keys}, file)
        return companion.Plan(self.path, **(options or {}))

    def written(self):
        with open(self.out, encoding="utf-8") as file:
            return [line.rstrip("\n").split(",") for line in file]


class Plans(Folder):
    def test_a_loader_delivers_the_batches_in_the_order_of_their_index(self):
        loader = DataLoader(range(10), batch_sampler=self.plan(list(reversed(STEPS))), collate_fn=list)
        self.assertEqual(len(loader), 4)
        self.assertEqual(list(loader), [[9, 8], [4, 1], [9, 8], [4, 1]])
        self.assertEqual(list(loader), [[9, 8], [4, 1], [9, 8], [4, 1]], "and again")

    def test_also_with_workers(self):
        loader = DataLoader(range(10), batch_sampler=self.plan(), collate_fn=list, num_workers=2)
        self.assertEqual(list(loader), [[9, 8], [4, 1], [9, 8], [4, 1]])

    def test_a_task_is_warmed_up_with_its_own_largest_point(self):
        for task in (0, "0"):
            plan = self.plan(options={"task": task})
            self.assertEqual([(s["id"], s["warmup"]) for s in plan.steps], [("sp1", True), ("sp1", False), ("sp1", False)])
        self.assertEqual(len(self.plan(options={"task": "all"})), 4)

    def test_shapes_settle_once_before_they_are_measured(self):
        plan = self.plan(options={"settle": 1})
        self.assertEqual([(s["id"], s["warmup"]) for s in plan.steps],
                         [("sp2", True), ("sp1", True), ("sp1", False), ("sp2", True), ("sp2", False), ("sp1", False)])

    def test_a_rank_gets_its_own_rows(self):
        steps = [step(0, "sp1", [5, 6, 7], rank_ends=[2, 3])]
        self.assertEqual(list(self.plan(steps, {"rank": 0}, world_size=2)), [[5, 6]])
        self.assertEqual(list(self.plan(steps, {"rank": 1}, world_size=2)), [[7]])
        with self.assertRaisesRegex(ValueError, "2 ranks: say which one"):
            self.plan(steps, world_size=2)

    def test_what_is_no_plan_is_refused(self):
        with self.assertRaisesRegex(ValueError, "'seqpoint/seqpoints/1', not 'seqpoint/plan/1'"):
            self.plan(schema="seqpoint/seqpoints/1")
        with self.assertRaisesRegex(ValueError, "step 0 has no rows"):
            self.plan([{**STEPS[0], "rows": []}])


class Schedules(Folder):
    def test_exactly_the_steps_are_recorded_each_run_of_them_a_trace(self):
        action = companion.schedule([3, 4, 8])
        none, warm, record, save = (ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        self.assertEqual([action(n) for n in range(10)], [none, none, warm, record, save, none, none, warm, save, none])

    def test_pytorch_records_them(self):
        traces = []
        ready = lambda profiler: traces.append({event.key for event in profiler.key_averages()})
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], schedule=companion.schedule([1, 2, 5]), on_trace_ready=ready) as profiler:
            for _ in companion.Recorder(self.out, signature, profiler=profiler)([[n] for n in range(1, 9)]):
                torch.ones(2) + 1
        names = [sorted(name for name in trace if name.startswith("iter:")) for trace in traces]
        self.assertEqual(names, [["iter:1 src_len=2 batch_size=1", "iter:2 src_len=3 batch_size=1"], ["iter:5 src_len=6 batch_size=1"]])

    def test_a_plan_records_what_it_measures(self):
        action = self.plan().schedule()
        self.assertEqual([action(n) for n in range(4)],
                         [ProfilerAction.WARMUP, ProfilerAction.RECORD, ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE])


class Recorders(Folder):
    def test_a_run_becomes_a_trace(self):
        recorder = companion.Recorder(self.out, signature)
        for _ in range(2):
            for _ in recorder([[3, 2], [5]]):
                pass
        rows = self.written()
        self.assertEqual(rows[0], ["iteration", "epoch", "src_len", "batch_size", "runtime_s"])
        self.assertEqual([row[:4] for row in rows[1:]], [["0", "0", "3", "2"], ["1", "0", "5", "1"], ["2", "1", "3", "2"], ["3", "1", "5", "1"]])
        self.assertTrue(all(0 <= float(row[4]) < 1 for row in rows[1:]))

    def test_an_iteration_that_did_not_end_has_no_row(self):
        for batch in companion.Recorder(self.out, signature)([[3], [5], [6]]):
            if batch == [5]:
                break
        self.assertEqual(len(self.written()), 2)

    def test_the_body_is_timed_and_not_the_loader(self):
        def slow_loader():
            for n in (1, 2):
                companion.time.sleep(0.2)
                yield [n]

        for batch in companion.Recorder(self.out, signature)(slow_loader()):
            companion.time.sleep(0.05 * batch[0])
        seconds = [float(row[4]) for row in self.written()[1:]]
        self.assertGreaterEqual(seconds[0], 0.05)
        self.assertGreaterEqual(seconds[1], 0.1)
        # Only that the loader's 0.2 s are not in it; a machine that stalls for as long spoils one of three, not all.
        self.assertLess(min(seconds[0] - 0.05, seconds[1] - 0.1), 0.15)

    def test_a_plan_becomes_a_profile(self):
        plan = self.plan()
        for _ in companion.Recorder(self.out, plan=plan)(iter(plan)):
            pass
        rows = self.written()
        self.assertEqual(rows[0], ["point", "repeat", "warmup", "src_len", "batch_size", "runtime_s"])
        self.assertEqual([row[:5] for row in rows[1:]],
                         [["sp2", "0", "1", "9", "2"], ["sp1", "0", "0", "4", "2"], ["sp2", "0", "0", "9", "2"], ["sp1", "1", "0", "4", "2"]])

    def test_another_data_set_is_noticed(self):
        recorder = companion.Recorder(self.out, signature, plan=self.plan())
        with self.assertRaisesRegex(ValueError, "step 0 of the plan has src_len 9, the loader delivered 90"):
            for _ in recorder([[90, 80]]):
                pass
        with self.assertRaisesRegex(ValueError, "more than the plan's 4 batches"):
            for _ in companion.Recorder(self.out, plan=self.plan())([[1]] * 5):
                pass

    def test_without_plan_or_signature_there_is_nothing_to_write(self):
        with self.assertRaisesRegex(ValueError, "needs a signature"):
            companion.Recorder(self.out)


class Devices(Folder):
    """What is asked of a GPU, and when; there need not be one."""

    def calls(self, plan):
        done = []
        cuda = unittest.mock.MagicMock()
        cuda.is_available.return_value = cuda.is_initialized.return_value = True
        cuda.synchronize.side_effect = lambda: done.append("wait")
        cuda.nvtx.range_push.side_effect = lambda name: done.append(f"push {name}")
        cuda.nvtx.range_pop.side_effect = lambda: done.append("pop")
        cuda.profiler.start.side_effect = lambda: done.append("start")
        cuda.profiler.stop.side_effect = lambda: done.append("stop")
        with unittest.mock.patch.object(torch, "cuda", cuda):
            for _ in companion.Recorder(self.out, plan=plan)(iter(plan)):
                done.append("train")
        return done

    def test_a_range_holds_all_that_the_device_does(self):
        warm, *rest = [["wait", f"push {name}", "train", "wait", "pop"] for name in ("warm-up", "sp1", "sp2", "sp1")]
        self.assertEqual(self.calls(self.plan()), [*warm, "start", *rest[0], *rest[1], *rest[2], "stop"])


class Names(unittest.TestCase):
    def test_names_say_what_a_step_is(self):
        self.assertEqual(companion.name_of({"iteration": 17, "src_len": 35, "tgt_len": 30, "batch_size": 8}), "iter:17 src_len=35 tgt_len=30 batch_size=8")
        self.assertEqual(companion.name_of({"point": "sp3", "warmup": 0, "src_len": 35}), "sp3")
        self.assertEqual(companion.name_of({"point": "sp3", "warmup": 1, "src_len": 35}), "warm-up")


unittest.main()
