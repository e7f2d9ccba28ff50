#!/usr/bin/env bash
# The recipes of examples/ci do what they say:
#
#   tests/docs/ci_recipes.sh EXE SOURCE_DIR
set -euo pipefail
export SEQPOINT
SEQPOINT=$(realpath -- "$1")
cd "$2"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export OUT=$tmp/out
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY LIMIT

die() { echo "$*"; exit 1; }
run() {  # WANTED-STATUS ARGUMENT...
  local status=0
  examples/ci/gate.sh "${@:2}" >"$tmp/stdout" 2>"$tmp/stderr" || status=$?
  [[ $status == "$1" ]] || { cat "$tmp/stdout" "$tmp/stderr"; die "examples/ci/gate.sh ${*:2} ends with $status, not $1"; }
}

data=examples/data/ds2-librispeech100
run 0
for file in points.json projection.json junit.xml benchmark.json bencher.json; do
  [[ -s $OUT/$file ]] || die "examples/ci/gate.sh wrote no $file"
done
grep -q 'failures="0" errors="0"' "$OUT/junit.xml" || die "junit.xml has failures where the gate holds"

# The other way round the new one is the slower: 8 to 18 % in that recorded epoch, whatever the points.
run 1 "$data/skylakex.csv" "$data/haswell.csv"
grep -q 'failures="1" errors="0"' "$OUT/junit.xml" || die "junit.xml has not the one failure"
grep -q '"passed": false' "$OUT/projection.json" || die "projection.json does not say that the gate failed"
LIMIT=50% run 0 "$data/skylakex.csv" "$data/haswell.csv"

# As a job of GitHub.
GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$tmp/summary run 1 "$data/skylakex.csv" "$data/haswell.csv"
[[ $(grep -c '^::error ' "$tmp/stdout") == 1 ]] || die "there is not the one annotation"
grep -q '^| new | runtime_s |' "$tmp/summary" || die "the job summary has no table"

# What the workflow runs is there, and what it reads is written.
while read -r command _; do
  [[ $command == */* ]] || continue
  [[ -x $command ]] || die "examples/ci/github.yml runs $command, which is no program"
done < <(sed -n 's/^ *- run: //p' examples/ci/github.yml)
while read -r preset; do
  grep -q "\"name\": \"$preset\"" CMakePresets.json || die "examples/ci/github.yml uses a preset $preset"
done < <(sed -n 's/^.*--preset \([a-z]*\).*$/\1/p' examples/ci/github.yml)
[[ -e $OUT/$(sed -n 's,^ *output-file-path: build/ci/,,p' examples/ci/github.yml) ]] || die "examples/ci/github.yml reads what gate.sh does not write"
