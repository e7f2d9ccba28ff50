#!/usr/bin/env bash
# The commands of docs/clusters.md on a real Slurm, of one node:
#
#   tests/slurm/document.sh EXE SOURCE_DIR
#
# Every block of ```sh, whether it takes a cluster or not, in order and in one folder. Ends with 77 where Slurm cannot run here.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source "$here/cluster.sh"

cluster_folder "$1" out
ln -s "$(realpath -- "$2")/examples" "$folder/work/examples"
cluster_start "$folder" || exit 77
cd "$folder/work"

awk -v out="$folder/block-" '/^```sh$/ { file = sprintf("%s%02d", out, ++n); next } /^```/ { file = "" } file { print >file }' "$2/docs/clusters.md"
for block in "$folder"/block-*; do
  cat "$block"
  bash -eu -o pipefail "$block"
done

[[ -e plan/out/process-1/profile.csv ]] || { echo "FAILED: the array has not run what was missing" >&2; exit 1; }
