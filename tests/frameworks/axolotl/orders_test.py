"""axolotl's MultipackBatchSampler, under Accelerate's BatchSamplerShard."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import axolotl_order  # noqa: E402


def given(case):
    real = case["multipack-real-batches"]
    capacity = int(case["seq-length"]) * (1 if real else int(case["batch-size"]))
    return {
        "batch_max_len": capacity,
        "batch_size": int(case["batch-size"]) if real else 1,
        **case.given(
            seed="seed",
            bin_size="sample-packing-bin-size",
            group_size="sample-packing-group-size",
            sequential="sample-packing-sequentially",
            curriculum_sampling="curriculum-sampling",
        ),
    }


class Axolotl(orders.Orders):
    def test_multipack(self):
        multipack = axolotl_order.multipack
        self.compare("axolotl.json", multipack, given, but=lambda case: case["rng-skip"])


if __name__ == "__main__":
    orders.run()
