#!/usr/bin/env python3
"""Commands that messages advise, on the input that the message is about:

  tests/docs/advised_commands.py SEQPOINT SOURCE_DIR [NAME...]

Each case makes files, runs what a user runs, takes the command out of the message, and runs it as
it stands; only words in capitals, which the user has to choose, are replaced. It has to end with 0
and to give what was counted while the files were made. A command in a message of the sources that
no case prints is a fault.
"""
import gzip
import importlib.util
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable, NamedTuple, Optional

SOURCE = Path(sys.argv[2]).resolve()
sys.path.insert(0, str(SOURCE / "tests" / "house"))
import advice  # noqa: E402

SCAN = "seqpoint scan --lengths-only"
PROGRAMS = (
    r"seqpoint (?:run|scan|select|plan|project|inspect|evaluate|list) \S|seqpoint [a-z]+ $"
    r"|python3 -m seqpoint_companion [a-z]+ |jq [-'.]|awk '|iconv -|tr '|gzip -|zstd -|cut -"
    r"|python3 -c |git lfs|nsys export|sbatch -|ray job|echo '|uv run"
)
COMMAND = re.compile(
    rf"(?<![`\w-])(?:{PROGRAMS})"
)  # in backquotes is a name, which advice.py checks
# What is in quotes belongs to a command, and what follows is no part of it.
QUOTED_OR_REMARK = re.compile(r"""('[^']*'|"[^"]*")|; | \((?=--|PATTERN)| takes them|, or --""")
REMARK = "\0"
# Literals that no case can print, by a part of them.
NOT_RUN = {
    "python3 -c 'import ": "it has to fail",
    "git lfs pull": "it fetches from a server",
    "nsys export --type sqlite": "a program of NVIDIA",
    "sbatch --wait": "tests/slurm",
    "ray job submit": "a cluster",
    "echo 'seqpoint run -- COMMAND' |": "a daemon",
    "make the container's command": "a cluster",
    "uv run --with": "it installs",
    "seqpoint run -o NEWFOLDER": "tests/run/run_test.py runs it",
    "seqpoint run --resume": "tests/run/run_test.py runs it",
    "a new run is: seqpoint run -o": "tests/run/run_test.py",
    "seqpoint run -- python3 train.py, or": "the form of the command, golden cases",
    "to measure this job: seqpoint run -- {} ...": "the form of the command, golden cases",
    "end the options of run with --": "the form of the command, golden cases",
    "put -- before the command: seqpoint run": "the form of the command, golden cases",
    "name two builds: seqpoint run": "the form of the command, golden cases",
    "python3 -m seqpoint_companion order --lengths -o": "tests/pytorch runs such orders",
    "make an order of all: python3": "tests/pytorch runs such orders",
    "python3 -m seqpoint_companion measure": "tests/pytorch runs such plans",
}


class Case(NamedTuple):
    name: str
    files: dict  # name -> text or bytes
    says: str  # the command that prints the advice
    expected: object  # what the last command prints: lengths, or a text
    then: str = SCAN  # run with the file that the advice wrote
    words: dict = {}  # placeholders of the user -> words
    message: str = ""  # a part of it
    needs: tuple = ()  # Python modules


def lengths(*numbers):
    return "".join(f"{number}\n" for number in numbers)


def fasta(rng, end="\n", wrap=60):
    text, counts = "", []
    for number in range(40):
        count = rng.choice([0, 1, 59, 60, 61, rng.randint(2, 400)])
        residues = "".join(rng.choice("ACDEFGHIKLMNPQRSTVWY") for _ in range(count))
        rows = [residues[i : i + wrap] for i in range(0, count, wrap)]
        text += end.join([f">sp|P{number:05}|made of {count}", *rows]) + end
        counts.append(count)
    return text, counts


def conllu(rng, end="\n"):
    text, counts = "# newdoc id = made" + end, []
    for sentence in range(30):
        count = rng.randint(1, 40)
        text += f"# sent_id = {sentence}{end}# text = 3 made words, 1{end}"
        for word in range(1, count + 1):
            if word == 2 and count > 3:
                text += "2-3\tdon't" + "\t_" * 8 + end
            text += f"{word}\tw{word}\tw\tNOUN\t_\t_\t0\troot\t_\t_" + end
            if word == 3:
                text += "3.1\tmade" + "\t_" * 8 + end
        text += end
        counts.append(count)
    return text, counts


