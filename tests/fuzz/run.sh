#!/usr/bin/env bash
# Fuzzes every target for a while, with clang's libFuzzer and sanitizers:
#
#   tests/fuzz/run.sh [SECONDS [TARGET...]]      120 seconds each and all targets, if not said otherwise
#
# A target ends after these seconds or ten million runs, whichever comes first. Inputs are of 1 KiB at most (a command line, of a
# dozen options: 256 bytes), or as long as the longest seed: longer ones hold more of the same, and take the time of several. Of
# an allocation two frames are kept, which is faster than all; replaying a finding shows the others.
# Starts from tests/fuzz/corpus/<target>; new inputs go to build/fuzz/corpus, what libFuzzer says to build/fuzz/logs, of
# which tests/fuzz/table.py makes the table of README.md. A finding is written to build/fuzz/findings/ and ends the run
# with 1: mend it, and add the file to the corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1-120}
targets=("${@:2}")
(( ${#targets[@]} )) || targets=($(ls tests/fuzz/corpus))

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target seqpoint_fuzzer
mkdir -p build/fuzz/findings build/fuzz/logs
export ASAN_OPTIONS=malloc_context_size=2
for target in "${targets[@]}"; do
  mkdir -p "build/fuzz/corpus/$target"
  echo "==> $target"
  longest=$(find "tests/fuzz/corpus/$target" -type f -printf '%s\n' | sort -n | tail -n 1)
  most=$([[ $target == options ]] && echo 256 || echo 1024)
  SEQPOINT_FUZZ_TARGET=$target build/fuzz/seqpoint_fuzzer -max_total_time="$seconds" -runs=10000000 -max_len=$((longest > most ? longest : most)) -timeout=10 -rss_limit_mb=4096 \
    -artifact_prefix="build/fuzz/findings/$target-" -print_final_stats=1 "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target" 2>&1 |
    tee "build/fuzz/logs/$target" | grep -E '^(==|SUMMARY|stat::number_of_executed_units|.*ERROR|artifact)' | sed 's/^/  /'
done
