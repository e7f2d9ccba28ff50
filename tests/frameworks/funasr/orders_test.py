"""FunASR's batch samplers."""

import functools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import funasr_order  # noqa: E402


from funasr.datasets.audio_datasets import samplers  # noqa: E402


def kind(case):
    if case["batch-type"] == "example":
        return samplers.CustomDistributedBatchSampler
    if case["sort-size"] == "0":
        return samplers.CustomDistributedDynamicBatchSampler
    return samplers.CustomDistributedBufferDynamicBatchSampler


def given(case):
    return {
        "kind": kind(case),
        **case.given(
            batch_size="batch-size",
            drop_last="drop-last",
            batch_type="batch-type",
            sort_size="sort-size",
            max_token_length="max-token-length",
            batch_size_sample_max="batch-size-sample-max",
        ),
        **case.turned_off(shuffle="no-shuffle"),
    }


def uneven(case):
    """Rows that are too long leave the ranks with different numbers of batches."""
    return case["batch-type"] == "example" and case["max-token-length"]


class FunAsr(orders.Orders):
    def test_batches(self):
        self.compare("funasr.json", funasr_order.batches, given, but=uneven)

    def test_ranks_with_other_numbers_of_batches(self):
        case = next(case for case in orders.cases("funasr.json") if uneven(case))
        sampler = functools.partial(funasr_order.batches, **given(case))
        status, _, said = orders.order(case.columns(), sampler, case.same("epoch", "world-size"))
        self.assertEqual(status, 2)
        self.assertIn("ranks have ", said)


if __name__ == "__main__":
    orders.run()
