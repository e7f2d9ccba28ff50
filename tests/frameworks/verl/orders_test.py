"""verl's balancing over ranks and micro-batches."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import verl_order  # noqa: E402


def given(case):
    return {
        **case.given(
            batch_size="batch-size",
            max_token_len="max-token-len",
            force_group_size="force-group-size",
            min_num_micro_batch="min-num-micro-batch",
        ),
        **case.turned_off(balance_batch="no-balance-batch", use_dynamic_bsz_balance="no-balance"),
    }


class Verl(orders.Orders):
    def test_micro_batches(self):
        micro_batches = verl_order.micro_batches
        self.compare("verl.json", micro_batches, given, but=lambda case: case["sampler-version"])


if __name__ == "__main__":
    orders.run()
