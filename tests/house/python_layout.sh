#!/usr/bin/env bash
# All Python is laid out as black does, in lines of at most 100 columns.
#
#   tests/house/python_layout.sh SOURCE_DIR
#
# Black does not break comments and strings, so the columns are counted here. Skipped (77) without
# black 23, after the columns, because other versions break lines elsewhere.
set -euo pipefail
cd "$1"
folders=(docs examples packaging python tests tools)
if LC_ALL=C.UTF-8 grep -rnE --include='*.py' '^.{101,}' "${folders[@]}"; then
  echo "these lines are longer than 100 columns: wrap the comment, or split the string"
  exit 1
fi
[[ $(black --version 2>/dev/null) == *" 23."* ]] || { echo "black 23 is not here"; exit 77; }
black --check --line-length 100 "${folders[@]}"
