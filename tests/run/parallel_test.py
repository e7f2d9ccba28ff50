"""`seqpoint run --parallel`, and jobs on other machines, with stand-ins for a launcher:

    parallel_test.py PROGRAM SOURCE_DIR [TEST...]
"""

import json
import os
import re
import shlex
import signal
import unittest

from ending import keepers_of, processes_of, wait_for
from run_test import PYTHON, Folder, job, when

# Runs the words after its options. The processes of each group begin together: one waits for the
# others, while the run has all results of the groups before, and none of those after has begun.
SRUN = """
import json, os, sys, time

words = sys.argv[1:]
while words[0].startswith("-"):
    del words[0]
name, groups = os.path.basename(os.environ["SEQPOINT_OUTPUT"]), json.loads(os.environ["TOGETHER"])
mine = [n for n, group in enumerate(groups) if name in group]
if mine:
    open(f".began-{name}", "w").close()
    after, end = sum(groups[mine[0] + 1 :], []), time.monotonic() + 60
    while not all(os.path.exists(f".began-{other}") for other in groups[mine[0]]):
        time.sleep(0.01)
        if time.monotonic() > end:
            sys.exit("the others do not begin")
    for other in sum(groups[: mine[0]], []):
        if not os.path.exists(f"seqpoint-run/{other}"):
            sys.exit(f"{other} has not ended")
    if any(os.path.exists(f".began-{other}") for other in after):
        sys.exit("a later one has begun")
os.environ.update(json.loads(os.environ.get("MACHINES", "{}")).get(name, {}))
os.execvp(words[0], words)
"""


class Clusters(Folder):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.stand_in("srun", f"#!{PYTHON} -I\n{SRUN}")

    def stand_in(self, name, text):
        with open(self.path("bin", name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path("bin", name), 0o755)

    def on_cluster(self, *words, together=(), machines=None, **more):
        own = {"TOGETHER": json.dumps(together), "MACHINES": json.dumps(machines or {})}
        path = f"{self.path('bin')}:{os.environ['PATH']}"
        return self.run_it(*words, PATH=path, **own, **more)

    def starts(self):
        return [start["output"] for start in self.record()["starts"]]

    def epochs(self, folder="seqpoint-run"):
        with open(self.path(folder, "projection.json"), encoding="utf-8") as file:
            return [c["metrics"]["runtime_s"] for c in json.load(file)["configurations"]]


class Parallel(Clusters):
    def test_results_are_those_of_processes_one_after_the_other(self):
        words = ["--max-processes", "4", "--precision", "0.01%", "--max-time", "1h"]
        together = [["run-1.csv", "run-2.csv"], ["run-3.csv", "run-4.csv"]]
        srun = ["srun", "--exclusive", "-N1", *job()]
        done = self.on_cluster(*words, "--parallel", "2", "--", *srun, together=together)
        self.assertEqual(self.starts(), ["order.csv", *sum(together, [])])
        self.assertEqual([look["processes"] for look in self.record()["looks"]], [2])
        self.assertEqual(re.findall(r"process (\d)   ", done.stderr), ["1", "2", "3", "4"])
        scratch = [start["environment"]["SEQPOINT_SCRATCH"] for start in self.record()["starts"]]
        self.assertEqual(len(set(scratch)), 5)
        self.assertTrue(all("stretch" in start for start in self.record()["starts"][1:]))
        self.on_cluster(*words, "-o", "alone", "--", *srun)
        for n in range(1, 5):
            with open(self.path("alone", f"run-{n}.csv"), "rb") as file:
                self.assertEqual(file.read(), self.read(f"run-{n}.csv"))
        self.assertEqual(self.epochs(), self.epochs("alone"))

    def builds(self, *names):
        return [f"{name}={shlex.join(['srun', *job('--seed', 'same')])}" for name in names]

    def test_rounds_stay_together(self):
        together = [["a-1.csv", "b-1.csv"], ["c-1.csv"], ["c-2.csv", "b-2.csv"], ["a-2.csv"]]
        words = ["--max-processes", "2", "--precision", "0.01%", "--parallel", "2"]
        self.on_cluster(*words, *self.builds("a", "b", "c"), together=together)
        self.assertEqual(self.starts()[3:], sum(together, []))

    def test_several_rounds_at_a_time(self):
        rounds = [["a-1.csv", "b-1.csv", "b-2.csv", "a-2.csv"], ["a-3.csv", "b-3.csv"]]
        words = ["--max-processes", "3", "--precision", "0.01%", "--parallel", "5"]
        self.on_cluster(*words, *self.builds("a", "b"), together=rounds)
        self.assertEqual(self.starts()[2:], sum(rounds, []))

    def test_one_that_fails_is_told_once_the_others_are_kept(self):
        fails = job("--do", "crash", "--in", "run-2.csv")
        command = when("fixed", ["srun", *fails], ["srun", *job()])
        words = ["--parallel", "3", "--max-processes", "3", "--precision", "0.01%", command]
        together = [["run-1.csv", "run-2.csv", "run-3.csv"]]
        done = self.on_cluster(*words, together=together, status=3)
        self.assertIn("run-2.log: the job ended with status 1 after ", done.stderr)
        self.assertEqual(self.starts(), ["order.csv", "run-1.csv", "run-3.csv"])
        with open(self.path("fixed"), "w", encoding="utf-8"):
            pass
        self.on_cluster("--resume", "seqpoint-run", *words, together=together)
        starts = self.record()["starts"]
        outputs = ["order.csv", "run-1.csv", "run-3.csv", "run-2.csv"]
        self.assertEqual(self.starts(), outputs)
        self.assertTrue(all("stretch" in start for start in starts[1:]))

    def test_several_that_fail(self):
        order, fails = shlex.join(job()), shlex.join(job("--do", "crash"))
        command = f"case $SEQPOINT_HOOK in order) srun {order};; *) srun {fails};; esac"
        done = self.on_cluster("--parallel", "2", command, status=3)
        self.assertRegex(done.stderr, r"warning: process 2: the job ended with status")
        self.assertRegex(done.stderr, r"error: seqpoint-run/run-1.log: the job ended with status")
        self.assertEqual(processes_of(self.folder), [])

    def test_all_end_with_the_run(self):
        hangs = ["srun", *job("--do", "hang", "--in", "run-2.csv", "--pause", "0.05")]
        path = f"{self.path('bin')}:{os.environ['PATH']}"
        words = ["--parallel", "3", "--grace", "1s", "--", *hangs]
        for n, number in enumerate((signal.SIGINT, signal.SIGKILL)):
            running = self.start(*words, PATH=path, TOGETHER="[]")
            wait_for(lambda: len(processes_of(self.folder)) == 3)
            self.assertEqual(len(keepers_of(running.pid)), 3)
            running.send_signal(number)
            running.communicate(timeout=60)
            wait_for(lambda: not processes_of(self.folder))
            self.assertEqual(running.returncode, -number if number == signal.SIGKILL else 130)
            os.rename(self.path("seqpoint-run"), self.path(f"was-{n}"))

    def writes(self, pid, name):
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"SEQPOINT_OUTPUT={self.path('seqpoint-run', 'unfinished', name)}\0" in (
                file.read().decode()
            )

    def test_a_keeper_that_is_killed_ends_its_own_job(self):
        """The others have results."""
        hangs = ["srun", *job("--do", "hang", "--in", "run-2.csv", "--pause", "0.05")]
        path = f"{self.path('bin')}:{os.environ['PATH']}"
        words = ["--parallel", "3", "--max-processes", "3", "--", *hangs]
        running = self.start(*words, PATH=path, TOGETHER="[]")
        wait_for(lambda: len(processes_of(self.folder)) == 3)
        jobs = {pid: keepers_of(pid) for pid in keepers_of(running.pid)}
        ((keeper, (hanging,)),) = [of for of in jobs.items() if self.writes(*of[1], "run-2.csv")]
        os.kill(keeper, signal.SIGKILL)
        told = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, 3, told)
        self.assertIn("run-2.log: the job was ended by signal 9 ", told)
        self.assertNotIn(hanging, processes_of(self.folder))
        self.assertEqual(self.starts(), ["order.csv", "run-1.csv", "run-3.csv"])

    def test_one_machine_is_refused(self):
        refused = (
            ["--", "true"],
            ["--", "mpirun", "-n", "2", "true"],
            ["echo srun true"],
            ["a=srun true", "b=true"],
        )
        for words in refused:
            with self.subTest(words=words):
                done = self.on_cluster("--parallel", "2", *words, status=2)
                self.assertRegex(done.stderr, r"--parallel 2: .* on this machine, where they would")
                self.assertIn(
                    "hint: let a launcher place each on a machine of its own", done.stderr
                )
        self.stand_in("mpirun", "#!/bin/sh\nexit 7\n")
        placed = (
            ["--", "mpirun", "-H", "a,b", "true"],
            ["--", "env", "A=1", "mpirun", "--hostfile=hosts", "true"],
            ["cd . && A=1 exec srun true"],
        )
        for n, words in enumerate(placed):
            with self.subTest(words=words):
                done = self.on_cluster("-o", f"run-{n}", "--parallel", "2", *words, status=3)
                self.assertNotIn("--parallel", done.stderr)


