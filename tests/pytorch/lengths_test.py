"""`python3 -m seqpoint_companion lengths` with Debian's Python: text, JSON, NumPy, PyTorch.

    lengths_test.py SOURCE_DIR SEQPOINT

Data sets of other libraries are tested in tests/frameworks, with the libraries themselves. Tests
that need NumPy or PyTorch are skipped if it is not installed.
"""

import contextlib
import gzip
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import types
import unittest
import unittest.mock
from pathlib import Path

SOURCE, SEQPOINT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(SOURCE, "python"))
import lengths_folder  # noqa: E402
from seqpoint_companion.lengths import (
    checks,
    columns,
    length_options,
    lengths_command,
    objects,
    sources,
    units,
    web_dataset,
)  # noqa: E402

WORDS = ("--tokenizer", "words")

JOB = """
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
    features = pad_sequence(features, batch_first=True)
    return {"labels": torch.zeros(len(samples)), "features": features}
"""

BROKEN = """
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
    if text:
        raise RuntimeError("tokenizer broke")
    return []

data, stream, number = Data(), Stream(), 5
"""


def run_process(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "seqpoint_companion", "lengths", *arguments],
        env={**os.environ, "PYTHONPATH": os.path.join(SOURCE, "python")},
        capture_output=True,
        text=True,
        check=False,
    )


class Folder(lengths_folder.Folder):
    def setUp(self):
        super().setUp()
        sys.modules.pop("job", None)
        objects.ObjectRows.made.clear()

    def write_rows(self, name, *rows):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


class TextTest(Folder):
    def test_lines_and_what_scan_makes_of_them(self):
        Path("a.txt").write_text("one two three\n\nfour\r\nfive six")
        self.assertEqual(self.lengths("a.txt", *WORDS), [3, 0, 1, 2])
        scan = [SEQPOINT, "scan", "-q", "--lengths-only", "lengths.csv"]
        read = subprocess.run(scan, check=True, capture_output=True, text=True)
        self.assertEqual(read.stdout, Path("lengths.csv").read_text())

    def test_standard_output_gets_the_rows(self):
        Path("a.txt").write_text("one two\n")
        written = run_process("a.txt", "-q", *WORDS)
        self.assertEqual((written.stdout, written.stderr), ("src_len\n2\n", ""))

    def test_json_lines_an_array_and_packed_ones(self):
        rows = [{"text": "a b", "id": 1}, {"text": "c", "id": 2}]
        self.write_rows("a.jsonl", *rows)
        Path("a.json").write_text(json.dumps(rows, indent=1))
        with gzip.open("b.jsonl.gz", "wt") as file:
            file.write("".join(json.dumps(row) + "\n" for row in rows) + "\n")
        shutil.copy("b.jsonl.gz", "C.JSONL.GZ")
        for name in ("a.jsonl", "a.json", "b.jsonl.gz", "C.JSONL.GZ"):
            self.assertEqual(self.lengths(name, *WORDS), [2, 1], name)
        self.assertEqual(self.lengths("a.jsonl", "b.jsonl.gz", *WORDS), [2, 1, 2, 1])

    def test_stated_and_counted_lengths(self):
        self.write_rows("a.jsonl", {"input_ids": [1, 2, 3], "text": "x"}, {"input_ids": []})
        self.assertEqual(self.lengths("a.jsonl"), [3, 0])
        self.write_rows("a.jsonl", {"length": 7, "input_ids": [1]})
        self.assertEqual(self.lengths("a.jsonl"), [7])
        self.assertEqual(self.lengths("a.jsonl", "--length-field", "input_ids"), [1])
        self.write_rows("a.jsonl", {"meta": {"n.1": 4}})
        self.assertEqual(self.lengths("a.jsonl", "--length-field", "meta.n.1"), [4])

    def test_two_sides(self):
        self.write_rows("a.jsonl", {"src_len": 3, "tgt_len": 4})
        self.assertEqual(self.lengths("a.jsonl"), [(3, 4)])
        self.assertEqual(self.lines()[0], "src_len,tgt_len")
        self.write_rows("a.jsonl", {"translation": {"en": "a b", "vi": "c d e"}})
        fields = ("--length-field", "translation.en", "--tgt-length-field", "translation.vi")
        added = ("--add-src", "2", "--add-tgt", "1")
        self.assertEqual(self.lengths("a.jsonl", *fields, *added, *WORDS), [(4, 4)])

    def test_tables_of_text(self):
        Path("a.csv").write_text('id,text\n1,"one, two"\n2,three\n')
        Path("a.tsv").write_text('id\ttext\n1\t"one two\n')
        self.assertEqual(self.lengths("a.csv", *WORDS), [2, 1])
        self.assertEqual(self.lengths("a.tsv", *WORDS), [2])
        self.assertIn("lengths in it are read by `seqpoint scan`", self.refusal("a.csv"))
        Path("a.csv").write_text("id,text\n1\n")
        self.assertIn("a.csv:2: has another number of fields", self.refusal("a.csv", *WORDS))

    def test_truncation_is_stated(self):
        Path("a.txt").write_text("a b c d e\na b\n")
        status, said = self.run_command("a.txt", *WORDS, "--add-src", "1", "--truncate", "4")
        self.assertEqual((status, self.lines()), (0, ["src_len", "4", "3"]))
        self.assertIn("samples cut to 4 tokens: 1", said)

    def test_bytes(self):
        Path("a.txt").write_text("é\n", encoding="utf-8")
        self.assertEqual(self.lengths("a.txt", "--tokenizer", "bytes"), [2])


