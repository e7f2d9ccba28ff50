#!/usr/bin/env bash
# The scripts of a plan, run by bash as a user and as Slurm would:
#
#   tests/plan/scripts.sh EXE
#
# Names and commands with all that a shell could trip over; tasks that fail, are killed, run twice, and at the same time; a plan
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

# 40 rows in batches of 4; five points or fewer.
run 'for i in {1..40}; do echo "{\"audio_filepath\": \"a/$i.wav\", \"duration\": $i}"; done >"my train.jsonl"
  seqpoint select -q "my train.jsonl" --batch-size 4 --points 3 -o points.json'
plan="it's \"my\" \$(plan); x"
command='printf "%s\n" "$SEQPOINT_TASK" "$SEQPOINT_POINT" "$SEQPOINT_BATCH_SIZE" "$SEQPOINT_STEPS" "$SEQPOINT_WARMUP" "it'\''s" "\"\$x" >"$SEQPOINT_OUT/seen"
wc -l <"$SEQPOINT_MANIFEST" >"$SEQPOINT_OUT/lines"; [[ -z ${BREAK-} || $SEQPOINT_TASK != "$BREAK" ]]'
cd "$sandbox/work"
printf '%s' "$plan" >.plan  # no quoting of ours is on trial here
printf '%s' "$command" >.command
single='--sessions 1 --repeats 1 --warmup 1 --chunk 1'  # of a task: one batch of warm-up, the point's own, and its measurement
run 'seqpoint plan -q points.json "my train.jsonl" -o "$(<.plan)" --command "$(<.command)" '"$single"

echo "== names and commands"
run 'plan=$(<.plan); "$plan/run.sh"'
same "what the command saw" "$(paste -sd, "$plan/out/task-0002/seen")" "2,sp3,4,3,2,it's,\"\$x"
same "lines of the whole manifest" "$(wc -l <"$plan/manifest.jsonl")" 28
same "nothing is missing" "$("$plan/run.sh" --missing)" ""
rm -r "$plan/out"
run 'plan=$(<.plan); "$plan/run.sh" printf "%s|" "a b" "it'\''s" "\$x"' >printed
same "a command of one's own" "$(<printed)" "$(printf "a b|it's|\$x|%.0s" 1 2 3)"
rm -r "$plan/out"
if command -v shellcheck >/dev/null; then shellcheck -e SC2016 "$plan/run.sh" "$plan/slurm.sh"; fi  # single quotes are meant

echo "== a job array"
for task in 0 1 2; do run "plan=\$(<.plan); SLURM_ARRAY_TASK_ID=$task bash \"\$plan/slurm.sh\""; done
same "the points of the tasks" "$(cat "$plan"/out/*/seen | grep sp | paste -sd,)" "sp1,sp2,sp3"
same "lines of a task's manifest" "$(paste -sd, "$plan"/out/task-0001/lines)" 12
if run 'plan=$(<.plan); bash "$plan/slurm.sh"' 2>said; then fail "slurm.sh outside of Slurm"; fi
grep -q "submit this script with sbatch" said || fail "it does not say how to run it: $(<said)"
for wrong in 3 -1 x 01 ''; do
  status=0
  run "plan=\$(<.plan); \"\$plan/run.sh\" --task '$wrong'" 2>/dev/null || status=$?
  same "--task '$wrong'" "$status" 2
done

echo "== a task that ran twice"
before=$(stat -c %Y.%i "$plan/out/task-0001/seen")
run 'plan=$(<.plan); "$plan/run.sh" --task 1' 2>said
grep -q "task-0001 is done already" said || fail "it is not said: $(<said)"
same "its results" "$(stat -c %Y.%i "$plan/out/task-0001/seen")" "$before"
rm -r "$plan/out/task-0001"
# Both at once: the first to end has the result, the other says where its own is.
run 'plan=$(<.plan); "$plan/run.sh" --task 1 bash -c "touch begun; until [[ -e go ]]; do sleep 0.05; done; echo first >\"\$SEQPOINT_OUT/who\"" 2>first.log &
  until [[ -e begun ]]; do sleep 0.05; done; "$plan/run.sh" --task 1 bash -c "echo second >\"\$SEQPOINT_OUT/who\""; touch go; wait'
same "the first to end" "$(<"$plan/out/task-0001/who")" second
grep -q "was done by another run" first.log || fail "the late one does not say so: $(<first.log)"
same "its results are kept" "$(cat "$plan"/unfinished/*/who)" first

