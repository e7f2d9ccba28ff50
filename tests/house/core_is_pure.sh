#!/usr/bin/env bash
# The rules of the house that a compiler does not check:
#
#   tests/house/core_is_pure.sh SOURCE_DIR
#
# - The core is a set of functions from values to values. System packages put every library's
#   headers in everybody's reach, so only reading the #includes shows who uses what.
# - Layers include downwards only: cli, io, core.
# - Constants that the linker sees have a name each: of two with one name, even of different types, it takes either.
# - Results are the same bytes everywhere: the standard leaves open what its distributions,
#   std::shuffle and std::sample draw, so they differ between standard libraries.
set -euo pipefail
cd "$1"
failed=0

# Prints what `grep` finds of REGEX in the files on standard input, below REASON.
forbid() {  # REASON REGEX
  local found
  found=$(xargs -r -d '\n' grep -nHE -- "$2" || true)
  [[ -n $found ]] || return 0
  printf '%s:\n%s\n' "$1" "$found"
  failed=1
}
sources() { find "$@" -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.in' \) | sort; }
core() { sources src/core; sources include/seqpoint -not -path '*/seqpoint/io/*' -not -path '*/seqpoint/cli/*'; }
io() { sources src/io; sources include/seqpoint -path '*/seqpoint/io/*'; }
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]'

forbid "the core does no input or output" \
  "$include"'(fstream|iostream|cstdio|stdio\.h)[>"]' < <(core)
forbid "the core knows no format, log or command line" \
  "$include"'(nlohmann/|spdlog/|CLI/|CLI11|simdjson)' < <(core)
forbid "the core includes neither io nor cli" \
  "$include"'(seqpoint/)?(\.\./)*(io|cli)/' < <(core)
forbid "io does not include cli" \
  "$include"'(seqpoint/)?(\.\./)*cli/' < <(io)
# Not behind a `//`: a comment may say why we draw ourselves.
forbid "not the same bytes with every standard library" \
  '^([^/]|/[^/])*std::(ranges::)?(shuffle|sample|random_shuffle|[a-z_]+_distribution)\b' < <(sources src include tools)

twice=$(sources src | { xargs -r -d '\n' grep -hoE '^extern const [A-Za-z]+ k[A-Za-z0-9]+' || true; } | awk '{print $4}' | sort | uniq -d)
[[ -z $twice ]] || { printf 'two constants of one name:\n%s\n' "$twice"; failed=1; }

[[ -n $(core) ]] || { echo "no sources of the core found in $1"; failed=1; }
exit "$failed"
