#!/usr/bin/env bash
# Two builds of the program must write the same bytes:
#
#   tests/identical/compare.sh EXE_A EXE_B
#
# Runs every line of commands.txt with A, then with B, each time in one fresh directory where
# `data` is examples/data. Exit statuses, standard outputs and all files left behind must agree.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../sandbox.sh"
sandbox_open

mapfile -t commands < <(grep -vE '^[[:space:]]*(#|$)' "$here/commands.txt")
(( ${#commands[@]} )) || { echo "commands.txt is empty"; exit 1; }

run_with() {  # EXE NAME   results: NAME/<n>.out, NAME/<n>.status, NAME/files/
  local n status
  sandbox_use "$1"
  mkdir "$sandbox/work" "$sandbox/$2"
  ln -s "$here/../../examples/data" "$sandbox/work/data"
  for n in "${!commands[@]}"; do
    status=0
    in_sandbox -c "${commands[n]}" >"$sandbox/$2/$n.out" 2>"$sandbox/$2/$n.err" || status=$?
    echo "$status" >"$sandbox/$2/$n.status"
    # Two programs that both cannot start, or both crash, agree about nothing.
    if (( status >= 126 && status != 141 )); then
      echo "exit $status: ${commands[n]}  ($1)"
      cat "$sandbox/$2/$n.err"
      exit 1
    fi
  done
  rm "$sandbox/work/data"
  mv "$sandbox/work" "$sandbox/$2/files"
}
run_with "$1" a
run_with "$2" b

failed=0
for n in "${!commands[@]}"; do
  for kind in status out; do
    cmp -s "$sandbox/a/$n.$kind" "$sandbox/b/$n.$kind" && continue
    echo "$kind differs: ${commands[n]}"
    diff -u --text --label "$1" --label "$2" "$sandbox/a/$n.$kind" "$sandbox/b/$n.$kind" | head -n 20 || true
    failed=1
  done
done
if ! diff -r -u --text "$sandbox/a/files" "$sandbox/b/files" >"$sandbox/diff"; then
  echo "files differ:"
  head -n 40 "$sandbox/diff"
  failed=1
fi
(( failed )) || echo "${#commands[@]} commands: same bytes"
exit "$failed"
