# shellcheck shell=bash
# Sourced by the scripts that run the program the way a user does. After `sandbox_open`:
#
#   $sandbox             a fresh directory, removed at the end
#   $sandbox/bin         first on PATH; `sandbox_use EXE` puts the program there, named seqpoint
#   $sandbox/work        where `in_sandbox` runs; always the same name, so it can be compared
#
# The environment is emptied: a test must not depend on who runs it, on which CI or cluster.

sandbox_open() {
  sandbox=$(cd "$(mktemp -d)" && pwd -P)
  trap 'rm -rf "$sandbox"' EXIT
  mkdir "$sandbox/bin" "$sandbox/home" "$sandbox/tmp"
}

sandbox_use() { ln -sfn "$(realpath -- "$1")" "$sandbox/bin/seqpoint"; }

in_sandbox() {  # BASH-ARGUMENT...   runs bash with pipefail; its status is the result
  local variable keep=()
  for variable in ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS LD_LIBRARY_PATH; do
    [[ -v $variable ]] && keep+=("$variable=${!variable}")
  done
  # Programs that start us (Python, some CI agents) may ignore SIGPIPE, users' shells do not.
  (cd "$sandbox/work" && exec env -i --default-signal=PIPE "${keep[@]}" \
    PATH="$sandbox/bin:$PATH" HOME="$sandbox/home" TMPDIR="$sandbox/tmp" \
    LC_ALL=C TERM=xterm COLUMNS=100 bash -o pipefail "$@" </dev/null)
}
