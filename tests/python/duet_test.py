"""Two processes that take turns: duet_test.py ROOT"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = ""
# A process of a duet: LOG SIDE WARM-UP POINTS ROW, and after how many batches of all it dies.
PROCESS = """
import os, sys, time, types
from seqpoint_companion import duet
log, side, warm_up, points, row, dies = sys.argv[1], *map(int, sys.argv[2:])
name = "AB"[side]
plan = types.SimpleNamespace(
    ran=0, begin=warm_up, steps=range(warm_up + points), steady=types.SimpleNamespace(done=True)
)
def run(what):
    with open(log, "a") as file:
        file.write(f"{name}{what} ")
    time.sleep(0.002)
own = duet.of_this_process()
own.meet()
for batch in range(warm_up + points):
    run(f"w" if batch < warm_up else batch - warm_up)
    plan.ran += 1
    if plan.ran == dies:
        os._exit(1)
    own.batch_has_run(plan)
for batch in range(row):
    run("r")
own.leave()
"""


class Duet(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.duet = os.path.join(self.folder, "duet")
        os.mkdir(self.duet)
        for side in "01":
            os.mkfifo(os.path.join(self.duet, side))

    def start(self, side, warm_up=1, points=4, row=2, dies=0):
        """A process of the duet."""
        environment = {
            **os.environ,
            "PYTHONPATH": os.path.join(ROOT, "python"),
            "SEQPOINT_DUET": self.duet,
            "SEQPOINT_SIDE": str(side),
            "SEQPOINT_REPORT": os.path.join(self.folder, f"events-{side}"),
        }
        numbers = map(str, (side, warm_up, points, row, dies))
        words = [sys.executable, "-c", PROCESS, os.path.join(self.folder, "log"), *numbers]
        return subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)

    def log(self, *processes):
        """What ran, in its order, once these have ended well."""
        for process in processes:
            _, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, errors), (0, ""))
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            return file.read().split()

    def events(self, side):
        with open(os.path.join(self.folder, f"events-{side}"), encoding="utf-8") as file:
            return file.read()

    def test_batches_come_in_pairs(self):
        log = self.log(self.start(0), self.start(1))
        self.assertEqual(" ".join(log), "Aw Bw B0 A0 A1 B1 B2 A2 A3 B3 Br Br Ar Ar")
        for side in (0, 1):
            self.assertIn('"whole": true', self.events(side))

    def test_an_odd_number_of_points(self):
        log = self.log(self.start(0, points=3), self.start(1, points=3))
        self.assertEqual(" ".join(log), "Aw Bw B0 A0 A1 B1 B2 A2 Ar Ar Br Br")

    def test_one_warms_up_for_longer(self):
        """The other one waits at the points."""
        for one, other in ((1, 6), (6, 1)):
            log = self.log(self.start(0, warm_up=one), self.start(1, warm_up=other))
            points = [of for of in log if of[1] not in "wr"]
            first, second = points[0][0], points[1][0]
            pairs = [f"{first}0 {second}0", f"{second}1 {first}1"]
            pairs += [f"{first}2 {second}2", f"{second}3 {first}3"]
            self.assertEqual(" ".join(points), " ".join(pairs))
            self.assertEqual(log.index(points[0]), 7, log)
            os.remove(os.path.join(self.folder, "log"))

    def test_one_has_more_batches(self):
        """A batch that was interrupted runs again."""
        log = self.log(self.start(0, points=4), self.start(1, points=7))
        self.assertEqual([of for of in log if of[0] == "B" and of != "Br"][-1], "B6")
        rows = [of[0] for of in log if of[1] == "r"]
        self.assertIn(rows, (list("AABB"), list("BBAA")))

    def test_one_dies(self):
        """Its file has no writer any more."""
        for side in (0, 1):
            dies, lives = self.start(side, dies=3), self.start(1 - side)
            self.assertEqual(dies.wait(timeout=60), 1)
            log = self.log(lives)
            dies.stderr.close()
            self.assertEqual(log.count("BA"[side] + "r"), 2)
            self.assertIn('"alone"', self.events(1 - side))
            self.assertNotIn('"whole": true', self.events(1 - side))
            os.remove(os.path.join(self.folder, "log"))

    def test_one_never_comes(self):
        """`seqpoint run` removes the folder when a job has ended."""
        waits = self.start(1)
        time.sleep(0.5)
        self.assertIsNone(waits.poll())
        shutil.rmtree(self.duet)
        self.assertEqual(self.log(waits).count("Br"), 2)
        self.assertIn('"alone"', self.events(1))

    def test_both_run_on_the_same_core(self):
        """Whoever gets a turn goes on where the other one has run."""
        script = (
            "import os; from seqpoint_companion.duet import core, move_to;"
            "cores = sorted(os.sched_getaffinity(0));"
            "found = [(move_to(to), core())[1] == to for to in cores * 20];"
            "print(sum(found) / len(found), sorted(os.sched_getaffinity(0)) == cores)"
        )
        environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True
        )
        share, restored = done.stdout.split()
        self.assertGreater(float(share), 0.5, done)
        self.assertEqual(restored, "True")


if __name__ == "__main__":
    ROOT = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
