"""`order --sampler`: PyTorch's own samplers against vectors, other kinds of samplers, and errors.

    sampler_order_test.py SOURCE_DIR
"""

import contextlib
import csv
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "python"))
try:
    import torch  # noqa: F401
except ImportError:
    print("PyTorch is not installed")
    sys.exit(77)

from seqpoint_companion import job_verbs, samplers  # noqa: E402

SAMPLERS = '''
import os
import random

from torch import distributed


class EndlessRows:
    def __iter__(self):
        while True:
            yield 0


class Names:
    def __iter__(self):
        return iter(["a", "b"])


class OwnSeed:
    """Seeds the default generator itself, by its epoch."""

    def __init__(self, lengths, batch_size):
        self.rows, self.size, self.epoch = range(len(lengths)), batch_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        random.seed(self.epoch)
        rows = random.sample(self.rows, len(self.rows))
        return (rows[at : at + self.size] for at in range(0, len(rows), self.size))


class AsksForRanks:
    """Asks PyTorch and the environment for its rank, and the other ranks for theirs."""

    def __init__(self, dataset):
        self.rank, self.size = distributed.get_rank(), distributed.get_world_size()
        self.rows = range(len(dataset))
        found = [None] * self.size
        distributed.all_gather_object(found, os.environ["RANK"])
        assert found == [str(rank) for rank in range(self.size)], found

    def __iter__(self):
        return iter([[row] for row in self.rows[self.rank :: self.size]])


def uneven(lengths, rank, world_size):
    return [[row] for row in range(rank + 1)]


def packed(lengths):
    return [[[0, 2], [1]], [[3]]]


def padded(lengths):
    yield {"rows": [1, 0], "src_len": 64, "batch_size": 2}


def of_epoch(lengths, epoch):
    yield [epoch]


def rows_then_batches(lengths, epoch):
    return [[0, 1]] if epoch else [0, 1]


def one_pass(lengths):
    yield [0]


class DrawsAtOnce:
    def __iter__(self):
        return iter([random.sample(range(4), 4)])
'''


