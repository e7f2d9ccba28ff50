"""Killed jobs, full disks, folders without permission, and two writers of one file:

    kills_test.py SOURCE_DIR [KILLS]

Afterwards the output contains only whole rows or its earlier content, and no whole row is lost. The
kills, at random moments, are distributed over `order`, `record` and `measure`, each with one
process and with two ranks over gloo. The jobs are forked from this process, which imports PyTorch
once for all.
"""

import atexit
import contextlib
import csv
import io
import json
import os
import random
import resource
import signal
import socket
import sys
import tempfile
import time
import unittest

KILLS = int(sys.argv.pop(2)) if sys.argv[2:] and sys.argv[2].isdecimal() else 12

from plans import companion, torch, without_repeats  # noqa: F401  imported before the forks

from seqpoint_companion import __main__ as command
from seqpoint_companion import recorded_rows
from seqpoint_companion.loop import plan_loop, order_loop, timed_loop  # noqa: F401

SEED = int(os.environ.get("SEED") or time.time_ns() % 1_000_000)
NOBODY = 65534
JOB = """
import random, sys, time
import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

epochs, seed, ranks = map(int, sys.argv[1:])
torch.set_num_threads(1)
if ranks > 1:
    torch.distributed.init_process_group("gloo")
draw = random.Random(seed)
data = [torch.full((draw.randrange(4, 40),), float(n)) for n in range(160)]

class Batches:
    def __iter__(self):
        rank = torch.distributed.get_rank() if ranks > 1 else 0
        rows = torch.randperm(160, generator=torch.Generator().manual_seed(seed)).tolist()
        return iter([rows[n:n + 4] for n in range(4 * rank, 160, 4 * ranks)])

def pad(samples):
    time.sleep(0.001)
    return {"input_ids": torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)}

model = torch.nn.Linear(1, 1)
model = DistributedDataParallel(model) if ranks > 1 else model
optimiser = torch.optim.SGD(model.parameters(), lr=1e-9)
for epoch in range(epochs):
    for batch in DataLoader(data, batch_sampler=Batches(), collate_fn=pad):
        optimiser.zero_grad()
        model(batch["input_ids"].unsqueeze(-1)).sum().backward()
        optimiser.step()
print("trained")
"""


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.out = folder.name, os.path.join(folder.name, "out.csv")
        self.write("job.py", JOB)
        os.chdir(self.folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name="out.csv"):
        with contextlib.suppress(FileNotFoundError):
            with open(os.path.join(self.folder, name), "rb") as file:
                return file.read()
        return b""

    def start(self, words, epochs=1, seed=1, ranks=1, before=lambda: None):
        """Process ids of the ranks of a job."""
        port = free_port()
        return [
            self.fork(words, [epochs, seed, ranks], rank, port, before) for rank in range(ranks)
        ]

    def fork(self, words, arguments, rank, port, before):
        process = os.fork()
        if process:
            return process
        atexit._clear()  # exit handlers of this process remove its temporary folder
        os.environ.update(RANK=str(rank), WORLD_SIZE=str(arguments[2]), SEQPOINT_PROCESS="0")
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
        said = os.open(f"said.{rank}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(said, 1)
        os.dup2(said, 2)
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(open(n, "wb", 0), write_through=True) for n in (1, 2)
        )
        timed_loop.EVERY_S = 0  # one row per write, so that more writes can be cut
        before()
        status = 70
        try:
            status = command.main([*words, "--", "job.py", *map(str, arguments)])
        except SystemExit as end:
            status = end.code
        finally:
            os._exit(status)

    def end(self, processes):
        return [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]

    def run_job(self, words, status=0, **more):
        self.assertEqual(
            set(self.end(self.start(words, **more))), {status}, self.read("said.0").decode()
        )
        return self.read("said.0").decode()

    def whole_rows(self, data):
        """The rows of a file, which has to end with a whole one."""
        if not data:
            return []
        self.assertTrue(data.endswith(b"\n"), data[-200:])
        self.assertFalse(b"\0" in data, "bytes that nobody has written")
        header, *rows = csv.reader(io.StringIO(data.decode()))
        for row in rows:
            self.assertEqual(len(row), len(header), row)
            self.assertTrue(row[-1], row)
        return [dict(zip(header, row)) for row in rows]

    def plan(self, ranks):
        """A plan over the job's own order: four points, each twice."""
        self.run_job(["order", "--lengths", "-o", "order.csv"], ranks=ranks)
        steps = []
        for iteration in (2, 5, 7, 9, 2, 5, 7, 9, 1, 3):
            row = self.whole_rows(self.read("order.csv"))[iteration]
            by_rank = [list(map(int, rows.split())) for rows in row["rows"].split("|")]
            point = {2: "sp1", 5: "sp2", 7: "sp3"}.get(iteration, "sp4")
            step = {
                "index": len(steps),
                "id": point,
                "iteration": iteration,
                "repeat": len(steps) // 4,
            }
            step.update(
                warmup=iteration in (1, 3), rows=sum(by_rank, []), src_len=int(row["src_len"])
            )
            step.update(batch_size=4, weight=1)
            if ranks > 1:
                step.update(rank_ends=[4, 8], heaviest_rank=None)
                del step["heaviest_rank"]
            steps.append(step)
        plan = {"schema": "seqpoint/plan/2", "steps": steps, "world_size": ranks}
        self.write("plan.json", json.dumps(plan))


