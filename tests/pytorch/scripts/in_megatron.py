"""Megatron-core's data iterator and its schedule, over a sampler like that of Megatron-LM."""

import functools
import os

import corpus
import torch
from megatron.core import parallel_state
from megatron.core.enums import ModelType
from megatron.core.model_parallel_config import ModelParallelConfig
from megatron.core.pipeline_parallel.schedules import forward_backward_no_pipelining
from megatron.core.rerun_state_machine import RerunDataIterator, initialize_rerun_state_machine
from torch.utils.data import DataLoader

MICRO_BATCHES = 2


class Batches:
    """Micro-batches of rows in order, of one rank."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows // 8

    def __iter__(self):
        for begin in range(0, self.rows - 7, 8):
            yield list(range(begin, begin + 8))


def forward(iterator, model):
    loss = model(**next(iterator))["loss"]
    return loss, lambda output: (output, {"loss": output.detach()})


os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29532")
torch.distributed.init_process_group("gloo", rank=0, world_size=1)
parallel_state.initialize_model_parallel()
initialize_rerun_state_machine()
data, model = corpus.Pairs(), corpus.Network()
model.config, model.model_type = ModelParallelConfig(), ModelType.encoder_or_decoder
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(data, batch_sampler=Batches(len(data)), collate_fn=corpus.pad)
iterator = RerunDataIterator(iter(loader))
for step in range(len(loader) // MICRO_BATCHES):
    optimiser.zero_grad()
    forward_backward_no_pipelining(
        forward_step_func=forward,
        data_iterator=iterator,
        model=model,
        num_microbatches=MICRO_BATCHES,
        seq_length=1,
        micro_batch_size=8,
    )
    optimiser.step()
