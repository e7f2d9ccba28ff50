"""eole's command with `seqpoint.iterate(batches)` in place of the batches of its trainer."""

import seqpoint
from eole.bin.main import main
from eole.trainer import Trainer

own = Trainer.train


def lengths(item):
    batch, _ = item
    source, target = batch["src"].shape, batch["tgt"].shape
    return source[1], target[1], source[0]


def train(trainer, batches, *arguments, **named):
    return own(trainer, seqpoint.iterate(batches, lengths), *arguments, **named)


Trainer.train = train
main()
