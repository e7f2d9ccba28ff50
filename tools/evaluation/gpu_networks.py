"""The networks of the trial on a GPU that is kept busy (gpu_jobs.py), where no library has them.

Widths and layers are those of models that people train. Needs PyTorch.
"""
import torch
import torch.nn.functional as F
from torch import nn

HEAD = 64  # width of a head of attention
FEATURES, CHARACTERS = 80, 32  # of speech
STRIDE = 4  # frames that the convolutions make into one


def widening(width, dropout=0.1):
    return nn.Sequential(
        nn.LayerNorm(width),
        nn.Linear(width, 4 * width),
        nn.SiLU(),
        nn.Dropout(dropout),
        nn.Linear(4 * width, width),
        nn.Dropout(dropout),
    )


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.heads = max(1, width // HEAD)
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, width)
        self.queries = nn.Linear(width, 3 * width)

    def forward(self, states, mask=None):
        """`mask` is true where a key is seen; without one, attention is causal."""
        batch, length, width = states.shape
        parts = self.queries(self.norm(states)).view(batch, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        found = F.scaled_dot_product_attention(query, key, value, mask, is_causal=mask is None)
        return self.out(found.transpose(1, 2).reshape(batch, length, width))


# --- speech ---------------------------------------------------------------------------------------


class Convolutions(nn.Module):
    """The part of a conformer's layer that looks at neighbours in time."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.layers = nn.Sequential(
            nn.Conv1d(width, 2 * width, 1),
            nn.GLU(1),
            nn.Conv1d(width, width, 31, padding=15, groups=width),
            nn.BatchNorm1d(width),
            nn.SiLU(),
            nn.Conv1d(width, width, 1),
        )

    def forward(self, states):
        return self.layers(self.norm(states).transpose(1, 2)).transpose(1, 2)


class ConformerLayer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before, self.after = widening(width), widening(width)
        self.attention, self.convolutions = Attention(width), Convolutions(width)
        self.norm = nn.LayerNorm(width)

    def forward(self, states, mask):
        states = states + self.before(states) / 2
        states = states + self.attention(states, mask)
        states = states + self.convolutions(states)
        return self.norm(states + self.after(states) / 2)


class Conformer(nn.Module):
    """Frames of features to characters, by CTC."""

    def __init__(self, width, layers):
        super().__init__()
        self.shorten = nn.Sequential(
            nn.Conv1d(FEATURES, width, 3, stride=2, padding=1),
            nn.SiLU(),
            nn.Conv1d(width, width, 3, stride=2, padding=1),
            nn.SiLU(),
        )
        self.layers = nn.ModuleList(ConformerLayer(width) for _ in range(layers))
        self.head = nn.Linear(width, CHARACTERS)

    def forward(self, features, lengths, labels, label_lengths):
        """The loss. Lengths are on the CPU, where CTC wants them."""
        states = self.shorten(features.transpose(1, 2)).transpose(1, 2)
        lengths = torch.div(lengths + STRIDE - 1, STRIDE, rounding_mode="floor")
        seen = torch.arange(states.shape[1])[None] < lengths[:, None]
        mask = seen.to(states.device, non_blocking=True)[:, None, None]
        for layer in self.layers:
            states = layer(states, mask)
        scores = self.head(states).float().log_softmax(-1).transpose(0, 1)
        return F.ctc_loss(scores, labels, lengths, label_lengths, zero_infinity=True)


# --- language -------------------------------------------------------------------------------------


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attention, self.wide = Attention(width), widening(width)

    def forward(self, states):
        states = states + self.attention(states)
        return states + self.wide(states)


class Language(nn.Module):
    """Predicts the next token."""

    def __init__(self, width, layers, vocabulary, longest):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(longest, width)
        self.layers = nn.Sequential(*(Layer(width) for _ in range(layers)))
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1] - 1, device=tokens.device)
        states = self.layers(self.tokens(tokens[:, :-1]) + self.places(places))
        return F.cross_entropy(self.head(states).flatten(0, 1), tokens[:, 1:].flatten())


# --- translation ----------------------------------------------------------------------------------


class Transformer(nn.Module):
    """Encoder and decoder."""

    def __init__(self, width, layers, vocabulary):
        super().__init__()
        self.embedding, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary)
        self.layers = nn.Transformer(
            width, max(1, width // HEAD), layers, layers, 4 * width, batch_first=True
        )

    def forward(self, source, target):
        length = target.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=target.device).triu(1)
        hidden, gone = source == 0, target == 0
        states = self.layers(
            self.embedding(source),
            self.embedding(target),
            tgt_mask=future,
            src_key_padding_mask=hidden,
            tgt_key_padding_mask=gone,
            memory_key_padding_mask=hidden,
        )
        return F.cross_entropy(self.head(states).flatten(0, 1), target.flatten(), ignore_index=0)


class Gnmt(nn.Module):
    """Recurrent layers; the encoder's first one reads both ways, the decoder attends."""

    def __init__(self, width, vocabulary):
        super().__init__()
        self.embedding, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary)
        self.both_ways = nn.LSTM(width, width // 2, bidirectional=True, batch_first=True)
        self.encoder = nn.LSTM(width, width, 3, batch_first=True, dropout=0.2)
        self.decoder = nn.LSTM(width, width, 4, batch_first=True, dropout=0.2)

    def forward(self, source, target):
        states = self.encoder(self.both_ways(self.embedding(source))[0])[0]
        queries = self.decoder(self.embedding(target))[0]
        mask = (source != 0)[:, None]
        found = queries + F.scaled_dot_product_attention(queries, states, states, mask)
        return F.cross_entropy(self.head(found).flatten(0, 1), target.flatten(), ignore_index=0)