echo "== tasks that fail or are killed"
rm -r "$plan/out" "$plan/unfinished"
status=0
run 'plan=$(<.plan); BREAK=1 "$plan/run.sh" --tasks' 2>said || status=$?
same "exit status" "$status" 1
grep -q "task-0001 ended with status 1" said || fail "it does not say which: $(<said)"
same "missing" "$("$plan/run.sh" --missing)" 1
same "the others" "$(ls "$plan/out")" $'task-0000\ntask-0002'
run 'plan=$(<.plan); setsid "$plan/run.sh" --task 1 bash -c "touch \"\$SEQPOINT_OUT/half\"; touch started; sleep 60" &
  until [[ -e started ]]; do sleep 0.05; done; kill -KILL -- "-$!"; wait "$!"' 2>/dev/null || true
same "killed" "$("$plan/run.sh" --missing)" 1
run 'plan=$(<.plan); "$plan/run.sh" --tasks' 2>/dev/null
same "again" "$("$plan/run.sh" --missing)" ""

echo "== moved"
mv "$plan" moved
rm -r moved/out
run './moved/run.sh --tasks' && same "in its new place" "$(ls moved/out)" $'task-0000\ntask-0001\ntask-0002'

echo "== processes"
# Two processes, which measure every point, the first of them one three times: what the command sees of it.
seen='printf "%s\n" "$SEQPOINT_SESSION" "$SEQPOINT_STEPS" "$SEQPOINT_WARMUP" "$SEQPOINT_MEASURED" "$SEQPOINT_STEP_POINTS" >"$SEQPOINT_OUT/seen"'
printf '%s' "$seen" >.command
run 'seqpoint plan -q points.json "my train.jsonl" -o twice --repeats 4 --warmup 3 --command "$(<.command)"; ./twice/run.sh --tasks'
same "a folder a process" "$(ls twice/out)" $'task-0000\ntask-0001'
for process in 0 1; do
  mapfile -t said <"twice/out/task-000$process/seen"
  # 3 batches, each point's own, and twice 3 measurements: a point's own comes right before its first.
  same "process, steps, warm-up" "${said[*]:0:3}" "$process 12 4"
  same "what is measured" "${said[3]}" "4 6 8 9 10 11"
  same "points, first round" "$(tr ' ' '\n' <<<"${said[4]}" | head -n 3 | sort | xargs)" "sp1 sp2 sp3"
  same "points, second round" "$(tr ' ' '\n' <<<"${said[4]}" | tail -n 3 | sort | xargs)" "sp1 sp2 sp3"
  same "lines of its manifest" "$(wc -l <"twice/task-000$process.jsonl")" 48
done

echo "== two builds"
# The fake job takes 10 ms for a token of the longest sample, more by a share that is the build's; it notes its turn.
cat >job.sh <<'JOB'
#!/usr/bin/env bash
[[ -z ${SEQPOINT_TASK-} ]] || exit 9 # of a job array, which this is none of
echo "$SEQPOINT_BUILD-$SEQPOINT_SESSION" >>turns
seed=$(cksum <<<"$SEQPOINT_BUILD $SEQPOINT_SESSION" | cut -d' ' -f1)  # no two processes take the same to the last digit
awk -F'\t' -v OFS=, -v share="$1" -v of="$SEQPOINT_SESSION" -v seed="$seed" 'NR == 1 { srand(seed); print "point,session,runtime_s" }
  $9 == of && $2 != "" { split($4, word, /[= ]/); print $2, of ENVIRON["SEQPOINT_BUILD"], word[2] / 100 * (1 + share + rand() / 1000) }' \
  "$(dirname -- "$SEQPOINT_PLAN")/plan.tsv" >"$SEQPOINT_PROFILE"
JOB
chmod +x job.sh
compare() {  # FOLDER SHARE-OF-NEW OPTION...
  local name=$1 share=$2
  shift 2
  run "rm -f turns; seqpoint plan -q points.json 'my train.jsonl' -o $name --build old='./job.sh 0 \"it'\\''s\"' --build new='./job.sh $share' $*"
  status=0
  run "./$name/ab.sh" >"$name.out" 2>&1 || status=$?
}
compare same 0
same "the same build twice" "$status" 0
same "turns" "$(paste -sd' ' turns)" "old-0 new-0 new-1 old-1"
same "profiles" "$(ls same/ab)" $'new-0.csv\nnew-1.csv\nold-0.csv\nold-1.csv'
compare slower 0.2 --sessions 3
same "a slower build" "$status" 1
same "turns of three processes" "$(paste -sd' ' turns)" "old-0 new-0 new-1 old-1 old-2 new-2"
grep -q "runtime_s +20.0 % against old" slower.out || fail "it is not a fifth slower: $(<slower.out)"
status=0
run './slower/ab.sh --max-regression 30% --json' >json 2>said || status=$?
same "a gate of one's own" "$status" 0
same "measured already" "$(grep -c 'is measured already' said)" 6
grep -q '"seqpoint/projection/2"' json || fail "no projection: $(<json)"
if command -v shellcheck >/dev/null; then shellcheck -e SC2016 slower/ab.sh; fi

