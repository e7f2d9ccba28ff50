"""NeMo's SemiSortBatchSampler."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import nemo_order  # noqa: E402


def given(case):
    return {
        "seed": 42,
        **case.given(
            batch_size="batch-size",
            numpy_seed="seed",
            drop_last="drop-last",
            randomization_factor="randomization-factor",
            seed="semi-sort-sampler-seed",
        ),
        **case.turned_off(batch_shuffle="no-shuffle"),
    }


class Nemo(orders.Orders):
    def test_semi_sorted(self):
        self.compare("nemo_epochs.json", nemo_order.semi_sorted, given)


if __name__ == "__main__":
    orders.run()
