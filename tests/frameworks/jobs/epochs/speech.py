"""Utterances as frames of 40 features, in batches of like lengths; a unit a frame is the target."""

import torch
import work
from torch import nn
from torch.utils.data import DataLoader

FEATURES = 40
SCALE = 1000  # the first value of an utterance is its row over this


class Utterances(work.Texts):
    """As long as the texts; each frame has features of its own."""

    def __getitem__(self, row):
        generator = torch.Generator().manual_seed(row)
        features = torch.randn(self.lengths[row], FEATURES, generator=generator)
        features[0, 0] = row / SCALE
        return features, features[:, 0].abs().mul(100).long().clamp(max=work.WORDS - 1)


class Sorted:
    """Batches of neighbours in length, in a random order."""

    def __init__(self, lengths):
        order = sorted(range(len(lengths)), key=lengths.__getitem__)
        self.batches = [order[at : at + work.BATCH] for at in range(0, len(order), work.BATCH)]

    def __iter__(self):
        for number in torch.randperm(len(self.batches)).tolist():
            yield self.batches[number]

    def __len__(self):
        return len(self.batches)


def pad(samples):
    features, units = zip(*samples)
    lengths = torch.tensor([len(of) for of in features])
    features = nn.utils.rnn.pad_sequence(features, batch_first=True)
    units = nn.utils.rnn.pad_sequence(units, batch_first=True, padding_value=-100)
    return features, units, lengths


class Recogniser(work.Model):
    def rows_in(self, features):
        return (SCALE * features[:, 0, 0]).round().int().tolist()


work.seed(10)
data, model = Utterances(work.MANY), Recogniser(FEATURES)
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
for features, units, lengths in DataLoader(
    data, batch_sampler=Sorted(data.lengths), collate_fn=pad
):
    work.LOG.begin()
    optimiser.zero_grad()
    mask = torch.arange(features.shape[1])[None] < lengths[:, None]
    model(features, mask.long(), units)["loss"].backward()
    optimiser.step()
    work.LOG.end()
