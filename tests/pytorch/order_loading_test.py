"""How an order's batches are loaded: by more workers than the job's, and of a long epoch a part.

    order_loading_test.py SOURCE_DIR
"""

import collections
import glob
import os
import unittest

from hook_test import HookedJob


def length_of(row):
    return 5 + 7 * row % 31


class Loading(HookedJob):
    def order(self, batches, seconds="0", kind="", workers=0, **more):
        """The rows of the order, which have the lengths of their rows, unless these are equal."""
        old = glob.glob(self.path("loaded-*")) + [self.path("report"), self.path("out.csv")]
        for path in filter(os.path.exists, old):
            os.remove(path)
        command = self.job("loading.py", str(batches), seconds, kind, str(workers))
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
        for stratum in range(500):
            begin, end = (2100 * n // 500 for n in (stratum, stratum + 1))
            self.assertEqual(sum(begin <= place < end for place in places), 1)
        slow = self.order(2100, "0.001", SEQPOINT_PART="1")
        self.assertEqual(slow, part, "it is the same part, however long it takes")
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
