#!/usr/bin/env python3
"""Training jobs that keep a GPU busy: gpu_jobs.py JOB [--extra SHARE]

    conformer     plain loop: speech recognition by CTC, batches of like lengths
    trainer       Hugging Face's Trainer, group_by_length: a causal language model (Llama)
    lightning     Lightning: a Transformer that translates
    accelerate    accelerate: wav2vec 2.0 on audio, from transformers
    accumulating  plain loop: language model of speech units; gradients of 4 batches are
                  accumulated, and it is validated within the epoch
    gnmt          plain loop: recurrent layers of cuDNN that translate, shuffled

Each trains twice over the same batches in the same order. Lengths are those of real corpora
(examples/data), content is random. The jobs are as their frameworks' users write them, and know
nothing of seqpoint.

PASSES, a file: a line of JSON is added to it for each pass, with the seconds by the job's own
clock, the device synchronised before and after, and those of validation in it. SCALE=tiny:
networks and samples that a CPU trains in milliseconds, to try the jobs. --extra (conformer and
accumulating): about that share of an iteration's work is done once more in it.

Needs Python 3.9 and PyTorch 2, and the framework.
"""
import argparse
import contextlib
import csv
import dataclasses
import gzip
import json
import os
import random
import tempfile
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from gpu_networks import CHARACTERS, FEATURES, STRIDE, Conformer, Gnmt, Language, Transformer

DATA = Path(__file__).resolve().parents[2] / "examples" / "data"
TINY = os.environ.get("SCALE") == "tiny"
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PASSES, WORKERS = 2, 0 if TINY else 2
VOCABULARY = 100 if TINY else 32000
UNITS = 50 if TINY else 500  # of speech
RATE, FRAMES, UNITS_A_SECOND = 16000, 100, 50  # a second of audio
SHORTER = 8 if TINY else 1
CHARACTERS_A_SECOND = 14


def sized(tiny, full):
    return tiny if TINY else full


# --- lengths and batches --------------------------------------------------------------------------


def audio(rows, a_second):
    """Lengths of `rows` utterances from all over the corpus, in units of so many a second."""
    with open(DATA / "librispeech-train-clean-100.csv", newline="", encoding="utf-8") as file:
        samples = [int(row["samples"]) for row in csv.DictReader(file)]
    return [int(of * a_second / RATE / SHORTER) for of in spread(samples, rows)]


def pairs(rows):
    """[(source, target)] lengths of `rows` sentences from all over the corpus."""
    with gzip.open(DATA / "iwslt15-train.en-vi.tsv.gz", "rt", encoding="utf-8") as file:
        found = [tuple(map(int, line.split("\t"))) for line in file.read().splitlines()[1:]]
    return spread([of for of in found if min(of) > 0], rows)