def conll(rng):
    text, counts = "-DOCSTART- -X- -X- O\n\n", []
    for _ in range(30):
        count = rng.randint(1, 40)
        text += (
            "".join(f"{rng.choice(['#', 'word', '-'])} NN B-NP O\n" for _ in range(count)) + "\n"
        )
        counts.append(count)
    return text, counts


def file_list(rng, row, end="\n"):
    texts = [
        " ".join(rng.choice(["a", "naïve", "word,", "日本"]) for _ in range(rng.randint(2, 40)))
        for _ in range(50)
    ]
    text = "".join(row.format(number=n, text=text) + end for n, text in enumerate(texts))
    return text, [len(text) for text in texts]


def samples(name, text_and_counts, says=None, packed=False, **more):
    text, counts = text_and_counts
    data = gzip.compress(text.encode()) if packed else text
    says = says or f"{SCAN} {shlex.quote(name)}"
    return Case(name, {name: data}, says, counts, **more)


def structured():
    rng = random.Random(97)
    yield samples("made.fasta", fasta(rng))
    yield samples("wrapped by 70.fa", fasta(rng, "\r\n", 70))
    yield samples("packed.fasta.gz", fasta(rng), packed=True)
    yield samples("forced.fasta", fasta(rng), f"{SCAN} forced.fasta --format text", message="warn")
    yield samples("target.fasta", fasta(rng), f"{SCAN} target.fasta --tgt target.fasta")
    yield samples("made.fastq", ("@r1\nACGT\n+\nIIII\n@r2\nAC\n+\nII\n", [4, 2]))
    yield samples("train.conllu", conllu(rng))
    yield samples("dos.conllu", conllu(rng, "\r\n"))
    yield samples("forced.conllu", conllu(rng), f"{SCAN} forced.conllu --format text")
    yield samples("train.conll", conll(rng))
    yield samples("filelist.txt", file_list(rng, "wavs/{number}.wav|{text}"))
    yield samples("dos.txt", file_list(rng, "wavs/{number}.wav|{text}", "\r\n"))
    yield samples("vctk.txt", file_list(rng, "wavs/{number}.wav|{text}|p225"))
    yield samples("vits.txt", file_list(rng, "wavs/{number}.wav|12|{text}"))
    yield samples("ljspeech.txt", file_list(rng, "LJ{number}|Chapter 2 by hand|{text}"))
    yield samples("tabs.txt", file_list(rng, "wavs/{number}.wav\t{text}"))
    forced = f"{SCAN} forced.txt --format text"
    yield samples("forced.txt", file_list(rng, "wavs/{number}.wav|{text}"), forced)


def json_lists():
    def document(value):
        return json.dumps(value, indent=1)

    numbers = {f"a-{n}": {"wav": f"{n}.wav", "length": f"{n}.5"} for n in range(1, 30)}
    counts = [100 * n + 50 for n in range(1, 30)]
    seconds = SCAN + " --length-unit seconds"
    yield Case("speechbrain.json", {"s.json": document(numbers)}, f"{SCAN} s.json", counts, seconds)
    rows = [{"duration": n / 4} for n in range(1, 30)]
    durations = [25 * n for n in range(1, 30)]
    for key in ("data", "log-history", "my rows"):
        text = document({"version": 1, "names": ["a"], key: rows})
        yield Case(f"key {key}", {"s.json": text}, f"{SCAN} s.json", durations)
    yield Case(
        "object in an object",
        {"s.json": document({"utts": numbers})},
        f"{SCAN} s.json",
        counts,
        seconds,
    )
    lists = [{"duration": [1.0, 2.0]}, {"duration": [0.5]}, {"duration": 3}]
    expected = [100, 200, 50, 300]
    says = " ".join
    lines = "".join(json.dumps(row) + "\n" for row in lists)
    yield Case("lists in rows", {"s.jsonl": lines}, f"{SCAN} s.jsonl", expected, seconds)
    text = json.dumps(lists)
    yield Case("lists in an array", {"s.json": text}, f"{SCAN} s.json", expected, seconds)
    nested = "".join(json.dumps({"a-b": {"duration": row["duration"]}}) + "\n" for row in lists)
    field = f"{SCAN} s.jsonl --length-field a-b.duration"
    yield Case("lists in nested rows", {"s.jsonl": nested}, field, expected, seconds)


