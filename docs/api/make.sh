#!/usr/bin/env bash
# Makes the reference of the C++ library, as HTML, with Doxygen:
#
#   docs/api/make.sh [OUTPUT_DIR]      the page to begin with is OUTPUT_DIR/html/index.html; default: build/api
#
# Fails where Doxygen warns. Debian 12's, 1.9.4, does not; others may know other warnings.
set -euo pipefail
output=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/../../build/api}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v doxygen >/dev/null || { echo "docs/api/make.sh: doxygen is not installed" >&2; exit 77; }

version=$(sed -nE 's/^ +VERSION ([0-9.]+)$/\1/p' CMakeLists.txt)
made=$output/made
rm -rf "$output/html" "$made"
mkdir -p "$made/seqpoint"
# What CMake makes of it.
sed "s/@PROJECT_VERSION@/$version/" cmake/version.hpp.in >"$made/seqpoint/version.hpp"

doxygen - <<END
@INCLUDE = docs/api/Doxyfile
PROJECT_NUMBER = $version
OUTPUT_DIRECTORY = "$output"
INPUT += "$made/seqpoint"
STRIP_FROM_PATH += "$made"
STRIP_FROM_INC_PATH += "$made"
EXAMPLE_PATH = examples/library
END
echo "$output/html/index.html"
