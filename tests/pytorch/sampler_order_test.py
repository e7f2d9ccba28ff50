"""`order --sampler`: PyTorch's own samplers against vectors, other kinds of samplers, and errors.

    sampler_order_test.py SOURCE_DIR
"""

import contextlib
import csv
import io
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import textwrap
import types
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "python"))
try:
    import torch
except ImportError:
    print("PyTorch is not installed")
    sys.exit(77)

from seqpoint_companion import job_verbs, samplers  # noqa: E402
from torch.utils.data import (  # noqa: E402
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    SequentialSampler,
)

BATCHES = [[0, 1], [2, 3]]


class TwoEpochs:
    """Other batches in the epoch that set_epoch names; those of epoch 0 without it."""

    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter([[self.epoch]])


class Draws:
    """Draws its batches as soon as a pass over it begins."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def __iter__(self):
        return iter([self.random.sample(range(4), 4)])


class Shard:
    """As Accelerate's BatchSamplerShard: it contains the batch sampler, and has no set_epoch."""

    def __init__(self, batch_sampler):
        self.batch_sampler = batch_sampler

    def __iter__(self):
        return iter(self.batch_sampler)


class EndlessRows:
    def __iter__(self):
        while True:
            yield 0


class SamplerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        self.addCleanup(sys.path.__setitem__, slice(None), sys.path[:])
        self.addCleanup(sys.modules.pop, "mine", None)
        self.write_lengths([30, 10, 20, 40])

    def write_lengths(self, lengths, name="lengths.csv"):
        pathlib.Path(name).write_text("src_len\n" + "".join(f"{of}\n" for of in lengths))

    def run_order(self, sampler, *more, lengths="lengths.csv", output="order.csv"):
        """(exit status, messages); `sampler` is MODULE:FUNCTION, or a function of module mine."""
        if not isinstance(sampler, str):
            sys.modules["mine"] = types.SimpleNamespace(sampler=sampler)
            sampler = "mine:sampler"
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = job_verbs.order(["--sampler", sampler, *more, lengths, "-o", output])
        return status, said.getvalue()

    def rows(self, sampler, *more, said=None, **options):
        """The order that is written; `said` is in the messages, or None if there is no warning."""
        status, messages = self.run_order(sampler, *more, **options)
        self.assertEqual(status, 0, messages)
        self.assertIn(said or "batches by", messages)
        self.assertEqual(said is not None, "warning" in messages, messages)
        with open("order.csv", newline="") as file:
            return list(csv.DictReader(file))

    def refused(self, text, sampler, *more, status=2, **options):
        """The messages of a command that fails and writes nothing."""
        pathlib.Path("order.csv").unlink(missing_ok=True)
        found, said = self.run_order(sampler, *more, **options)
        self.assertEqual(found, status, said)
        self.assertIn(text, said)
        self.assertFalse(os.path.exists("order.csv"))
        return said


