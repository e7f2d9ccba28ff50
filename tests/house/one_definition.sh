#!/usr/bin/env bash
# No two sources of the libraries define one type, or one inline function, differently:
#
#   tests/house/one_definition.sh SOURCE_DIR
#
# g++ compiles them with the preset `one-definition`, and compares all of their types when it joins the objects. They are joined
# as they are: no code is made of them, which would take most of the time.
set -euo pipefail
cd "$1"
cmake --preset one-definition >/dev/null
cmake --build --preset one-definition --target seqpoint_cli
mapfile -t objects < <(find build/one-definition/src -name '*.o')
(( ${#objects[@]} > 0 )) || { echo "build/one-definition/src has no object" >&2; exit 1; }
flags=$(sed -n 's/.*"CMAKE_CXX_FLAGS_DEBUG": "\(.*-Wodr.*\)".*/\1/p' CMakePresets.json)
# shellcheck disable=SC2086
g++ $flags -r -flinker-output=rel -nostdlib "${objects[@]}" -o build/one-definition/joined.o