class TokenizerTest(Folder):
    def test_the_jobs_own_however_it_answers(self):
        Path("a.txt").write_text("one two\n")
        encoding = "type('E', (), {'ids': [1, 2, 3]})()"
        encoder = "type('T', (), {'encode': lambda self, text: [7] * 5})()"
        for tokens, length in (
            ("str.split", 2),
            (f"lambda text: {encoding}", 3),
            (encoder, 5),
            ("lambda text: {'input_ids': [[1, 2, 3, 4]]}", 4),
        ):
            Path("job.py").write_text(f"tokenizer = {tokens}\n")
            sys.modules.pop("job", None)
            self.assertEqual(self.lengths("a.txt", "--tokenizer", "job:tokenizer"), [length])

    def test_texts_are_tokenized_together(self):
        class Tokenizer:
            truncation, batches = None, []
            no_padding = no_truncation = lambda self: None

            def encode(self, text, add_special_tokens):
                if text == "bad":
                    raise ValueError("cannot be encoded")
                return text.split()

            def encode_batch(self, texts, add_special_tokens):
                Tokenizer.batches.append(len(texts))
                return [self.encode(text, add_special_tokens) for text in texts]

        Tokenizer.from_file = staticmethod(lambda name: Tokenizer())
        library = types.SimpleNamespace(Tokenizer=Tokenizer)
        texts = ["a " * (1 + row % 7) for row in range(150)]
        Path("a.json").write_text("{}")
        Path("a.txt").write_text("\n".join(texts) + "\n")
        with unittest.mock.patch.dict(sys.modules, {"tokenizers": library}):
            found = self.lengths("a.txt", "--tokenizer", "a.json")
            self.assertEqual(found, [len(text.split()) for text in texts])
            self.assertEqual(Tokenizer.batches, [64, 64, 22])
            texts[70] = "bad"
            Path("a.txt").write_text("\n".join(texts) + "\n")
            said = self.refusal("a.txt", "--tokenizer", "a.json", status=3)
        self.assertIn("a.txt:71: ValueError: cannot be encoded", said)

    def test_a_library_that_is_missing_is_named_with_its_package(self):
        for name, module in (
            ("a.model", "sentencepiece"),
            ("a.json", "tokenizers"),
            ("org/name", "transformers"),
        ):
            Path("a.txt").write_text("a\n")
            Path("a.model").write_text("x")
            Path("a.json").write_text("{}")
            with unittest.mock.patch.dict(sys.modules, {module: None}):
                said = self.refusal("a.txt", "--tokenizer", name, status=2)
            self.assertIn(f"hint: pip install {module}\n", said)

    def test_a_source_whose_library_is_missing(self):
        for name, module, package in (
            ("a.parquet", "pyarrow", "pyarrow"),
            ("a.tar", "webdataset", "webdataset"),
            ("a.wav", "soundfile", "soundfile"),
            ("A.JSONL.ZST", "zstandard", "zstandard"),
            ("hf:x", "datasets", "datasets"),
        ):
            if not name.startswith("hf:"):
                Path(name).write_bytes(b"\x28\xb5\x2f\xfd")
            with unittest.mock.patch.dict(sys.modules, {module: None}):
                self.assertIn(f"hint: pip install {package}\n", self.refusal(name, status=2))

    def test_parts_that_a_source_does_not_have(self):
        os.mkdir("saved")
        Path("saved/state.json").write_text("{}")
        Path("a.txt").write_text("a\n")
        for option, name in (("--subset", "saved"), ("--subset", "a.txt"), ("--split", "a.txt")):
            said = self.refusal(name, option, "en", *WORDS, status=2)
            self.assertIn(f"{option} does not apply to {name}", said)
            self.assertIn("hint: leave it out", said)

    def test_a_tokenizer_without_text_to_count(self):
        self.write_rows("a.jsonl", {"input_ids": [1, 2]})
        said = self.refusal("a.jsonl", *WORDS)
        self.assertIn("none of its columns is known to hold text: input_ids", said)
        said = self.refusal("a.jsonl", *WORDS, "--length-field", "input_ids", status=2)
        self.assertIn("--tokenizer has no use", said)


