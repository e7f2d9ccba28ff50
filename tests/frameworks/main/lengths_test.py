"""`python3 -m seqpoint_companion lengths` with the libraries that wrote the data sets.

    lengths_test.py SOURCE_DIR SEQPOINT

Data sets are made here by the libraries from lengths that are known, so that each expected length
is the number of elements that went in. Counts of tokens are compared with those of the tokenizer
itself, with the options that a trainer would use. Also: the inputs and results with which the
readers of version 1 were tested.
"""

import io
import json
import os
import random
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path

SOURCE, SEQPOINT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(SOURCE, "python"))
sys.path.insert(0, os.path.join(SOURCE, "tests", "pytorch"))
os.environ["HF_HUB_OFFLINE"] = "1"
TESTS = Path(SOURCE, "tests")

import datasets  # noqa: E402
import numpy  # noqa: E402
import pyarrow  # noqa: E402
import pyarrow.parquet  # noqa: E402
import soundfile  # noqa: E402
import tokenizers  # noqa: E402
import transformers  # noqa: E402
from lengths_folder import Folder  # noqa: E402

datasets.disable_progress_bars()

WORDS = "the cat sat on a mat and saw one dog".split()
TEMPLATE = (
    "{% for m in messages %}<s> {{ m.role }} {{ m.content }} </s> {% endfor %}"
    "{% if tools %}tools {% endif %}{% if add_generation_prompt %}<s> assistant{% endif %}"
)


def some_text(seed, most=20):
    draw = random.Random(seed)
    return " ".join(draw.choice(WORDS) for _ in range(draw.randrange(1, most)))


def word_tokenizer():
    """A tokenizer of whole words that puts one token before and one behind a text."""
    names = ["[UNK]", "<s>", "</s>", "user", "assistant", "tools", *WORDS]
    vocabulary = {name: number for number, name in enumerate(names)}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return made


