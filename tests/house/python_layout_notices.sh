#!/usr/bin/env bash
# Checks that python_layout.sh reports long lines of every kind: tests/house/python_layout_notices.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder"/{docs,examples,packaging,python,tests,tools}
status() {
  local status=0
  printf '%s\n' "$1" >"$folder/tests/a.py"
  bash "$here/python_layout.sh" "$folder" >/dev/null 2>&1 || status=$?
  echo "$status"
}
wide=$(printf 'é%.0s' {1..98})
[[ $(status "# $wide") == @(0|77) ]] || { echo "complained of 100 columns"; exit 1; }
for line in "# x$wide" "\"\"\"$wide\"\"\"" "x = '$wide'"; do
  [[ $(status "$line") == 1 ]] || { echo "missed: $line"; exit 1; }
done
