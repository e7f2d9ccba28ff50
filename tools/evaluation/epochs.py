"""The measured epochs in examples/data, and running the program on them."""
import csv
import io
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "examples" / "data"
SIZES = range(5, 21)
MEASURES = ("runtime_s", "single_s")


@dataclass(frozen=True)
class Network:
    """One network, trained on the same batches in several configurations."""

    name: str
    kind: str  # 'pairs' or 'one length'
    traces: tuple = field(default=())  # (configuration, file)

    def arguments(self):
        return [f"{name}={path}" for name, path in self.traces]


def _network(name, folder, stem, configurations):
    traces = tuple((c, DATA / folder / f"{stem}{c}.csv") for c in configurations)
    header = traces[0][1].read_text().split("\n", 1)[0]
    return Network(name, "pairs" if "tgt_len" in header else "one length", traces)


def networks():
    cells = ("lstm", "gru")
    found = [
        _network("ds2", "ds2-librispeech100", "", ("haswell", "skylakex")),
        _network("gnmt", "gnmt-multi30k", "", ("nehalem", "haswell", "skylakex")),
        _network("language", "pytorch-cpu", "language-", ("h24", "h40")),
    ]
    for folder, suffix, stems in (
        ("pytorch-cpu", "", ("speech", "translation")),
        ("pytorch-cpu-quiet", "-quiet", ("speech", "translation")),
        (
            "pytorch-cpu-aside",
            "",
            [f"{n}{i}" for n in ("speech", "translation") for i in range(1, 5)],
        ),
    ):
        found += [_network(stem + suffix, folder, stem + "-", cells) for stem in stems]
    return found


class Program:
    """The seqpoint that is evaluated. Answers are kept: the same question is asked once."""

    def __init__(self, path):
        self.path = str(path)
        self.rows = lru_cache(maxsize=None)(self._rows)

    def run(self, *arguments):
        done = subprocess.run(
            [self.path, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT
        )
        if done.returncode != 0:
            raise SystemExit(f"seqpoint {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def _rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run(*arguments, "--export", "csv"))))

    def evaluate(self, network, *arguments):
        return self.rows("evaluate", "-q", *network.arguments(), "--lengths-only", *arguments)


def in_parallel(function, items, workers=2):
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, items))


def points(sizes):
    return [word for k in sizes for word in ("--points", str(k))]
