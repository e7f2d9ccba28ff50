#!/usr/bin/env bash
# Installs the packages of npm that tests ask, of the versions in package.json, and prints where they are, for NODE_PATH:
#
#   tests/oracle/node.sh FOLDER
#
# Prints nothing where there is no npm, or nothing could be fetched: the tests that need them are then skipped, and say so.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
mkdir -p "$1"
cd "$1"
if ! cmp -s "$here/package.json" installed.json; then
  command -v npm >/dev/null || { echo "node.sh: there is no npm" >&2; exit 0; }
  cp "$here/package.json" package.json
  npm install --no-package-lock --no-audit --no-fund --loglevel=error >&2 || { echo "node.sh: npm could not install them" >&2; exit 0; }
  cp package.json installed.json  # only now are they whole
fi
echo "$PWD/node_modules"
