"""ESPnet2's samplers with SequenceIterFactory."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402


def arguments(case):
    return [
        *("--sampler", "espnet_order:batches"),
        *case.same("batch-size", "seed", "epoch", "epochs", "world-size", "drop-last"),
        *case.given(
            type="batch-type",
            batch_bins="batch-bins",
            min_batch_size="min-batch-size",
            sort_in_batch="sort-in-batch",
            sort_batch="sort-batch",
            num_iters_per_epoch="num-iters-per-epoch",
        ),
        *case.turned_off(shuffle="no-shuffle"),
        *(["--with", "targets=@tgt_len"] if case.vector.get("tgt") else []),
    ]


class Espnet(orders.Orders):
    def test_every_epoch(self):
        self.compare("espnet_epochs.json", arguments, but=lambda case: case["sampler-version"])


if __name__ == "__main__":
    orders.run()