class ChatTest(Folder):
    TURNS = [{"role": "user", "content": "a b"}, {"role": "assistant", "content": "c"}]
    PLAIN = ("--message-tokens", "4", "--conversation-tokens", "2")

    def test_turns_in_every_form(self):
        forms = (
            {"messages": self.TURNS},
            {"conversations": [{"from": "human", "value": "a b"}, {"from": "gpt", "value": "c"}]},
            {"prompt": self.TURNS[:1], "completion": self.TURNS[1:]},
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "a b c"}]}] * 1},
        )
        for form, messages in zip(forms, (2, 2, 2, 1)):
            self.write_rows("a.jsonl", form)
            self.assertEqual(self.lengths("a.jsonl", *WORDS), [3], form)
            self.assertEqual(self.lengths("a.jsonl", *WORDS, *self.PLAIN), [3 + 2 + 4 * messages])

    def test_prompt_and_completion_of_text_are_one(self):
        self.write_rows("a.jsonl", {"prompt": "a b", "completion": "c d"}, {"prompt": "a "})
        self.assertEqual(self.lengths("a.jsonl", *WORDS), [3, 1])

    def test_prompts_alone(self):
        self.write_rows("a.jsonl", {"prompt": self.TURNS[:1], "solution": "5"})
        self.assertEqual(self.lengths("a.jsonl", *WORDS), [2])

    def test_the_text_around_an_instruction_has_to_be_stated(self):
        row = {"instruction": "a b", "input": "", "output": "c"}
        Path("a.json").write_text(json.dumps([row]))
        Path("job.py").write_text("tokenizer = str.split\n")
        own = ("a.json", "--tokenizer", "job:tokenizer")
        self.assertIn("--conversation-tokens N states", self.refusal(*own))
        self.assertEqual(self.lengths(*own, "--conversation-tokens", "40"), [43])

    def test_a_chat_needs_a_template_or_what_is_around_it(self):
        self.write_rows("a.jsonl", {"messages": self.TURNS})
        Path("job.py").write_text("tokenizer = str.split\n")
        own = ("a.jsonl", "--tokenizer", "job:tokenizer")
        said = self.refusal(*own)
        self.assertIn("a.jsonl:1: field 'messages': is a conversation, and the tokenizer", said)
        self.assertEqual(self.lengths(*own, "--template", "none"), [3])

    def test_the_template_of_the_jobs_tokenizer_gets_the_record(self):
        Path("job.py").write_text(
            "class Own:\n"
            "    def __call__(self, text):\n"
            "        return text.split()\n"
            "    def apply_chat_template(self, messages, tokenize, tools=(), **options):\n"
            "        roles = [m['role'] for m in messages]\n"
            "        assert set(roles) <= {'user', 'assistant'}, roles\n"
            "        more = 100 * len(tools) + 10 * bool(options.get('add_generation_prompt'))\n"
            "        return [0] * (more + sum(len(m['content'].split()) + 1 for m in messages))\n"
            "own = Own()\n"
        )
        own = ("a.jsonl", "--tokenizer", "job:own")
        shared = [{"from": "human", "value": "a b"}, {"from": "gpt", "value": "c"}]
        self.write_rows("a.jsonl", {"conversations": shared})
        self.assertEqual(self.lengths(*own), [5])
        self.write_rows("a.jsonl", {"messages": self.TURNS, "tools": [{"name": "x"}]})
        self.assertEqual(self.lengths(*own), [105])
        self.write_rows("a.jsonl", {"prompt": self.TURNS[:1]})
        self.assertEqual(self.lengths(*own), [13])

    def test_media_are_counted_as_stated_or_refused(self):
        picture = {"role": "user", "content": [{"type": "image", "image": "x y.png"}]}
        link = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x y"}}]}
        video = {"from": "human", "value": "clips/a 0.mp4", "type": "video"}
        reply = {"from": "gpt", "value": "c", "type": "text"}
        for row, kind in (
            ({"messages": [picture, *self.TURNS]}, "image"),
            ({"messages": [link, *self.TURNS]}, "image"),
            ({"messages": self.TURNS, "images": ["a b.png"]}, "image"),
            ({"conversations": [video, reply, {"from": "human", "value": "a b"}]}, "video"),
            ({"messages": self.TURNS, "audios": ["a.wav"]}, "audio"),
            ({"text": "a b c", "images": ["a.png"]}, "image"),
        ):
            self.write_rows("a.jsonl", row)
            said = self.refusal("a.jsonl", *WORDS)
            self.assertIn(f"holds {kind}, which no tokenizer counts", said)
            self.assertEqual(
                self.lengths("a.jsonl", *WORDS, "--media-tokens", f"{kind}=256"), [259], row
            )

    def test_a_transcript_is_text_beside_its_audio(self):
        self.write_rows("a.jsonl", {"text": "a b c", "audio": "x.wav"})
        self.assertEqual(self.lengths("a.jsonl", *WORDS), [3])


