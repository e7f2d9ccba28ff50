#!/usr/bin/env bash
# Fails where the new build makes the whole run slower than the limit allows:
#
#   examples/ci/gate.sh [BASELINE NEW]
#
# BASELINE and NEW are profiles of the SeqPoints with either build, in any form that `seqpoint project` reads. Without them, two
# recorded epochs of examples/data stand in. Set in the environment, if you like:
#   SEQPOINT   the program [build/release/seqpoint]
#   LIMIT      how much slower is too slow [5%]
#   OUT        where results go [build/ci]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

data=examples/data/ds2-librispeech100
baseline=${1-$data/haswell.csv}
new=${2-$data/skylakex.csv}
seqpoint=${SEQPOINT-build/release/seqpoint}
out=${OUT-build/ci}
mkdir -p "$out"

# The same points in every job: what is compared must be the same run.
"$seqpoint" select "$data/haswell.csv" --points 8 -o "$out/points.json"

options=(--stat runtime_s --max-regression "${LIMIT-5%}" --require-coverage 90%
  --export-json "$out/projection.json" --export-junit "$out/junit.xml"
  --export-gh-benchmark "$out/benchmark.json" --export-bmf "$out/bencher.json")
if [[ ${GITHUB_ACTIONS-} == true ]]; then options+=(--ci github); fi

"$seqpoint" project "$out/points.json" --profile baseline="$baseline" --profile new="$new" "${options[@]}"
