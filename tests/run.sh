#!/usr/bin/env bash
# Builds seqpoint and runs its tests:
#
#   tests/run.sh          with g++, built quickly: every test but property tests and those labelled `long`
#   tests/run.sh --all    these as well, by the same build, property tests with one seed: every test but the nightly ones
#   tests/run.sh --nightly
#                         with g++, optimised as users have it: every test, with all seeds, and how often what is stated
#                         holds; clang-tidy; with sanitizers, and with clang++, optimised: those of --all, the latter
#                         beside g++'s program, which has to write the same bytes; with the sanitizer of threads: the
#                         tests of what they do; every source by itself; whether all define types alike; --frameworks;
#                         and the field's own trainers (tests/zoo), last, as their times want a machine that does
#                         nothing else
#   tests/run.sh --frameworks
#                         tests with packages of PyPI: data sets, tokenizers, frameworks (tests/frameworks)
#
# Missing Debian packages are installed first (tools/setup.sh). Builds stay in build/<preset>/ and are reused, so a second run
# takes seconds; where there is ccache, the next clone compiles only what has changed. Ends with ctest's summary, or at the first
# failure; --nightly runs to the end and lists the parts that failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

what=quick
case ${1-} in
  '') ;;
  --all | --nightly | --frameworks) what=${1#--} ;;
  -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' tests/run.sh; exit 0 ;;
  *) echo "tests/run.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
esac

step() { echo "==> $*"; }

ccache=$(command -v ccache || true)

build() {  # PRESET [CMAKE-OPTION...]
  step "$1: build"
  cmake --preset "$@" ${ccache:+-DCMAKE_CXX_COMPILER_LAUNCHER="$ccache"} >/dev/null &&  # warnings and errors go to stderr
    cmake --build --preset "$1"
}
run_tests() {  # PRESET [CTEST-OPTION...]
  step "$1: test"
  ctest --preset "$@" -j "$(nproc)"
}

sanitized_tests() {  # [CTEST-OPTION...]
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:allow_addr2line=1
  export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:allow_addr2line=1
  # Finding leaks takes ptrace, which some containers forbid; everything else works there.
  if [[ $(build/asan/seqpoint --version 2>&1) == *"LeakSanitizer has encountered a fatal error"* ]]; then
    step "asan: leaks cannot be found on this machine, going without"
    ASAN_OPTIONS=${ASAN_OPTIONS/detect_leaks=1/detect_leaks=0}
  fi
  # Documents, completions, terminals and comparisons with other programs run what golden cases run; some tests run nothing that
  # was built; and how often intervals hold takes thousands of draws through code that other tests run as well.
  local others='docs\.|manual\.|oracle\.|terminal\.|pytorch\.|python\.|packaging\.|storeys|layout|core_is_pure'
  others+='|EtaProperty|Phases\.Draws|Project(Onto)?Property'
  run_tests asan "$@" -E "^($others)"
}

frameworks_tests() {  # PRESET
  step "frameworks: test"
  python3 tests/frameworks/run.py "build/$1/seqpoint"
}

zoo() {  # PRESET
  step "zoo: test"
  cmake --install "build/$1" --prefix build/zoo/seqpoint >/dev/null &&
    python3 tests/zoo/run.py build/zoo/seqpoint/bin/seqpoint
}

red=()  # parts that failed
part() { "$@" || red+=("$*"); }

step "packages"
case $what in
  quick | frameworks) tools/setup.sh build test ;;
  all) tools/setup.sh build test long ;;
  nightly) tools/setup.sh all ;;
esac

case $what in
  quick)
    build quick
    run_tests quick -LE 'long|nightly'
    exit 0 ;;
  frameworks)
    step "quick: build"
    cmake --preset quick >/dev/null
    cmake --build --preset quick --target seqpoint
    frameworks_tests quick
    exit 0 ;;
  nightly)
    # Every part runs, whatever failed before it: a night is too long for one finding.
    export SEQPOINT_SEEDS=all
    part build gcc -DSEQPOINT_TESTS="unit;property;rates"
    part cmake --build --preset gcc --target seqpoint_bench
    part run_tests gcc
    part frameworks_tests gcc
    step "clang-tidy"
    part tests/house/clang_tidy.sh .
    part build asan -DSEQPOINT_TESTS="unit;property"
    part sanitized_tests -LE 'long|nightly'
    part build clang -DSEQPOINT_COMPARE_WITH="$PWD/build/gcc/seqpoint"
    part run_tests clang -LE 'long|nightly'
    part build tsan
    # What several threads do: readers, whose tests choose their number, and the line that shows progress.
    export TSAN_OPTIONS=halt_on_error=1
    part run_tests tsan -R 'Threads?(Change|Make)|OnEveryThread|^JsonLines|^MappedFiles|^terminal\.'
    part build alone -DSEQPOINT_TESTS="unit;property;rates"
    part zoo gcc
    if ((${#red[@]})); then
      printf 'red: %s\n' "${red[@]}" >&2
      exit 1
    fi
    exit 0 ;;
esac

build quick -DSEQPOINT_TESTS="unit;property"
run_tests quick -LE nightly
