"""A training job as a user would have it, with the companion in it; end_to_end.py starts it.

    job.py whole EN DE OUT.csv                           an epoch, recorded
    job.py points EN DE OUT.csv PLAN.json [TRACE SUMS]   a plan's batches, recorded; also profiled
    job.py excerpt EN DE OUT.csv                         manifests in their own order, recorded

It also records the rows of each batch, and the number of attention scores it computes: a cost
without noise.
"""

import contextlib
import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "pytorch")
)
import torch
import train
from seqpoint_companion import Plan, Recorder

BATCH, SEED, WARM_UP = 16, 1, 3


def signature_with_cost(corpus):
    def signature(batch):
        columns = corpus.signature(batch)
        return {
            **columns,
            "attention_ops": columns["src_len"] * columns["tgt_len"] * columns["batch_size"],
            "rows": batch["rows"],
        }

    return signature


def profile(plan, trace, sums):
    """Writes the trace, and PyTorch's own sums by name: calls, self time and time."""

    def ready(profiler):
        profiler.export_chrome_trace(trace)
        with open(sums, "w", encoding="utf-8") as file:
            for event in profiler.key_averages():
                print(
                    event.count,
                    event.self_cpu_time_total,
                    event.cpu_time_total,
                    event.key,
                    file=file,
                )

    return torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        schedule=plan.schedule(),
        on_trace_ready=ready,
    )


def main():
    how, *manifests, out = sys.argv[1:5]
    options = train.parse(
        ["translation", *manifests, "--batch-size", str(BATCH), "--seed", str(SEED)]
        + ["--in-order"] * (how == "excerpt")
    )
    corpus, step = train.Corpus("translation", manifests), train.trainer(options)
    signature = signature_with_cost(corpus)
    if how == "points":
        plan = Plan(sys.argv[5])
        with profile(plan, *sys.argv[6:8]) if len(
            sys.argv
        ) > 6 else contextlib.nullcontext() as profiler:
            for batch in Recorder(out, signature, plan, profiler)(
                train.loader_of(corpus, options, plan)
            ):
                step(batch)
        return
    for _ in range(WARM_UP if how == "whole" else 0):
        step(corpus.batch(corpus.by_length()[-BATCH:]))
    for batch in Recorder(out, signature)(train.loader_of(corpus, options, None)):
        step(batch)


main()