echo "== builds of two ranks"
cat >ranks.sh <<'JOB'
#!/usr/bin/env bash
./job.sh 0
sed '1s/$/,rank/; 2,$s/$/,1/' "$SEQPOINT_PROFILE" >"${SEQPOINT_PROFILE%.csv}.rank1.csv"
sed -i '1s/$/,rank/; 2,$s/$/,0/' "$SEQPOINT_PROFILE"
JOB
chmod +x ranks.sh
run "seqpoint plan -q points.json -o ranks --build old=./ranks.sh --build new=./ranks.sh"
run './ranks/ab.sh' >/dev/null 2>said || fail "ab.sh fails: $(<said)"
same "profiles of ranks" "$(cd ranks/ab && echo ./*)" "./new-0.csv ./new-0.rank1.csv ./new-1.csv ./new-1.rank1.csv ./old-0.csv ./old-0.rank1.csv ./old-1.csv ./old-1.rank1.csv"
same "configurations of two ranks" "$(grep -c "2 ranks: a measurement's time is that of the slowest" said)" 2

echo "== two comparisons at once"
cat >slow.sh <<'JOB'
#!/usr/bin/env bash
if mkdir held 2>/dev/null; then until [[ -e released ]]; do sleep 0.05; done; fi
./job.sh 0
JOB
chmod +x slow.sh
run "seqpoint plan -q points.json 'my train.jsonl' -o both --build old=./slow.sh --build new='./job.sh 0'"
run 'SEQPOINT_TASK=0 ./both/ab.sh >first.out 2>first.log & until [[ -e held ]]; do sleep 0.05; done; ./both/ab.sh >second.out 2>second.log; touch released; wait "$!"' ||
  fail "one of them fails: $(<first.log)$(<second.log)"
grep -q "old, process 0, was measured by another run meanwhile" first.log || fail "the late one does not say so: $(<first.log)"
same "both say the same" "$(<first.out)" "$(<second.out)"
same "what the late one measured is kept" "$(cd both/ab/unfinished && echo old-0.*/*)" "$(cd both/ab/unfinished && echo old-0.*/old-0.csv)"

echo "== a plan that cannot be written to"
run "seqpoint plan -q points.json -o closed --sessions 1"
touch closed/unfinished
status=0
run './closed/run.sh --tasks touch ran' 2>said || status=$?
same "its status" "$status" 2
grep -q "cannot write to" said || fail "it is not said: $(<said)"
[[ ! -e ran ]] || fail "the command has run, and has no folder for its results"

echo "== a build that fails, and one that writes nothing"
run "seqpoint plan -q points.json -o fails --build old='./job.sh 0' --build new='echo half >\"\$SEQPOINT_PROFILE\"; exit 7' --build idle=true"
status=0
run './fails/ab.sh' 2>said || status=$?
same "its status" "$status" 7
grep -q "new, process 0, ended with status 7" said || fail "it does not say which: $(<said)"
[[ ! -e fails/ab/new-0.csv ]] || fail "half a profile is taken for one"
run "seqpoint plan -q points.json -o idle --build old=true --build new=true"
status=0
run './idle/ab.sh' 2>said || status=$?
same "its status" "$status" 1
grep -q "old, process 0, has not written SEQPOINT_PROFILE" said || fail "it is not said: $(<said)"

echo "== no command"
run 'seqpoint plan -q points.json -o bare --sessions 1'
status=0
run './bare/run.sh' 2>said || status=$?
same "exit status" "$status" 2
grep -q "which command?" said || fail "it does not ask: $(<said)"
run './bare/run.sh printenv SEQPOINT_ITERATIONS SEQPOINT_STEP_POINTS' >printed
same "what there is without a manifest" "$(wc -l <printed)" 2

echo "== no space"
mkdir full
if mount -t tmpfs -o size=24k none full 2>/dev/null; then
  trap 'umount "$sandbox/work/full"; rm -rf "$sandbox"' EXIT
  status=0
  run 'seqpoint plan -q points.json "my train.jsonl" -o full/plan' 2>said || status=$?
  same "exit status" "$status" 4
  grep -q "No space left on device" said || fail "it is not said: $(<said)"
  same "nothing stays" "$(ls -A full)" ""
else
  echo "skipped: this machine lets nobody mount a small tmpfs"
fi
