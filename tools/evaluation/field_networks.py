"""The networks of the trial on GPUs (field_gpu.py): CELLS[network][cell](hidden, cell).

Needs PyTorch 2.
"""
import itertools
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = str(ROOT / "examples" / "pytorch"), str(ROOT / "python")
import train

TILE = 128  # to a multiple of which some jobs pad their batches, for the sake of the matrix units
VOCABULARY, LABELS = 32000, 32
HEAD, EXPERTS = 64, 8


def attend(queries, states, heads, attention):
    """Heads of self-attention.

    `queries` maps to queries, keys and values, which attention() takes as (batch, heads, length,
    HEAD).
    """
    batch, length, _ = states.shape
    parts = queries(states).view(batch, length, 3, heads, HEAD).permute(2, 0, 3, 1, 4)
    return attention(*parts).transpose(1, 2).reshape(batch, length, heads * HEAD)


def fused(query, key, value):
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)


def fused_both_ways(query, key, value):
    return F.scaled_dot_product_attention(query, key, value)


def written(query, key, value):
    future = torch.ones(query.shape[2], query.shape[2], dtype=torch.bool, device=query.device).triu(
        1
    )
    return (query @ key.transpose(2, 3) / HEAD**0.5).masked_fill(future, float("-inf")).softmax(
        -1
    ) @ value


def wide(hidden):
    return nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))


# --- speech ---------------------------------------------------------------------------------------


