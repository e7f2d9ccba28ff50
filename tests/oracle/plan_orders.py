"""What a training script reads from the small manifests of `seqpoint plan`, against the batches of the whole run.

    python3 plan_orders.py PATH/TO/seqpoint

The whole run is PyTorch's own: a DataLoader (on several ranks with a DistributedSampler) over a data set that reads the manifest
as a framework does: Python's json and csv, NumPy, fairseq's and Megatron-LM's layout of an index and its data, Kaldi's tables. The
small one is read by the same data set and an unshuffled loader. Each of its batches must be, record for record, the iteration of the
run that plan.json names. Exit status 77 (skipped) where PyTorch or NumPy cannot be imported.
"""

import csv
import gzip
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    from torch.utils.data import DataLoader
    from torch.utils.data.distributed import DistributedSampler
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SEQPOINT = os.path.abspath(sys.argv[1])
BATCH = 4


def seqpoint(*arguments):
    done = subprocess.run([SEQPOINT, "-q", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


# --- data sets: how a script reads each format ----------------------------------------------------------------------------


def json_lines(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def json_array(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def csv_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [tuple(sorted(row.items())) for row in csv.DictReader(file)]


def tsv_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [tuple(sorted(row.items())) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def fairseq_audio(path):
    with open(path, encoding="utf-8") as file:
        root = file.readline().strip()
        return [(root, *line.rstrip("\n").split("\t")) for line in file]


def text_pairs(path, target=None):
    with open(path, encoding="utf-8") as src, open(target, encoding="utf-8") as tgt:
        return list(zip(src.read().split("\n")[:-1], tgt.read().split("\n")[:-1], strict=True))


def kaldi(path):
    """Of a folder: what every table says of an utterance, without the number in front of the copies' keys."""
    folder, tables = os.path.dirname(path), {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            tables[name] = dict(line.rstrip("\n").split(" ", 1) for line in file)
    with open(path, encoding="utf-8") as file:
        keys = [line.split()[0] for line in file]
    assert keys == sorted(keys) and len(set(keys)) == len(keys), "Kaldi wants sorted, unique keys"

    def plain(key):
        return key.split("-", 1)[1] if key[:6].isdigit() and key[6:7] == "-" else key

    rows = []
    for key in keys:
        segment = tables["segments"][key].split()
        speaker = tables["utt2spk"][key]
        assert key in tables["spk2utt"][speaker].split()
        rows.append((plain(key), *segment, tables["wav.scp"][segment[0]], tables["text"][key], plain(speaker), tables["spk2gender"][speaker]))
    return rows


def fairseq_index(path):
    """MMapIndexedDataset: magic, version, type, count, sizes, pointers; tokens of 2 bytes."""
    with open(path, "rb") as file:
        assert file.read(9) == b"MMIDIDX\0\0"
        version, kind, count = struct.unpack("<QBQ", file.read(17))
        assert (version, kind) == (1, 8)
        sizes = struct.unpack(f"<{count}i", file.read(4 * count))
        pointers = struct.unpack(f"<{count}q", file.read(8 * count))
        assert file.read() == b""
    with open(path[:-4] + ".bin", "rb") as file:
        data = file.read()
    assert len(data) == 2 * sum(sizes)
    return [tuple(numpy.frombuffer(data, "<u2", size, pointer).tolist()) for size, pointer in zip(sizes, pointers)]


def legacy_index(path):
    """IndexedDataset: offsets of dimensions and of data, sizes; tokens of 4 bytes."""
    with open(path, "rb") as file:
        assert file.read(8) == b"TNTIDX\0\0"
        version, kind, width, count, dimensions = struct.unpack("<5Q", file.read(40))
        assert (version, kind, width, dimensions) == (1, 4, 4, count)
        first = struct.unpack(f"<{count + 1}q", file.read(8 * (count + 1)))
        offsets = struct.unpack(f"<{count + 1}q", file.read(8 * (count + 1)))
        sizes = struct.unpack(f"<{count}q", file.read(8 * count))
        assert file.read() == b"" and first == tuple(range(count + 1))
    data = numpy.fromfile(path[:-4] + ".bin", "<i4")
    assert len(data) == offsets[-1]
    rows = [tuple(data[begin:end].tolist()) for begin, end in zip(offsets, offsets[1:])]
    assert [len(row) for row in rows] == list(sizes)
    return rows


def megatron_index(path):
    """IndexedDataset of Megatron-LM: the same with documents, one a sequence here."""
    with open(path, "rb") as file:
        assert file.read(9) == b"MMIDIDX\0\0"
        version, kind, count, documents = struct.unpack("<QBQQ", file.read(25))
        assert (version, kind) == (1, 8)
        sizes = struct.unpack(f"<{count}i", file.read(4 * count))
        pointers = struct.unpack(f"<{count}q", file.read(8 * count))
        assert struct.unpack(f"<{documents}q", file.read()) == tuple(range(count + 1))
    data = numpy.fromfile(path[:-4] + ".bin", "<u2")
    return [tuple(data[pointer // 2:pointer // 2 + size].tolist()) for size, pointer in zip(sizes, pointers)]


# --- the manifests of the whole run ---------------------------------------------------------------------------------------


def lines(make):
    def write(path, lengths):
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "wt", encoding="utf-8", newline="") as file:
            file.write(make(lengths))

    return write


def write_array(path, lengths):
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{"id": i, "num_tokens": n, "text": "],[{\"é"} for i, n in enumerate(lengths)], file, indent=1, ensure_ascii=False)


def write_csv(path, lengths):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "length"])
        writer.writerows((f"{i}, \"a\"\nb", n) for i, n in enumerate(lengths))


def write_pairs(path, lengths):
    for name, token in (path, "a"), (os.path.join(os.path.dirname(path), "train.de"), "b"):
        with open(name, "w", encoding="utf-8") as file:
            file.writelines(" ".join([f"{token}{i}"] * n) + "\n" for i, n in enumerate(lengths))


def write_kaldi(path, lengths):
    folder = os.path.dirname(path)
    tables = {
        "segments": [f"u{i:04} r{i % 5} {i} {i + n / 100:.2f}" for i, n in enumerate(lengths)],
        "wav.scp": [f"r{r} sox r{r}.flac -t wav - |" for r in range(5)],
        "text": [f"u{i:04} word  {i}" for i in range(len(lengths))],
        "utt2spk": [f"u{i:04} s{i % 7}" for i in range(len(lengths))],
        "spk2utt": [f"s{s} " + " ".join(f"u{i:04}" for i in range(s, len(lengths), 7)) for s in range(7)],
        "spk2gender": [f"s{s} {'fm'[s % 2]}" for s in range(7)],
    }
    for name, rows in tables.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.writelines(row + "\n" for row in rows)


def tokens(lengths):
    return [[(17 * i + k) % 60000 for k in range(n)] for i, n in enumerate(lengths)]


def write_index(path, lengths, documents=False):
    pointers = numpy.cumsum([0, *lengths[:-1]]) * 2
    with open(path, "wb") as file:
        file.write(b"MMIDIDX\0\0" + struct.pack("<QBQ", 1, 8, len(lengths)))
        if documents:
            file.write(struct.pack("<Q", len(lengths) + 1))
        file.write(struct.pack(f"<{len(lengths)}i", *lengths) + struct.pack(f"<{len(lengths)}q", *pointers))
        if documents:
            file.write(struct.pack(f"<{len(lengths) + 1}q", *range(len(lengths) + 1)))
    numpy.concatenate(tokens(lengths)).astype("<u2").tofile(path[:-4] + ".bin")


def write_megatron(path, lengths):
    write_index(path, lengths, documents=True)


def write_legacy(path, lengths):
    n = len(lengths)
    with open(path, "wb") as file:
        file.write(b"TNTIDX\0\0" + struct.pack("<5Q", 1, 4, 4, n, n) + struct.pack(f"<{n + 1}q", *range(n + 1)))
        file.write(struct.pack(f"<{n + 1}q", 0, *numpy.cumsum(lengths)) + struct.pack(f"<{n}q", *lengths))
    numpy.concatenate(tokens(lengths)).astype("<i4").tofile(path[:-4] + ".bin")


NEMO = lines(lambda lengths: "".join(
    json.dumps({"audio_filepath": f"wav/{i}.wav", "duration": n / 100, "text": "é \"x\""}) + "\n" for i, n in enumerate(lengths)))
LHOTSE = lines(lambda lengths: "".join(
    json.dumps({"id": f"c{i}", "start": 0, "duration": n / 100, "supervisions": [{"text": "a"}], "type": "MonoCut"}) + "\n" for i, n in enumerate(lengths)))
HF = lines(lambda lengths: "".join(json.dumps({"input_ids": [i] * n}) + "\n" for i, n in enumerate(lengths)))
TSV = lines(lambda lengths: "text\tlength\n" + "".join(f"\"{i}\t{n}\n" for i, n in enumerate(lengths)))
FAIRSEQ = lines(lambda lengths: "/data\n" + "".join(f"{i}.flac\t{160 * n}\n" for i, n in enumerate(lengths)))
WINDOWS = lines(lambda lengths: "length,id\r\n" + "\r\n".join(f"{n},{i}" for i, n in enumerate(lengths)))

# name of the manifest, how it is written, how it is read, more options of select
FORMATS = [
    ("train.json", NEMO, json_lines, []),
    ("cuts.jsonl.gz", LHOTSE, json_lines, []),
    ("train.jsonl", HF, json_lines, []),
    ("array.json", write_array, json_array, []),
    ("train.csv", write_csv, csv_rows, []),
    ("windows.csv", WINDOWS, csv_rows, []),
    ("train.tsv", TSV, tsv_rows, []),
    ("audio.tsv", FAIRSEQ, fairseq_audio, []),
    ("train.en", write_pairs, text_pairs, ["--tgt", "train.de"]),
    ("data/segments", write_kaldi, kaldi, []),
    ("train.idx", write_index, fairseq_index, []),
    ("legacy.idx", write_legacy, legacy_index, []),
    ("corpus.idx", write_megatron, megatron_index, []),
]


class Rows(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def batches(rows, ranks, shuffle_seed, batch_size):
    """[step][rank][record], of one epoch; in file order where the seed is None."""
    data, loaders = Rows(rows), []
    for rank in range(ranks):
        if ranks == 1:
            if shuffle_seed is not None:
                torch.manual_seed(shuffle_seed)
            loaders.append(list(DataLoader(data, batch_size, shuffle=shuffle_seed is not None, collate_fn=list)))
            continue
        sampler = DistributedSampler(data, ranks, rank, shuffle=shuffle_seed is not None, seed=shuffle_seed or 0)
        loaders.append(list(DataLoader(data, batch_size, sampler=sampler, collate_fn=list)))
    return list(map(list, zip(*loaders, strict=True)))


def check(name, write, read, options, ranks, draw):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    lengths = [draw.randint(1, 90) for _ in range(16 * BATCH * ranks)]
    write(os.path.abspath(name), lengths)
    seed = draw.randint(0, 10**6)
    order = ["--sampler", "pytorch"] if ranks == 1 else ["--sampler", "pytorch-distributed", "--world-size", ranks]
    seqpoint("select", name, *options, *order, "--seed", seed, "--batch-size", BATCH, "--points", 4, "-o", "points.json")
    seqpoint("plan", "points.json", name, "-o", "plan", "--repeats", 2, "--chunk", 2)
    with open("plan/plan.json", encoding="utf-8") as file:
        plan = json.load(file)

    target = {"target": options[1]} if options[:1] == ["--tgt"] else {}
    run = batches(read(os.path.abspath(name), **target), ranks, seed, BATCH)

    def small(task):
        target = {"target": "plan/" + task["tgt_manifest"]} if "tgt_manifest" in task else {}
        return batches(read("plan/" + task["manifest"], **target), ranks, None, task["loader_batch_size"])

    expected = [run[step["iteration"]] for step in plan["steps"]]
    assert small(plan) == expected, f"{name}, {ranks} ranks: the small manifest has other batches"
    for task in plan["tasks"]:
        of_task = [s for s in plan["steps"] if s["session"] == task["session"] and s["id"] in task["points"]]
        of_task = [s for s in of_task if "first" in s or not s["warmup"]]
        got = small(task)
        assert got[task["steps"] - len(of_task):] == [run[step["iteration"]] for step in of_task], f"{name}, task {task['index']}"
    return len(expected)


def main():
    draw, compared = random.Random(5), 0
    for name, write, read, options in FORMATS:
        for ranks in 1, 2:
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                compared += check(name, write, read, options, ranks, draw)
                os.chdir("/")
    print(f"{compared} batches of {len(FORMATS)} formats")


main()
