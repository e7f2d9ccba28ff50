#!/usr/bin/env bash
# Every source is laid out as .clang-format says:
#
#   tests/house/layout.sh SOURCE_DIR
#
# Skipped (77) without clang-format 14, as other versions break lines elsewhere.
set -euo pipefail
cd "$1"

[[ $(clang-format --version 2>/dev/null) == *"version 14."* ]] || { echo "clang-format 14 is not here"; exit 77; }
find src include tests tools examples \( -name '*.cpp' -o -name '*.hpp' \) -print0 |
  xargs -0 clang-format --dry-run -Werror
