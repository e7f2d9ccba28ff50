"""Texts of random word numbers, padded to one length as `pad_sequences` does, with a label."""

from pathlib import Path

import made
import numpy as np

rows = made.part(2000)
texts = np.zeros((rows, 100), dtype="int32")
for row in texts:
    length = made.length(40, most=100)
    row[-length:] = [made.draw.randrange(1, 500) for _ in range(length)]
Path("data").mkdir(exist_ok=True)
np.savez("data/texts.npz", x=texts, y=np.array([made.draw.randrange(2) for _ in texts]))