class Batches(SamplerTest):
    def test_distributed_sampler_of_pytorch(self):
        """On several ranks, in the epoch that set_epoch names."""
        compared = 0
        vectors = SOURCE / "tests/vectors/torch_distributed_sampler.json"
        for case in json.loads(vectors.read_text()):
            wanted, given = case["expected_indices_per_rank"], case["params"]
            ranks = given["num_replicas"]
            if len(wanted[0]) == 0 or ranks > 4:
                continue
            names = ("shuffle", "seed", "drop_last")
            options = {name: given[name] for name in names if given[name] is not None}

            def sampler(lengths, rank=0, world_size=1):
                return DistributedSampler(lengths, world_size, rank, **options)

            self.write_lengths([1] * case["n"])
            words = ["--batch-size", "1", "--world-size", str(ranks)]
            rows = self.rows(sampler, *words, "--epoch", str(given["epoch"]))
            found = zip(*(map(int, row["rows"].split("|")) for row in rows))
            self.assertEqual([list(rank) for rank in found], wanted, given)
            compared += 1
        self.assertGreater(compared, 10)

    def test_batches_and_rows(self):
        def batches(lengths):
            return BatchSampler(SequentialSampler(lengths), 3, drop_last=False)

        wanted = [
            {"epoch": "0", "iteration": "0", "rows": "0 1 2"},
            {"epoch": "0", "iteration": "1", "rows": "3"},
        ]
        self.assertEqual(self.rows(batches), wanted)
        self.assertEqual(self.rows(sequential, "--batch-size", "3"), wanted)
        short = self.rows(sequential, "--batch-size", "3", "--drop-last")
        self.assertEqual(short, wanted[:1])
        self.assertEqual(self.rows(batches, "--batches", "1"), wanted[:1])

    def test_lengths_are_the_functions_argument(self):
        pathlib.Path("pairs.csv").write_text("src_len,tgt_len\n5,7\n3,9.5\n")
        seen = []

        def sampler(lengths):
            seen.append((list(lengths), lengths.columns["tgt_len"]))
            return [[0], [1]]

        self.rows(sampler, lengths="pairs.csv")
        self.rows(sampler, "--column", "tgt_len", lengths="pairs.csv")
        self.assertEqual(seen[0], ([5, 3], [7, 9.5]))
        self.assertEqual(seen[-1], ([7, 9.5], [7, 9.5]))

    def test_packed_and_padded_batches(self):
        rows = self.rows(lambda lengths: [[[0, 2], [1]], [[3]]])
        found = [tuple(row.values())[2:] for row in rows]
        self.assertEqual(found, [("0 2 1", "50", "2"), ("3", "40", "1")])
        rows = self.rows(lambda lengths: iter([{"rows": [1, 0], "src_len": 64, "batch_size": 2}]))
        found = list(rows[0].items())[2:]
        self.assertEqual(found, [("rows", "1 0"), ("src_len", "64"), ("batch_size", "2")])

    def test_packed_tokens_in_words_of_rows(self):
        """Row 7 was cut and continues in the next sequence, which ends with padding."""
        found = samplers.batch_of_tokens([[3, 3, 7, 7], torch.tensor([7, -1, -1, -1])], 4)
        sizes = {"src_len": 4, "batch_size": 2, "tokens": 5, "sq_tokens": 4 + 4 + 1}
        self.assertEqual(found, {"rows": [3, 7], **sizes})

    def test_what_is_no_batch(self):
        self.refused("yields single rows", sequential)
        self.refused("makes batches itself", lambda lengths: BATCHES, "--batch-size", "2")
        self.refused("makes batches itself", lambda lengths: BATCHES, "--drop-last")
        self.refused("does not end", lambda lengths: EndlessRows(), "--batch-size", "2")
        self.refused("'a': no rows", lambda lengths: ["a", "b"])
        self.refused("has 'a' in it", lambda lengths: [[0, "a"]])
        self.refused("has 'a' in it", lambda lengths: [{"rows": ["a"]}])
        self.refused("row 4 of 4, from 0", lambda lengths: [[3, 4]])
        self.refused("yields nothing", lambda lengths: [])
        self.refused("a dictionary of rows, length", lambda lengths: [{"rows": [0], "length": 3}])
        endless = self.rows(lambda lengths: EndlessRows(), "--batch-size", "2", "--batches", "3")
        self.assertEqual([row["rows"] for row in endless], ["0 0"] * 3)
        words = ["--batch-size", "60000", "--batches", "2"]  # beyond 1000 times 100 rows
        self.assertEqual(len(self.rows(lambda lengths: EndlessRows(), *words)), 2)


def sequential(lengths):
    return SequentialSampler(lengths)


class Epochs(SamplerTest):
    def test_set_epoch_is_called(self):
        def rows_in_batches(lengths):
            return BatchSampler(DistributedSampler(lengths, 1, 0), 4, drop_last=False)

        def shard(lengths):
            return Shard(rows_in_batches(lengths))

        for sampler in (lambda lengths: TwoEpochs(), rows_in_batches, shard):
            rows = self.rows(sampler, "--epoch", "1", "--epochs", "2")
            self.assertEqual([row["epoch"] for row in rows], ["1", "2"])
            each = [self.rows(sampler, "--epoch", of)[0]["rows"] for of in "12"]
            self.assertEqual([row["rows"] for row in rows], each)
            self.assertNotEqual(*each)
            unset = self.rows(sampler, "--epochs", "2", "--no-set-epoch")
            first = self.rows(sampler)[0]["rows"]
            self.assertEqual([row["rows"] for row in unset], [first] * 2)

    def test_epochs_without_set_epoch_are_passes(self):
        def sampler(lengths):
            return BatchSampler(RandomSampler(lengths, generator=seeded(5)), 4, drop_last=False)

        source = RandomSampler(range(4), generator=seeded(5))
        wanted = [" ".join(map(str, source)) for _ in range(3)]
        rows = self.rows(sampler, "--epochs", "3")
        self.assertEqual([row["rows"] for row in rows], wanted)
        self.assertEqual(self.rows(sampler, "--epoch", "2")[0]["rows"], wanted[2])

    def test_a_pass_is_begun_once(self):
        drawn = [self.rows(lambda lengths: Draws(1), "--epochs", of)[0] for of in "12"]
        self.assertEqual(*drawn)
        wanted = random.Random(1).sample(range(4), 4)
        self.assertEqual(drawn[0]["rows"], " ".join(map(str, wanted)))

    def test_an_iterator_has_one_epoch(self):
        self.rows(lambda lengths: iter(BATCHES))
        self.refused("which has one epoch", lambda lengths: iter(BATCHES), "--epochs", "2")

    def test_random_numbers_without_a_seed(self):
        def unseeded(lengths):
            return RandomSampler(lengths)

        def with_a_seed(lengths):
            torch.manual_seed(9)
            return RandomSampler(lengths)

        self.write_lengths([1] * 100)
        self.rows(unseeded, "--batch-size", "100", said="makes another order each time")
        rows = self.rows(with_a_seed, "--batch-size", "100")
        torch.manual_seed(9)
        wanted = list(RandomSampler(range(100)))
        self.assertEqual(rows[0]["rows"], " ".join(map(str, wanted)))


