"""examples/pytorch/lengths.py on text, JSON lines and PyTorch's own data sets, and on stand-ins for Hugging Face's.

    lengths_test.py SOURCE_DIR SEQPOINT

datasets and transformers cannot be installed here. The stand-ins are as much of their documented interface as the file
meets: huggingface.co/docs/datasets (load_dataset, load_from_disk, DatasetDict) and huggingface.co/docs/transformers
(AutoTokenizer.from_pretrained, a call that gives input_ids, apply_chat_template). What needs torch is left out where it is not
installed.
"""

import contextlib
import gzip
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, os.path.join(sys.argv[1], "examples", "pytorch"))
import lengths  # noqa: E402
SEQPOINT = os.path.abspath(sys.argv[2])

JOB = '''
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset, IterableDataset

SIZES = [5, 1, 12, 7]

class Tensors(Dataset):
    def __len__(self):
        return len(SIZES)
    def __getitem__(self, index):
        return torch.zeros(SIZES[index], 80), index  # features, label

class Stream(IterableDataset):
    def __iter__(self):
        return iter([{"input_ids": torch.arange(size)} for size in SIZES])

class Waves(Dataset):
    def __len__(self):
        return 2
    def __getitem__(self, index):
        return torch.zeros(1, 16000 * (index + 1))

tensors = Tensors()

def collate(samples):  # cuts to 10 and adds two special tokens
    features = [torch.nn.functional.pad(x[:10], (0, 0, 1, 1)) for x, _ in samples]
    return {"labels": torch.zeros(len(samples)), "features": pad_sequence(features, batch_first=True)}
'''


BROKEN = '''
class Data:
    def __len__(self):
        return 2
    def __getitem__(self, index):
        raise RuntimeError("boom")

class Stream:
    def __iter__(self):
        yield [1, 2]
        raise RuntimeError("stream broke")

def make():
    raise KeyError("x")

def bad(text):
    raise RuntimeError("tokenizer broke")

data, stream, number, words = Data(), Stream(), 5, str.split
'''


