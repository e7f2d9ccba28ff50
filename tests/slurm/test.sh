#!/usr/bin/env bash
# seqpoint on a real Slurm, of one node:
#
#   tests/slurm/test.sh EXE SOURCE_DIR
#
# Shards scanned by a job array are together byte for byte one scan; a profiling array of which a process is killed loses
# that process and nothing else; submitted again, it is whole. Ends with 77 where Slurm cannot run here.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source "$here/cluster.sh"

cluster_folder "$1" log
array_script=$(realpath -- "$2")/examples/clusters/array.sbatch
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
seqpoint scan lengths-?.csv --lengths-only -o merged.csv
JOB
scan=$(sbatch --parsable scan.sh)
sbatch --wait --dependency="afterok:$scan" merge.sh >/dev/null
seqpoint scan -q whole.jsonl --lengths-only -o single.csv
cmp merged.csv single.csv || fail "merged shards are not a single scan"
order=(--sampler pytorch --seed 3 --batch-size 16)
seqpoint scan -q merged.csv "${order[@]}" >of-merged.csv
seqpoint scan -q whole.jsonl "${order[@]}" >of-whole.csv
cmp of-merged.csv of-whole.csv || fail "the run of merged shards is another"

echo "== a profiling array of which one process is killed"
seqpoint select -q whole.jsonl "${order[@]}" --points 5 --processes 3 -o points.json
# A command with all that a shell could trip over; it stands for a training job that takes 2 s an iteration.
cat >"it's a job.sh" <<'JOB'
#!/usr/bin/env bash
[[ $SEQPOINT_PROCESS != 1 || -e "it's fixed" ]] || sleep 600
awk -F'\t' -v OFS=, -v of="$SEQPOINT_PROCESS" 'NR == 1 { print "point,session,runtime_s" }
  $9 == of && $2 != "" { print $2, of, 2 }' "$(dirname "$SEQPOINT_PLAN")/rows.txt" >"$SEQPOINT_OUT/profile.csv"
JOB
chmod +x "it's a job.sh"
plan="a plan; of \$(it's) own"
seqpoint plan -q points.json -o "$plan"

array=$(sbatch --parsable --array=0-2 "$array_script" "$plan" "./it's a job.sh")
measured() { ls "$plan/out" 2>/dev/null | paste -sd,; }
done_but_one() { [[ $(measured) == process-0,process-2 ]]; }
cluster_await 60 done_but_one || fail "the other processes do not end: measured are $(measured)"
running() { [[ $(squeue -h -j "${array}_1" -o %T) == RUNNING ]]; }
cluster_await 10 running || fail "process 1 does not run"
scancel "${array}_1"
gone() { [[ -z $(squeue -h -j "$array" 2>/dev/null) ]]; }
cluster_await 30 gone || fail "process 1 is still there"
[[ ! -e $plan/out/process-1 ]] || fail "a killed process has results"

project() {
  local profiles=() file
  for file in "$plan"/out/*/profile.csv; do profiles+=(--profile "v1=$file"); done
  seqpoint project points.json "${profiles[@]}" "$@"
}
project -q --json >/dev/null || fail "a missing process is no failure"

echo "== the missing process again, and one that is measured"
touch "it's fixed"
sbatch --wait --array=1 "$array_script" "$plan" "./it's a job.sh" >/dev/null || fail "the missing process fails"
if sbatch --wait --array=0 "$array_script" "$plan" "./it's a job.sh" >/dev/null; then fail "a second run replaces results"; fi
[[ $(measured) == process-0,process-1,process-2 ]] || fail "something is missing still"
total=$(project -q --json | awk -F'[:,]' '/"value"/ { print $2 + 0; exit }')
iterations=$(awk -F'[:,]' '/"iterations"/ { print $2 + 0; exit }' points.json)
# Two processes that agree leave a little room for one that was slower: 0.02 %.
awk -v total="$total" -v exact=$(( 2 * iterations )) 'BEGIN { exit total < 0.999 * exact || total > 1.001 * exact }' || fail "2 s an iteration, $iterations iterations: $total s"
echo "all is well"