def lists():
    yield Case(
        "an end mark for a list",
        {"l.txt": lengths(3, 5, 9)},
        f"{SCAN} l.txt --add-src 2",
        [5, 7, 11],
    )
    sums = [1 + n * n % 11 for n in range(300)]
    ends = [sum(sums[: n + 1]) for n in range(len(sums))]
    for name, totals in (("from zero", [0, *ends]), ("ends", ends)):
        yield Case(f"totals {name}", {"t.txt": lengths(*totals)}, f"{SCAN} t.txt", sums)
    twice = lengths(0, *ends, 0, *ends)
    yield Case("totals of documents", {"t.txt": twice}, f"{SCAN} t.txt", sums + sums)


def encodings():
    text = lengths(7, 8, 9)
    for name, data in (
        ("with a mark", text.encode("utf-16")),
        ("le", text.encode("utf-16-le")),
        ("be", text.encode("utf-16-be")),
        ("old Mac's", text.replace("\n", "\r").encode()),
    ):
        yield Case(name, {"e.txt": data}, f"{SCAN} e.txt", [7, 8, 9])
        packed = {"my e.txt.gz": gzip.compress(data)}
        yield Case(f"{name}, packed", packed, f"{SCAN} 'my e.txt.gz'", [7, 8, 9])
    twice = gzip.compress(gzip.compress(text.encode()))
    yield Case("packed twice", {"t.txt.gz": twice}, f"{SCAN} t.txt.gz", [7, 8, 9])


def zstd():
    if not shutil.which("zstd"):
        return
    for text, name in (
        (lengths(7, 8, 9).replace("\n", "\r"), "old Mac's"),
        (lengths(7, 8, 9), "twice"),
    ):
        data = text.encode()
        for _ in range(1 if name == "old Mac's" else 2):
            data = subprocess.run(
                ["zstd", "-c"], input=data, capture_output=True, check=True
            ).stdout
        yield Case(f"zstd, {name}", {"t.txt.zst": data}, f"{SCAN} t.txt.zst", [7, 8, 9])


def tokens():
    words = {"NAME": "words"}
    rows = ["one two three", "four", "five six"]
    chat = "".join(json.dumps({"text": row, "length": None}) + "\n" for row in rows)
    yield Case(
        "text in JSON lines",
        {"c.jsonl": chat},
        f"{SCAN} c.jsonl --length-field text",
        [3, 1, 2],
        words=words,
    )
    table = "text,other\n" + "".join(f"{row},x\n" for row in rows)
    yield Case("text in a table", {"c.csv": table}, f"{SCAN} c.csv", [3, 1, 2], words=words)
    plain = "日本語です\n中国\n"
    bytes_of = {"NAME": "bytes"}
    yield Case(
        "text without spaces",
        {"c.txt": plain},
        f"{SCAN} c.txt --format text",
        [15, 6],
        words=bytes_of,
    )
    turns = "".join(
        json.dumps({"messages": [{"role": "user", "content": row}]}) + "\n" for row in rows
    )
    says = f"{SCAN} c.jsonl --length-field messages"
    words = {"NAME": "words --template none"}
    yield Case("conversations", {"c.jsonl": turns}, says, [3, 1, 2], words=words)