def seeded(seed):
    return torch.Generator().manual_seed(seed)


class Ranks(SamplerTest):
    def test_the_function_is_called_for_each_rank(self):
        def shares(lengths, rank, world_size):
            return [[row] for row in range(len(lengths))[rank::world_size]]

        rows = self.rows(shares, "--world-size", "2")
        self.assertEqual([row["rows"] for row in rows], ["0|1", "2|3"])

    def test_lengths_of_the_rank_with_most_padded_tokens(self):
        def padded(lengths, rank, world_size):
            return [{"rows": [rank], "src_len": 64 * (1 + rank), "batch_size": 2 - rank // 2}]

        rows = self.rows(padded, "--world-size", "3")
        self.assertEqual(list(rows[0].values())[2:], ["0|1|2", "128", "2"])

    def test_ranks_draw_the_same_numbers_if_each_is_seeded(self):
        def shares(lengths, rank, world_size):
            torch.manual_seed(3)
            return DistributedRows(RandomSampler(lengths), rank, world_size)

        self.write_lengths([1] * 30)
        rows = self.rows(shares, "--world-size", "3", "--epochs", "2")
        for epoch in "01":
            of_epoch = [row["rows"].split("|") for row in rows if row["epoch"] == epoch]
            drawn = [int(row) for step in of_epoch for row in step]
            self.assertEqual(sorted(drawn), list(range(30)))

    def test_ranks_with_the_same_or_uneven_batches(self):
        def same(lengths, rank, world_size):
            return BATCHES

        def uneven(lengths, rank, world_size):
            return [[row] for row in range(rank + 1)]

        self.refused("all 2 ranks the same batches", same, "--world-size", "2")
        self.refused("ranks have 1, 2 batches in epoch 0", uneven, "--world-size", "2")


class DistributedRows:
    def __init__(self, sampler, rank, world_size):
        self.sampler, self.share = sampler, slice(rank, None, world_size)

    def __iter__(self):
        return iter([[row] for row in list(self.sampler)[self.share]])


MODULE = """\
def fails(lengths):
    return [[0] for row in lengths if 1 / (row - row)]


def later(lengths):
    yield [0]
    lengths.no_such_name


def within_a_library(lengths):
    from torch.utils.data import DistributedSampler
    return DistributedSampler(lengths, 2, 5)


def number(lengths):
    return 3
"""


class Errors(SamplerTest):
    def example_of(self, said):
        """The example in the hint, which is written as mine.py."""
        lines = re.search(r"for example in mine\.py\n(.*)\n  and pass it: (.*)", said, re.DOTALL)
        pathlib.Path("mine.py").write_text(textwrap.dedent(lines[1]))
        return lines[2].split()

    def test_a_class_is_refused_with_an_example_that_works(self):
        problem = "BatchSampler is a class, not a function"
        said = self.refused(problem, "torch.utils.data:BatchSampler")
        words = self.example_of(said)
        wanted = ["--sampler", "mine:sampler", "LENGTHS.csv", "-o", "order.csv"]
        self.assertEqual(words, wanted)
        self.write_lengths([1] * 40)
        rows = self.rows("mine:sampler")
        torch.manual_seed(1)
        drawn = list(RandomSampler(range(40)))
        wanted = [" ".join(map(str, part)) for part in (drawn[:32], drawn[32:])]
        self.assertEqual([row["rows"] for row in rows], wanted)

    def test_the_example_of_the_document_is_that_of_the_hint(self):
        document = (SOURCE / "docs/formats.md").read_text()
        shown = re.search(r"```python\n(import torch\n.*?)```", document, re.DOTALL)[1]
        self.example_of(self.refused("is a class", "torch.utils.data:BatchSampler"))
        hint = pathlib.Path("mine.py").read_text()
        self.assertEqual(shown.split(), hint.split())

    def test_arguments_of_samplers_are_refused_with_the_example(self):
        for more in (["--with", "shuffle=false"], ["--seed", "1"]):
            with self.subTest(more):
                said = self.refused(more[0], lambda lengths: BATCHES, *more)
                self.assertIn("def sampler(lengths):", said)

    def test_functions_with_other_parameters(self):
        for sampler, text in (
            (lambda lengths, epoch: BATCHES, "'epoch'"),
            (lambda lengths, rank, world_size: BATCHES, "'rank' and 'world_size'"),
            (lambda: BATCHES, "takes 0 positional arguments but 1 was given"),
        ):
            said = self.refused(text, sampler)
            self.assertIn("def sampler(lengths):", said)
        said = self.refused("takes 1 positional", lambda lengths: BATCHES, "--world-size", "2")
        self.assertIn("def sampler(lengths):", said)

    def test_errors_of_the_function_have_its_line(self):
        pathlib.Path("mine.py").write_text(MODULE)
        place = os.path.realpath("mine.py")
        for function, text, line in (
            ("fails", "ZeroDivisionError: division by zero", 2),
            ("later", "AttributeError: 'Lengths' object has no attribute 'no_such_name'", 7),
            ("within_a_library", "ValueError: Invalid rank 5", 12),
        ):
            said = self.refused(f"error: mine:{function}: {text}", f"mine:{function}")
            self.assertIn(f"({place}:{line})\n", said)
            self.assertNotIn("hint", said)
        said = self.refused("mine:number: TypeError: 'int' object is not iter", "mine:number")
        self.assertIn("def sampler(lengths):", said)

    def test_errors_of_a_library_have_its_line(self):
        def sampler(lengths):
            return RandomSampler(lengths, replacement=3)

        self.refused("sampler.py:", sampler, "--batch-size", "2")

    def test_functions_that_are_not_there(self):
        missing = "No module named 'no_such_module'"
        said = self.refused(missing, "no_such_module:sampler")
        self.assertRegex(said, f"{missing}\n")
        pathlib.Path("mine.py").write_text("BATCHES = []\n\nraise OSError('no disk')\n")
        place = os.path.realpath("mine.py")
        self.refused(f"cannot be imported: OSError: no disk ({place}:3)", "mine:sampler")
        pathlib.Path("mine.py").write_text("BATCHES = [\n")
        self.refused("mine.py, line 1", "mine:sampler")
        pathlib.Path("mine.py").write_text("BATCHES = []\n")
        self.refused("mine has no function sampler", "mine:sampler")
        sys.modules.pop("mine")
        self.refused("mine has no function BATCHES", "mine:BATCHES")
        self.refused("is not MODULE:FUNCTION", "mine.sampler")

    def test_lengths_that_cannot_be_read(self):
        rows = [sequential, "--batch-size", "2"]
        self.write_lengths([1, "x"], "bad.csv")
        self.refused("bad.csv:3: src_len: 'x'", *rows, lengths="bad.csv", status=3)
        self.write_lengths([], "empty.csv")
        self.refused("empty.csv: has no rows", *rows, lengths="empty.csv", status=3)
        pathlib.Path("two.csv").write_text("a,b\n1,2\n")
        self.refused("no column src_len", *rows, lengths="two.csv", status=3)
        self.rows(*rows, "--column", "b", lengths="two.csv")

    def test_never_over_an_input(self):
        before = pathlib.Path("lengths.csv").read_text()
        status, said = self.run_order(lambda lengths: BATCHES, output="./lengths.csv")
        self.assertEqual((status, pathlib.Path("lengths.csv").read_text()), (2, before), said)
        status, said = self.run_order(lambda lengths: BATCHES, output="no/such/order.csv")
        self.assertEqual(status, 4, said)


if __name__ == "__main__":
    unittest.main()