def spread(items, number):
    return [items[n * len(items) // number] for n in range(number)]


def shuffled(number, seed=1):
    """The rows in a random order, the same in each pass."""
    return torch.randperm(number, generator=torch.Generator().manual_seed(seed)).tolist()


def of_like_lengths(lengths, size):
    """Batches of neighbours in length, in a random order, the same in each pass."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    batches = [order[at : at + size] for at in range(0, len(order), size)]
    random.Random(1).shuffle(batches)
    return batches


class Samples(torch.utils.data.Dataset):
    """Random content in these lengths: pieces of one tensor, made once."""

    def __init__(self, lengths, content, longest):
        self.lengths, self.longest = lengths, longest
        generator = torch.Generator().manual_seed(3)
        self.content = content(2 * longest, generator)

    def __len__(self):
        return len(self.lengths)

    def piece(self, row, length):
        begin = row % self.longest
        return self.content[begin : begin + length]

    def __getitem__(self, row):
        return self.piece(row, self.lengths[row])


class Pairs(Samples):
    def __getitem__(self, row):
        source, target = self.lengths[row]
        return self.piece(row, source), self.piece(row + 1, target)


class Spoken(Samples):
    """Audio or its features, and characters that somebody might have said in that time."""

    def __init__(self, lengths, content, longest, a_second):
        super().__init__(lengths, content, longest)
        self.a_second = a_second / SHORTER
        self.characters = tokens(CHARACTERS)(10000, torch.Generator().manual_seed(4))

    def __getitem__(self, row):
        speed = random.Random(row).gauss(CHARACTERS_A_SECOND, 1.5) / SHORTER
        length = max(1, int(self.lengths[row] / self.a_second * speed))
        return self.piece(row, self.lengths[row]), self.characters[row % 5000 :][:length]


def tokens(vocabulary):
    return lambda length, generator: torch.randint(1, vocabulary, (length,), generator=generator)


def padded(samples, value=0, multiple=8):
    """Samples as one tensor, as long as a multiple that suits matrix units."""
    found = torch.nn.utils.rnn.pad_sequence(list(samples), batch_first=True, padding_value=value)
    more = -found.shape[1] % (1 if TINY else multiple)
    return F.pad(found, (0, 0) * (found.dim() - 2) + (0, more), value=value)


def sizes(samples):
    return torch.tensor([len(of) for of in samples])


def loader_of(data, collate, **order):
    """As usual on a GPU: workers that stay, pinned memory."""
    return DataLoader(
        data,
        collate_fn=collate,
        num_workers=WORKERS,
        persistent_workers=WORKERS > 0,
        pin_memory=DEVICE == "cuda",
        **order,
    )


def to_device(value):
    return value.to(DEVICE, non_blocking=True)


# --- the job's own clock --------------------------------------------------------------------------


class Clock:
    """Seconds of each pass, and what was trained in it."""

    def begin(self):
        self.batches = self.padded = self.aside_s = 0
        self.began = self.now()

    def see(self, batch):
        """A batch is going to be trained."""
        self.batches += 1
        self.padded += batch.shape[0] * batch.shape[1]

    @contextlib.contextmanager
    def aside(self):
        """Around what is no iteration: it is timed by itself."""
        began = self.now()
        yield
        self.aside_s += self.now() - began

    def end(self):
        seconds = self.now() - self.began
        if "PASSES" not in os.environ:
            return
        card = torch.cuda.get_device_name() if DEVICE == "cuda" else "cpu"
        facts = {"seconds": seconds, "aside_s": self.aside_s, "batches": self.batches}
        facts.update(padded=self.padded, card=card)
        with open(os.environ["PASSES"], "a", encoding="utf-8") as file:
            print(json.dumps(facts), file=file)

    @staticmethod
    def now():
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()


CLOCK = Clock()


def precision():
    return torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda")


def adam(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True if DEVICE == "cuda" else None)


# --- plain loops ----------------------------------------------------------------------------------


def pad_spoken(samples):
    content, labels = zip(*samples)
    return {
        "features": padded(content, multiple=64),
        "labels": padded(labels),
        "lengths": sizes(content),
        "label_lengths": sizes(labels),
    }


def frames(length, generator):
    return torch.randn(length, FEATURES, generator=generator)


def work_more(model, batch, length, share, *mask):
    """About that share of an iteration: a layer's forward pass is a third of its work."""
    states = torch.ones(len(batch), length, model.head.in_features, device=batch.device)
    with torch.no_grad(), precision():
        for _ in range(round(3 * len(model.layers) * share)):
            states = model.layers[0](states, *mask)


def conformer(extra=0):
    lengths = audio(*sized((480, FRAMES), (10080, FRAMES)))
    data = Spoken(lengths, frames, max(lengths), FRAMES)
    batches = of_like_lengths(lengths, sized(2, 48))
    loader = loader_of(data, pad_spoken, batch_sampler=batches)
    with torch.device(DEVICE):
        model = Conformer(*sized((32, 1), (1024, 6)))
    optimiser, total = adam(model), 0.0

    def backward(features, lengths, labels, label_lengths):
        with precision():
            loss = model(features, lengths, labels, label_lengths)
        loss.backward()
        return loss

    for _ in range(PASSES):
        CLOCK.begin()
        for batch in loader:
            features, labels = to_device(batch["features"]), to_device(batch["labels"])
            CLOCK.see(features)
            optimiser.zero_grad()
            loss = backward(features, batch["lengths"], labels, batch["label_lengths"])
            length = features.shape[1] // STRIDE
            mask = torch.ones(len(features), 1, 1, length, dtype=torch.bool, device=DEVICE)
            work_more(model, features, length, extra, mask)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimiser.step()
            total += loss.item()
        CLOCK.end()
    print("loss", total)


def pad_units(samples):
    return padded(samples, multiple=32)


def accumulating(extra=0):
    """The loss stays on the device between two reports."""
    accumulate, every = 4, 60
    lengths = audio(*sized((480, UNITS_A_SECOND), (8400, UNITS_A_SECOND)))
    size = sized(2, 40)
    data = Samples(lengths, tokens(UNITS), max(lengths))
    loader = loader_of(data, pad_units, batch_sampler=of_like_lengths(lengths, size))
    held_out = Samples(lengths[: 8 * size], tokens(UNITS), max(lengths))
    validation = DataLoader(held_out, batch_size=size, collate_fn=pad_units)
    with torch.device(DEVICE):
        model = Language(*sized((32, 1), (1024, 12)), UNITS, max(lengths) + 32)
    optimiser, total = adam(model), torch.zeros((), device=DEVICE)

    def validate():
        model.eval()
        with CLOCK.aside(), torch.no_grad(), precision():
            losses = [model(to_device(batch)).item() for batch in validation]
        model.train()
        print("validation", sum(losses) / len(losses), "training", total.item())

    for _ in range(PASSES):
        CLOCK.begin()
        for number, batch in enumerate(loader, 1):
            batch = to_device(batch)
            CLOCK.see(batch)
            with precision():
                loss = model(batch) / accumulate
            loss.backward()
            work_more(model, batch, batch.shape[1], extra)
            total += loss.detach()
            if number % accumulate == 0 or number == len(loader):
                optimiser.step()
                optimiser.zero_grad()
            if number % every == 0:
                validate()
        CLOCK.end()


def pad_pairs(samples):
    source, target = zip(*samples)
    return {"input_ids": padded(source), "labels": padded(target)}


def pairs_data(rows):
    lengths = pairs(rows)
    return Pairs(lengths, tokens(VOCABULARY), max(map(max, lengths)))


def gnmt():
    data = pairs_data(sized(960, 120960))
    order = shuffled(len(data))
    loader = loader_of(data, pad_pairs, sampler=order, batch_size=sized(4, 576))
    with torch.device(DEVICE):
        model = Gnmt(sized(32, 1024), VOCABULARY)
    optimiser, total = adam(model), 0.0
    for _ in range(PASSES):
        CLOCK.begin()
        for batch in loader:
            source, target = to_device(batch["input_ids"]), to_device(batch["labels"])
            CLOCK.see(source)
            optimiser.zero_grad()
            with precision():
                loss = model(source, target)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimiser.step()
            total += loss.item()
        CLOCK.end()
    print("loss", total)


# --- frameworks -----------------------------------------------------------------------------------


class Texts(Samples):
    """As Trainer wants them: a dictionary a sample."""

    def __getitem__(self, row):
        ids = super().__getitem__(row)
        return {"input_ids": ids, "length": len(ids)}


def pad_texts(samples):
    ids = padded([of["input_ids"] for of in samples])
    mask = (ids != 0).long()
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "labels": ids.masked_fill(mask == 0, -100),
    }


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=sized(32, 2048),
        intermediate_size=sized(64, 5632),
        num_hidden_layers=sized(1, 6),
        num_attention_heads=sized(2, 16),
        max_position_embeddings=4096,
        use_cache=False,
    )
    with torch.device(DEVICE):
        return LlamaForCausalLM(config)


