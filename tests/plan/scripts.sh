#!/usr/bin/env bash
# The batch scripts of examples/clusters, run by bash as Slurm would:
#
#   tests/plan/scripts.sh EXE SOURCE_DIR
#
# Names and commands with all that a shell could trip over; processes that fail, are killed or run twice; a disk that is full.
#
# shellcheck disable=SC2016,SC2154  # the sandbox's bash expands what is single-quoted here; sandbox.sh sets $sandbox
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/../sandbox.sh"
sandbox_open
sandbox_use "$1"
mkdir "$sandbox/work"
cp "$2"/examples/clusters/*.sbatch "$sandbox/work"

fail() { echo "FAILED: $*" >&2; exit 1; }
same() { [[ $2 == "$3" ]] || fail "$1: expected \"$3\", got \"$2\""; }  # WHAT GOT WANTED
run() { in_sandbox -c "$1"; }
task() {  # JOB PROCESS COMMAND   the task of an array, with the plan's name in .plan
  run "SLURM_JOB_ID=$1 SLURM_ARRAY_TASK_ID=$2 bash array.sbatch \"\$(<.plan)\" $3"
}

# 40 rows in batches of 4; two processes.
run 'seq 1 40 >train.len; seqpoint select -q train.len --batch-size 4 --points 3 --processes 2 -o points.json'
plan="it's \"my\" \$(plan); x"
cd "$sandbox/work"
printf '%s' "$plan" >.plan
run 'seqpoint plan -q points.json -o "$(<.plan)"'
see='printf "%s\n" "$SEQPOINT_PROCESS" "$(basename "$SEQPOINT_PLAN")" "$@" >"$SEQPOINT_OUT/seen"; [[ -z ${BREAK-} ]]'
printf '#!/usr/bin/env bash\n%s\n' "$see" >see.sh
chmod +x see.sh
if command -v shellcheck >/dev/null; then shellcheck -- *.sbatch; fi

echo "== every process of the plan, and what its command sees"
same "the array" "$(grep -o 'array=.*' array.sbatch | head -n 1)" "array=0-1%1"
for process in 0 1; do task 7 $process './see.sh "a b" "it'\''s" "\$x"'; done
same "what the command saw" "$(paste -sd, "$plan/out/process-1/seen")" "1,plan.json,a b,it's,\$x"
same "results" "$(ls "$plan/out" | paste -sd,)" process-0,process-1
same "unfinished" "$(ls "$plan/unfinished")" ""

echo "== a process that ran twice keeps its first results"
if task 8 1 'bash -c "echo other >\"\$SEQPOINT_OUT/seen\""' 2>/dev/null; then fail "a second run replaces the first"; fi
same "its results" "$(head -n 1 "$plan/out/process-1/seen")" 1
same "those of the second" "$(<"$plan/unfinished/process-1.8/seen")" other

echo "== processes that fail or are killed have no results"
rm -r "$plan/out" "$plan/unfinished"
status=0
task 9 1 'env BREAK=1 ./see.sh' || status=$?
same "exit status" "$status" 1
run 'SLURM_JOB_ID=9 SLURM_ARRAY_TASK_ID=0 setsid bash array.sbatch "$(<.plan)" bash -c "touch started; sleep 60" &
  until [[ -e started ]]; do sleep 0.05; done; kill -KILL -- "-$!"; wait "$!"' 2>/dev/null || true
same "results" "$(ls "$plan/out")" ""
task 10 1 ./see.sh
same "again" "$(ls "$plan/out")" process-1

echo "== outside of Slurm"
for script in 'array.sbatch plan ./see.sh' 'run.sbatch ./see.sh'; do
  if run "bash $script" 2>said; then fail "$script"; fi
  grep -q "submit this script with sbatch" said || fail "it does not say how to run it: $(<said)"
done

echo "== run in a batch script"
printf '#!/usr/bin/env bash\nprintf "%%s\\n" "$@"\n' >stub && chmod +x stub && ln -sf "$PWD/stub" "$sandbox/bin/seqpoint"
same "words" "$(run 'SLURM_JOB_ID=42 bash run.sbatch python3 "a b"' | paste -sd,)" "run,-o,seqpoint-run-42,--,python3,a b"
same "words" "$(run 'SLURM_JOB_ID=44 bash run.sbatch --parallel 2 -- srun -N1 "a b"' | paste -sd,)" "run,-o,seqpoint-run-44,--parallel,2,--,srun,-N1,a b"
same "words" "$(run 'SLURM_JOB_ID=43 bash run.sbatch --resume seqpoint-run-42' | paste -sd,)" "run,--resume,seqpoint-run-42"
sandbox_use "$1"

echo "== no space"
mkdir full
if mount -t tmpfs -o size=8k none full 2>/dev/null; then
  trap 'umount "$sandbox/work/full"; rm -rf "$sandbox"' EXIT
  status=0
  run 'seqpoint plan -q points.json -o full/plan' 2>said || status=$?
  same "exit status" "$status" 4
  grep -q "No space left on device" said || fail "it is not said: $(<said)"
  same "nothing stays" "$(ls -A full)" ""
else
  echo "skipped: this machine lets nobody mount a small tmpfs"
fi