class Kills(Jobs):
    COMMANDS = {
        "order": ["order", "--lengths"],
        "record": ["record"],
        "measure": ["measure", "plan.json"],
    }

    def test_what_is_whole_stays(self):
        print(f"{KILLS} kills, SEED={SEED}", file=sys.stderr)
        draw = random.Random(SEED)
        cases = [(verb, ranks) for ranks in (1, 2) for verb in self.COMMANDS]
        for case, (verb, ranks) in enumerate(cases):
            with self.subTest(verb=verb, ranks=ranks):
                number = KILLS // len(cases) + (case < KILLS % len(cases))
                self.kill_often(draw, verb, ranks, number)

    def kill_often(self, draw, verb, ranks, number):
        self.plan(ranks)
        words = [*self.COMMANDS[verb], "-o", "out.csv"]
        begin = time.monotonic()
        self.run_job(words, ranks=ranks)
        took = time.monotonic() - begin
        undisturbed = self.keys(self.whole_rows(self.read()))
        partial = 0
        for _ in range(number):
            before = self.read()
            self.kill_once(words, ranks, draw.uniform(0, 1.1 * took))
            after = self.read()
            rows = self.keys(self.whole_rows(after))
            self.assertEqual(rows, undisturbed[: len(rows)])
            if verb == "order":
                self.assertEqual(rows, undisturbed, "it is the file of before, or the new one")
            elif after[:400] == before[:400]:  # the earlier process's file, complete
                self.assertEqual(after, before)
            partial += 0 < len(rows) < len(undisturbed)
            if len(rows) < len(undisturbed) and draw.random() < 0.3:
                self.run_job(words, ranks=ranks)
        print(f"{verb}, ranks: {ranks}: {number} kills, {partial} left some rows", file=sys.stderr)

    def keys(self, rows):
        names = ("iteration", "point", "repeat", "warmup", "rows", "src_len")
        return [[row.get(name) for name in names] for row in without_repeats(rows)]

    def kill_once(self, words, ranks, seconds):
        """Kills all ranks, and checks that earlier whole rows are still there."""
        processes = self.start(words, ranks=ranks)
        time.sleep(seconds)
        before = self.read()
        for process in processes:
            os.kill(process, signal.SIGKILL)
        self.end(processes)
        after = self.read()
        if after[:400] == before[:400]:
            self.assertEqual(after[: len(before)], before)


class Disks(Jobs):
    def limited(self, size):
        """Limits the size of this process's files, like a full disk."""
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    def test_training_goes_on_when_the_disk_is_full(self):
        for size in (700, 1000, 2000, 3333):
            said = self.run_job(["record", "-o", "out.csv"], 4, epochs=2, before=self.limited(size))
            self.assertIn("trained\n", said)
            self.assertEqual(
                said.count("warning: out.csv cannot be written (File too large)"), 1, said
            )
            self.assertRegex(
                said, r"error: out.csv: \d+ rows could not be written: File too large\n  hint: "
            )
            rows = self.whole_rows(self.read())
            self.assertEqual([row["iteration"] for row in rows], list(map(str, range(len(rows)))))
            self.assertLessEqual(len(self.read()), size)
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.out)

    def test_a_plan_runs_on_when_the_disk_is_full(self):
        self.plan(1)
        said = self.run_job(["measure", "plan.json", "-o", "out.csv"], 4, before=self.limited(900))
        self.assertIn("rows could not be written: File too large", said)
        self.whole_rows(self.read())

    def test_room_that_is_made_meanwhile_is_used(self):
        def full_for_a_while():
            note = recorded_rows.RecordedRows._note_trouble

            def lift(of, error):
                note(of, error)
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)

            recorded_rows.RecordedRows._note_trouble = lift
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))

        said = self.run_job(["record", "-o", "out.csv"], epochs=8, before=full_for_a_while)
        self.assertIn("cannot be written", said)
        self.assertEqual(len(self.whole_rows(self.read())), 320)

    def test_an_order_leaves_what_was_there(self):
        self.run_job(["order", "-o", "out.csv"])
        before = self.read()
        said = self.run_job(["order", "-o", "out.csv"], 4, seed=2, before=self.limited(500))
        self.assertIn("error: out.csv: cannot be written: File too large\n  hint: make room", said)
        self.assertEqual(self.read(), before)
        self.assertEqual([name for name in os.listdir() if name.endswith(".part")], [])

    def test_a_device_that_is_full(self):
        said = self.run_job(["order", "-o", "/dev/full"], 4)
        self.assertIn("error: /dev/full: cannot be written: No space left on device", said)

    @unittest.skipIf(os.getuid(), "only root can become another user")
    def test_a_folder_of_somebody_else(self):
        os.chmod(self.folder, 0o755)
        for name in ("said.0", "said.1"):
            self.write(name, "")
            os.chmod(name, 0o666)
        said = self.run_job(["record", "-o", "out.csv"], 4, before=lambda: os.setuid(NOBODY))
        self.assertIn("error: out.csv: cannot be written\n  hint: make the folder", said)
        self.assertFalse(os.path.exists(self.out))


class Writers(Jobs):
    def test_of_two_orders_the_file_is_one_of_them_and_whole(self):
        orders = []
        for seed in (1, 2):
            self.run_job(["order", "--lengths", "-o", f"{seed}.csv"], seed=seed)
            orders.append(self.read(f"{seed}.csv"))
        for _ in range(4):
            both = [
                self.start(["order", "--lengths", "-o", "out.csv"], seed=seed) for seed in (1, 2)
            ]
            self.assertEqual(sum(map(self.end, both), []), [0, 0])
            self.assertIn(self.read(), orders)

    def test_of_two_that_record_the_second_ends(self):
        first = self.start(["record", "-o", "out.csv"], epochs=8)
        while not self.read():
            time.sleep(0.01)
        said = self.run_job(["record", "-o", "out.csv"], 3, seed=2)
        self.assertIn("error: out.csv: another process is recording into it", said)
        self.assertEqual(self.end(first), [0])
        self.assertEqual(len(self.whole_rows(self.read())), 320)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
