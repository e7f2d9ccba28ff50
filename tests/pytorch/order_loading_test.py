"""How an order's batches are loaded: by more workers than the job's, and of a long epoch a part.

    order_loading_test.py SOURCE_DIR
"""

import collections
import glob
import os
import unittest

from hook_test import PYTHON, HookedJob

# train.py BATCHES SECONDS KIND WORKERS: row n has 5 + 7 n % 31 values. In one of several workers
# other lengths come, or none, if KIND says so.
JOB = """
import os, socket, sys, time, torch
from torch.utils.data import DataLoader, get_worker_info
batches, seconds, kind = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]

if kind == "clock":  # it advances while data is loaded, and then only
    now = [0.0]
    time.perf_counter = lambda: now[0]
    time.sleep = lambda seconds: now.append(now.pop() + seconds)

def is_one_of_several():
    return get_worker_info() is not None and get_worker_info().num_workers > 1

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 2 * batches
    def __getitem__(self, row):
        time.sleep(seconds)
        with open(f"loaded-{os.getpid()}", "a") as file:
            print(row, file=file)
        if kind == "fails" and is_one_of_several() and row % 50 == 0:
            raise OSError("a file that only one process may open")
        if kind == "equal":
            row = 0
        if kind == "lines":
            lines.seek(5 * row)
            half = lines.read(2)
            time.sleep(seconds / 2)
            row = int(half + lines.read(3))
        return torch.ones(5 + 7 * row % 31 + (kind == "differs" and is_one_of_several()))

if kind == "lines":
    with open("lines", "w") as file:
        file.writelines(f"{row:04}\\n" for row in range(2 * batches))
    lines = open("lines", "rb", buffering=0)
connection = socket.socket() if kind == "connected" else None

def collate(samples):
    return torch.nn.utils.rnn.pad_sequence(samples, batch_first=True)

torch.manual_seed(1)
workers = int(sys.argv[4])
loader = DataLoader(Data(), batch_size=2, shuffle=True, collate_fn=collate, num_workers=workers)
model = torch.nn.Linear(1, 1)
optimiser = torch.optim.SGD(model.parameters(), 0.1)
for batch in loader:
    model(batch[:, :1]).sum().backward()
    optimiser.step()
open("trained", "w").close()
"""


def length_of(row):
    return 5 + 7 * row % 31


class Loading(HookedJob):
    def order(self, batches, seconds="0", kind="", workers=0, **more):
        """The rows of the order, which have the lengths of their rows, unless these are equal."""
        self.write("train.py", JOB)
        old = glob.glob(self.path("loaded-*")) + [self.path("report"), self.path("out.csv")]
        for path in filter(os.path.exists, old):
            os.remove(path)
        command = [PYTHON, "-W", "ignore", self.path("train.py"), str(batches), seconds, kind]
        command.append(str(workers))
        self.run_job(command, "order", SEQPOINT_LENGTHS="1", **more)
        self.assertFalse(os.path.exists(self.path("trained")))
        found = self.rows()
        for row in found:
            rows = list(map(int, row["rows"].split()))
            rows = [0] if kind == "equal" else rows
            self.assertEqual(int(row["src_len"]), max(map(length_of, rows)))
        return found

    def processes(self):
        """The process that has loaded each row, as often as that was."""
        found = []
        for path in glob.glob(self.path("loaded-*")):
            with open(path, encoding="utf-8") as file:
                found += [path for _ in file]
        return found

    def test_it_is_the_same_by_more_workers(self):
        quick = self.order(700)
        self.assertEqual(len(set(self.processes())), 1)
        for kind, by_workers in (("", True), ("differs", False), ("fails", False)):
            with self.subTest(kind=kind):
                self.assertEqual(self.order(700, "0.005", kind, workers=1), quick)
                of_one = max(collections.Counter(self.processes()).values())
                self.assertEqual(of_one < 700, by_workers, "half of the rows")

    def test_workers_have_positions_of_their_own_in_open_files(self):
        quick = self.order(500)
        self.assertEqual(self.order(500, "0.005", "lines"), quick)
        of_one = max(collections.Counter(self.processes()).values())
        self.assertLess(of_one, 500, "half of the rows")

    def test_a_connection_is_not_shared(self):
        self.order(500, "0.005", "connected")
        self.assertEqual(len(set(self.processes())), 1)

    def test_a_part_of_a_long_epoch(self):
        part = self.order(2100, SEQPOINT_PART="1")
        self.assertEqual(len(part), 500)
        self.assertEqual({row["batches"] for row in part}, {"2100"})
        places = [int(row["iteration"]) for row in part]
        self.assertEqual(places, sorted(set(places)))
        self.assertGreater(places[-1], 2000)
        self.assertEqual(self.order(2100, SEQPOINT_PART="1"), part, "it is the same part")
        whole = self.order(2100)
        self.assertNotIn("batches", whole[0])
        for row in part:
            self.assertEqual({**whole[int(row["iteration"])], "batches": "2100"}, row)
        self.assertEqual(len(self.order(1900, SEQPOINT_PART="1")), 1900, "it is short")
        self.assertEqual(len(self.order(2100, kind="equal", SEQPOINT_PART="1")), 500)

    def test_what_a_batch_takes(self):
        """2 x 0.02 s, in proportion to the mean number of tokens."""
        rows = self.order(60, "0.02", "clock")
        (pace,) = self.events("pace")
        tokens = [int(row["src_len"]) * int(row["batch_size"]) for row in rows]
        mean = sum(tokens) / len(tokens)
        self.assertAlmostEqual(pace["batch_s"], 0.04 * mean / max(tokens[1:3]))


if __name__ == "__main__":
    unittest.main()
