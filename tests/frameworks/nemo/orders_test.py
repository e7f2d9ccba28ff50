"""NeMo's SemiSortBatchSampler."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402


def arguments(case):
    return [
        *("--sampler", "nemo.collections.asr.parts.utils.asr_batching:SemiSortBatchSampler"),
        *case.same("batch-size", "seed", "epoch", "epochs", "world-size", "drop-last"),
        *case.given(randomization_factor="randomization-factor"),
        *("--with", f"seed={case['semi-sort-sampler-seed'] or 42}"),
        *case.turned_off(batch_shuffle="no-shuffle"),
    ]


def one_batch(case):
    """Its order does not depend on the seed, which is refused then."""
    return len(case.vector["seconds"]) <= int(case["batch-size"])


class Nemo(orders.Orders):
    def test_semi_sorted(self):
        self.compare("nemo_epochs.json", arguments, but=one_batch)


if __name__ == "__main__":
    orders.run()