class HuggingFaceTest(Folder):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        self.sizes = [draw.randrange(40) for _ in range(2500)]
        self.data = datasets.Dataset.from_dict(
            {"input_ids": [[1] * size for size in self.sizes], "id": range(2500)}
        )

    def test_a_saved_set_of_several_files(self):
        self.data.save_to_disk("saved", num_shards=3)
        self.assertEqual(self.lengths("saved"), self.sizes)
        self.assertEqual(self.lengths("saved/state.json"), self.sizes)
        self.assertEqual(self.lengths("saved", "--processes", "2"), self.sizes)
        parts = sorted(map(str, Path("saved").glob("*.arrow")))
        self.assertEqual(self.lengths(*parts), self.sizes)

    def test_a_set_that_was_shuffled_and_filtered(self):
        changed = self.data.shuffle(seed=5).filter(lambda row: row["id"] % 3 == 0)
        expected = [len(row) for row in changed["input_ids"]]
        changed.save_to_disk("saved")
        self.assertEqual(self.lengths("saved"), expected)

    def test_splits(self):
        few = self.data.select(range(3))
        datasets.DatasetDict({"train": self.data, "test": few}).save_to_disk("splits")
        self.assertIn("--split NAME", self.refusal("splits"))
        self.assertEqual(self.lengths("splits", "--split", "test"), self.sizes[:3])
        self.assertEqual(self.lengths("splits/test"), self.sizes[:3])
        self.assertIn("it has one split", self.refusal("splits/test", "--split", "x", status=2))

    def test_a_damaged_set(self):
        self.data.save_to_disk("saved", num_shards=2)
        part = Path("saved/data-00001-of-00002.arrow")
        content = part.read_bytes()
        part.write_bytes(content[: len(content) // 2])
        self.assertIn("saved", self.refusal("saved"))
        part.write_text("version https://git-lfs.github.com/spec/v1\n")
        self.assertIn("pointer of Git LFS", self.refusal("saved"))
        part.unlink()
        self.assertIn("names data-00001-of-00002.arrow, which is not", self.refusal("saved"))

    def test_a_name_of_the_cache(self):
        os.mkdir("local")
        self.data.to_parquet("local/train-00000-of-00001.parquet")
        self.assertEqual(self.lengths("hf:./local", "--split", "train"), self.sizes)
        self.assertIn("cannot be loaded", self.refusal("hf:nobody/nothing"))

    def test_audio_is_not_decoded(self):
        for number, frames in enumerate((16000, 8000)):
            soundfile.write(f"{number}.wav", numpy.zeros(frames), 16000)
        sounds = datasets.Dataset.from_dict({"audio": ["0.wav", "1.wav"]})
        sounds = sounds.cast_column("audio", datasets.Audio())
        sounds.save_to_disk("sounds")
        self.assertEqual(self.lengths("sounds", "--length-field", "audio"), [100, 50])


class TableTest(Folder):
    def setUp(self):
        super().setUp()
        draw = random.Random(2)
        self.sizes = [draw.randrange(30) for _ in range(3000)]
        self.table = pyarrow.table(
            {
                "input_ids": pyarrow.array(
                    [[7] * n for n in self.sizes], pyarrow.list_(pyarrow.int32())
                ),
                "large": pyarrow.array(
                    [["w"] * n for n in self.sizes], pyarrow.large_list(pyarrow.string())
                ),
                "seconds": pyarrow.array([n / 4 for n in self.sizes], pyarrow.float32()),
                "numbers": pyarrow.array(self.sizes, pyarrow.uint16()),
                "codes": pyarrow.array([str(n) for n in self.sizes]).dictionary_encode(),
            }
        )

    def test_parquet_of_every_compression(self):
        for compression in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
            pyarrow.parquet.write_table(
                self.table, "a.parquet", compression=compression, row_group_size=700
            )
            self.assertEqual(self.lengths("a.parquet"), self.sizes_of_seconds(), compression)
            for field in ("input_ids", "large", "numbers"):
                self.assertEqual(self.lengths("a.parquet", "--length-field", field), self.sizes)
        processes = ("--length-field", "large", "--processes", "3")
        self.assertEqual(self.lengths("a.parquet", *processes), self.sizes)

    def sizes_of_seconds(self):
        return [n * 25 for n in self.sizes]

    def test_arrow_files_and_streams(self):
        for name, make in (("file", pyarrow.ipc.new_file), ("stream", pyarrow.ipc.new_stream)):
            with make(f"{name}.arrow", self.table.schema) as writer:
                writer.write_table(self.table, max_chunksize=999)
            for field in ("input_ids", "large", "numbers"):
                read = self.lengths(f"{name}.arrow", "--length-field", field)
                self.assertEqual(read, self.sizes, (name, field))
            self.assertEqual(self.lengths(f"{name}.arrow"), self.sizes_of_seconds())

    def test_partitions_and_parts(self):
        for begin in (0, 1000, 2000):
            folder = Path(f"data/length={begin}")
            folder.mkdir(parents=True)
            part = self.table.select(["input_ids"]).slice(begin, 1000)
            pyarrow.parquet.write_table(part, folder / "part.parquet")
        self.assertEqual(self.lengths("data"), self.sizes)

    def test_columns_that_hold_no_lengths(self):
        table = self.table.append_column("nested", pyarrow.array([[[1], [2]]] * 3000))
        table = table.append_column("duration", pyarrow.array([[1.0, 2.0]] * 3000))
        pyarrow.parquet.write_table(table, "a.parquet")
        self.assertEqual(self.lengths("a.parquet", "--length-field", "nested"), [2] * 3000)
        said = self.refusal("a.parquet", "--length-field", "duration")
        self.assertIn("holds lists where one number is expected", said)
        self.assertIn("is text", self.refusal("a.parquet", "--length-field", "codes"))
        self.assertIn("no such column", self.refusal("a.parquet", "--length-field", "gone"))

    def test_missing_rows_are_named(self):
        pyarrow.parquet.write_table(pyarrow.table({"length": [3, None, 5]}), "a.parquet")
        self.assertIn("a.parquet: field 'length': row 1: is missing", self.refusal("a.parquet"))
        self.assertEqual(self.lengths("a.parquet", "--skip-missing"), [3, 5])

    def test_decimals(self):
        import decimal

        values = [decimal.Decimal("3.42"), decimal.Decimal("11.00")]
        pyarrow.parquet.write_table(pyarrow.table({"duration": values}), "a.parquet")
        self.assertEqual(self.lengths("a.parquet"), [342, 1100])

    def test_audio_beside_text(self):
        soundfile.write("a.wav", numpy.zeros(16000), 16000)
        sound = {"bytes": Path("a.wav").read_bytes(), "path": "a.wav"}
        table = pyarrow.table({"text": ["one two", "three"], "audio": [sound, sound]})
        pyarrow.parquet.write_table(table, "a.parquet")
        self.assertEqual(self.lengths("a.parquet"), [100, 100])

    def test_files_that_are_cut(self):
        pyarrow.parquet.write_table(self.table, "a.parquet")
        with pyarrow.ipc.new_file("a.arrow", self.table.schema) as writer:
            writer.write_table(self.table)
        for name in ("a.parquet", "a.arrow"):
            content = Path(name).read_bytes()
            for size in (0, 1, 100, len(content) // 2, len(content) - 3):
                Path(name).write_bytes(content[:size])
                self.assertIn(name, self.refusal(name), size)


class TokenizerTest(Folder):
    def setUp(self):
        super().setUp()
        self.texts = [some_text(seed) for seed in range(1200)]
        word_tokenizer().save("tokenizer.json")
        fast = transformers.PreTrainedTokenizerFast(
            tokenizer_file="tokenizer.json", chat_template=TEMPLATE
        )
        fast.save_pretrained("model")
        self.own = fast
        self.write("text.jsonl", [{"text": text} for text in self.texts])

    @staticmethod
    def write(name, rows):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def test_text_by_transformers(self):
        expected = [len(self.own(text)["input_ids"]) for text in self.texts]
        self.assertEqual(expected[0], len(self.texts[0].split()) + 2)
        self.assertEqual(self.lengths("text.jsonl", "--tokenizer", "model"), expected)
        two = ("--tokenizer", "model", "--processes", "2")
        self.assertEqual(self.lengths("text.jsonl", *two), expected)
        bare = self.lengths("text.jsonl", "--tokenizer", "model", "--no-special-tokens")
        self.assertEqual(bare, [length - 2 for length in expected])
        said = self.run_command("text.jsonl", "--tokenizer", "model")[1]
        self.assertIn("model: adds 2 special tokens to each text, counted", said)

    def test_truncation_as_transformers_cuts(self):
        cut = ("--tokenizer", "model", "--truncate", "8")
        expected = [
            len(self.own(text, truncation=True, max_length=8)["input_ids"]) for text in self.texts
        ]
        self.assertEqual(self.lengths("text.jsonl", *cut), expected)

    def test_a_tokenizer_json(self):
        expected = [len(word_tokenizer().encode(text).ids) for text in self.texts]
        self.assertEqual(self.lengths("text.jsonl", "--tokenizer", "tokenizer.json"), expected)
        texts = [some_text(seed) for seed in range(300)]
        Path("many.txt").write_text("\n".join(texts) + "\n")
        expected = [len(word_tokenizer().encode(text).ids) for text in texts]
        self.assertEqual(self.lengths("many.txt", "--tokenizer", "tokenizer.json"), expected)
        cut = word_tokenizer()
        cut.enable_truncation(8)
        cut.enable_padding(length=64)
        cut.save("cut.json")
        said = self.refusal("text.jsonl", "--tokenizer", "cut.json", status=2)
        self.assertIn("--truncate 8", said)
        both = (("8", [min(n, 8) for n in expected]), ("none", expected))
        for truncate, lengths in both:
            options = ("--tokenizer", "cut.json", "--truncate", truncate)
            self.assertEqual(self.lengths("text.jsonl", *options), lengths)

    def chats(self):
        for seed in range(300):
            yield [
                {"role": "user", "content": some_text(seed)},
                {"role": "assistant", "content": some_text(seed + 1000)},
            ]

    def templated(self, messages, **options):
        made = self.own.apply_chat_template(messages, tokenize=True, return_dict=True, **options)
        return len(made["input_ids"])

    def test_chats_by_the_models_template(self):
        self.write("chat.jsonl", [{"messages": messages} for messages in self.chats()])
        expected = [self.templated(messages) for messages in self.chats()]
        words = [len(" ".join(m["content"] for m in chat).split()) for chat in self.chats()]
        self.assertEqual(expected[0], words[0] + 2 * 3)  # <s> role </s>, and no more
        chat = ("chat.jsonl", "--tokenizer", "model")
        self.assertEqual(self.lengths(*chat), expected)
        self.assertEqual(self.lengths(*chat, "--processes", "2"), expected)

    def test_chats_by_another_template(self):
        self.write("chat.jsonl", [{"messages": messages} for messages in self.chats()])
        other = "{% for m in messages %}{{ m.content }} {% endfor %}"
        Path("other.jinja").write_text(other)
        expected = [self.templated(messages, chat_template=other) for messages in self.chats()]
        chat = ("chat.jsonl", "--tokenizer", "model", "--template", "other.jinja")
        self.assertEqual(self.lengths(*chat), expected)

    def test_prompts_and_tools(self):
        chats = list(self.chats())
        self.write("prompts.jsonl", [{"prompt": chat[:1]} for chat in chats])
        expected = [self.templated(chat[:1], add_generation_prompt=True) for chat in chats]
        self.assertEqual(self.lengths("prompts.jsonl", "--tokenizer", "model"), expected)
        tool = {"type": "function", "function": {"name": "f", "description": "", "parameters": {}}}
        self.write("tools.jsonl", [{"messages": chat, "tools": [tool]} for chat in chats])
        expected = [self.templated(chat, tools=[tool]) for chat in chats]
        self.assertEqual(self.lengths("tools.jsonl", "--tokenizer", "model"), expected)

    def test_chats_in_a_saved_set(self):
        chats = list(self.chats())
        datasets.Dataset.from_dict({"messages": chats}).save_to_disk("saved")
        expected = [self.templated(messages) for messages in chats]
        self.assertEqual(self.lengths("saved", "--tokenizer", "model"), expected)

    def test_a_template_that_refuses_a_sample(self):
        refusing = "{% if messages|length > 1 %}{{ raise_exception('one turn only') }}{% endif %}x"
        Path("refusing.jinja").write_text(refusing)
        chats = list(self.chats())
        self.write("chat.jsonl", [{"messages": chats[0][:1]}, {"messages": chats[1]}])
        said = self.refusal("chat.jsonl", "--tokenizer", "model", "--template", "refusing.jinja")
        self.assertIn("chat.jsonl:2: field 'messages': TemplateError: one turn only", said)

    def test_sentencepiece(self):
        """The pieces that the reader of version 1 counted."""
        case = TESTS / "frameworks" / "main" / "data"
        text = ("--format", "text", "--tokenizer", case / "tiny.model")
        self.assertEqual(self.lengths(case / "train.en", *text, "--add-src", "1"), [12, 1, 13])
        line = "the cat sat on the mat"
        turns = [{"role": "user", "content": line}, {"role": "assistant", "content": line}]
        self.write("chat.jsonl", [{"messages": turns}, {"messages": []}])
        model = ("chat.jsonl", "--tokenizer", case / "tiny.model")
        self.assertEqual(self.lengths(*model, "--template", "none"), [38, 0])
        around = ("--message-tokens", "4", "--conversation-tokens", "2", "--add-src", "100")
        self.assertEqual(self.lengths(*model, *around), [148, 102])


class ShardsTest(Folder):
    def add(self, archive, name, content):
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))

    def make_shards(self):
        long = "x" * 120
        for shard in (0, 1):
            with tarfile.open(f"s-{shard:02}.tar{'.gz' * shard}", f"w:{'gz' * shard}") as archive:
                self.add(archive, "__meta__", b"")
                for row in (2 * shard, 2 * shard + 1):
                    record = {"duration": row + 1.25, "meta": {"frames": 10 * row + 5}}
                    key = f"{long}/a/{row}"
                    self.add(archive, f"{key}.json", json.dumps(record).encode())
                    self.add(archive, f"{key}.txt", b"one two " * row)
                    self.add(archive, f"{key}.JPG", b"not looked at")

    def test_web_dataset(self):
        self.make_shards()
        shards = ("s-00.tar", "s-01.tar.gz")
        self.assertEqual(self.lengths(*shards), [125, 225, 325, 425])
        self.assertEqual(self.lengths(*shards, "--processes", "2"), [125, 225, 325, 425])
        for field, expected in (
            ("json.duration", [125, 225, 325, 425]),
            ("json.meta.frames", [5, 15, 25, 35]),
        ):
            self.assertEqual(self.lengths(*shards, "--length-field", field), expected)
        text = ("--length-field", "txt", "--tokenizer", "words")
        self.assertEqual(self.lengths(*shards, *text), [0, 2, 4, 6])
        said = self.refusal(*shards, "--length-field", "json.gone")
        self.assertIn("s-00.tar: field 'json.gone': row 0", said)

    def test_audio_in_shards(self):
        for name, frames in (("a", 16000), ("b", 4000)):
            soundfile.write(f"{name}.wav", numpy.zeros(frames), 16000)
        with tarfile.open("audio.tar", "w") as archive:
            archive.add("a.wav")
            archive.add("b.wav")
        self.assertEqual(self.lengths("audio.tar"), [100, 25])
        with tarfile.open("audio.tar", "w") as archive:
            archive.add("a.wav")
            self.add(archive, "c.wav", b"this is no audio")
        self.assertIn("row 1 (c): audio: is no audio", self.refusal("audio.tar"))
        self.assertEqual(self.lengths("audio.tar", "--skip-missing"), [100])

    def test_audio_of_several_endings_in_one_shard(self):
        soundfile.write("a.flac", numpy.zeros(16000), 16000)
        soundfile.write("b.wav", numpy.zeros(4000), 16000)
        with tarfile.open("audio.tar", "w") as archive:
            archive.add("a.flac")
            archive.add("b.wav")
        self.assertEqual(self.lengths("audio.tar"), [100, 25])
        self.assertIn("row 1 (b): is missing", self.refusal("audio.tar", "--length-field", "flac"))

    def test_shards_that_are_cut(self):
        self.make_shards()
        content = Path("s-00.tar").read_bytes()
        Path("s-00.tar").write_bytes(content[:3000])
        self.assertIn("s-00.tar: has no end mark", self.refusal("s-00.tar"))
        content = Path("s-01.tar.gz").read_bytes()
        Path("s-01.tar.gz").write_bytes(content[: len(content) // 2])
        self.assertIn("s-01.tar.gz: cannot be read", self.refusal("s-01.tar.gz"))


class AudioTest(Folder):
    def setUp(self):
        super().setUp()
        soundfile.write("a.wav", numpy.zeros(16000), 16000)
        soundfile.write("b.flac", numpy.zeros(24007), 16000)
        soundfile.write("c.ogg", numpy.zeros(8000), 8000)

    def test_files_and_lists(self):
        self.assertEqual(self.lengths("a.wav", "b.flac"), [100, 150])
        Path("list.txt").write_text("a.wav\nb.flac\n")
        self.assertEqual(self.lengths("list.txt", "--audio"), [100, 150])
        Path("list.jsonl").write_text('{"wav": "a.wav"}\n{"wav": "b.flac"}\n')
        self.assertEqual(self.lengths("list.jsonl", "--audio", "--length-field", "wav"), [100, 150])
        root = ("--audio", "--audio-root", os.getcwd())
        self.assertEqual(self.lengths("list.txt", *root, "--processes", "2"), [100, 150])

    def test_another_rate_is_resampled_and_stated(self):
        status, said = self.run_command("c.ogg")
        self.assertEqual((status, Path("lengths.csv").read_text()), (0, "src_len\n100\n"))
        self.assertIn("1 audio files are not at 16000 Hz, the first at 8000 Hz", said)

    def test_seconds_for_another_front_end(self):
        self.lengths("a.wav", "b.flac")
        self.assertEqual(self.run_command("a.wav", "b.flac", "--seconds")[0], 0)
        self.assertEqual(Path("lengths.csv").read_text(), "duration\n1.0\n1.5004375\n")
        scan = [SEQPOINT, "scan", "-q", "--lengths-only", "--front-end", "kaldi", "lengths.csv"]
        frames = subprocess.run(scan, check=True, capture_output=True, text=True).stdout
        self.assertEqual(frames, "src_len\n98\n148\n")  # 1 + (samples - 400) // 160

    def test_files_that_are_no_audio(self):
        Path("no.wav").write_text("this is no audio")
        Path("list.txt").write_text("a.wav\nno.wav\ngone.wav\nsox x |\n")
        said = self.refusal("list.txt", "--audio")
        for row, why in ((2, "is no audio"), (3, "there is no such file"), (4, "is a command")):
            self.assertRegex(said, f"list.txt:{row}: .*{why}")


class OldVectorsTest(Folder):
    """Arrow files of other writers with the lengths that the reader of version 1 found."""

    def test_vectors(self):
        folder = TESTS / "frameworks" / "main" / "data" / "arrow"
        expected = json.loads((folder / "lengths.json").read_text())
        for name, lengths in expected.items():
            if lengths is None:
                self.refusal(folder / name)
            else:
                read = self.lengths(folder / name)
                self.assertEqual(
                    [list(row) if isinstance(row, tuple) else row for row in read], lengths, name
                )
        self.assertGreater(len(expected), 10)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