def companion():
    lengths_of = "python3 -m seqpoint_companion lengths {} --tokenizer words -o x.csv"
    rows = [{"text": "one two"}, {"text": "three"}]
    document = json.dumps({"version": 1, "my data": rows}, indent=1)
    then = (
        "python3 -m seqpoint_companion lengths --tokenizer words -o x.csv {} && " + SCAN + " x.csv"
    )
    yield Case(
        "an object of records", {"d.json": document}, lengths_of.format("d.json"), [2, 1], then
    )
    latin = "na\xefve na\xefve\nword\n".encode("latin1")
    yield Case(
        "another encoding",
        {"l.txt": latin},
        lengths_of.format("l.txt"),
        [2, 1],
        then,
        words={"ENCODING": "latin1"},
    )
    numpy = "import numpy; numpy.save('a.npy', numpy.array([3, 1, 2]))"
    yield of_library("a.npy", b"\x93NUMPY\1\0", numpy, f"{SCAN} a.npy", "numpy")
    arrow = (
        "import pyarrow as p, pyarrow.parquet as q; "
        "q.write_table(p.table({'num_tokens': [3, 1, 2]}), 'd.parquet')"
    )
    yield of_library("d.parquet", b"PAR1" + bytes(40), arrow, f"{SCAN} d.parquet", "pyarrow")
    folder = f"mkdir f; mv d.parquet f/a; {SCAN} f"
    yield of_library("d.parquet", b"PAR1" + bytes(40), arrow, folder, "pyarrow")


def of_library(name, bytes_of_it, python, says, library):
    """A file that a library makes. Without the library: its first bytes, and no advice is run."""
    if importlib.util.find_spec(library) is not None:
        says = f"python3 -c {shlex.quote(python)}; {says}"
    return Case(name, {name: bytes_of_it}, says, [3, 1, 2], needs=(library,))


def logs():
    log = "".join(f"epoch 1 | step {n} took 0.{n} s\n" for n in (1, 2, 3))
    pattern = {"PATTERN": shlex.quote(r"step (?<step1>\d+) took (?<time>\S+)")}
    times = "iteration,runtime_s\n0,0.1\n1,0.2\n2,0.3\n"
    yield Case(
        "a log for a profile", {"t.log": log}, "seqpoint inspect t.log", times, "cat", words=pattern
    )
    line = json.dumps({"step": 1, "took": 0.1})
    log = "".join(json.dumps({"step": n, "took": n / 10}) + "\n" for n in (1, 2, 3))
    pattern = {"PATTERN": shlex.quote(r'"step": (?<step1>\d+), "took": (?<time>[\d.]+)')}
    yield Case(
        "a log of JSON lines", {"t.log": log}, "seqpoint inspect t.log", times, "cat", words=pattern
    )
    run = (
        "iteration,epoch,src_len,batch_size\n0,0,5,8\n1,0,5,8\n2,1,5,8\n3,1,5,8\n4,2,5,8\n5,2,5,8\n"
    )
    whole = shlex.quote(r"epoch (?<epoch1>\d+) took (?<time>\S+)")
    log = "epoch 1 took 3 s\nepoch 2 took 3 s\n"
    words = {"ORDER": "run.csv", "LOG": "t.log", "PATTERN": whole + " --per 1 --json"}
    says = f"python3 -m seqpoint_companion log {whole} --per 1 <t.log"
    yield Case("epochs", {"run.csv": run, "t.log": log}, says, '"value": 3.0', "", words=words)
    # What is a sum, a mean or one step is a question whose answers are options.


def plans():
    run = "iteration,src_len,batch_size\n" + "".join(f"{n},{20 + n % 9},8\n" for n in range(90))
    select = "seqpoint select run.csv --points 3 -o 'my points.json'"
    measured = "point,runtime_s\n" + "".join(f"sp{n},0.{n}\n" for n in (1, 2, 3))
    files = {"run.csv": run, "v1.csv": measured}
    yield Case("select: next", files, select, '"steps"', "cat plan/plan.json #")
    project = f"{select} -qq; seqpoint project 'my points.json'"
    yield Case("no measurements", files, project, "v1", "")
    project = select.replace("my ", "") + " -qq; seqpoint project v1.csv"
    yield Case("measurements alone", files, project, "v1", "")
    some = "point,runtime_s\nsp1,0.1\nsp2,0.2\n"
    text = f"{select} -qq; seqpoint project 'my points.json' v1.csv --allow-partial --explain"
    yield Case("missing points", {**files, "v1.csv": some}, text, "", "")
    three = "point,runtime_s,session\n" + "".join(
        f"sp{p},{0.1 * p * (1 + 0.1 * s)},{s}\n" for s in range(3) for p in (1, 2, 3)
    )
    text = f"{select} -qq; seqpoint project 'my points.json' v1.csv --explain"
    yield Case("more processes", {**files, "v1.csv": three}, text, "", "")