class Machines(Clusters):
    WORDS = ("--parallel", "2", "--precision", "15%", "--", "srun")

    def test_hosts_may_differ(self):
        machines = {f"run-{n}.csv": {"FAKE_HOST": f"node{n}", "FAKE_DEVICE": "A"} for n in (1, 2)}
        done = self.on_cluster(*self.WORDS, *job(), machines=machines)
        self.assertNotIn("node2", done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\nnext +seqpoint run --resume .* --parallel 2\n")
        self.assertIn(b"node2", self.read("run-2.csv"))

    def test_kinds_of_devices_are_not_mixed(self):
        machines = {"run-1.csv": {"FAKE_DEVICE": "A100"}, "run-2.csv": {"FAKE_DEVICE": "H100"}}
        done = self.on_cluster(*self.WORDS, *job(), machines=machines, status=3)
        self.assertRegex(done.stderr, r"run-2.csv:\d+: .*device.* is H100, but A100 in .*run-1.csv")
        self.assertIn("start all on one kind of device", done.stderr)

    def test_events_of_another_machine(self):
        """It has a report of its own, beside the run's."""
        machines = {f"run-{n}.csv": {"FAKE_HOST": "node2"} for n in (1, 2)}
        self.on_cluster(*self.WORDS, *job("--report", ".node2"), machines=machines)
        self.assertEqual(self.starts(), ["order.csv", "run-1.csv", "run-2.csv"])

    def test_a_folder_that_another_machine_does_not_see(self):
        away = "SEQPOINT_CALLER=another:1 SLURM_PROCID=1 SEQPOINT_REPORT=/nowhere/run/unfinished/e"
        self.stand_in("srun", f'#!/bin/sh\nexport {away}\nexec "$@"\n')
        sleeps = [PYTHON, "-c", "import time; time.sleep(600)"]
        done = self.on_cluster("--", "srun", *sleeps, status=4)
        self.assertRegex(
            done.stderr, r"order.log: \S+ cannot write into /nowhere/run: No such file"
        )
        self.assertIn("-o DIR on a file system that they share", done.stderr)
        self.assertEqual(processes_of(self.folder), [])


if __name__ == "__main__":
    unittest.main()
