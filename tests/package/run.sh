#!/usr/bin/env bash
# Installs a build, looks at what is there, then builds and runs the stranger's project here against it, with CMake and with
# pkg-config:
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
expect "seqpoint $version" "$tmp/prefix/bin/seqpoint" --version
for file in share/bash-completion/completions/seqpoint share/doc/seqpoint/README.md \
  share/doc/seqpoint/docs/method.md share/doc/seqpoint/examples/quickstart.sh; do
  [[ -s $tmp/prefix/$file ]] || { echo "$file is not installed"; exit 1; }
done
! command -v help2man >/dev/null || [[ -s $tmp/prefix/share/man/man1/seqpoint-scan.1 ]] || { echo "the manual is not installed"; exit 1; }
grep -q "^version: $version\$" "$here/../../CITATION.cff" || { echo "CITATION.cff is not of $version"; exit 1; }
grep -q "^## \[$version\]" "$here/../../CHANGELOG.md" || { echo "CHANGELOG.md does not know $version"; exit 1; }
# Links of the documents lead somewhere, wherever the tree is.
! command -v python3 >/dev/null || python3 "$here/../docs/links.py" "$tmp/prefix/share/doc/seqpoint"
# Both components, and nothing beside them.
for component in program development; do
  cmake --install "$build_dir" --prefix "$tmp/apart/$component" --component "$component" >/dev/null
done
[[ -z $(find "$tmp/apart/development" -path '*/bin/*') && -z $(find "$tmp/apart/program" -name '*.hpp') ]] ||
  { echo "the components are not apart"; exit 1; }
[[ $(cd "$tmp/apart" && find program development -type f -printf '%P\n' | sort) == "$(cd "$tmp/prefix" && find . -type f -printf '%P\n' | sort)" ]] ||
  { echo "the components are not the whole"; exit 1; }

[[ $("$tmp/prefix/bin/seqpoint" list schemas projection) == "$(cat "$tmp/prefix/share/seqpoint/schemas/projection.json")" ]] ||
  { echo "the installed schema is not the one that is printed"; exit 1; }

# `run` finds the companion from the program's own place.
if command -v python3 >/dev/null; then
  "$tmp/prefix/bin/seqpoint" run -o "$tmp/run" -- python3 "$here/../run/fake_job.py" >"$tmp/said" 2>&1 || { cat "$tmp/said"; exit 1; }
  grep -qF "\"PYTHONPATH\": \"$tmp/prefix/share/seqpoint/python/seqpoint_companion/hook" "$tmp/run/run.json" ||
    { echo "the companion that is installed was not used"; exit 1; }
fi

example=$tmp/prefix/share/doc/seqpoint/examples/library/epoch.cpp
printed=$(sed -n '/^\/\/ It prints:$/,/^[^/]/s/^\/\/   //p' "$example")
[[ $printed == *"epoch takes"* ]] || { echo "$example does not say what it prints"; exit 1; }

cmake -S "$here" -B "$tmp/build" -G Ninja -DCMAKE_PREFIX_PATH="$tmp/prefix" -DEXAMPLE="$example" >/dev/null
cmake --build "$tmp/build"
expect "$version: 2 samples" "$tmp/build/uses_io"
expect "$printed" "$tmp/build/uses_core"

# The same without CMake, where pkg-config and the others' .pc files are.
if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$tmp/prefix" -name seqpoint.pc)")
  export PKG_CONFIG_PATH
  read -ra flags < <(pkg-config --cflags --libs seqpoint)
  "$CXX" "$here/uses_io.cpp" "${flags[@]}" -o "$tmp/by_pkg_config"
  expect "$version" pkg-config --modversion seqpoint
  expect "$version: 2 samples" "$tmp/by_pkg_config"
else
  echo "without pkg-config: seqpoint.pc was not tried"
fi
