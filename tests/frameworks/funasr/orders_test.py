"""FunASR's batch samplers."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402

MODULE = "funasr.datasets.audio_datasets.samplers"


def kind(case):
    if case["batch-type"] == "example":
        return "CustomDistributedBatchSampler"
    if case["sort-size"] == "0":
        return "CustomDistributedDynamicBatchSampler"
    return "CustomDistributedBufferDynamicBatchSampler"


def arguments(case):
    return [
        *("--sampler", f"{MODULE}:{kind(case)}", "--with", "dataset=@funasr_order:Dataset"),
        *case.same("batch-size", "epoch", "world-size", "drop-last"),
        *case.given(
            batch_type="batch-type",
            sort_size="sort-size",
            max_token_length="max-token-length",
            batch_size_sample_max="batch-size-sample-max",
        ),
        *case.turned_off(shuffle="no-shuffle"),
    ]


def uneven(case):
    """Rows that are too long leave the ranks with different numbers of batches."""
    return case["batch-type"] == "example" and case["max-token-length"]


class FunAsr(orders.Orders):
    def test_batches(self):
        self.compare("funasr.json", arguments, but=uneven)

    def test_ranks_with_other_numbers_of_batches(self):
        case = next(case for case in orders.cases("funasr.json") if uneven(case))
        status, _, said = orders.order(case.columns(), arguments(case))
        self.assertEqual(status, 2)
        self.assertIn("ranks have ", said)


if __name__ == "__main__":
    orders.run()
