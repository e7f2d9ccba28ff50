#!/usr/bin/env bash
# From a manifest to a projection with two lines in the job: Plan as the loader's batch sampler, Recorder around the loop (train.py). It
# predicts the speedup of a smaller network: shaped like GNMT, on half of Multi30k, English to German, shuffled by PyTorch's DataLoader,
# on a CPU. Needs `seqpoint` in the PATH and PyTorch; takes about half a minute on one thread.
#
#   examples/pytorch/translation.sh      from the root of the repository; results are in build/translation
set -euo pipefail
out=build/translation
mkdir -p "$out"

# 1. The data: the length of every other sentence in words, with the same sentences in both files.
for side in en de; do sed -n '1~2p' "examples/data/multi30k-train.$side.len" >"$out/train.$side.len"; done

# 2. Points. The job uses DataLoader(data, batch_size=32, shuffle=True, generator=torch.Generator().manual_seed(1)).
seqpoint select "$out/train.en.len" --tgt "$out/train.de.len" --sampler pytorch:generator-seed=1 --batch-size 32 --points 8 -v \
  -o "$out/points.json"

# 3. The batches and their order, for two processes, with two measurements of each point.
seqpoint plan "$out/points.json" --repeats 2 -o "$out/plan"

# 4. Measure two sizes, in turns. With another data set or batch size the job would end before anything is measured.
for turn in '32 0' '24 0' '24 1' '32 1'; do
  read -r hidden n <<<"$turn"
  SEQPOINT_PROCESS=$n python3 examples/pytorch/train.py translation "$out/train.en.len" "$out/train.de.len" \
    --hidden "$hidden" --plan "$out/plan/plan.json" --record "$out/h$hidden-$n.csv"
done

# 5. A whole epoch of one of them, only to compare with. Every batch is the one that was predicted, row by row.
python3 examples/pytorch/train.py translation "$out/train.en.len" "$out/train.de.len" --hidden 24 \
  --batch-size 32 --warm-up 3 --rows --record "$out/epoch.csv"
seqpoint scan "$out/train.en.len" --tgt "$out/train.de.len" --sampler pytorch:generator-seed=1 --batch-size 32 --rows -o "$out/scan.csv"
rows() { awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "rows") c = i } { print $c }' "$1"; }
cmp <(rows "$out/scan.csv") <(rows "$out/epoch.csv")

# 6. Project and compare. --allow-partial accepts an estimate without a usable interval, which a busy machine may give.
seqpoint project "$out/points.json" --metric runtime_s --truth h24="$out/epoch.csv" --allow-partial \
  --profile h32="$out/h32-0.csv" --profile h32="$out/h32-1.csv" \
  --profile h24="$out/h24-0.csv" --profile h24="$out/h24-1.csv" -o "$out/projection.json"
