"""ESPnet2's samplers with SequenceIterFactory."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import espnet_order  # noqa: E402


def given(case):
    return {
        **case.given(
            batch_size="batch-size",
            seed="seed",
            drop_last="drop-last",
            type="batch-type",
            batch_bins="batch-bins",
            min_batch_size="min-batch-size",
            sort_in_batch="sort-in-batch",
            sort_batch="sort-batch",
            num_iters_per_epoch="num-iters-per-epoch",
        ),
        **case.turned_off(shuffle="no-shuffle"),
    }


class Espnet(orders.Orders):
    def test_every_epoch(self):
        batches = espnet_order.batches
        self.compare("espnet_epochs.json", batches, given, but=lambda case: case["sampler-version"])


if __name__ == "__main__":
    orders.run()
