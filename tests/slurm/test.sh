#!/usr/bin/env bash
# seqpoint on a real Slurm, of one node:
#
#   tests/slurm/test.sh EXE
#
# Shards scanned by a job array and merged are byte for byte one scan; a profiling array of which a task is killed costs its
# points' share of the coverage and nothing else; submitted again, it is whole. Ends with 77 where Slurm cannot run here.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source "$here/cluster.sh"

cluster_folder "$1" log
cluster_start "$folder" || exit 77
cd "$folder/work"

fail() { echo "FAILED: $*" >&2; exit 1; }
expect() { [[ $2 == *"$3"* ]] || fail "$1: expected \"$3\" in: $2"; }  # WHAT TEXT PART

echo "== a scan of shards as a job array, merged"
shards=6
awk -v n=3000 'BEGIN { for (i = 0; i < n; ++i) printf "{\"audio_filepath\": \"a/%d.wav\", \"duration\": %.2f, \"text\": \"t\"}\n", i, 1 + (i * 7919) % 3001 / 200 }' >whole.jsonl
split -d -a 1 -l $(( 3000 / shards )) --additional-suffix=.jsonl whole.jsonl shard-
cat >scan.sh <<'JOB'
#!/usr/bin/env bash
#SBATCH --array=0-5 --output=scan-%a.log
seqpoint scan "shard-$SLURM_ARRAY_TASK_ID.jsonl" --lengths-only -o "lengths-$SLURM_ARRAY_TASK_ID.csv"
JOB
cat >merge.sh <<'JOB'
#!/usr/bin/env bash
#SBATCH --output=merge.log
seqpoint merge lengths-?.csv -o merged.csv
JOB
scan=$(sbatch --parsable scan.sh)
sbatch --wait --dependency="afterok:$scan" merge.sh >/dev/null
seqpoint scan -q whole.jsonl --lengths-only -o single.csv
cmp merged.csv single.csv || fail "merged shards are not a single scan"
order=(--sampler pytorch --seed 3 --batch-size 16)
seqpoint scan -q merged.csv "${order[@]}" >of-merged.csv
seqpoint scan -q whole.jsonl "${order[@]}" >of-whole.csv
cmp of-merged.csv of-whole.csv || fail "the run of merged shards is another"

echo "== a profiling array of which one task is killed"
seqpoint select -q whole.jsonl "${order[@]}" --points 5 -o points.json
# A command with all that a shell could trip over; it stands for a training job whose cost is the length's.
# shellcheck disable=SC2016  # the task's own shell expands it
command='[[ $SEQPOINT_POINT != sp3 || -e "it'\''s fixed" ]] || sleep 600
awk -v id="$SEQPOINT_POINT" -v n="$(wc -l <"$SEQPOINT_MANIFEST")" -v b="$SEQPOINT_BATCH_SIZE" -v s="$SEQPOINT_STEPS" \
  "BEGIN { if (n != b * s) exit 1; print \"point,runtime_s\"; print id \",\" 2 }" >"$SEQPOINT_OUT/profile.csv"'
plan="a plan; of \$(it's) own"
seqpoint plan -q points.json whole.jsonl --sessions 1 --chunk 1 --repeats 1 -o "$plan" --command "$command"
[[ $("$plan/run.sh" --missing) == 0,1,2,3,4 ]] || fail "before anything ran, all tasks are missing"

array=$(sbatch --parsable "$plan/slurm.sh")
done_but_one() { [[ $("$plan/run.sh" --missing) == 2 ]]; }
cluster_await 60 done_but_one || fail "the other tasks do not end: missing are $("$plan/run.sh" --missing)"
running() { [[ $(squeue -h -j "${array}_2" -o %T) == RUNNING ]]; }
cluster_await 10 running || fail "task 2 does not run"
scancel "${array}_2"
gone() { [[ -z $(squeue -h -j "$array" 2>/dev/null) ]]; }
cluster_await 30 gone || fail "task 2 is still there"
[[ ! -e $plan/out/task-0002 ]] || fail "a killed task has results"

project() {
  local profiles=() file
  for file in "$plan"/out/*/profile.csv; do profiles+=(--profile "v1=$file"); done
  seqpoint project points.json "${profiles[@]}" "$@"
}
said=$(project 2>&1 >/dev/null) || fail "a missing task is no failure"
expect "a missing task" "$said" sp3
status=0
project -q --require-coverage 100% >/dev/null 2>&1 || status=$?
[[ $status == 1 ]] || fail "--require-coverage: exit status $status, not 1"

echo "== the missing task again, and one that is done"
touch "it's fixed"
sbatch --wait --array="$("$plan/run.sh" --missing)" "$plan/slurm.sh" >/dev/null || fail "the missing task fails"
sbatch --wait --array=0 "$plan/slurm.sh" >/dev/null || fail "a task that is done is no failure"
[[ -z $("$plan/run.sh" --missing) ]] || fail "something is missing still"
total=$(project -q --json --require-coverage 100% | awk -F'[:,]' '/"value"/ { print $2 + 0; exit }')
iterations=$(awk -F'[:,]' '/"iterations"/ { print $2 + 0; exit }' points.json)
[[ $total == $(( 2 * iterations )) ]] || fail "2 s an iteration, $iterations iterations: $total s"
echo "all is well"
