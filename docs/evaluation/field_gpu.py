#!/usr/bin/env python3
"""How often do intervals from one, two and three processes on a GPU hold what the whole epoch takes there in other processes?

    python3 docs/evaluation/field_gpu.py prepare --program build/release/seqpoint --raw FOLDER
    python3 docs/evaluation/field_gpu.py measure --raw FOLDER [--seconds 480]
    python3 docs/evaluation/field_gpu.py project --program build/release/seqpoint

The field trial (field.py) with networks that keep a GPU busy: three processes of the whole epoch and three of the plan take
turns, and each has a context on the device of its own. `prepare` needs the program and no GPU, `measure` a GPU and no
program. `measure` goes on where it was interrupted, and begins no job after --seconds.

A process of the epoch trains on one sample before it: what a process begins with (a context on the device, libraries) takes
a second, which is nothing of an epoch of hours and much of one of seconds. It is kept apart, in starts.csv.

What was recorded is in examples/data/pytorch-h200, which `project` reads unless --raw is given.

Needs Python 3.9, to measure with PyTorch 2 and CUDA. All jobs take about ten minutes of an H200.
"""
import argparse
import csv
import gzip
import itertools
import statistics
import subprocess
import sys
import time
from pathlib import Path

from epochs import DATA, ROOT, in_parallel
from field import PROCESSES, compress, prepare, projected, report, rows_of, whole
from field_job import IWSLT15, LIBRISPEECH, MULTI30K, OPENNMT, Job, budget, corpus_of, epoch_in, grouped, in_order, shuffled

CONDITION = "gpu"
RECORDED = DATA / "pytorch-h200"
TILE = 128  # to a multiple of which some jobs pad their batches, for the sake of the matrix units
VOCABULARY, LABELS = 32000, 32
# `cell` says what the network does differently. So many rows that an epoch takes a few seconds.
JOBS = [
    Job("speech", "lstm", 768, LIBRISPEECH, 10, in_order(32)),
    Job("speech", "gru", 768, LIBRISPEECH, 12, shuffled(32)),
    Job("speech", "lstm", 512, LIBRISPEECH, 12, grouped(24)),
    Job("speech", "gru", 512, LIBRISPEECH, 12, budget(12000)),
    Job("speech", "convolutions", 1536, LIBRISPEECH, 6, shuffled(32)),
    Job("language", "fused", 768, LIBRISPEECH, 8, shuffled(32)),
    Job("language", "written", 512, LIBRISPEECH, 10, grouped(16)),
    Job("language", "tiles", 768, LIBRISPEECH, 8, in_order(32)),
    Job("language", "fused", 256, OPENNMT, 2, shuffled(32)),
    Job("translation", "lstm", 1024, MULTI30K, 2, shuffled(128)),
    Job("translation", "gru", 1024, IWSLT15, 8, budget(8000)),
]


# --- the jobs ------------------------------------------------------------------------------------------------------


