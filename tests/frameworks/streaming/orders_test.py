"""The batches of MosaicML streaming's StreamingDataset."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import orders  # noqa: E402
import mosaicml_order  # noqa: E402


def given(case):
    return {
        **case.given(
            shard_sizes="shard-sizes",
            batch_size="batch-size",
            seed="seed",
            drop_last="drop-last",
            num_canonical_nodes="num-canonical-nodes",
            num_physical_nodes="num-physical-nodes",
            shuffle_algo="shuffle-algo",
            shuffle_block_size="shuffle-block-size",
        ),
        **case.turned_off(shuffle="no-shuffle"),
    }


class Streaming(orders.Orders):
    def test_every_shuffle(self):
        self.compare("mosaicml_streaming.json", mosaicml_order.batches, given)


if __name__ == "__main__":
    orders.run()
