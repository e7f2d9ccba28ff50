"""What the jobs beside this file train: texts of many lengths, on a small Transformer, one core.

Their cost grows with the length of a batch. None of them knows of seqpoint. SAMPLES is the number
of texts. JOB_LOG is a folder with a file of each process, which gets a line for each batch that it
has trained: its rows, which the model reads in the data, their lengths, and the seconds by the
job's own clock. The name of a file begins with its time. The folder is hidden, because `run`
removes other new files. With SEEDLESS no job sets a seed: each start draws other batches, unless
the framework has a seed of its own.
"""

import os
import random
import time

import torch
from torch import nn

SAMPLES = int(os.environ.get("SAMPLES", 2400))
MANY = 2 * SAMPLES  # where like lengths share batches, which are then short
BATCH = 8
WORDS, WIDTH, LAYERS, HEADS = 512, 64, 2, 4
SEEDLESS = bool(os.environ.get("SEEDLESS"))
DIGIT = 500  # the first two tokens of a text are its row, to this base

torch.set_num_threads(1)


def seed(number, by=torch.manual_seed):
    """The job's own seed, unless it is to have none."""
    if not SEEDLESS:
        by(number)


class Texts(torch.utils.data.Dataset):
    def __init__(self, samples=SAMPLES, seed=7):
        draw = random.Random(seed)
        self.lengths = [min(int(draw.lognormvariate(4, 0.6)) + 4, 400) for _ in range(samples)]

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, row):
        generator = torch.Generator().manual_seed(row)
        tokens = torch.randint(1, WORDS, (self.lengths[row],), generator=generator)
        tokens[0], tokens[1] = 1 + row // DIGIT, 1 + row % DIGIT
        return {"input_ids": tokens, "length": self.lengths[row]}


def pad(samples):
    tokens = [sample["input_ids"] for sample in samples]
    input_ids = nn.utils.rnn.pad_sequence(tokens, batch_first=True)
    mask = (input_ids != 0).long()
    return {
        "input_ids": input_ids,
        "attention_mask": mask,
        "labels": input_ids.masked_fill(mask == 0, -100),
    }


class Model(nn.Module):
    """A masked language model; with `features` of speech in the place of words."""

    def __init__(self, features=None):
        super().__init__()
        self.embedding = nn.Linear(features, WIDTH) if features else nn.Embedding(WORDS, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, input_ids, attention_mask=None, labels=None, mask=None):
        if self.training:
            LOG.see(self.rows_in(input_ids), input_ids.shape)
        padding = None if attention_mask is None else attention_mask == 0
        state = self.encoder(self.embedding(input_ids), mask=mask, src_key_padding_mask=padding)
        logits = self.head(state)
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        return {"loss": loss, "logits": logits}

    def rows_in(self, input_ids):
        return texts_at(input_ids[:, 0], input_ids[:, 1])


def texts_at(first, second):
    """The rows of texts by their first two tokens."""
    return ((first - 1) * DIGIT + second - 1).tolist()


def now():
    return time.perf_counter(), time.process_time()


class Log:
    """The job's own clocks, and the log that it writes.

    A line has the process, the rank, length, samples, seconds, seconds of the processor and rows of
    a batch.
    """

    def __init__(self, folder):
        self.path = None
        if folder:
            self.path = os.path.join(folder, f"{time.time_ns()}-{os.getpid()}")
        self.began = self.ended = self.seen = None

    def begin(self):
        """A batch is going to be trained. Its time began when the one before ended."""
        self.began, self.seen = self.ended or now(), None

    def aside(self):
        """Something ended that was no iteration."""
        self.ended = None

    def see(self, rows, shape):
        self.seen = rows, shape

    def end(self):
        if not self.path:
            return
        seconds, cpu = (end - begin for begin, end in zip(self.began, now()))
        rows, (samples, length, *_) = self.seen
        rank = os.environ.get("RANK", "0")
        with open(self.path, "a", encoding="utf-8") as file:
            times = f"{seconds:.6f} {cpu:.6f}"
            print(os.getpid(), rank, length, samples, times, *rows, file=file)
        self.ended = now()


LOG = Log(os.environ.get("JOB_LOG"))


def train(loader, model=None, optimiser=None):
    """An epoch of a plain loop. Returns the loss of its last batch."""
    model = model or Model()
    optimiser = optimiser or torch.optim.AdamW(model.parameters(), lr=1e-3)
    for batch in loader:
        LOG.begin()
        optimiser.zero_grad()
        loss = model(**batch)["loss"]
        loss.backward()
        optimiser.step()
        LOG.end()
    return float(loss.detach())
