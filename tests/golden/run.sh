#!/usr/bin/env bash
# Runs one golden case and compares what it gives with what it should:
#
#   tests/golden/run.sh EXE CASE_DIR
#
# A case is a folder with
#   cmd        what a user would type, in bash (pipefail is set); `seqpoint` is EXE
#   expected   exit status, stdout, stderr and the files named in `outputs`
#   outputs    optional: files that cmd writes and that matter, one name per line
#   messages   optional: patterns of the lines on stderr that matter, one per line; without it all lines but those of
#              tests/golden/asides, which many results come with: one case is about each
#   columns    optional: the columns of project's tables that matter, one per line; without it those in tests/golden/columns, and if
#              it is empty all: a case about the table itself
# and whatever cmd reads (links are followed). It runs in a copy, where cmd and inputs lie.
# A line with a hint ends with [hint]: tests/golden/hints has each hint once, behind a case that prints it.
# SEQPOINT_UPDATE_GOLDEN=1 writes `expected` anew; read the diff before you commit it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../sandbox.sh"

case_dir=$(realpath -- "$2")
golden=$(dirname -- "${BASH_SOURCE[0]}")
sandbox_open
sandbox_use "$1"
cp -rL "$case_dir" "$sandbox/work"
chmod -R u+w "$sandbox/work"
rm -f "$sandbox/work/"{expected,outputs,messages,columns}

marked() {  # a line that a hint follows gets a mark, and the hint goes
  awk '/^  hint: / { line = line " [hint]"; next } NR > 1 { print line } { line = $0 } END { if (NR > 0) print line }'
}

show() {  # FILE   its bytes; a missing final newline is made visible and does not eat the next line
  cat "$1"
  if [[ -s $1 && $(tail -c 1 "$1" && echo .) != $'\n.' ]]; then
    printf '\n[no newline at the end]\n'
  fi
}

status=0
in_sandbox cmd >"$sandbox/stdout" 2>"$sandbox/stderr" || status=$?

{
  echo "exit $status"
  echo "--- stdout"
  show "$sandbox/stdout"
  echo "--- stderr"
  if [[ -f $case_dir/messages ]]; then
    marked <"$sandbox/stderr" | grep -E -f "$case_dir/messages" || true
  else
    marked <"$sandbox/stderr" | grep -E -v -f "$golden/asides" || true
  fi
  if [[ -f $case_dir/outputs ]]; then
    while IFS= read -r file || [[ -n $file ]]; do
      [[ -n $file ]] || continue
      echo "--- file $file"
      if [[ -f $sandbox/work/$file ]]; then show "$sandbox/work/$file"; else echo "[not written]"; fi
    done <"$case_dir/outputs"
  fi
} >"$sandbox/raw"

# The sandbox has another name every time. (mktemp's names have no character special to sed but '.') Of a hint with a long list of
# names the first is kept: general/lists-are-on-standard-output has all, so that a reader or sampler more changes no other case.
plain() {
  LC_ALL=C sed -E -e "s|${sandbox//./\\.}/work|WORK|g" -e "s|${sandbox//./\\.}|SANDBOX|g" -e 's/(one of: [^,]+)(, [^,]+){12,}$/\1, .../'
}

columns=$case_dir/columns
[[ -f $columns ]] || columns=$golden/columns
pinned() { LC_ALL=C awk -v pinned="$columns" -f "$golden/columns.awk"; }

plain <"$sandbox/raw" | marked | pinned >"$sandbox/got"

# The table of hints: a case, a tab, and a hint that it prints. A hint stands there once, whichever case prints it.
table=$golden/hints
case=${case_dir#"${case_dir%/*/*}"/}
cat "$sandbox/stdout" "$sandbox/stderr" | sed -n 's/^  hint: //p' | plain | LC_ALL=C sort -u >"$sandbox/hints"

if [[ ${SEQPOINT_UPDATE_GOLDEN:-} == 1 ]]; then
  cp "$sandbox/got" "$case_dir/expected"
  exec {lock}<"$table" && flock "$lock"
  grep -v "^$case"$'\t' "$table" >"$sandbox/others" || true
  cut -f 2- "$sandbox/others" | LC_ALL=C sort -u | LC_ALL=C comm -13 - "$sandbox/hints" | sed "s|^|$case\t|" >"$sandbox/new"
  LC_ALL=C sort "$sandbox/others" "$sandbox/new" >"$sandbox/table" && cat "$sandbox/table" >"$table"
  echo "wrote $case_dir/expected"
elif [[ ! -f $case_dir/expected ]]; then
  echo "$case_dir/expected is missing; SEQPOINT_UPDATE_GOLDEN=1 would make it:"
  cat "$sandbox/got"
  exit 1
else
  diff -u --text --label expected --label got "$case_dir/expected" "$sandbox/got"
  if [[ ! -s $sandbox/hints ]] && ! grep -q "^$case"$'\t' "$table"; then exit 0; fi
  cut -f 2- "$table" | LC_ALL=C sort -u | LC_ALL=C comm -13 - "$sandbox/hints" | sed 's/^/not in tests\/golden\/hints: /' >"$sandbox/missing"
  sed -n "s|^$case\t||p" "$table" | LC_ALL=C comm -23 - "$sandbox/hints" | sed 's/^/no longer printed: /' >>"$sandbox/missing"
  if [[ -s $sandbox/missing ]]; then cat "$sandbox/missing"; exit 1; fi
fi