def networks():
    import torch
    import torch.nn.functional as F
    import train
    from torch import nn

    class Convolutions(nn.Module):
        def __init__(self, hidden):
            super().__init__()
            layers = [(nn.Conv1d(hidden, hidden, 9, padding=4), nn.GELU()) for _ in range(6)]
            self.layers = nn.Sequential(*itertools.chain.from_iterable(layers))

        def forward(self, states):
            return self.layers(states.transpose(1, 2)).transpose(1, 2), None

    class Speech(nn.Module):
        def __init__(self, hidden, cell):
            super().__init__()
            self.embedding = nn.Linear(train.FEATURES, hidden)
            self.layers = Convolutions(hidden) if cell == "convolutions" else train.recurrent(cell)(
                hidden, hidden // 2, 2, bidirectional=True, batch_first=True)
            self.head = nn.Linear(hidden, LABELS)

        def forward(self, frames, lengths):
            scores = self.head(self.layers(self.embedding(frames))[0]).float().log_softmax(-1).transpose(0, 1)
            return train.ctc_loss(scores, lengths)

    class Block(nn.Module):
        def __init__(self, hidden, cell):
            super().__init__()
            self.cell, self.heads = cell, hidden // 64
            self.before, self.between = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
            self.queries, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
            self.wide = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))

        def attention(self, query, key, value):
            if self.cell != "written":
                return F.scaled_dot_product_attention(query, key, value, is_causal=True)
            future = torch.ones(query.shape[2], query.shape[2], dtype=torch.bool, device=query.device).triu(1)
            return (query @ key.transpose(2, 3) / 8).masked_fill(future, float("-inf")).softmax(-1) @ value

        def forward(self, states):
            batch, length, hidden = states.shape
            parts = self.queries(self.before(states)).view(batch, length, 3, self.heads, 64).permute(2, 0, 3, 1, 4)
            states = states + self.out(self.attention(*parts).transpose(1, 2).reshape(batch, length, hidden))
            return states + self.wide(self.between(states))

    class Language(nn.Module):
        def __init__(self, hidden, cell):
            super().__init__()
            self.cell, self.embedding = cell, nn.Embedding(VOCABULARY, hidden)
            self.layers = nn.Sequential(*[Block(hidden, cell) for _ in range(8)])
            self.head = nn.Linear(hidden, VOCABULARY)

        def forward(self, tokens):
            if self.cell == "tiles":
                tokens = F.pad(tokens, (0, -tokens.shape[1] % TILE))
            return F.cross_entropy(self.head(self.layers(self.embedding(tokens))).flatten(0, 1), tokens.flatten())

    class Translation(nn.Module):
        def __init__(self, hidden, cell):
            super().__init__()
            self.embedding, self.head = nn.Embedding(VOCABULARY, hidden), nn.Linear(hidden, VOCABULARY)
            self.encoder, self.decoder = (train.recurrent(cell)(hidden, hidden, 3, batch_first=True) for _ in range(2))

        def forward(self, source, target):
            states, queries = self.encoder(self.embedding(source))[0], self.decoder(self.embedding(target))[0]
            scores = self.head(queries + F.scaled_dot_product_attention(queries, states, states))
            return F.cross_entropy(scores.flatten(0, 1), target.flatten())

    return {"speech": Speech, "language": Language, "translation": Translation}


def training_of(job, folder, device):
    """(the corpus, a function that trains on one of its batches)"""
    import torch
    corpus = corpus_of(job, folder)
    corpus.speech = job.network == "speech"
    torch.manual_seed(1)
    model = networks()[job.network](job.hidden, job.cell).to(device)
    optimiser = torch.optim.AdamW(model.parameters())

    def train(batch):
        first, *others = batch["inputs"]
        inputs = [first.to(device), *(other if corpus.speech else other.to(device) for other in others)]
        optimiser.zero_grad()
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = model(*inputs)
        loss.backward()
        optimiser.step()

    return corpus, train


def record_start(record, begin):
    """Adds the seconds of begin() to the file of them beside `record`."""
    import torch
    at = time.perf_counter()
    begin()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    with open(Path(record).with_name("starts.csv"), "a", encoding="utf-8") as file:
        print(f"{time.perf_counter() - at:.6f}", file=file)


def train_job(options):
    """The whole epoch, or with a session that process of the plan; once a line has come in."""
    import torch
    from seqpoint_companion import Plan, Recorder
    from torch.utils.data import DataLoader
    sys.stdin.readline()
    job, folder = next(job for job in JOBS if job.name == options.job), options.raw / options.job
    plan = None if options.session is None else Plan(folder / "plan" / "plan.json", session=options.session)
    corpus, train = training_of(job, folder, "cuda" if torch.cuda.is_available() else "cpu")
    if plan is None:
        record_start(options.record, lambda: train(corpus.batch([0])))
    loader = DataLoader(range(len(corpus)), batch_sampler=plan or epoch_in(folder), collate_fn=corpus.batch)
    for batch in Recorder(options.record, corpus.signature, plan)(loader):
        train(batch)


# --- measuring -----------------------------------------------------------------------------------------------------


