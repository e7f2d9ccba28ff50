#!/usr/bin/env bash
# Makes a virtual environment of tests/frameworks/versions.txt in build/frameworks, unless it is there with these versions:
#
#   tests/frameworks/environment.sh SECTION      prints the path of the environment's python3
#
# Packages come from the index that pip is configured for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

installer='uv==0.13.9'  # resolves and installs in seconds; pip takes minutes for the same

section=${1-}
versions=$(sed -n "/^\[$section\]\$/,/^\[/{/^[[#]/d;/^\$/d;p}" tests/frameworks/versions.txt)
if [[ -z $versions ]]; then
  echo "tests/frameworks/environment.sh: versions.txt has no section '$section'" >&2
  exit 2
fi

folder=build/frameworks/$section
mkdir -p build/frameworks
exec 9>"$folder.lock"
flock 9  # tests that run side by side make it once
if [[ $versions != "$(cat "$folder/versions" 2>/dev/null)" ]]; then
  rm -rf "$folder"
  /usr/bin/python3 -m venv "$folder" >&2
  "$folder/bin/python3" -m pip install -q "$installer" >&2
  install() { "$folder/bin/uv" pip install -q --python "$folder/bin/python3" "$@" -r - >&2; }
  grep -v ' --no-deps$' <<<"$versions" | install
  sed -n 's/ --no-deps$//p' <<<"$versions" | install --no-deps
  printf '%s\n' "$versions" >"$folder/versions"  # last: an installation that was interrupted is made anew
fi
echo "$PWD/$folder/bin/python3"
