"""Trains a small network on the lengths of a real corpus, as the job of the scripts here.

    train.py speech utterances.csv --batch-size 16 --record epoch.csv
    train.py translation train.en.len train.de.len --batch-size 32 --record epoch.csv
    train.py language train.en.len --batch-size 16 --plan plan/plan.json --record v1.csv

The lengths are the corpus's own. The samples' content is made up, which does not change the cost of
an iteration. Speech is read in order of length (SortaGrad's first epoch), text in a random order
from a generator of its own.
"""

import argparse
import contextlib
import csv
import os
import sys

import torch
from torch import nn
from torch.profiler import ProfilerAction, ProfilerActivity
from torch.utils.data import DataLoader

# If the companion is not installed: the package in this clone.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
from seqpoint_companion import Plan, Recorder

VOCABULARY, CHARACTERS, FEATURES = 256, 29, 40
SAMPLES_A_FRAME = 640  # 40 ms at 16 kHz
OUTSIDE = "(outside operators)"


def recurrent(cell):
    return {"gru": nn.GRU, "lstm": nn.LSTM}[cell]


def ctc_loss(scores, lengths):
    """CTC loss of log probabilities (time, samples, characters).

    Each sample has one character per three steps of its length.
    """
    characters = torch.clamp(lengths // 3, min=1)
    text = torch.ones(len(lengths), int(characters.max()), dtype=torch.long, device=scores.device)
    return nn.functional.ctc_loss(scores, text, lengths, characters, zero_infinity=True)


class Speech(nn.Module):
    """Convolutions over time, bidirectional recurrent layers and CTC, as in DeepSpeech2."""

    def __init__(self, hidden, cell):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv1d(FEATURES, hidden, 11, stride=2, padding=5),
            nn.ReLU(),
            nn.Conv1d(hidden, hidden, 11, stride=2, padding=5),
            nn.ReLU(),
        )
        self.recurrent = recurrent(cell)(
            hidden, hidden, num_layers=2, bidirectional=True, batch_first=True
        )
        self.head = nn.Linear(2 * hidden, CHARACTERS)

    def forward(self, frames, lengths):
        hidden = self.convolutions(frames.transpose(1, 2)).transpose(1, 2)
        scores = self.head(self.recurrent(hidden)[0]).log_softmax(-1).transpose(0, 1)
        return ctc_loss(scores, (lengths + 3) // 4)  # of the two strides of 2


class Translation(nn.Module):
    """Shaped like GNMT: a bidirectional encoder, a decoder that attends to it, a softmax."""

    def __init__(self, hidden, cell):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, hidden)
        self.encoder = recurrent(cell)(hidden, hidden // 2, bidirectional=True, batch_first=True)
        self.decoder = recurrent(cell)(hidden, hidden, num_layers=2, batch_first=True)
        self.head = nn.Linear(2 * hidden, VOCABULARY)

    def forward(self, source, target):
        states = self.encoder(self.embedding(source))[0]
        queries = self.decoder(self.embedding(target))[0]
        context = torch.softmax(queries @ states.transpose(1, 2), dim=-1) @ states
        scores = self.head(torch.cat([queries, context], dim=-1))
        return nn.functional.cross_entropy(scores.flatten(0, 1), target.flatten())


class Language(nn.Module):
    """A transformer that predicts the next token."""

    def __init__(self, hidden, cell):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, hidden)
        layer = nn.TransformerEncoderLayer(hidden, 4, 4 * hidden, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(hidden, VOCABULARY)

    def forward(self, tokens):
        length = tokens.shape[1]
        future = torch.full((length, length), float("-inf")).triu(1)
        scores = self.head(self.layers(self.embedding(tokens), future))
        return nn.functional.cross_entropy(scores.flatten(0, 1), tokens.flatten())


NETWORKS = {"speech": Speech, "translation": Translation, "language": Language}


class Corpus:
    """The lengths of a manifest's rows, and batches of made-up samples of these lengths."""

    def __init__(self, network, manifests):
        self.speech = network == "speech"
        self.sides = [utterances(path) if self.speech else lines(path) for path in manifests]
        if len({len(side) for side in self.sides}) > 1:
            raise SystemExit(f"{' and '.join(manifests)} differ in their number of rows")

    def __len__(self):
        return len(self.sides[0])

    def by_length(self):
        return sorted(range(len(self)), key=self.sides[0].__getitem__)

    def batch(self, rows):
        """{"rows": dataset rows, "inputs": tensors}; what DataLoader calls collate_fn."""
        lengths = [torch.tensor([side[row] for row in rows]) for side in self.sides]
        if self.speech:
            return {
                "rows": rows,
                "inputs": (torch.randn(len(rows), int(lengths[0].max()), FEATURES), lengths[0]),
            }
        return {
            "rows": rows,
            "inputs": tuple(
                torch.randint(VOCABULARY, (len(rows), int(side.max()))) for side in lengths
            ),
        }

    def signature(self, batch):
        sides = batch["inputs"][:1] if self.speech else batch["inputs"]
        lengths = {name: side.shape[1] for name, side in zip(("src_len", "tgt_len"), sides)}
        return {**lengths, "batch_size": len(batch["rows"])}


def utterances(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [max(1, int(row["samples"]) // SAMPLES_A_FRAME) for row in csv.DictReader(file)]


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [int(line) for line in file]


def loader_of(corpus, options, plan):
    rows, common = range(len(corpus)), {"collate_fn": corpus.batch}
    if plan is not None:
        return DataLoader(rows, batch_sampler=plan, **common)
    common["batch_size"] = options.batch_size
    if options.in_order:
        return DataLoader(rows, **common)
    if corpus.speech:
        return DataLoader(rows, sampler=corpus.by_length(), **common)
    return DataLoader(
        rows, shuffle=True, generator=torch.Generator().manual_seed(options.seed), **common
    )


def trainer(options):
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    model = NETWORKS[options.network](options.hidden, options.cell)
    optimiser = torch.optim.Adam(model.parameters())

    def train(batch):
        optimiser.zero_grad()
        model(*batch["inputs"]).backward()
        optimiser.step()

    return train


class Operators:
    """Self time and calls of each operator in a run, summed during the run from its events."""

    def __init__(self):
        self.time_us, self.calls = {}, {}

    def profiler(self):
        # Events are summed every 16 steps and then dropped, because those of an epoch would fill
        # the memory.
        end = (
            lambda step: ProfilerAction.RECORD
            if (step + 1) % 16
            else ProfilerAction.RECORD_AND_SAVE
        )
        return torch.profiler.profile(
            activities=[ProfilerActivity.CPU], schedule=end, on_trace_ready=self.add
        )

    def add(self, profiler):
        """Attributes every instant to the running operator that began last.

        key_averages() differs if a child seems to end after its parent, which rounding to
        microseconds can cause: it subtracts such a child from two parents.
        """
        running, now = [], 0

        def spend(until):
            nonlocal now
            if running:
                name = self.name_of(running[-1])
                self.time_us[name] = self.time_us.get(name, 0) + max(0, until - now)
            now = max(now, until)

        # One thread: without a device, the backward pass runs on the thread that asked for it.
        for event in sorted(
            profiler.events(), key=lambda event: (event.time_range.start, -event.time_range.end)
        ):
            name = self.name_of(event)
            self.calls[name] = self.calls.get(name, 0) + (name != OUTSIDE)
            while running and running[-1].time_range.end <= event.time_range.start:
                spend(running[-1].time_range.end)
                running.pop()
            spend(event.time_range.start)
            running.append(event)
        while running:
            spend(running[-1].time_range.end)
            running.pop()

    @staticmethod
    def name_of(event):
        return (
            OUTSIDE
            if event.name.startswith("ProfilerStep") or " src_len=" in event.name
            else event.name
        )

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            print("operator,calls,self_us", file=file)
            for name in sorted(self.time_us, key=self.time_us.get, reverse=True):
                print(f'"{name}",{self.calls[name]},{self.time_us[name]:.0f}', file=file)


def profiler_of(options, plan, operators):
    if options.operators:
        return operators.profiler()
    if options.trace:
        return torch.profiler.profile(
            activities=[ProfilerActivity.CPU],
            schedule=plan.schedule(),
            on_trace_ready=lambda profiler: profiler.export_chrome_trace(options.trace),
        )
    return contextlib.nullcontext()


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("network", choices=NETWORKS)
    parser.add_argument("manifest", nargs="+", help="one; translation: source and target")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hidden", type=int, default=24)
    parser.add_argument(
        "--cell", choices=("gru", "lstm"), default="gru", help="of speech and translation"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--in-order", action="store_true", help="read the manifest in its own order"
    )
    parser.add_argument(
        "--warm-up",
        type=int,
        default=0,
        metavar="N",
        help="first train N times on the longest samples",
    )
    parser.add_argument("--plan", help="run the batches of this plan.json")
    parser.add_argument(
        "--warm-up-batches", type=int, metavar="N", help="before the plan's points [as planned]"
    )
    parser.add_argument("--record", metavar="FILE", help="write what iterations take")
    parser.add_argument(
        "--trace", metavar="FILE", help="write torch.profiler's trace of the plan's measured steps"
    )
    parser.add_argument(
        "--operators", metavar="FILE", help="write the time of each operator in the whole run"
    )
    parser.add_argument(
        "--rows", action="store_true", help="record the dataset rows of each batch, too"
    )
    options = parser.parse_args(arguments)
    if options.trace and not options.plan:
        parser.error(
            "--trace needs --plan: a trace of a whole epoch is too large; --operators adds it up"
        )
    return options


def main():
    options = parse(sys.argv[1:])
    corpus, train = Corpus(options.network, options.manifest), trainer(options)
    plan = Plan(options.plan, warmup_rounds=options.warm_up_batches) if options.plan else None
    loader, operators = loader_of(corpus, options, plan), Operators()
    for _ in range(options.warm_up):
        train(corpus.batch(corpus.by_length()[-options.batch_size :]))
    signature = corpus.signature
    if options.rows:
        signature = lambda batch: {**corpus.signature(batch), "rows": batch["rows"]}
    with profiler_of(options, plan, operators) as profiler:
        recorder = Recorder(options.record or os.devnull, signature, plan, profiler)
        for _ in range(options.epochs):
            for batch in recorder(loader):
                train(batch)
    if options.operators:
        operators.write(options.operators)


if __name__ == "__main__":
    main()
