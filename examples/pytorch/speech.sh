#!/usr/bin/env bash
# From a manifest to a projection of an unchanged job, which the companion runs. It predicts the time of an epoch with GRU cells, and with
# LSTM cells: a small network shaped like DeepSpeech2, on an eighth of LibriSpeech-100h, sorted by length, on a CPU. Needs `seqpoint` in
# the PATH and PyTorch; takes about a minute on one thread. `seqpoint run` does the steps from 2 to 4, and the projection, in one command.
#
#   examples/pytorch/speech.sh      from the root of the repository; results are in build/speech
set -euo pipefail
out=build/speech
mkdir -p "$out"

# 1. The data: every eighth utterance, with its number of samples at 16 kHz.
awk 'NR == 1 || NR % 8 == 2' examples/data/librispeech-train-clean-100.csv >"$out/train.csv"

# 2. Points, from the lengths alone. The options are those of the job's loader: frames of 40 ms, sorted, 16 utterances in a batch.
seqpoint select "$out/train.csv" --sampler sorted --batch-size 16 --frame-shift 0.04 --points 8 -v -o "$out/points.json"

# 3. The batches and their order, for two processes: one cannot show how much processes differ.
seqpoint plan "$out/points.json" -o "$out/plan"

# 4. Measure, in turns. The companion makes the job's loader deliver the planned batches, and ends the job when the plan is done.
for turn in 'gru 0' 'lstm 0' 'lstm 1' 'gru 1'; do
  read -r cell n <<<"$turn"
  SEQPOINT_PROCESS=$n PYTHONPATH=python python3 -m seqpoint_companion measure "$out/plan/plan.json" -o "$out/$cell-$n.csv" -- \
    examples/pytorch/train.py speech "$out/train.csv" --batch-size 16 --cell "$cell"
done

# 5. A whole epoch, only to compare with.
python3 examples/pytorch/train.py speech "$out/train.csv" --batch-size 16 --cell gru --warm-up 3 --record "$out/epoch.csv"

# 6. Project and compare. --allow-partial accepts an estimate without a usable interval, which a busy machine may give.
seqpoint project "$out/points.json" --metric runtime_s --truth gru="$out/epoch.csv" --allow-partial \
  --profile gru="$out/gru-0.csv" --profile gru="$out/gru-1.csv" \
  --profile lstm="$out/lstm-0.csv" --profile lstm="$out/lstm-1.csv" -o "$out/projection.json"