CASES = [structured, json_lists, lists, encodings, zstd, tokens, companion, logs, plans]


class Machine:
    """A folder with the case's files, and a shell in which the program is found."""

    def __init__(self, case, seqpoint, folder):
        self.folder = Path(folder)
        for name, content in case.files.items():
            data = content if isinstance(content, bytes) else content.encode()
            (self.folder / name).write_bytes(data)
        (self.folder / ".bin").mkdir()
        (self.folder / ".bin" / "seqpoint").symlink_to(seqpoint)
        (self.folder / ".bin" / "python3").symlink_to(sys.executable)
        path = f"{self.folder / '.bin'}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "PYTHONPATH": str(SOURCE / "python")}

    def run(self, command):
        return subprocess.run(
            ["bash", "-uo", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )


def advised(message):
    """The first command in a message. It ends with its line, or with a remark behind it."""
    for line in message.splitlines():
        if found := COMMAND.search(line):
            text = QUOTED_OR_REMARK.sub(lambda part: part[1] or REMARK, line[found.start() :])
            return text.split(REMARK)[0]
    return ""


def file_of(command):
    """The file that a command writes."""
    written = re.search(r"(?:>|-o )(\S+)$", command)
    return written.group(1) if written else ""


def fault_of(case, seqpoint):
    """(what is wrong with a case, or "", its messages)"""
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(case, seqpoint, folder)
        told = machine.run(case.says)
        message = told.stdout + told.stderr
        command = advised(message)
        if not command or case.message not in message:
            return f"no command is advised: {message[-1000:]}", message
        for word, choice in case.words.items():
            command = command.replace(word, choice)
        done = machine.run(command)
        if done.returncode != 0:
            return f"{command}\nends with {done.returncode}: {done.stderr}", message
        out = done.stdout
        if case.then:
            file = shlex.quote(file_of(command))
            last = case.then.replace("{}", file) if "{}" in case.then else f"{case.then} {file}"
            out = machine.run(last).stdout
        if isinstance(case.expected, str):
            return ("" if case.expected in out else f"{command}\ngives {out[:1000]}"), message
        got = [int(row) for row in out.split()[1:]]
        return (
            "" if got == case.expected else f"{command}\ngives {got}, not {case.expected}"
        ), message


def without_noise(text):
    """For comparison: the sources have other backslashes and line ends."""
    return re.sub(r"\s+", " ", text.replace("\\", "").replace("{{", "{").replace("}}", "}"))


def advising_literals():
    """(path, literal) of the commands in messages: no help with examples, no comment."""
    for path, text in advice.literals(SOURCE):
        if "\\n" in text or "\n" in text or not COMMAND.search(text):
            continue
        if not any(part in text for part in NOT_RUN):
            yield path, text


def is_printed(literal, messages):
    pieces = re.split(r"\{[^{}' ]*\}|FILE", without_noise(literal))
    pattern = re.compile(".*?".join(re.escape(piece.strip()) for piece in pieces))
    return any(pattern.search(message) for message in messages)


def main():
    seqpoint, only = Path(sys.argv[1]).resolve(), sys.argv[3:]
    faults, messages, left_out = [], [], []
    cases = [case for make in CASES for case in make()]
    for case in cases:
        if only and case.name not in only:
            continue
        fault, message = fault_of(case, seqpoint)
        messages.append(without_noise(message))
        if any(importlib.util.find_spec(name) is None for name in case.needs):
            left_out.append(case.name)
        elif fault:
            faults.append(f"{case.name}: {fault}")
    if not only and shutil.which("jq") and shutil.which("zstd"):
        faults += [
            f"{path}: no case prints and runs this: {text}"
            for path, text in advising_literals()
            if not is_printed(text, messages)
        ]
    print(*faults, sep="\n")
    print(f"{len(cases)} cases; not run for want of a library: {left_out or 'none'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