class SilentErrorsTest(Folder):
    """Numbers that look like lengths and are not."""

    def test_a_list_of_lengths_is_no_sample(self):
        Path("duration.json").write_text(json.dumps({"duration": [19.0, 21.6]}))
        self.assertIn("is a list where one number is expected", self.refusal("duration.json"))
        said = self.refusal("duration.json", "--length-field", "duration")
        self.assertIn("write each as a row of its own", said)

    def test_milliseconds_under_a_name_of_seconds(self):
        clips = [1420, 914, 2443, 3239, 1038, 2824, 1924, 1928]
        self.write_rows("a.jsonl", *({"duration": clip} for clip in clips))
        self.assertIn("may be milliseconds", self.refusal("a.jsonl"))
        in_ms = self.lengths("a.jsonl", "--length-unit", "ms")
        self.assertEqual(in_ms, [clip // 10 for clip in clips])
        self.assertEqual(self.lengths("a.jsonl", "--length-unit", "seconds")[0], 142000)
        self.write_rows("a.jsonl", *({"duration": clip / 1000} for clip in clips))
        self.assertEqual(self.lengths("a.jsonl"), in_ms)

    def test_long_recordings_that_are_not_whole_seconds(self):
        self.write_rows("a.jsonl", *({"duration": 300.5 + row} for row in range(20)))
        self.assertEqual(len(self.lengths("a.jsonl")), 20)

    def test_running_totals(self):
        totals = [0, 448, 589, 1048, 1180, 1276, 1448, 1467, 1576]
        self.write_rows("a.jsonl", *({"length": total} for total in totals))
        self.assertIn("running totals", self.refusal("a.jsonl"))
        self.assertEqual(self.lengths("a.jsonl", "--length-unit", "tokens"), totals)
        self.write_rows("a.jsonl", *({"length": length} for length in [0, 1, 1, 2, 3, 5, 8, 13]))
        self.assertEqual(len(self.lengths("a.jsonl")), 8)  # sorted lengths, two of them equal

    def test_objects_are_no_tokens(self):
        self.write_rows("a.jsonl", {"tokens": [{"id": 1}, {"id": 2}]})
        self.assertIn("is a list of objects, whose number is no length", self.refusal("a.jsonl"))

    def test_equal_lengths_are_doubted(self):
        self.write_rows("a.jsonl", *({"length": 5} for _ in range(16)))
        self.assertIn("all 16 samples have the length 5", self.run_command("a.jsonl")[1])

    def test_bad_numbers_are_named_with_their_row(self):
        rows = [3, -1, 2.5, None, "x", True, float("nan"), 1e300, 4]
        self.write_rows("a.jsonl", *({"length": value} for value in rows[:4]))
        said = self.refusal("a.jsonl")
        for line, why in ((2, "is negative"), (3, "is not a whole number"), (4, "is missing")):
            self.assertRegex(said, f"a.jsonl:{line}: field 'length': .*{why}")
        self.assertEqual(self.lengths("a.jsonl", "--skip-missing"), [3])
        for value, why in ((rows[5], "not a number"), (rows[6], "finite"), (rows[7], "too large")):
            self.write_rows("a.jsonl", {"length": value})
            self.assertIn(why, self.refusal("a.jsonl"))

    def test_text_needs_a_tokenizer(self):
        for row in ({"text": "a"}, {"messages": [{"role": "user", "content": "a"}]}):
            self.write_rows("a.jsonl", row)
            self.assertIn("--tokenizer", self.refusal("a.jsonl"))
        self.write_rows("a.jsonl", {"length": 1}, {"length": "a b"})
        self.assertIn("a.jsonl:2: field 'length': is text", self.refusal("a.jsonl"))


class FilesTest(Folder):
    def test_an_output_is_never_an_input(self):
        self.write_rows("lengths.csv.jsonl", {"length": 1})
        os.link("lengths.csv.jsonl", "lengths.csv")
        status, said = self.run_command("lengths.csv.jsonl")
        self.assertEqual(status, 2)
        self.assertIn("-o lengths.csv: is a file that is read", said)
        self.assertEqual(Path("lengths.csv").read_text(), '{"length": 1}\n')

    def test_a_failure_leaves_the_earlier_file(self):
        Path("lengths.csv").write_text("earlier\n")
        self.write_rows("a.jsonl", {"length": -1})
        self.assertEqual(self.run_command("a.jsonl")[0], 3)
        self.assertEqual(sorted(os.listdir()), ["a.jsonl", "lengths.csv"])
        self.assertEqual(Path("lengths.csv").read_text(), "earlier\n")

    def test_a_folder_that_cannot_be_written(self):
        self.write_rows("a.jsonl", {"length": 1})
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(lengths_command.main(["a.jsonl", "-q", "-o", "gone/lengths.csv"]), 4)
        self.assertIn("gone/lengths.csv: No such file or directory", said.getvalue())

    def test_patterns_and_folders(self):
        os.mkdir("data")
        for number in range(12):
            self.write_rows(f"data/part-{number:02}.jsonl", {"length": number + 1})
        everything = list(range(1, 13))
        for pattern in ("data/part-{00..11}.jsonl", "data/part-*.jsonl", "data"):
            self.assertEqual(self.lengths(pattern), everything, pattern)
        self.assertIn(
            "part-12.jsonl: there is no such file", self.refusal("data/part-{00..12}.jsonl")
        )
        self.write_rows("data/test-0.jsonl", {"length": 1})
        self.assertIn("several data sets: no split, test", self.refusal("data"))
        Path("data/test-0.jsonl").rename("data/a.csv")
        self.assertIn("several formats: csv, json", self.refusal("data"))

    def test_what_is_no_source(self):
        Path("empty.jsonl").write_text("")
        Path("latin.txt").write_bytes(b"a\nb\n\xe9\n")
        Path("cut.json").write_text('[{"length": 1},')
        Path("bad.jsonl").write_text('{"length": 1}\n{"length":\n')
        Path("one.json").write_text('{"data": {\n"length": 1}}')
        Path("unknown.bin").write_bytes(b"\x00\x01")
        self.assertIn("empty.jsonl: has no samples", self.refusal("empty.jsonl"))
        self.assertIn("latin.txt: is no text in UTF-8", self.refusal("latin.txt", *WORDS))
        self.assertIn("cut.json: is no JSON", self.refusal("cut.json"))
        self.assertIn("bad.jsonl:2: is no JSON", self.refusal("bad.jsonl"))
        Path("A.JSONL").write_text('{"length":\n')
        self.assertIn("A.JSONL:1: is no JSON", self.refusal("A.JSONL"))
        shutil.copy("cut.json", "CUT.TAR")
        with unittest.mock.patch.dict(sys.modules, webdataset=types.ModuleType("webdataset")):
            self.assertIn("CUT.TAR: has no end mark", self.refusal("CUT.TAR"))
        self.assertIn("is one JSON object", self.refusal("one.json"))
        self.assertIn("--format", self.refusal("unknown.bin"))
        self.assertIn("gone.txt: there is no such file", self.refusal("gone.txt"))
        self.assertIn("No module named 'gone'", self.refusal("gone:data", status=2))

    def test_options_that_change_nothing(self):
        self.write_rows("a.jsonl", {"length": 1})
        self.write_rows("t.jsonl", {"text": "a"})
        self.refusal("t.jsonl", *WORDS, "--length-unit", "seconds", status=2)
        for options in (
            ("--template", "x"),
            ("--message-tokens", "4"),
            ("--media-tokens", "image=4"),
            ("--no-special-tokens",),
            ("--add-src", "1"),
            ("--processes", "0"),
            ("--truncate", "0"),
            ("--media-tokens", "image"),
            ("--frame-shift", "10"),
            (*WORDS, "--audio"),
        ):
            self.refusal("a.jsonl", *options, status=2)

    def test_processes_change_no_byte(self):
        rows = [{"text": "w " * (row % 7), "id": row} for row in range(2500)]
        self.write_rows("a.jsonl", *rows)
        results = [run_process("a.jsonl", *WORDS, "--processes", n).stdout for n in "123"]
        self.assertEqual(results[0].count("\n"), 2501)
        self.assertEqual(results, results[:1] * 3)

    def test_processes_name_the_same_rows(self):
        rows = [{"length": -1 if row % 400 == 399 else 5} for row in range(2500)]
        self.write_rows("a.jsonl", *rows)
        one, two = (run_process("a.jsonl", "--processes", n) for n in "12")
        self.assertEqual((one.returncode, one.stderr), (two.returncode, two.stderr))
        self.assertEqual(one.returncode, 3)
        self.assertIn("a.jsonl:2400: field 'length': -1 is negative", one.stderr)


class ObjectsTest(Folder):
    def test_what_the_job_raises_is_named_with_its_row(self):
        Path("job.py").write_text(BROKEN)
        Path("broken.py").write_text("def f(:\n")
        Path("a.txt").write_text("a b\n")
        for arguments, said in (
            (["job:data"], "job:data: row 0: RuntimeError: boom"),
            (["job:stream"], "job:stream: row 1: RuntimeError: stream broke"),
            (["job:make"], "job:make: KeyError: 'x'"),
            (["job:number"], "job:number: is 5, neither samples nor a function"),
            (["a.txt", "--tokenizer", "job:bad"], "a.txt:1: RuntimeError: tokenizer broke"),
            (["a.txt", "--collate", "job:bad"], "a.txt:1: RuntimeError: tokenizer broke"),
        ):
            sys.modules.pop("job", None)
            self.assertIn(said, self.refusal(*arguments))
        self.assertIn("no attribute 'gone'", self.refusal("job:gone", status=2))
        self.assertIn("SyntaxError", self.refusal("broken:x", status=2))

    def test_lists(self):
        Path("job.py").write_text("data = [[1, 2], [3], []]\n")
        self.assertEqual(self.lengths("job:data"), [2, 1, 0])


@unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
class NumpyTest(Folder):
    def save(self, values):
        import numpy

        numpy.save("a.npy", numpy.array(values))

    def test_arrays(self):
        self.save([3, 1, 4])
        self.assertEqual(self.lengths("a.npy"), [3, 1, 4])
        self.save([[3, 4], [5, 6]])
        self.assertEqual(self.lengths("a.npy"), [(3, 4), (5, 6)])
        self.assertEqual(self.lengths("a.npy", "--length-field", "1"), [4, 6])
        self.save([3.42, 11.0, 0.5])
        self.assertEqual(self.lengths("a.npy", "--length-unit", "seconds"), [342, 1100, 50])

    def test_what_is_no_array_of_lengths(self):
        for values, said in (([[1, 2, 3]], "shape (1, 3)"), (["a"], "not of numbers")):
            self.save(values)
            self.assertIn(said, self.refusal("a.npy"))
        self.save([1.5])
        self.assertIn("is not a whole number", self.refusal("a.npy"))
        self.save([1, 2])
        self.assertIn("only one column", self.refusal("a.npy", "--length-field", "0", status=2))


@unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
class TorchTest(Folder):
    def setUp(self):
        super().setUp()
        Path("job.py").write_text(JOB)

    def test_data_sets(self):
        for source in ("job:tensors", "job:Tensors", "job:Stream"):
            self.assertEqual(self.lengths(source, "--dimension", "0"), [5, 1, 12, 7], source)

    def test_the_jobs_collator(self):
        collate = ("job:tensors", "--collate", "job:collate")
        self.assertEqual(self.lengths(*collate), [7, 3, 12, 9])
        said = self.refusal(*collate, "--length-field", "labels")
        self.assertIn("made no tensor of 1 x tokens", said)

    def test_a_dimension(self):
        self.assertIn("row 0: has the shape 1 x 16000", self.refusal("job:Waves"))
        self.assertEqual(self.lengths("job:Waves", "--dimension", "1"), [16000, 32000])


class PartsTest(unittest.TestCase):
    """Functions whose results follow from their rules."""

    def test_units_are_those_of_scan(self):
        for unit, number, length in (
            ("seconds", 12.345, 1234),
            ("ms", 12345, 1234),
            ("samples", 16159, 100),
            ("frames", 7, 7),
            ("tokens", 7, 7),
            (None, 7, 7),
        ):
            self.assertEqual(self.converter(unit)(number), length, unit)
        self.assertEqual(self.converter("seconds", "--sample-rate", "8000")(1.0), 100)
        self.assertEqual(self.converter("ms", "--seconds")(1500), 1.5)

    @staticmethod
    def converter(unit, *options):
        return units.Converter(unit, length_options.parse(["a.csv", *options]))

    def test_names_of_columns(self):
        self.assertEqual(columns.usual_columns(["tokens", "input_ids"])[0], "input_ids")
        self.assertEqual(columns.usual_columns(["samples", "num_tokens"])[0], "num_tokens")
        self.assertEqual(columns.usual_columns(["samples", "duration"])[0], "samples")

    def test_braces(self):
        self.assertEqual(sources.braces("a-{8..10}"), ["a-8", "a-9", "a-10"])
        self.assertEqual(sources.braces("{a,b}-{00..01}"), ["a-00", "a-01", "b-00", "b-01"])

    def test_doubts_count_zeros(self):
        found = type("Found", (), {"src": [0, 1, 0]})
        self.assertIn("2 samples of 3 with a length of 0", next(checks.doubts(found)))


class ShardTest(unittest.TestCase):
    def test_the_only_audio_of_a_sample_stands_for_the_chosen_ending(self):
        sample = {"__key__": "a", "wav": b"1", "txt": b"2"}
        self.assertEqual(web_dataset.with_audio_as(sample, ["flac"])["flac"], b"1")
        self.assertEqual(web_dataset.with_audio_as(sample, ["txt"]), sample)
        two = {**sample, "ogg": b"3"}
        self.assertEqual(web_dataset.with_audio_as(two, ["flac"]), two)  # either may be meant


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