class SamplerOrder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        self.addCleanup(sys.modules.pop, "mine", None)
        pathlib.Path("mine.py").write_text(SAMPLERS)
        self.write_lengths([30, 10, 20, 40])

    def write_lengths(self, lengths, name="lengths.csv"):
        pathlib.Path(name).write_text("src_len\n" + "".join(f"{of}\n" for of in lengths))

    def run_order(self, sampler, *more, lengths="lengths.csv", output="order.csv"):
        said = io.StringIO()
        arguments = ["--sampler", sampler, *more, lengths, "-o", output]
        with contextlib.redirect_stderr(said):
            status = job_verbs.order(arguments)
        return status, said.getvalue()

    def rows(self, sampler, *more, **options):
        status, said = self.run_order(sampler, *more, **options)
        self.assertEqual(status, 0, said)
        with open("order.csv", newline="") as file:
            return list(csv.DictReader(file))

    def refused(self, text, sampler, *more, status=2, **options):
        found, said = self.run_order(sampler, *more, **options)
        self.assertEqual(found, status, said)
        self.assertIn(text, said)
        self.assertFalse(os.path.exists("order.csv"))

    def test_distributed_sampler_of_pytorch(self):
        compared = 0
        for case in json.loads(
            (SOURCE / "tests/vectors/torch_distributed_sampler.json").read_text()
        ):
            wanted, given = case["expected_indices_per_rank"], case["params"]
            if len(wanted[0]) == 0 or given["num_replicas"] > 4:
                continue
            self.write_lengths([1] * case["n"])
            options = ["--epoch", str(given["epoch"]), "--world-size", str(given["num_replicas"])]
            options += ["--drop-last"] if given["drop_last"] else []
            options += (
                ["--seed", str(given["seed"])] if given["shuffle"] else ["--with", "shuffle=false"]
            )
            rows = self.rows("torch.utils.data:DistributedSampler", "--batch-size", "1", *options)
            ranks = zip(*(map(int, row["rows"].split("|")) for row in rows))
            self.assertEqual([list(rank) for rank in ranks], wanted, case["params"])
            compared += 1
        self.assertGreater(compared, 10)

    def test_a_sampler_within_a_sampler(self):
        rows = self.rows(
            "torch.utils.data:BatchSampler",
            *("--with", "sampler=@torch.utils.data:RandomSampler"),
            *("--with", "sampler.generator=@generator"),
            *("--batch-size", "3", "--seed", "5"),
        )
        drawn = torch.randperm(4, generator=torch.Generator().manual_seed(5)).tolist()
        self.assertEqual(rows[0]["rows"], " ".join(map(str, drawn[:3])))
        self.assertEqual(rows[1]["rows"], str(drawn[3]))

    def test_the_default_generator_needs_a_seed(self):
        sampler = "torch.utils.data:RandomSampler"
        self.refused("depends on the default generator of torch", sampler, "--batch-size", "2")
        torch.manual_seed(9)
        wanted = list(torch.utils.data.RandomSampler(range(4)))
        rows = self.rows(sampler, "--batch-size", "4", "--seed", "9")
        self.assertEqual(rows[0]["rows"], " ".join(map(str, wanted)))

    def test_a_sampler_that_seeds_the_default_generator_itself(self):
        rows = self.rows("mine:OwnSeed", "--batch-size", "3", "--epochs", "2")
        self.assertEqual([row["epoch"] for row in rows], ["0", "0", "1", "1"])
        self.refused_after(
            rows, "--seed: the order does not depend on it", "--batch-size", "3", "--seed", "1"
        )

    def refused_after(self, rows, text, *more):
        os.remove("order.csv")
        self.refused(text, "mine:OwnSeed", *more)

    def test_a_seed_that_changes_nothing(self):
        sampler = "torch.utils.data:SequentialSampler"
        self.refused(
            "--seed: the order does not depend", sampler, "--batch-size", "2", "--seed", "1"
        )

    def test_ranks_that_ask_and_talk(self):
        rows = self.rows("mine:AsksForRanks", "--world-size", "2")
        self.assertEqual([row["rows"] for row in rows], ["0|1", "2|3"])

    def test_ranks_with_the_same_or_uneven_batches(self):
        sampler = "torch.utils.data:SequentialSampler"
        self.refused("the same batches", sampler, "--batch-size", "2", "--world-size", "2")
        self.refused("ranks have 1, 2 batches", "mine:uneven", "--world-size", "2")

    def test_packed_and_padded_batches(self):
        rows = self.rows("mine:packed")
        self.assertEqual(
            [tuple(row.values())[2:] for row in rows], [("0 2 1", "50", "2"), ("3", "40", "1")]
        )
        rows = self.rows("mine:padded")
        self.assertEqual(
            list(rows[0].items())[2:], [("rows", "1 0"), ("src_len", "64"), ("batch_size", "2")]
        )

    def test_packed_tokens_in_words_of_rows(self):
        """Row 7 was cut and continues in the next sequence, which ends with padding."""
        found = samplers.batch_of_tokens([[3, 3, 7, 7], torch.tensor([7, -1, -1, -1])], 4)
        sizes = {"src_len": 4, "batch_size": 2, "tokens": 5, "sq_tokens": 4 + 4 + 1}
        self.assertEqual(found, {"rows": [3, 7], **sizes})

    def test_loaders_in_turn(self):
        self.assertEqual(list(samplers.in_turn([[1, 2, 3], [], [4]])), [1, 4, 2, 3])

    def test_epochs_of_functions(self):
        rows = self.rows("mine:of_epoch", "--epoch", "1", "--epochs", "2")
        self.assertEqual([(row["epoch"], row["rows"]) for row in rows], [("1", "1"), ("2", "2")])
        os.remove("order.csv")
        self.refused("hands out one pass", "mine:one_pass", "--epochs", "2")
        for epochs in "12":
            self.refused("'int' object is not iterable", "os:getpid", "--epochs", epochs)
        each = "mine:rows_then_batches", "--batch-size", "2", "--epochs"
        self.refused("makes batches itself", *each, "2")
        self.rows(*each, "1")

    def test_a_pass_is_begun_once(self):
        drawn = [self.rows("mine:DrawsAtOnce", "--seed", "1", "--epochs", of)[0] for of in "12"]
        self.assertEqual(*drawn)

    def test_what_is_no_batch(self):
        self.refused("hands out single rows", "torch.utils.data:SequentialSampler")
        self.refused("does not end", "mine:EndlessRows", "--batch-size", "2")
        self.refused("'a': no rows", "mine:Names")
        self.rows("mine:EndlessRows", "--batch-size", "2", "--batches", "3")

    def test_parameters_that_are_missing_or_unknown(self):
        batches = "torch.utils.data:BatchSampler"
        self.refused("needs sampler", batches, "--batch-size", "2")
        self.refused("has no such parameter", batches, "--with", "size=2")
        self.refused("is not known", batches, "--with", "sampler=@row")
        self.refused("nothing takes it", "mine:packed", "--with", "lengths.x=1")
        self.refused("is given twice", batches, "--with", "a=1", "--with", "a=2")
        self.refused("does not take it", "mine:packed", "--batch-size", "2")
        self.refused("does not take it", "mine:packed", "--drop-last")

    def test_samplers_that_are_not_there(self):
        self.refused("cannot be imported", "no_such_package:Sampler")
        self.refused("its samplers: BatchSampler, ", "torch.utils.data:Batches")
        self.refused("is not package.module:Class", "torch.utils.data.BatchSampler")

    def test_lengths_that_cannot_be_read(self):
        sequential = ["torch.utils.data:SequentialSampler", "--batch-size", "2"]
        self.write_lengths([1, "x"], "bad.csv")
        self.refused("bad.csv:3: src_len: 'x'", *sequential, lengths="bad.csv", status=3)
        self.write_lengths([], "empty.csv")
        self.refused("empty.csv: has no rows", *sequential, lengths="empty.csv", status=3)
        pathlib.Path("two.csv").write_text("a,b\n1,2\n")
        self.refused("no column src_len", *sequential, lengths="two.csv", status=3)
        self.rows(*sequential, "--column", "b", lengths="two.csv")

    def test_never_over_an_input(self):
        before = pathlib.Path("lengths.csv").read_text()
        status, said = self.run_order("mine:packed", output="./lengths.csv")
        self.assertEqual((status, pathlib.Path("lengths.csv").read_text()), (2, before), said)
        status, said = self.run_order("mine:packed", output="no/such/order.csv")
        self.assertEqual(status, 4, said)


if __name__ == "__main__":
    unittest.main()
