#!/usr/bin/env bash
# Installs the Debian packages seqpoint needs, if they are missing:
#
#   tools/setup.sh [GROUP...]      groups: build (default), test, long, nightly, wheel, all
#
# With everything in place it changes nothing, needs no network and takes milliseconds, so scripts
# call it every time.
set -euo pipefail

# Everything the program is made of.
build=(g++ cmake ninja-build
  libcli11-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libeigen3-dev libsimdjson-dev libboost-dev
  zlib1g-dev libzstd-dev libxxhash-dev libsqlite3-dev libre2-dev)
# The quick tests: GoogleTest, the programs that golden cases compress their inputs with, a validator of JSON Schemas, YAML, and
# what the Python package needs.
test=(libgtest-dev gzip zstd python3-jsonschema python3-yaml python3-numpy jq)
# The longer tests: the framework whose batch orders we reproduce, what checks the Python package and works with it, those who look
# over formats and recipes, who makes the library's reference, and a Slurm to submit jobs to.
long=(python3-torch mypy python3-pandas python3-pytest clang-format black pkg-config dpkg-dev help2man
  ruby flake8 yamllint shellcheck nix-bin
  doxygen
  slurmctld slurmd slurm-client munge)
# The nightly ones: the second compiler with its sanitizers, a browser, and who makes, checks and installs packages.
nightly=(clang libclang-rt-14-dev clang-tidy chromium
  man-db lintian busybox-static debootstrap python3-pip)
# What tools/wheel.py builds the libraries of a wheel with, from Debian's sources.
wheel=(build-essential cmake dpkg-dev libboost-dev ninja-build python3-six python3-venv tcl unicode-data)

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

packages=()
for group in "${@:-build}"; do
  case $group in
    build) packages+=("${build[@]}") ;;
    test) packages+=("${test[@]}") ;;
    long) packages+=("${long[@]}") ;;
    nightly) packages+=("${nightly[@]}") ;;
    wheel) packages+=("${wheel[@]}") ;;
    all) packages+=("${build[@]}" "${test[@]}" "${long[@]}" "${nightly[@]}" "${wheel[@]}") ;;
    *) die "no group '$group'; there are: build test long nightly wheel all" ;;
  esac
done

if ! command -v dpkg-query apt-get >/dev/null; then
  # Not our kind of system: CMake will name what it misses.
  say "not a Debian system, nothing checked; needed are (as Debian calls them): ${packages[*]}"
  exit 0
fi

# One query for all. dpkg-query fails when it does not know some of them, which is no error here.
installed=" $(dpkg-query -W -f '${Package}/${db:Status-Status} ' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
  [[ $installed == *" $package/installed "* ]] || missing+=("$package")
done
(( ${#missing[@]} )) || exit 0

as_root=()
if (( EUID != 0 )); then
  command -v sudo >/dev/null ||
    die "missing: ${missing[*]}; to install them I need to be root or to have sudo"
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {  # never asks; waits for another apt to finish; its chatter is shown only when it fails
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a \
    apt-get -qq -y -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 </dev/null
}
install() { apt install --no-install-recommends "${missing[@]}"; }

say "installing ${missing[*]}"
# Package lists may be absent (a bare container) or too old to point at files that still exist.
if ! install; then
  { apt update && install; } || { cat "$log" >&2; die "apt-get could not install ${missing[*]}"; }
fi
