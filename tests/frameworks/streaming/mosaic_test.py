"""`python3 -m seqpoint_companion lengths` on shards that MosaicML's streaming wrote.

    mosaic_test.py SOURCE_DIR SEQPOINT

`data` holds sets with the lengths that the reader of version 1 found; others are written here by
MDSWriter from lengths that are known.
"""

import os
import random
import shutil
import sys
import unittest
from pathlib import Path

SOURCE = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(SOURCE, "python"))
sys.path.insert(0, os.path.join(SOURCE, "tests", "pytorch"))
from lengths_folder import Folder  # noqa: E402

DATA = Path(__file__).resolve().parent / "data"


class MosaicTest(Folder):
    def test_the_sets_of_version_1(self):
        words = ("--length-field", "text", "--tokenizer", "words")
        self.assertEqual(self.lengths(DATA / "arrays"), [125, 25, 1500, 425, 50])
        self.assertEqual(self.lengths(DATA / "arrays", *words), [1, 2, 3, 4, 5])
        sizes = [5, 1, 60, 17, 2]
        self.assertEqual(self.lengths(DATA / "arrays", "--length-field", "tokens"), sizes)
        self.assertEqual(self.lengths(DATA / "bytes", "--length-field", "tokens:int64"), sizes)
        self.assertEqual(self.lengths(DATA / "gz", "--length-field", "n"), sizes)
        rows = ("--length-field", "x", "--dimension", "0")
        self.assertEqual(self.lengths(DATA / "gz", *rows), sizes)
        self.assertIn("--dimension 0 or 1", self.refusal(DATA / "gz", "--length-field", "x"))

    def test_what_has_no_length(self):
        said = self.refusal(DATA / "bytes", "--length-field", "tokens")
        self.assertIn("--length-field tokens:int64 counts 8 bytes each", said)
        said = self.refusal(DATA / "images", "--length-field", "image")
        self.assertIn("is a pickle, which runs code", said)

    def test_shards_of_the_writer(self):
        import numpy
        from streaming import MDSWriter

        draw = random.Random(4)
        sizes = [draw.randrange(1, 300) for _ in range(700)]
        columns = {"tokens": "ndarray:int32", "raw": "bytes", "label": "int", "object": "pkl"}
        for compression in (None, "zstd", "br", "gz"):
            folder = f"set-{compression}"
            with MDSWriter(
                out=folder, columns=columns, compression=compression, size_limit=1 << 17
            ) as writer:
                for size in sizes:
                    tokens = numpy.zeros(size, numpy.int32)
                    raw = numpy.zeros(size, numpy.uint16).tobytes()
                    writer.write({"tokens": tokens, "raw": raw, "label": size, "object": {1}})
            for field in ("tokens", "raw:uint16", "label"):
                self.assertEqual(self.lengths(folder, "--length-field", field), sizes, folder)
            pair = ("--length-field", "tokens", "--tgt-length-field", "label")
            self.assertEqual(self.lengths(folder, *pair), list(zip(sizes, sizes)))
        before = sorted(os.listdir("set-zstd"))
        two = ("--length-field", "tokens", "--processes", "2")
        self.assertEqual(self.lengths("set-zstd", *two), sizes)
        self.assertEqual(sorted(os.listdir("set-zstd")), before, "nothing is unpacked beside it")

    def test_a_shard_that_is_cut_or_gone(self):
        shutil.copytree(DATA / "arrays", "set")
        shard = Path("set/shard.00000.mds")
        shard.write_bytes(shard.read_bytes()[:100])
        self.assertIn("shard.00000.mds", self.refusal("set", "--length-field", "tokens"))
        shard.unlink()
        self.assertIn("names shard.00000.mds, which is not there", self.refusal("set"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
