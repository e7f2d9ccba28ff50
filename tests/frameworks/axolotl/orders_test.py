"""axolotl's MultipackBatchSampler, on several ranks under Accelerate's BatchSamplerShard."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402

MULTIPACK = "axolotl.utils.samplers:MultipackBatchSampler"
SHARD = "accelerate.data_loader:BatchSamplerShard"


def arguments(case):
    real = case["multipack-real-batches"]
    capacity = int(case["seq-length"]) * (1 if real else int(case["batch-size"]))
    parameters = {
        "batch_max_len": capacity,
        "batch_size": case["batch-size"] if real else 1,
        "bin_size": case["sample-packing-bin-size"],
        "group_size": case["sample-packing-group-size"],
        "num_processes": 1,
    }
    if case["sample-packing-sequentially"]:
        parameters["sequential"] = "true"
    name = "axolotl_order:shuffled"
    if case["curriculum-sampling"]:
        name, parameters["sampler"] = MULTIPACK, "@torch.utils.data:SequentialSampler"
    if case["world-size"] not in (None, "1"):
        parameters = {f"batch_sampler.{key}": value for key, value in parameters.items()}
        parameters["batch_sampler"], parameters["even_batches"] = f"@{name}", "false"
        name = SHARD
    words = (
        [] if case["curriculum-sampling"] else ["--no-set-epoch"]
    )  # which would make a new order
    pairs = [f"{key}={value}" for key, value in parameters.items()]
    words += [word for pair in pairs for word in ("--with", pair)]
    return ["--sampler", name, *case.same("seed", "world-size"), *words]


class Axolotl(orders.Orders):
    def test_multipack(self):
        self.compare("axolotl.json", arguments, but=lambda case: case["rng-skip"])


if __name__ == "__main__":
    orders.run()
