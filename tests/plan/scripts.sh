#!/usr/bin/env bash
# The job scripts of a plan, run by bash as a user and as Slurm would:
#
#   tests/plan/scripts.sh EXE
#
# Names and commands with all that a shell could trip over; processes that fail, are killed, run twice, and at the same time; a plan
# that was moved; a disk that is full.
#
# shellcheck disable=SC2016,SC2154  # the sandbox's bash expands what is single-quoted here; sandbox.sh sets $sandbox
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/../sandbox.sh"
sandbox_open
sandbox_use "$1"
mkdir "$sandbox/work"

fail() { echo "FAILED: $*" >&2; exit 1; }
same() { [[ $2 == "$3" ]] || fail "$1: expected \"$3\", got \"$2\""; }  # WHAT GOT WANTED
run() { in_sandbox -c "$1"; }

# 40 rows in batches of 4; three processes.
run 'seq 1 40 >train.len; seqpoint select -q train.len --batch-size 4 --points 3 --processes 3 -o points.json'
plan="it's \"my\" \$(plan); x"
cd "$sandbox/work"
printf '%s' "$plan" >.plan  # no quoting of ours is on trial here
run 'seqpoint plan -q points.json -o "$(<.plan)" --slurm'
see='printf "%s\n" "$SEQPOINT_PROCESS" "$(basename "$SEQPOINT_PLAN")" "$@" >"$SEQPOINT_OUT/seen"; [[ -z ${BREAK-} || $SEQPOINT_PROCESS != "$BREAK" ]]'
printf '#!/usr/bin/env bash\n%s\n' "$see" >see.sh
chmod +x see.sh

echo "== names and commands"
run 'plan=$(<.plan); "$plan/process.sh" 2 ./see.sh "a b" "it'\''s" "\$x"'
same "what the command saw" "$(paste -sd, "$plan/out/process-2/seen")" "2,plan.json,a b,it's,\$x"
same "missing" "$("$plan/process.sh" --missing)" 0,1
rm -r "$plan/out"
if command -v shellcheck >/dev/null; then shellcheck -e SC2016 "$plan/process.sh" "$plan/slurm.sh"; fi  # single quotes are meant

echo "== a job array"
for process in 0 1 2; do run "plan=\$(<.plan); SLURM_ARRAY_TASK_ID=$process bash \"\$plan/slurm.sh\" ./see.sh"; done
same "the processes" "$(head -qn 1 "$plan"/out/*/seen | paste -sd,)" "0,1,2"
same "nothing is missing" "$("$plan/process.sh" --missing)" ""
if run 'plan=$(<.plan); bash "$plan/slurm.sh" ./see.sh' 2>said; then fail "slurm.sh outside of Slurm"; fi
grep -q "submit this script with sbatch" said || fail "it does not say how to run it: $(<said)"
for wrong in 3 -1 x 01 ''; do
  status=0
  run "plan=\$(<.plan); \"\$plan/process.sh\" '$wrong' ./see.sh" 2>/dev/null || status=$?
  same "process '$wrong'" "$status" 2
done

echo "== a process that ran twice"
before=$(stat -c %Y.%i "$plan/out/process-1/seen")
run 'plan=$(<.plan); "$plan/process.sh" 1 ./see.sh' 2>said
grep -q "process 1 is measured already" said || fail "it is not said: $(<said)"
same "its results" "$(stat -c %Y.%i "$plan/out/process-1/seen")" "$before"
rm -r "$plan/out/process-1"
# Both at once: the first to end has the result, the other says where its own is.
run 'plan=$(<.plan); "$plan/process.sh" 1 bash -c "touch begun; until [[ -e go ]]; do sleep 0.05; done; echo first >\"\$SEQPOINT_OUT/who\"" 2>first.log &
  until [[ -e begun ]]; do sleep 0.05; done; "$plan/process.sh" 1 bash -c "echo second >\"\$SEQPOINT_OUT/who\""; touch go; wait'
same "the first to end" "$(<"$plan/out/process-1/who")" second
grep -q "another run has measured process 1" first.log || fail "the late one does not say so: $(<first.log)"
same "its results are kept" "$(cat "$plan"/unfinished/*/who)" first

echo "== processes that fail or are killed"
rm -r "$plan/out" "$plan/unfinished"
status=0
run 'plan=$(<.plan); BREAK=1 "$plan/process.sh" 1 ./see.sh' 2>said || status=$?
same "exit status" "$status" 1
grep -q "process 1 ended with status 1" said || fail "it does not say which: $(<said)"
same "missing" "$("$plan/process.sh" --missing)" 0,1,2
run 'plan=$(<.plan); setsid "$plan/process.sh" 1 bash -c "touch \"\$SEQPOINT_OUT/half\"; touch started; sleep 60" &
  until [[ -e started ]]; do sleep 0.05; done; kill -KILL -- "-$!"; wait "$!"' 2>/dev/null || true
same "killed" "$("$plan/process.sh" --missing)" 0,1,2
run 'plan=$(<.plan); "$plan/process.sh" 1 ./see.sh' 2>/dev/null
same "again" "$("$plan/process.sh" --missing)" 0,2

echo "== moved"
mv "$plan" moved
rm -r moved/out
run './moved/process.sh 0 ./see.sh' && same "in its new place" "$(ls moved/out)" process-0

echo "== a plan that cannot be written to"
run "seqpoint plan -q points.json -o closed --kubernetes"
touch closed/unfinished
status=0
run './closed/process.sh 0 touch ran' 2>said || status=$?
same "its status" "$status" 2
grep -q "cannot write to" said || fail "it is not said: $(<said)"
[[ ! -e ran ]] || fail "the command has run, and has no folder for its results"

echo "== no command"
status=0
run './moved/process.sh 1' 2>said || status=$?
same "exit status" "$status" 2
grep -q "which command?" said || fail "it does not ask: $(<said)"

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
