#!/usr/bin/env bash
# Which operators take the time of an epoch: Plan and Recorder run PyTorch's profiler over the points alone (train.py). A small
# transformer trains on the sentences of OpenNMT-py's sample corpus, 16 in a batch, shuffled, on a CPU. Needs `seqpoint` in the PATH and
# PyTorch; takes about a minute on one thread.
#
#   examples/pytorch/language.sh      from the root of the repository; results are in build/language
set -euo pipefail
out=build/language lengths=examples/data/opennmt-sample.en.len
mkdir -p "$out"

# 1. Points, from one length in words per line, and their plan.
seqpoint select "$lengths" --sampler pytorch:generator-seed=1 --batch-size 16 --points 8 -v -o "$out/points.json"
seqpoint plan "$out/points.json" --processes 1 -o "$out/plan"

# 2. The plan runs twice, because profiling costs time: the trace shows where the time goes, the recording how long it takes. The
# schedule of the profiler is `plan.schedule()`, and the recorder names the steps: Recorder(..., plan=plan, profiler=profiler).
python3 examples/pytorch/train.py language "$lengths" --plan "$out/plan/plan.json" --trace "$out/v1.trace.json.gz"
python3 examples/pytorch/train.py language "$lengths" --plan "$out/plan/plan.json" --record "$out/v1.csv"

# 3. The categories of the epoch's operators.
seqpoint inspect "$out/v1.trace.json.gz"
seqpoint project "$out/points.json" --profile v1="$out/v1.trace.json.gz" --by category

# 4. A whole epoch, only to compare with.
python3 examples/pytorch/train.py language "$lengths" --batch-size 16 --warm-up 3 --record "$out/epoch.csv"

# 5. Project and compare. --allow-partial accepts an estimate without a usable interval, which one process on a busy machine may give.
seqpoint project "$out/points.json" --metric runtime_s --truth v1="$out/epoch.csv" --allow-partial \
  --profile v1="$out/v1.csv" -o "$out/projection.json"
