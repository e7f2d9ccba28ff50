"""Jobs whose objects raise at each question: they train under the hook as without it.

    asking_test.py SOURCE_DIR
"""

import atexit
import contextlib
import csv
import json
import os
import sys
import traceback

from plans import SOURCE, InFolder, unittest

sys.path.insert(0, os.path.join(SOURCE, "tests", "pytorch", "scripts"))
import raising

AT_FIRST = 3  # batches that an order trains on, for their times
ITERATIONS = (2, 5, 9)  # of the plan: its warm-up, and two points


def plan_of(order):
    """Two points of an order, and a batch to warm up with."""
    steps = []
    for index, iteration in enumerate(ITERATIONS):
        rows = [int(row) for row in order[iteration]["rows"].split()]
        step = {"index": index, "id": f"sp{index}", "iteration": iteration, "repeat": 0}
        step.update(warmup=index == 0, batch_size=len(rows), rows=rows, weight=1)
        steps.append({**step, "src_len": int(order[iteration]["src_len"])})
    return {"schema": "seqpoint/plan/2", "steps": steps}


class Asking(InFolder):
    def train(self, kind, verb, **variables):
        """(losses, exit status) of the job in a process of its own, which PyTorch is there for."""
        losses, log = self.path("losses"), self.path("log")
        own = {
            "SEQPOINT_HOOK": verb,
            "SEQPOINT_OUTPUT": self.path(f"{verb}.csv"),
            "SEQPOINT_REPORT": self.path(f"{verb}.report.{kind}"),
            "SEQPOINT_LENGTHS": "1",
            **variables,
        }
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            with open(losses, "w") as out, open(log, "w") as errors:
                os.dup2(out.fileno(), 1)
                os.dup2(errors.fileno(), 2)
            os._exit(self.status_of_job(kind, own if verb else {}))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with open(losses) as file, open(log) as said:
            return file.read().split(), status, said.read()

    def status_of_job(self, kind, variables):
        with contextlib.suppress(ValueError):
            atexit._clear()
        os.environ.update(variables)
        try:
            if variables:
                from seqpoint_companion import hooked

                hooked.start()
            raising.train(kind)
            status = 0
        except BaseException as error:
            sys.last_value = error
            traceback.print_exc()
            status = 1
        atexit._run_exitfuncs()
        return status

    def rows(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_the_losses_are_those_without_the_hook(self):
        for kind in raising.KINDS:
            with self.subTest(kind=kind):
                self.check(kind)

    def check(self, kind):
        own, status, said = self.train(kind, "")
        self.assertEqual((len(own), status), (2 * raising.BATCHES, 0), said)

        losses, status, said = self.train(kind, "record")
        self.assertEqual((losses, status), (own[: raising.BATCHES], 0), said)
        self.assertEqual(len(self.rows("record.csv")), raising.BATCHES)

        losses, status, said = self.train(kind, "order")
        self.assertEqual((losses, status), (own[:AT_FIRST], 0), said)
        order = self.rows("order.csv")
        self.assertEqual(len(order), raising.BATCHES)

        with open(self.path("plan.json"), "w", encoding="utf-8") as file:
            json.dump(plan_of(order), file)
        variables = {"SEQPOINT_PLAN": self.path("plan.json"), "SEQPOINT_PROCESS": "0"}
        losses, status, said = self.train(kind, "measure", **variables)
        self.assertEqual((losses[0], status), (own[0], 0), said)
        points = {row["point"] for row in self.rows("measure.csv") if row["warmup"] == "0"}
        self.assertEqual(points, {"sp1", "sp2"})


if __name__ == "__main__":
    unittest.main()
