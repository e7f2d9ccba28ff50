#!/usr/bin/env python3
"""Where a user waits: CPU seconds, memory and growth of a program, beside others on the same files.

    python3 tests/bench/waits.py build/gcc/seqpoint [BEFORE] [--rows N] [--rounds N] [--only TEXT]

BEFORE is another build of seqpoint, for example of the last release; its companion is that of its
source tree, if it is in build/PRESET there. Prints Markdown. A figure is
the median of the rounds of CPU seconds, of all threads, and the largest peak of memory. All
programs take turns, so that another load on the machine disturbs all of them. The exponent e is
that of CPU seconds = c n^e, from a tenth of the rows (or shapes) to all of them, without the time
that `--version` takes. Peers that Python cannot import are left out: pip install duckdb polars.
Reading texts needs pyarrow and tokenizers, and what `record` adds to a batch torch.
"""
import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile

import hooks

# Makes a table of texts and a tokenizer of their words, and tokenizes as the peer does.
TEXTS = """
import sys
import pyarrow, pyarrow.parquet, tokenizers
from tokenizers import models, pre_tokenizers, trainers
rows, table, vocabulary = int(sys.argv[1]), sys.argv[2], sys.argv[3]
words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("ning", "l", "st", "ver")]
texts = [" ".join(words[(i * 31 + k * k) % 100] for k in range(10 + i % 40)) for i in range(rows)]
pyarrow.parquet.write_table(pyarrow.table({"text": texts}), table)
tokenizer = tokenizers.Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer.train_from_iterator(texts[:1000], trainers.BpeTrainer(vocab_size=80))
tokenizer.save(vocabulary)
"""
ENCODES = """
import sys
import pyarrow.parquet, tokenizers
tokenizer = tokenizers.Tokenizer.from_file(sys.argv[2])
encode = getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch)
for batch in pyarrow.parquet.ParquetFile(sys.argv[1]).iter_batches(1000, columns=["text"]):
    s = [len(of.ids) for of in encode(batch.column("text").to_pylist())]
"""

# What peers do with a file: they add up its numbers, and check nothing.
LOOPS = {
    "Python's json": "import json\nfor line in open(f): s += json.loads(line)['duration']",
    "Python's csv": "import csv\nfor row in csv.DictReader(open(f)): s += float(row['{column}'])",
    "DuckDB": "import duckdb\ns = duckdb.sql(f\"select sum({column}) from '{{f}}'\").fetchall()",
    "polars": "import polars\ns = polars.{read}(f)['{column}'].sum()",
}


def peer(name, path, **words):
    loop = LOOPS[name].format(**words) if words else LOOPS[name]
    return name, [sys.executable, "-c", f"import sys\nf = sys.argv[1]\ns = 0\n{loop}", path]


def is_there(module):
    return (
        subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode
        == 0
    )


class Files:
    """Inputs of any size, each made when it is first named."""

    def __init__(self, folder):
        self.folder = folder

    def lines(self, name, number, line, head=""):
        path = os.path.join(self.folder, f"{number}-{name}")
        if not os.path.exists(path):
            with open(path, "w", encoding="ascii") as file:
                file.write(head)
                file.writelines(line(i) for i in range(number))
        return path

    def manifest(self, rows):
        return self.lines(
            "train.jsonl",
            rows,
            lambda i: f'{{"audio_filepath": "clips/{i:08}.wav", "duration": {seconds(i):.3f}, '
            f'"text": "{"some words " * (i % 9)}"}}\n',
        )

    def table(self, rows):
        return self.lines(
            "train.csv",
            rows,
            lambda i: f"clips/{i:08}.wav,{seconds(i):.3f}\n",
            "path,duration\n",
        )

    def run(self, iterations, shapes=200):
        return self.lines(
            f"run-{shapes}.csv",
            iterations,
            lambda i: f"{i},{1 + i * 7919 % shapes},64\n",
            "iteration,src_len,batch_size\n",
        )

    def pairs(self, shapes):
        return self.lines(
            "pairs.csv",
            shapes,
            lambda i: f"{i},{1 + i * 7919 % 1000},{1 + i * 6007 % 983},64\n",
            "iteration,src_len,tgt_len,batch_size\n",
        )

    def epoch(self, rows):
        return self.lines(
            "epoch.csv",
            rows,
            lambda i: f"{i},{1 + i * 7919 % 101},64,{cost(i):.6f}\n",
            "iteration,src_len,batch_size,runtime_s\n",
        )

    def texts(self, rows):
        """(a Parquet file, a tokenizer)."""
        table, tokenizer = (
            os.path.join(self.folder, f"{rows}-{name}") for name in ("texts.parquet", "bpe.json")
        )
        if not os.path.exists(table):
            subprocess.run([sys.executable, "-c", TEXTS, str(rows), table, tokenizer], check=True)
        return table, tokenizer

    def measured(self, rows, shapes=200):
        return self.lines(
            f"measured-{shapes}.csv",
            rows,
            lambda i: f"{i},{1 + i * 7919 % shapes},{cost(i):.6f}\n",
            "iteration,seq_len,runtime_s\n",
        )