def trainer():
    """Source and target of a pair are one text, as when a language model learns to translate."""
    from transformers import Trainer, TrainerCallback, TrainingArguments

    names = {field.name for field in dataclasses.fields(TrainingArguments)}
    grouped = {"group_by_length": True}
    if "train_sampling_strategy" in names:
        grouped = {"train_sampling_strategy": "group_by_length"}

    class Timed(Trainer):
        def training_step(self, model, inputs, *rest):
            CLOCK.see(inputs["input_ids"])
            return super().training_step(model, inputs, *rest)

    class Epochs(TrainerCallback):
        """Its sampler draws a new order in each pass, unless the seed is the same."""

        def on_epoch_begin(self, *_, **__):
            torch.manual_seed(5)
            CLOCK.begin()

        def on_epoch_end(self, *_, **__):
            CLOCK.end()

    lengths = [sum(of) for of in pairs(sized(960, 53760))]
    model = llama()
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            num_train_epochs=PASSES,
            per_device_train_batch_size=sized(4, 256),
            **grouped,
            length_column_name="length",
            bf16=DEVICE == "cuda",
            use_cpu=DEVICE == "cpu",
            logging_steps=50,
            save_strategy="no",
            report_to="none",
            remove_unused_columns=False,
            disable_tqdm=True,
        )
        Timed(
            model,
            arguments,
            data_collator=pad_texts,
            train_dataset=Texts(lengths, tokens(VOCABULARY), max(lengths)),
            callbacks=[Epochs()],
        ).train()


