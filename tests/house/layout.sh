#!/usr/bin/env bash
# Every source is laid out as .clang-format says, and comments before a name say what it is: "Of a text that is too long."
# says nothing without the code.
#
#   tests/house/layout.sh SOURCE_DIR
#
# Skipped (77) without clang-format 14, as other versions break lines elsewhere.
set -euo pipefail
cd "$1"

subjectless() { awk '/^ *\/\/\/ Of / && before !~ /^ *\/\/\// { print FILENAME ":" FNR ": " $0; found = 1 } { before = $0 } END { exit !found }' "$@"; }
mapfile -t sources < <(find include src -name '*.?pp')
if subjectless "${sources[@]}"; then
  echo "These comments do not say what it is that they describe."
  exit 1
fi

[[ $(clang-format --version 2>/dev/null) == *"version 14."* ]] || { echo "clang-format 14 is not here"; exit 77; }
find src include tests tools examples \( -name '*.cpp' -o -name '*.hpp' \) -print0 |
  xargs -0 clang-format --dry-run -Werror
