#!/usr/bin/env bash
# All Python is laid out as black does, in lines of 100 columns.
#
#   tests/house/python_layout.sh SOURCE_DIR
#
# Skipped (77) without black 23, as other versions break lines elsewhere.
set -euo pipefail
cd "$1"
[[ $(black --version 2>/dev/null) == *" 23."* ]] || { echo "black 23 is not here"; exit 77; }
black --check --line-length 100 docs examples packaging python tests tools