def scatter(i):
    return (i * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 54


def length(i):
    return 1 + i * 7919 % 200


def cost(i):
    return (100_000 + 500 * length(i) + scatter(i)) / 1e6


def seconds(i):
    return 1 + scatter(i) / 64


def points_of(program, files, rows):
    path = os.path.join(files.folder, f"{rows}-points.json")
    run = files.run(rows)
    words = [program, "-q", "select", run, "--points", "12", "-o", path]
    if not os.path.exists(path):
        subprocess.run(words, check=True)
    return path


def works(files, rows):
    """(what, its largest size, the words after the program, peers), both functions of a size.

    Words that are a function get the program: for files that a program makes for itself."""
    shapes = max(rows // 10, 1000)

    def manifest_peers(n):
        file = files.manifest(n)
        return [
            peer("Python's json", file),
            peer("polars", file, read="read_ndjson", column="duration"),
        ]

    def table_peers(n):
        file, column = files.table(n), "duration"
        return [
            peer("Python's csv", file, column=column),
            peer("DuckDB", file, column=column),
            peer("polars", file, read="read_csv", column=column),
        ]

    def measured_peers(n):
        file, column = files.measured(n), "runtime_s"
        return [peer("Python's csv", file, column=column), peer("DuckDB", file, column=column)]

    def projected(n):
        return lambda program: ["project", points_of(program, files, n), files.measured(n)]

    lengths = ["--lengths-only", "-j", "1", "-o", "/dev/null"]
    sampler = ["--length-unit", "seconds", "-o", "/dev/null", "--sampler"]
    in_groups = ["lhotse-bucketing:max-duration=600"]
    return [
        ("JSON lines", rows, lambda n: ["scan", files.manifest(n), *lengths], manifest_peers),
        ("CSV", rows, lambda n: ["scan", files.table(n), *lengths], table_peers),
        (
            "scan --sampler pytorch",
            rows,
            lambda n: ["scan", files.table(n), *sampler, "pytorch", "--batch-size", "32"],
            None,
        ),
        (
            "scan --sampler lhotse-bucketing",
            rows,
            lambda n: ["scan", files.table(n), *sampler, *in_groups],
            None,
        ),
        ("select, shapes", shapes, lambda n: ["select", files.run(n, n)], None),
        (
            "select, shapes, 8 points",
            shapes,
            lambda n: ["select", files.run(n, n), "--points", "8"],
            None,
        ),
        ("select, pairs", shapes, lambda n: ["select", files.pairs(n)], None),
        ("project", rows, projected, measured_peers),
        (
            "project --explain",
            rows,
            lambda n: lambda program: [*projected(n)(program), "--explain"],
            None,
        ),
        ("inspect, a table", rows, lambda n: ["inspect", files.measured(n)], measured_peers),
        (
            "evaluate",
            400,
            lambda n: ["evaluate", f"run={files.epoch(n)}"],
            None,
        ),
    ]


def companion_of(program):
    """The folder of the companion in the source tree that the program was built in; or ""."""
    build = os.path.dirname(os.path.abspath(program))
    folder = os.path.join(os.path.dirname(os.path.dirname(build)), "python")
    return folder if os.path.isdir(folder) else ""


def lengths_of_texts(companions, files, rows):
    """{name: words} of the lengths of texts in tokens, by one thread."""
    table, tokenizer = files.texts(rows)
    one_thread = ["env", "TOKENIZERS_PARALLELISM=false", "RAYON_NUM_THREADS=1"]
    module = ["-m", "seqpoint_companion", "lengths", "-q", table, "--tokenizer", tokenizer]
    return {
        **{
            name: [*one_thread, f"PYTHONPATH={folder}", sys.executable, *module, "-o", "/dev/null"]
            for name, folder in companions.items()
        },
        "encode_batch": [*one_thread, sys.executable, "-c", ENCODES, table, tokenizer],
    }


def usage_of(words, environment=None):
    """CPU seconds and MB of a command."""
    child = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, text=True
    )
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(words)[:200]}: status {child.returncode}: {said[-500:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def race(commands, rounds):
    """[(CPU seconds, MB)] of {name: words}, all in turn."""
    runs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, words in commands.items():
            runs[name].append(usage_of(words))
    return {
        name: (statistics.median(cpu for cpu, _ in of), max(peak for _, peak in of))
        for name, of in runs.items()
    }


def commands_of(programs, size, words, peers):
    commands = {}
    for name, program in programs.items():
        of_work = words(size)
        of_program = of_work(program) if callable(of_work) else of_work
        commands[name] = [program, "-q", *of_program]
    commands.update(peers(size) if peers else [])
    return commands


def exponent(small, large, start):
    small, large = small - start, large - start
    return f"{math.log10(large / small):.2f}" if small > 0 and large > 0 else ""


def hook_cost(companion, rounds):
    """CPU milliseconds that the hook adds to a Python process that does not train."""
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SEQPOINT"))}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["cp", "-r", os.path.join(companion, "seqpoint_companion"), folder], check=True
        )
        hooked = {
            **bare,
            "PYTHONPATH": os.path.join(folder, "seqpoint_companion", "hook"),
            "SEQPOINT_HOOK": "record",
            "SEQPOINT_OUTPUT": os.path.join(folder, "out.csv"),
        }
        words = [sys.executable, "-c", "pass"]
        usage_of(words, hooked)  # writes the bytecode
        pairs = [(usage_of(words, bare)[0], usage_of(words, hooked)[0]) for _ in range(10 * rounds)]
    return 1000 * (statistics.median(b for _, b in pairs) - statistics.median(a for a, _ in pairs))


def report(what, size, used, small, start):
    """A row for each program. `small`: the same of a tenth of the size; empty: no exponents."""
    for name, (cpu, peak) in used.items():
        grows = exponent(small[name][0], cpu, start[name]) if name in small else ""
        print(
            f"| {what} | {size:,} | {name} | {cpu:.3f} | {peak:.0f} | "
            f"{cpu / used['seqpoint'][0]:.2f} | {grows} |",
            flush=True,
        )


def report_companions(companions, rounds):
    """What the companion adds to processes and to batches."""
    for name, folder in companions.items():
        cost_ms = hook_cost(folder, rounds)
        print(f"\n{name}: the hook adds {cost_ms:.1f} ms to a Python process that does not train.")
    if not is_there("torch"):
        print("\nPyTorch is not installed: what `record` adds to a batch is not measured.")
        return
    names = {folder: name for name, folder in companions.items()}
    for milliseconds in hooks.BATCHES:
        runs = hooks.added_to_a_batch(list(names), milliseconds, 2 * rounds)
        for folder, of in runs.items():
            print("\n" + hooks.text_of(names[folder], milliseconds, of) + ".")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the seqpoint to measure")
    parser.add_argument("before", nargs="?", help="another seqpoint, beside it")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the largest inputs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="the work whose name contains this text")
    options = parser.parse_args()
    programs = {"before": options.before} if options.before else {}
    programs["seqpoint"] = options.program
    companions = {name: companion_of(path) for name, path in programs.items()}
    companions = {name: folder for name, folder in companions.items() if folder}
    absent = [name for name in ("duckdb", "polars") if not is_there(name)]
    start = {name: usage_of([path, "--version"])[0] for name, path in programs.items()}
    print("| work | size | program | CPU s | MB | over ours | exponent |")
    print("|:---|---:|:---|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        files = Files(folder)
        for what, size, words, peers in works(files, options.rows):
            if options.only not in what:
                continue
            small = race(commands_of(programs, size // 10, words, None), options.rounds)
            large = commands_of(programs, size, words, peers)
            large = {n: c for n, c in large.items() if n.lower() not in absent}
            used = race(large, options.rounds)
            report(what, size, used, small, start)
        texts = "lengths, texts with a tokenizer"
        if options.only in texts and is_there("pyarrow") and is_there("tokenizers"):
            size = max(options.rows // 5, 1000)
            used = race(lengths_of_texts(companions, files, size), options.rounds)
            report(texts, size, used, {}, start)
    if options.only in "the hook, record":
        report_companions(companions, options.rounds)
    if absent:
        print(f"\nNot installed, so not compared: {', '.join(absent)}.")


if __name__ == "__main__":
    main()
