#!/usr/bin/env bash
# core_is_pure.sh must fail on every kind of line that it is there for, and only on those.
set -euo pipefail
check=$(realpath "$(dirname "${BASH_SOURCE[0]}")/core_is_pure.sh")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

try() {  # pass|fail FILE LINE
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/{src/{core/rng,io,cli},include/seqpoint/io,tools}
  echo '#include <vector>' >"$tree/src/core/a.cpp"
  echo "$3" >"$tree/$2"
  local outcome=pass
  "$check" "$tree" >/dev/null 2>&1 || outcome=fail
  [[ $outcome == "$1" ]] || { echo "should $1 with '$3' in $2"; failed=1; }
}

for header in fstream iostream cstdio nlohmann/json.hpp spdlog/spdlog.h CLI/CLI.hpp simdjson.h \
    seqpoint/io/files.hpp; do
  try fail src/core/rng/b.cpp "#include <$header>"
  try fail include/seqpoint/b.hpp "  # include \"$header\""
  try pass include/seqpoint/io/b.hpp "#include <$header>"
done
try fail src/core/b.hpp '#include "cli/console.hpp"'
try fail src/io/b.cpp '#include "cli/console.hpp"'
try pass src/cli/b.cpp '#include "io/readers.hpp"'
for line in 'std::shuffle(a, b, g);' 'std::uniform_int_distribution<int> d;' \
    'x = 1 / std::normal_distribution{}(g);' 'std::ranges::sample(v, o, 3, g);'; do
  try fail src/core/rng/b.cpp "$line"
  try fail src/cli/b.cpp "$line"
  try pass src/io/b.cpp "int x;  // unlike $line"
done
try pass src/core/b.cpp 'void length_distribution(int ostream_like);'
try fail src/io/b.hpp $'extern const Reader kWenet;\nextern const Sampler kWenet;'
try pass src/io/b.hpp $'extern const Reader kWenetList;\nextern const Sampler kWenet;'
exit "$failed"
