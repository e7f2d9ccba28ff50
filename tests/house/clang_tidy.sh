#!/usr/bin/env bash
# No finding of clang-tidy in the program (.clang-tidy says which checks are meant):
#
#   tests/house/clang_tidy.sh SOURCE_DIR
#
# Reads most sources forty at a time, as libraries' headers are what takes time; one by one it would take half an hour.
set -euo pipefail
cd "$1"
command -v clang-tidy >/dev/null || { echo "clang-tidy is not here: tools/setup.sh nightly installs it" >&2; exit 1; }

build=build/clang-tidy
cmake --preset clang -B "$build" -DSEQPOINT_PRECOMPILE=OFF -DBUILD_TESTING=OFF >/dev/null
# Every source that the build compiles, as what is compiled alone is in no unity file.
mapfile -t sources < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json")
(( ${#sources[@]} > 0 )) || { echo "$build/compile_commands.json names no source" >&2; exit 1; }
status=0
output=$(printf '%s\0' "${sources[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "$build" --quiet --config-file=.clang-tidy 2>&1) || status=$?
# Of headers that many sources include, once.
findings=$(grep -E ': (warning|error): ' <<<"$output" | sort -u || true)
[[ -z $findings ]] || { printf '%s\n' "$findings"; exit 1; }
(( status == 0 )) || { printf '%s\n' "$output" | tail -n 20; exit 1; }
