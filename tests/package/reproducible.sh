#!/usr/bin/env bash
# Two builds of one commit, in folders of other names and with other umasks, are the same release: tests/package/reproducible.sh
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
git -C "$source" rev-parse HEAD >/dev/null 2>&1 || { echo "a release is made of a repository"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
clones=(one "another, with a longer name")
umask 022
git clone -q "$source" "$tmp/${clones[0]}"
(umask 077 && git clone -q "$source" "$tmp/${clones[1]}")  # before a commit comes between
for clone in "${clones[@]}"; do
  [[ $clone == "${clones[0]}" ]] || umask 077
  (cd "$tmp/$clone" && cmake --preset release >/dev/null && cmake --build --preset release >/dev/null && tools/release.py -o "$tmp/of $clone" --rehearse >/dev/null)
done
diff "$tmp/of one/SHA256SUMS" "$tmp/of another, with a longer name/SHA256SUMS"
