"""Lhotse data sets take a CutSet: this one takes rows of the manifest, as `Plan` gives them.

    data = ByRow(K2SpeechRecognitionDataset(), CutSet.from_file("cuts.jsonl.gz"))
    loader = DataLoader(data, sampler=plan, batch_size=None)  # instead of the sampler of Lhotse
"""

import torch
from lhotse import CutSet


class ByRow(torch.utils.data.Dataset):
    def __init__(self, dataset, cuts):
        self.dataset, self.cuts = dataset, list(cuts)  # all cuts of the manifest, in its order

    def __len__(self):
        return len(self.cuts)

    def __getitem__(self, rows):
        return self.dataset[CutSet.from_cuts(self.cuts[row] for row in rows)]