def processes_of(raw, job, out):
    """The epoch and the plan in turn, each process not yet begun: it imports PyTorch, and waits."""
    for process in range(PROCESSES):
        for what, more in (("epoch", []), ("plan", ["--session", str(process)])):
            words = ["train", "--raw", raw, "--job", job.name, "--record", out / f"{what}-{process}.csv", *more]
            yield subprocess.Popen([sys.executable, __file__, *words], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def measure_job(raw, job, out):
    """One process after the other. The next imports meanwhile: machines with GPUs have cores for that."""
    waiting = processes_of(raw, job, out)
    following = next(waiting)
    while following is not None:
        running, following = following, next(waiting, None)
        _, errors = running.communicate("go\n")
        if running.returncode != 0:
            if following is not None:
                following.kill()
            raise SystemExit(f"{job.name}: {errors}")
    compress(out)


def measure_all(options):
    began, raw = time.monotonic(), options.raw.resolve()
    for job in jobs_of(options):
        kept, at = raw / job.name / CONDITION, time.monotonic()
        if kept.exists() or at - began > options.seconds:
            continue
        with whole(kept) as out:
            measure_job(raw, job, out)
        print(f"{job.name}: {time.monotonic() - at:.0f} s", file=sys.stderr, flush=True)


def prepare_all(options):
    for job in jobs_of(options):
        if not (options.raw / job.name).exists():
            with whole(options.raw.resolve() / job.name) as folder:
                prepare(options.program.resolve(), job, folder)


# --- what is said of it --------------------------------------------------------------------------------------------


def recorded_in(raw):
    return [folder for folder in (raw / job.name / CONDITION for job in JOBS) if folder.exists()]


def projections(program, raw):
    """A row for each metric and choice of processes of the plan, as in field.csv."""
    found = in_parallel(lambda folder: rows_of(program, folder), recorded_in(raw))
    return list(itertools.chain.from_iterable(found))


def iterations_of(folder, process):
    """(signature, seconds) of each iteration of an epoch, in its order."""
    with gzip.open(folder / f"epoch-{process}.csv.gz", "rt", newline="", encoding="utf-8") as file:
        return [(tuple(row.get(column) for column in ("src_len", "tgt_len", "batch_size")), float(row["runtime_s"]))
                for row in csv.DictReader(file)]


def first_seen(program, folder):
    """(what the first execution of a shape takes more by the plan's points; by those that a near shape ran before, or None; in the
    epochs, a mean over the shapes that come again, or None where none does)"""
    found = projected(program, folder, range(PROCESSES))["first_seen"]["runtime_s"]
    more = []
    for process in range(PROCESSES):
        times = {}
        for signature, seconds in iterations_of(folder, process):
            times.setdefault(signature, []).append(seconds)
        more += [first - statistics.fmean(later) for first, *later in times.values() if later]
    return found["each_s"], found.get("near", {}).get("each_s"), statistics.fmean(more) if more else None


def project_all(options):
    report(projections(options.program.resolve(), options.raw.resolve()))


def jobs_of(options):
    return [job for job in JOBS if not options.job or job.name == options.job]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True, metavar="prepare|measure|project")
    functions = {"prepare": prepare_all, "measure": measure_all, "project": project_all, "train": train_job}
    by_name = {name: steps.add_parser(name) for name in functions}
    for name, step in by_name.items():
        step.set_defaults(function=functions[name])
        step.add_argument("--raw", type=Path, required=name != "project", default=RECORDED, metavar="FOLDER", help="where what is recorded is kept")
        if name != "project":
            step.add_argument("--job", metavar="JOB", choices=[job.name for job in JOBS], help="this job, and no other")
        if name in ("prepare", "project"):
            step.add_argument("--program", type=Path, default=ROOT / "build/release/seqpoint", metavar="FILE")
    by_name["measure"].add_argument("--seconds", type=float, default=float("inf"), metavar="N", help="begin no job after so many")
    by_name["train"].add_argument("--record", metavar="FILE")
    by_name["train"].add_argument("--session", type=int, metavar="N", help="this process of the plan")
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    main()