class Speech(nn.Module):
    """CTC over the (first) output of encoder() for (batch, time, hidden)."""

    def __init__(self, hidden, cell):
        super().__init__()
        self.embedding = nn.Linear(train.FEATURES, hidden)
        self.layers = self.encoder(hidden, cell)
        self.head = nn.Linear(hidden, LABELS)

    @staticmethod
    def encoder(hidden, cell):
        return train.recurrent(cell)(hidden, hidden // 2, 2, bidirectional=True, batch_first=True)

    def forward(self, frames, lengths):
        states = self.layers(self.embedding(frames))
        states = states[0] if isinstance(states, tuple) else states
        return train.ctc_loss(self.head(states).float().log_softmax(-1).transpose(0, 1), lengths)


class OverTime(nn.Module):
    """Convolutions over time of (batch, time, hidden)."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, states):
        return self.layers(states.transpose(1, 2)).transpose(1, 2)


class Convolutional(Speech):
    @staticmethod
    def encoder(hidden, cell):
        layers = [(nn.Conv1d(hidden, hidden, 9, padding=4), nn.GELU()) for _ in range(6)]
        return OverTime(*itertools.chain.from_iterable(layers))


class Separable(Speech):
    """Shaped like QuartzNet: a convolution of each channel, then one across them."""

    @staticmethod
    def encoder(hidden, cell):
        layers = [
            (
                nn.Conv1d(hidden, hidden, 33, padding=16, groups=hidden),
                nn.Conv1d(hidden, hidden, 1),
                nn.BatchNorm1d(hidden),
                nn.ReLU(),
            )
            for _ in range(8)
        ]
        return OverTime(*itertools.chain.from_iterable(layers))


class ConformerBlock(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(4))
        self.before, self.after, self.queries = (
            wide(hidden),
            wide(hidden),
            nn.Linear(hidden, 3 * hidden),
        )
        self.convolutions = OverTime(
            nn.Conv1d(hidden, 2 * hidden, 1),
            nn.GLU(1),
            nn.Conv1d(hidden, hidden, 31, padding=15, groups=hidden),
            nn.BatchNorm1d(hidden),
            nn.SiLU(),
            nn.Conv1d(hidden, hidden, 1),
        )

    def forward(self, states):
        states = states + self.before(self.norms[0](states)) / 2
        states = states + attend(
            self.queries, self.norms[1](states), states.shape[2] // HEAD, fused_both_ways
        )
        states = states + self.convolutions(self.norms[2](states))
        return states + self.after(self.norms[3](states)) / 2


class Conformer(Speech):
    @staticmethod
    def encoder(hidden, cell):
        return nn.Sequential(*[ConformerBlock(hidden) for _ in range(8)])


class Deep(nn.Module):
    """Convolutions over time and frequency, then one-way recurrent layers, as in DeepSpeech2."""

    def __init__(self, hidden, cell):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(1, 32, (11, 21), (1, 2), (5, 10)),
            nn.ReLU(),
            nn.Conv2d(32, 32, (11, 11), (1, 2), (5, 5)),
            nn.ReLU(),
        )
        self.recurrent = nn.GRU(32 * train.FEATURES // 4, hidden, 3, batch_first=True)
        self.head = nn.Linear(hidden, LABELS)

    def forward(self, frames, lengths):
        states = self.convolutions(frames.unsqueeze(1)).transpose(1, 2).flatten(2)
        return train.ctc_loss(
            self.head(self.recurrent(states)[0]).float().log_softmax(-1).transpose(0, 1), lengths
        )


# --- language -------------------------------------------------------------------------------------


class Block(nn.Module):
    def __init__(self, hidden, cell):
        super().__init__()
        self.attention = written if cell == "written" else fused
        self.before, self.between = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.queries, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.wide = self.widening(hidden)

    @staticmethod
    def widening(hidden):
        return wide(hidden)

    def forward(self, states):
        heads = states.shape[2] // HEAD
        states = states + self.out(attend(self.queries, self.before(states), heads, self.attention))
        return states + self.wide(self.between(states))


class Gate(nn.Module):
    """SwiGLU, as in LLaMA."""

    def __init__(self, hidden):
        super().__init__()
        self.gate, self.up, self.down = (
            nn.Linear(hidden, 3 * hidden),
            nn.Linear(hidden, 3 * hidden),
            nn.Linear(3 * hidden, hidden),
        )

    def forward(self, states):
        return self.down(F.silu(self.gate(states)) * self.up(states))


class GatedBlock(Block):
    @staticmethod
    def widening(hidden):
        return Gate(hidden)


class Experts(nn.Module):
    """Each token goes through one of EXPERTS layers; how many go through which is the data's."""

    def __init__(self, hidden):
        super().__init__()
        self.router, self.experts = nn.Linear(hidden, EXPERTS), nn.ModuleList(
            wide(hidden) for _ in range(EXPERTS)
        )

    def forward(self, states):
        tokens = states.flatten(0, 1)
        weights, choice = self.router(tokens).softmax(-1).max(-1)
        out = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            own = (choice == number).nonzero().squeeze(1)
            out = out.index_add(0, own, (expert(tokens[own]) * weights[own, None]).to(out.dtype))
        return out.view_as(states)


class ExpertsBlock(Block):
    @staticmethod
    def widening(hidden):
        return Experts(hidden)


class Language(nn.Module):
    block = Block

    def __init__(self, hidden, cell):
        super().__init__()
        self.cell, self.embedding = cell, nn.Embedding(VOCABULARY, hidden)
        self.layers = nn.Sequential(*[self.block(hidden, cell) for _ in range(8)])
        self.head = nn.Linear(hidden, VOCABULARY)

    def forward(self, tokens):
        if self.cell == "tiles":
            tokens = F.pad(tokens, (0, -tokens.shape[1] % TILE))
        return F.cross_entropy(
            self.head(self.layers(self.embedding(tokens))).flatten(0, 1), tokens.flatten()
        )


class GatedLanguage(Language):
    block = GatedBlock


class ExpertsLanguage(Language):
    block = ExpertsBlock


class RecurrentLanguage(nn.Module):
    def __init__(self, hidden, cell):
        super().__init__()
        self.embedding, self.head = nn.Embedding(VOCABULARY, hidden), nn.Linear(hidden, VOCABULARY)
        self.layers = nn.LSTM(hidden, hidden, 2, batch_first=True)

    def forward(self, tokens):
        return F.cross_entropy(
            self.head(self.layers(self.embedding(tokens))[0]).flatten(0, 1), tokens.flatten()
        )


# --- translation ----------------------------------------------------------------------------------


class Translation(nn.Module):
    def __init__(self, hidden, cell):
        super().__init__()
        self.embedding, self.head = nn.Embedding(VOCABULARY, hidden), nn.Linear(hidden, VOCABULARY)
        self.encoder, self.decoder = (
            train.recurrent(cell)(hidden, hidden, 3, batch_first=True) for _ in range(2)
        )

    def forward(self, source, target):
        states, queries = (
            self.encoder(self.embedding(source))[0],
            self.decoder(self.embedding(target))[0],
        )
        scores = self.head(queries + F.scaled_dot_product_attention(queries, states, states))
        return F.cross_entropy(scores.flatten(0, 1), target.flatten())


class BothWays(Translation):
    """Shaped like GNMT: the encoder's first layer reads in both directions."""

    def __init__(self, hidden, cell):
        super().__init__(hidden, "lstm")
        self.encoder = nn.LSTM(hidden, hidden // 2, 2, bidirectional=True, batch_first=True)


class Transformer(nn.Module):
    def __init__(self, hidden, cell):
        super().__init__()
        self.embedding, self.head = nn.Embedding(VOCABULARY, hidden), nn.Linear(hidden, VOCABULARY)
        self.layers = nn.Transformer(
            hidden, hidden // HEAD, 4, 4, 4 * hidden, dropout=0.0, batch_first=True
        )

    def forward(self, source, target):
        future = self.layers.generate_square_subsequent_mask(target.shape[1]).to(target.device)
        states = self.layers(self.embedding(source), self.embedding(target), tgt_mask=future)
        return F.cross_entropy(self.head(states).flatten(0, 1), target.flatten())


CELLS = {
    "speech": {
        "lstm": Speech,
        "gru": Speech,
        "convolutions": Convolutional,
        "searched": Convolutional,
        "separable": Separable,
        "conformer": Conformer,
        "deep": Deep,
    },
    "language": {
        "fused": Language,
        "written": Language,
        "tiles": Language,
        "single": Language,
        "gated": GatedLanguage,
        "experts": ExpertsLanguage,
        "recurrent": RecurrentLanguage,
    },
    "translation": {
        "lstm": Translation,
        "gru": Translation,
        "bothways": BothWays,
        "transformer": Transformer,
    },
}