def in_lightning():
    import lightning

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            with torch.device(DEVICE):
                self.model = Transformer(*sized((32, 1), (1536, 4)), VOCABULARY)

        def training_step(self, batch, _):
            CLOCK.see(batch["input_ids"])
            loss = self.model(batch["input_ids"], batch["labels"])
            self.log("loss", loss)
            return loss

        def configure_optimizers(self):
            return adam(self)

    class Epochs(lightning.Callback):
        def on_train_epoch_start(self, *_):
            CLOCK.begin()

        def on_train_epoch_end(self, *_):
            CLOCK.end()

    data = pairs_data(sized(960, 33600))
    order = shuffled(len(data))
    loader = loader_of(data, pad_pairs, sampler=order, batch_size=sized(4, 160))
    lightning.Trainer(
        max_epochs=PASSES,
        accelerator="gpu" if DEVICE == "cuda" else "cpu",
        devices=1,
        precision="bf16-mixed" if DEVICE == "cuda" else "32-true",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[Epochs()],
    ).fit(Module(), loader)


def pad_audio(samples):
    content, labels = zip(*samples)
    return {"input_values": padded(content, multiple=RATE // 4), "labels": padded(labels, -100)}


def wave(length, generator):
    return torch.randn(length, generator=generator)


def wav2vec():
    """The sizes of wav2vec 2.0 base."""
    from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

    small = {
        "hidden_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "conv_dim": (8,) * 7,
        "num_conv_pos_embeddings": 16,
        "num_conv_pos_embedding_groups": 4,
    }
    config = Wav2Vec2Config(
        vocab_size=CHARACTERS,
        ctc_loss_reduction="mean",
        ctc_zero_infinity=True,
        mask_time_length=2 if TINY else 10,
        **sized(small, {}),
    )
    with torch.device(DEVICE):
        return Wav2Vec2ForCTC(config).to(DEVICE)  # not all of it is made there


def accelerated():
    import accelerate

    kind = "bf16" if DEVICE == "cuda" else "no"
    accelerator = accelerate.Accelerator(mixed_precision=kind, cpu=DEVICE == "cpu")
    lengths = audio(*sized((480, RATE // 4), (5040, RATE)))
    data = Spoken(lengths, wave, max(lengths), RATE // (4 if TINY else 1))
    order = shuffled(len(lengths))
    loader = loader_of(data, pad_audio, sampler=order, batch_size=sized(2, 24))
    model = wav2vec()
    model, optimiser, loader = accelerator.prepare(model, adam(model), loader)
    model.train()
    total = torch.zeros((), device=DEVICE)
    for _ in range(PASSES):
        CLOCK.begin()
        for batch in loader:
            CLOCK.see(batch["input_values"])
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimiser.step()
            optimiser.zero_grad()
            total += loss.detach()
        CLOCK.end()
    print("loss", total.item())


JOBS = {
    "conformer": conformer,
    "trainer": trainer,
    "lightning": in_lightning,
    "accelerate": accelerated,
    "accumulating": accumulating,
    "gnmt": gnmt,
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("job", choices=JOBS, metavar="JOB")
    parser.add_argument("--extra", type=float, metavar="SHARE")
    options = parser.parse_args()
    if options.extra is not None and options.job not in ("conformer", "accumulating"):
        parser.error("--extra is of conformer and accumulating")
    torch.manual_seed(1)
    if TINY:
        torch.set_num_threads(1)
    JOBS[options.job](**({} if options.extra is None else {"extra": options.extra}))


if __name__ == "__main__":
    main()
