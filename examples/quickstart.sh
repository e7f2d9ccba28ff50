#!/usr/bin/env bash
# The main job on real data: an epoch of DeepSpeech2 on LibriSpeech-100h has 446 iterations. Choose the few
# that stand for all, profile only those on two machines, project the epoch, and compare with the truth.
#
#   examples/quickstart.sh [--program FILE] [--output DIR]
#
# Installs what is missing on Debian (tools/setup.sh), builds build/release, and needs bash and awk besides.
#   --program FILE   use this seqpoint: nothing is installed or built
#   --output DIR     where results go [build/quickstart]
set -euo pipefail
export LC_ALL=C
here=$(pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program='' out=build/quickstart
from_here() { if [[ $1 == /* ]]; then echo "$1"; else echo "$here/$1"; fi; }
while (( $# )); do
  case $1 in
    --program) program=$(from_here "${2:?--program needs a FILE}"); shift 2 ;;
    --output) out=$(from_here "${2:?--output needs a DIR}"); shift 2 ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' examples/quickstart.sh; exit 0 ;;
    *) echo "examples/quickstart.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
  esac
done

if [[ -z $program ]]; then
  tools/setup.sh build
  [[ -f build/release/build.ninja ]] || cmake --preset release
  cmake --build --preset release
  program=$PWD/build/release/seqpoint
fi
[[ -x $program ]] || { echo "examples/quickstart.sh: cannot run '$program'" >&2; exit 2; }
mkdir -p "$out"

seqpoint() {  # ARGUMENT...   shows the command, then runs it
  echo "\$ seqpoint $*"
  "$program" "$@" 2>&1
}

manifest=examples/data/librispeech-train-clean-100.csv
timings=examples/data/ds2-librispeech100  # <machine>.csv: every iteration of the epoch, measured
baseline=haswell
other=skylakex

echo
echo "== 1. Choose: from the lengths of the training set alone =="
seqpoint select "$manifest" --sampler sorted --batch-size 64 --frame-shift 0.04 \
  --points 8 -o "$out/points.json"

echo
echo "== 2. Profile: only the chosen lengths, once each, on both machines =="
# On machines of your own this is where you run training steps of these lengths. Here the step was measured
# before: we take the first iteration of each length out of the machine's full log and leave the rest of it
# unread. single_s is what a single measurement saw, with the disturbances of that moment.
lengths=$(sed -n '/^ "points": \[/,/^ \]/s/^   "src_len": *\([0-9]*\).*/\1/p' "$out/points.json")
for machine in "$baseline" "$other"; do
  awk -F, -v OFS=, -v lengths="$lengths" '
    BEGIN { n = split(lengths, wanted, /[ \n]+/); for (i = 1; i <= n; ++i) open[wanted[i]] = 1
            print "src_len", "batch_size", "runtime_s" }
    FNR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $column["src_len"] in open { print $column["src_len"], $column["batch_size"], $column["single_s"]
                                 delete open[$column["src_len"]] }
  ' "$timings/$machine.csv" >"$out/$machine.csv"
done
echo "$out/$baseline.csv:"
sed 's/^/  /' "$out/$baseline.csv"

echo
echo "== 3. Project: from those measurements to the whole epoch =="
seqpoint project "$out/points.json" --profile "$baseline=$out/$baseline.csv" --profile "$other=$out/$other.csv" \
  --export csv="$out/projection.csv"

echo
echo "== 4. Compare: with the epoch as it was measured in full (the sum of single_s) =="
column() {  # FILE NAME   the values of a column
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) c = i; next } { print $c }' "$1"
}
total() { awk '{ sum += $1 } END { printf "%.9g\n", sum }'; }
largest() { awk '$1 > most { most = $1 } END { print most }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.9g\n", a / b }'; }
projected() { awk -F, -v machine="$1" 'NR == 1 || $1 == machine' "$out/projection.csv" | column /dev/stdin "$2"; }
row() {  # MACHINE WHAT PROJECTED MEASURED
  awk -v machine="$1" -v what="$2" -v p="$3" -v m="$4" \
    'BEGIN { printf "  %-10s %-24s %10.3f %10.3f %+8.2f %%\n", machine, what, p, m, 100 * (p / m - 1) }'
}

samples=$(column "$timings/$baseline.csv" batch_size | total)
epoch_of_baseline=$(column "$timings/$baseline.csv" single_s | total)
printf '  %-10s %-24s %10s %10s %10s\n' machine '' projected measured error
for machine in "$baseline" "$other"; do
  epoch=$(column "$timings/$machine.csv" single_s | total)
  row "$machine" "epoch, s" "$(projected "$machine" per_epoch)" "$epoch"
  row "$machine" "throughput, samples/s" "$(projected "$machine" samples_per_s)" "$(ratio "$samples" "$epoch")"
  [[ $machine == "$baseline" ]] ||
    row "$machine" "speedup over $baseline" "$(projected "$machine" speedup)" "$(ratio "$epoch_of_baseline" "$epoch")"
done

echo
echo "What was profiled, of the whole epoch:"
for machine in "$baseline" "$other"; do
  awk -v machine="$machine" -v iterations="$(column "$timings/$machine.csv" single_s | wc -l)" \
    -v points="$(column "$out/$machine.csv" runtime_s | wc -l)" \
    -v epoch="$(column "$timings/$machine.csv" single_s | total)" \
    -v serial="$(column "$out/$machine.csv" runtime_s | total)" \
    -v longest="$(column "$out/$machine.csv" runtime_s | largest)" 'BEGIN {
      printf "  %-10s %5d of %5d iterations                      %6.1fx fewer\n", machine, points, iterations, iterations / points
      printf "  %-10s %5.2f of %5.1f s, one point after the other    %6.1fx less\n", "", serial, epoch, epoch / serial
      printf "  %-10s %5.2f of %5.1f s, all points at once           %6.1fx less (on %d machines)\n", "", longest, epoch, epoch / longest, points
    }'
done

echo
echo "Every point was measured once, so these errors are a single draw; docs/evaluation.md has many, of all methods."
echo "Written to $out: points.json, $baseline.csv, $other.csv, projection.csv"
