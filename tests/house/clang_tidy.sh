#!/usr/bin/env bash
# No finding of clang-tidy in the program (.clang-tidy says which checks are meant):
#
#   tests/house/clang_tidy.sh SOURCE_DIR
#
# Reads sources eight at a time, which takes minutes of two cores; one by one it would take half an hour.
set -euo pipefail
cd "$1"

build=build/clang-tidy
cmake --preset clang -B "$build" -DSEQPOINT_PRECOMPILE=OFF -DBUILD_TESTING=OFF >/dev/null
findings=$(find "$build" -name 'unity_*.cxx' -print0 |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "$build" --quiet --config-file=.clang-tidy 2>/dev/null || true)
# Of headers that many sources include, once.
findings=$(grep -E ': (warning|error): ' <<<"$findings" | sort -u || true)
[[ -z $findings ]] || { printf '%s\n' "$findings"; exit 1; }
