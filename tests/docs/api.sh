#!/usr/bin/env bash
# The reference of the library is made without a warning, and not where something has no comment:
#
#   tests/docs/api.sh SOURCE_DIR
#
# Skipped (77) without Doxygen 1.9.4, as other versions warn of other things.
set -euo pipefail
cd "$1"
[[ $(doxygen --version 2>/dev/null) == 1.9.4* ]] || { echo "Doxygen 1.9.4 is not here"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

docs/api/make.sh "$tmp/api"
[[ -s $tmp/api/html/structseqpoint_1_1Point.html ]] || { echo "there is no page of seqpoint::Point"; exit 1; }

notices() {  # WHAT TEXT: with that text in a header, it fails
  rm -rf "$tmp/tree"
  mkdir "$tmp/tree"
  cp -r --parents CMakeLists.txt include cmake/version.hpp.in docs/api examples/library "$tmp/tree"
  printf 'namespace seqpoint {\n%s\n}\n' "$2" >>"$tmp/tree/include/seqpoint/error.hpp"
  if said=$("$tmp/tree/docs/api/make.sh" "$tmp/broken" 2>&1) || [[ $said != *error.hpp:* ]]; then
    echo "$1 is not noticed: $said"
    exit 1
  fi
}
notices "a function without a comment" 'void undocumented();'
notices "a comment with an unknown command" 'void documented();  ///< \nonsense'
