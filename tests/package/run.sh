#!/usr/bin/env bash
# Installs a build, then builds and runs the stranger's project here against it:
#
#   tests/package/run.sh BUILD_DIR VERSION CXX
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build_dir=$1 version=$2
export CXX=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

expect() {  # WANT COMMAND...
  local got
  got=$("${@:2}")
  [[ $got == "$1" ]] || { echo "${*:2} says '$got', not '$1'"; exit 1; }
}

cmake --install "$build_dir" --prefix "$tmp/first" >/dev/null
mv "$tmp/first" "$tmp/prefix"  # an installed tree may be moved
[[ $("$tmp/prefix/bin/seqpoint" --version) == *"$version"* ]] ||
  { echo "the installed program does not say that it is $version"; exit 1; }

[[ $("$tmp/prefix/bin/seqpoint" schema projection) == "$(cat "$tmp/prefix/share/seqpoint/schemas/projection.json")" ]] ||
  { echo "the installed schema is not the one that is printed"; exit 1; }

readme=$here/../../README.md
awk '/^```cpp$/ { on = 1; next } /^```$/ { on = 0 } on' "$readme" >"$tmp/readme.cpp"
# What the README says it prints: the first block behind the example.
printed=$(awk '/^```cpp$/ { seen = 1; next } seen == 1 && /^```$/ { seen = 2; next } seen == 2 && /^```$/ { seen = 3; next }
               seen == 3 && /^```$/ { exit } seen == 3' "$readme")

cmake -S "$here" -B "$tmp/build" -G Ninja -DCMAKE_PREFIX_PATH="$tmp/prefix" -DREADME_EXAMPLE="$tmp/readme.cpp" >/dev/null
cmake --build "$tmp/build"
expect "$version: 2 samples" "$tmp/build/uses_io"
expect "$printed" "$tmp/build/uses_core"
