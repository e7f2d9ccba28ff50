#!/usr/bin/env bash
# The flags of the preset `one-definition` must end a build in which two sources define one type differently:
#
#   tests/house/one_definition_notices.sh SOURCE_DIR
#
# Skipped (77) without g++.
set -euo pipefail
command -v g++ >/dev/null || { echo "g++ is not here"; exit 77; }
flags=$(sed -n 's/.*"CMAKE_CXX_FLAGS_DEBUG": "\(.*-Wodr.*\)".*/\1/p' "$1/CMakePresets.json")
[[ -n $flags ]] || { echo "no preset compares definitions"; exit 1; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"

echo 'namespace n { struct Cut { int a; int sum(); }; int Cut::sum() { return a; } } int one() { return n::Cut{1}.sum(); }' >one.cpp
echo 'namespace n { struct Cut { double b; double c; }; } double two(n::Cut cut) { return cut.b; } int main() {}' >two.cpp
sed 's/Cut/Slice/g' two.cpp >other.cpp
# shellcheck disable=SC2086
g++ $flags -c one.cpp two.cpp other.cpp
# shellcheck disable=SC2086
join() { g++ $flags -r -flinker-output=rel -nostdlib "$@" -o joined.o; }  # as one_definition.sh does
join one.o other.o
if join one.o two.o 2>log; then
  echo "two definitions of one type were joined"
  exit 1
fi
grep -q 'Wodr\|Werror=odr' log || { cat log; exit 1; }