class Words:
    """A tokenizer as transformers documents it: a call gives input_ids, with a first token; a template of 3 a message."""
    def __call__(self, text):
        return {"input_ids": [0] + text.split(), "attention_mask": []}

    def apply_chat_template(self, messages, tokenize):
        assert tokenize
        return [token for m in messages for token in ["<", m["role"], *m["content"].split(), ">"]] + ["end"]


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.before = os.getcwd()
        os.chdir(self.folder.name)
        sys.modules.pop("job", None)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()

    def run_file(self, *arguments):
        """The lengths, and what is said."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            lengths.main([*arguments, "-o", "lengths.csv"])
        return [int(row) for row in Path("lengths.csv").read_text().split()[1:]], said.getvalue()

    def refusal(self, *arguments):
        Path("lengths.csv").unlink(missing_ok=True)
        with self.assertRaises(SystemExit) as caught:
            self.run_file(*arguments)
        self.assertEqual(os.path.exists("lengths.csv"), False, "written whole or not at all")
        self.assertFalse([name for name in os.listdir() if name.endswith(".tmp")])
        return str(caught.exception)


class LengthsTest(Folder):
    def tokenizer(self, tokens="str.split"):
        Path("job.py").write_text(f"tokenizer = {tokens}\n")

    def test_text_and_what_scan_makes_of_it(self):
        Path("a.txt").write_text("one two three\n\nfour\r\nfive six")
        self.tokenizer()
        self.assertEqual(self.run_file("a.txt", "--tokenizer", "job:tokenizer")[0], [3, 0, 1, 2])
        scan = subprocess.run([SEQPOINT, "scan", "-q", "--lengths-only", "lengths.csv"], check=True, capture_output=True, text=True)
        self.assertEqual(scan.stdout.split(), ["src_len", "3", "0", "1", "2"])

    def test_json_lines_by_the_usual_fields(self):
        rows = [{"input_ids": [1, 2, 3], "text": "not this"}, {"text": "a b"}, {"prompt": "a b ", "completion": "c d"}]
        with gzip.open("a.jsonl.gz", "wt") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows) + "\n")
        self.tokenizer()
        self.assertEqual(self.run_file("a.jsonl.gz", "--tokenizer", "job:tokenizer")[0], [3, 2, 4])
        self.assertEqual(self.run_file("a.jsonl.gz", "a.jsonl.gz", "--tokenizer", "job:tokenizer", "--add", "1",
                                       "--max-length", "4")[0], [4, 3, 4, 4, 3, 4])
        self.assertIn("2 of 6 samples cut to 4 tokens",
                      self.run_file("a.jsonl.gz", "a.jsonl.gz", "--tokenizer", "job:tokenizer", "--add", "1", "--max-length", "4")[1])

    def test_a_field_by_name(self):
        Path("a.jsonl").write_text('{"story": "a b c", "codes": [1, 2]}\n')
        self.tokenizer()
        self.assertEqual(self.run_file("a.jsonl", "--field", "story", "--tokenizer", "job:tokenizer")[0], [3])
        self.assertEqual(self.run_file("a.jsonl", "--field", "codes")[0], [2])
        self.assertIn("sample 0: has no field 'text'; it has: story, codes", self.refusal("a.jsonl", "--field", "text"))

    def test_tokenizers_of_other_libraries(self):
        Path("a.txt").write_text("one two\n")
        encoding = "type('E', (), {'ids': [1, 2, 3]})()"
        for tokens, length in ((f"lambda text: {encoding}", 3), (f"type('T', (), {{'encode': lambda self, text: [7] * 5}})()", 5),
                               ("lambda text: {'input_ids': [[1, 2, 3, 4]]}", 4)):
            self.tokenizer(tokens)
            sys.modules.pop("job", None)
            self.assertEqual(self.run_file("a.txt", "--tokenizer", "job:tokenizer")[0], [length])

    def test_what_has_no_length_is_refused(self):
        for row, said in (({"text": "a"}, "holds text, whose tokens only the model's tokenizer knows"),
                          ({"messages": [{"role": "user", "content": "a"}]}, "give a --tokenizer with a chat template"),
                          ({"conversations": [{"from": "human", "value": "a"}]}, "a list of objects of from, value"),
                          ({"length": 3}, "has none of the usual fields"), ({"text": 3}, "is 3, not a sequence")):
            Path("a.jsonl").write_text('{"input_ids": []}\n' + json.dumps(row) + "\n")
            refusal = self.refusal("a.jsonl")
            self.assertIn("sample 1: ", refusal)
            self.assertIn(said, refusal)
        Path("a.jsonl").write_text('[{"text": "a"},\n')
        self.assertIn("a.jsonl:1: is no JSON", self.refusal("a.jsonl"))
        Path("a.jsonl").write_text("")
        self.assertIn("a.jsonl: has no samples", self.refusal("a.jsonl"))
        self.assertIn("gone.txt", self.refusal("gone.txt"))
        self.assertIn("No module named 'gone'", self.refusal("gone:data"))
        self.assertIn("--workers is for data sets with indices" if importlib.util.find_spec("torch") else "torch",
                      self.refusal("a.jsonl", "--workers", "2"))

    def test_what_the_job_raises_is_one_line(self):
        Path("job.py").write_text(BROKEN)
        Path("broken.py").write_text("def f(:\n")
        Path("a.txt").write_text("a b\n")
        Path("latin.txt").write_bytes(b"a\nb\n\xe9\n")
        for arguments, said in ((["job:data"], "lengths.py: sample 0: RuntimeError: boom (job.py:"),
                                (["job:stream"], "sample 1: RuntimeError: stream broke (job.py:"),
                                (["job:make"], "KeyError: 'x' (job.py:"), (["job:number"], "job:number: is 5, neither samples nor a function"),
                                ([":x"], "Empty module name"), (["broken:x"], "SyntaxError: invalid syntax"), (["job:gone"], "no attribute 'gone'"),
                                (["a.txt", "--tokenizer", "job:bad"], "sample 0: RuntimeError: tokenizer broke (job.py:"),
                                (["a.txt", "--collate", "job:bad"], "sample 0: RuntimeError: tokenizer broke"),
                                (["latin.txt", "--tokenizer", "job:words"], "latin.txt:3: is no text in UTF-8")):
            sys.modules.pop("job", None)
            refusal = self.refusal(*arguments)
            self.assertIn(said, refusal)
            self.assertEqual(refusal.count("\n"), 0)
        for option in ("--workers", "--max-length"):
            with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
                lengths.main(["a.txt", option, "-1", "-o", "lengths.csv"])
            self.assertIn("--max-length 1 or more", said.getvalue())

    def hugging_face(self):
        rows = [{"messages": [{"role": "user", "content": "a b"}, {"role": "assistant", "content": "c"}]},
                {"messages": []}]
        datasets = types.SimpleNamespace(load_dataset=lambda name, split: rows if split else {"train": rows, "test": rows[1:]},
                                         load_from_disk=lambda folder: {"train": rows[:1]})
        transformers = types.SimpleNamespace(AutoTokenizer=types.SimpleNamespace(from_pretrained=lambda name: Words()))
        return unittest.mock.patch.dict(sys.modules, {"datasets": datasets, "transformers": transformers})

    def test_stand_ins_for_hugging_face(self):
        os.mkdir("saved")
        Path("a.txt").write_text("a b\n")
        with self.hugging_face():
            self.assertEqual(self.run_file("hf:org/data:train", "--tokenizer", "org/model")[0], [10, 1])
            self.assertEqual(self.run_file("hf:saved:train", "--tokenizer", "org/model")[0], [10])
            self.assertEqual(self.run_file("a.txt", "--tokenizer", "org/model")[0], [3])
            self.assertIn("say which split, hf:org/data:SPLIT; there are: train, test", self.refusal("hf:org/data"))


@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
class TorchTest(Folder):
    def setUp(self):
        super().setUp()
        Path("job.py").write_text(JOB)

    def test_data_sets(self):
        for source in ("job:tensors", "job:Tensors", "job:Stream"):
            self.assertEqual(self.run_file(source, "--dimension", "0")[0], [5, 1, 12, 7], source)

    def test_processes_keep_the_order(self):
        self.assertEqual(self.run_file("job:tensors", "--dimension", "0", "--workers", "2")[0], [5, 1, 12, 7])
        self.assertIn("--workers is for data sets with indices", self.refusal("job:Stream", "--workers", "2"))
        Path("job.py").write_text(BROKEN)
        sys.modules.pop("job", None)
        self.assertEqual(self.refusal("job:data", "--workers", "1"), "lengths.py: sample 0: RuntimeError: boom")

    def test_the_jobs_collator(self):
        self.assertEqual(self.run_file("job:tensors", "--collate", "job:collate")[0], [7, 3, 12, 9])
        self.assertEqual(self.run_file("job:tensors", "--collate", "job:collate", "--workers", "1")[0], [7, 3, 12, 9])
        self.assertIn("makes no tensor of 1 x tokens", self.refusal("job:tensors", "--collate", "job:collate", "--field", "labels"))

    def test_a_dimension(self):
        self.assertIn("sample 0: has the shape 1 x 16000", self.refusal("job:Waves"))
        self.assertIn("sample 0: has the shape 1 x 16000", self.refusal("job:Waves", "--workers", "1"))
        self.assertEqual(self.run_file("job:Waves", "--dimension", "1")[0], [16000, 32000])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
