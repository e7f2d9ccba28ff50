#!/usr/bin/env bash
# `seqpoint run` and a real Slurm, of one node, with a PyTorch job:
#
#   tests/slurm/run.sh EXE SOURCE_DIR
#
# A job that a script has submitted under `run` trains to its end after `run` has gone. `sbatch --wait`, `run` inside a batch script, `srun` with two ranks,
# `--parallel` and an array by hand give the result that the job has without Slurm, within their intervals; a run that was cancelled goes on.
# Ends with 77 where Slurm cannot run here, or without PyTorch.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source "$here/cluster.sh"

/usr/bin/python3 -c 'import torch' 2>/dev/null || { echo "no PyTorch here"; exit 77; }
cluster_folder "$1" log
scripts=$(realpath -- "$2")/tests/pytorch/scripts examples=$(realpath -- "$2")/examples/clusters python=$(realpath -- "$2")/python
cluster_start "$folder" || exit 77
cd "$folder/work"

fail() { echo "FAILED: $*" >&2; exit 1; }
run=(seqpoint run --max-processes 2 --points 4 --grace 1s)
train="/usr/bin/python3 -W ignore $scripts/plain.py 1"

cat >job.sh <<JOB
#!/usr/bin/env bash
#SBATCH --output=job-%j.log
$train
echo "status \$?, \${SEQPOINT_HOOK-no hook}"
JOB

echo "== a script that submits a job: run ends, the job trains to its end"
for held in --hold ""; do
  rm -rf seqpoint-run checkpoint training.log
  printf '#!/bin/sh\nexec sbatch --parsable %s job.sh >id\n' "$held" >submit.sh
  chmod +x submit.sh
  status=0
  "${run[@]}" -- ./submit.sh 2>told || status=$?
  [[ $status == 3 ]] || fail "run ended with $status: $(cat told)"
  id=$(cat id)
  [[ -z $held ]] || scontrol release "$id"
  ended() { [[ -z $(squeue -h -j "$id" 2>/dev/null) ]]; }
  cluster_await 120 ended || fail "the job does not end"
  grep -q "^status 0" "job-$id.log" || fail "the job failed: $(cat "job-$id.log")"
  [[ $(wc -l <training.log) == 20 ]] || fail "the job trained on $(wc -l <training.log) of 20 batches"
  [[ -s checkpoint ]] || fail "the job has written no checkpoint"
  if grep -q "Traceback" "job-$id.log"; then fail "a traceback in $(cat "job-$id.log")"; fi
done

echo "== the launcher is named before it starts"
status=0
"${run[@]}" -o named -- sbatch job.sh 2>told || status=$?
[[ $status == 2 && $(<told) == *"sbatch --wait"* ]] || fail "sbatch without --wait: status $status, $(cat told)"

# Whether two epochs have intervals that overlap. Intervals of 95 % miss by chance, and a
# machine that other programs share is not the same twice: so there are three tries.
interval() { /usr/bin/python3 -c 'import json, sys
epoch = json.load(open(sys.argv[1]))["configurations"][0]["metrics"]["runtime_s"]
print(epoch["low"], epoch["high"])' "$1"; }
overlaps() { awk '{ low[NR] = $1; high[NR] = $2 } END { exit !(low[1] <= high[2] && low[2] <= high[1]) }' <(interval "$1") <(interval "$2"); }
agrees() {  # REFERENCE MEASURED   functions that write their result into the folder that they are given
  local reference=$1 measured=$2 try
  for try in 1 2 3; do
    rm -rf "$reference.run" "$measured.run"
    "$reference" "$reference.run" >"$reference.log" 2>&1 || fail "$reference: $(cat "$reference.log")"
    "$measured" "$measured.run" >"$measured.log" 2>&1 || fail "$measured: $(cat "$measured.log")"
    if overlaps "$reference.run/projection.json" "$measured.run/projection.json"; then return; fi
    echo "   $(interval "$reference.run/projection.json") s, and $(interval "$measured.run/projection.json") s with Slurm: once more ($try)"
  done
  fail "$measured: another result than without Slurm"
}
alone() { "${run[@]}" -o "$1" -- $train; }

echo "== sbatch --wait"
rm -rf seqpoint-run checkpoint
waits() { "${run[@]}" -o "$1" -- sbatch --wait job.sh; }
agrees alone waits
[[ ! -e checkpoint ]] || fail "a job that is measured has trained"

echo "== run inside a batch script"
inside() {
  printf '#!/bin/sh\n#SBATCH --output=inside-%%j.log\n%s -o %s -- %s\n' "${run[*]}" "$1" "$train" >inside.sh
  sbatch --wait inside.sh
}
agrees alone inside

echo "== two processes at a time, of one CPU each"
parallel() { "${run[@]}" --parallel 2 -o "$1" -- srun -n1 -c1 $train; }
agrees alone parallel
[[ $(grep -o '"verb": "measure"' parallel.run/run.json | wc -l) == 2 ]] || fail "not two processes"

echo "== srun with two ranks"
cat >rank.sh <<'JOB'
#!/usr/bin/env bash
export RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS MASTER_ADDR=127.0.0.1 MASTER_PORT=$(( 20000 + SLURM_JOB_ID ))
exec "$@"
JOB
chmod +x rank.sh
cat >ranks.sh <<'JOB'
#!/usr/bin/env bash
export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$(( 10000 + $$ % 10000 ))
RANK=1 "$@" &
RANK=0 "$@"
wait "$!"
JOB
chmod +x ranks.sh
ranks="/usr/bin/python3 -W ignore $scripts/distributed.py"
in_shell() { "${run[@]}" -o "$1" -- ./ranks.sh $ranks; }
by_srun() { "${run[@]}" -o "$1" -- srun -n2 ./rank.sh $ranks; }
agrees in_shell by_srun
ls by_srun.run/run-2.rank1.csv >/dev/null || fail "the second rank has no measurements"

echo "== cancelled, and gone on"
submit() { sbatch --parsable "$@"; }
id=$(submit "$examples/run.sbatch" --max-processes 3 --precision 0.01% --max-time 1h --points 4 --grace 1s -- $train)
measured() { [[ -e seqpoint-run-$id/run-1.csv ]]; }
cluster_await 180 measured || fail "no process has measured: $(cat "seqpoint-$id.log")"
scancel "$id"
ended() { [[ -z $(squeue -h -j "$id" 2>/dev/null) ]]; }
cluster_await 60 ended || fail "the cancelled job does not end"
[[ ! -e seqpoint-run-$id/projection.json ]] || fail "it was cancelled too late"
before=$(sha256sum "seqpoint-run-$id/run-1.csv")
sbatch --wait "$examples/run.sbatch" --resume "seqpoint-run-$id" >/dev/null || fail "it does not go on: $(cat seqpoint-*.log)"
[[ $(sha256sum "seqpoint-run-$id/run-1.csv") == "$before" ]] || fail "a process was measured again"
overlaps alone.run/projection.json "seqpoint-run-$id/projection.json" || fail "another result: $(interval "seqpoint-run-$id/projection.json")"

echo "== an array by hand"
cat >train.sh <<JOB
#!/usr/bin/env bash
PYTHONPATH=$python exec /usr/bin/python3 -W ignore -m seqpoint_companion measure "\$SEQPOINT_PLAN" -o "\$SEQPOINT_OUT/profile.csv" -- $scripts/plain.py 1
JOB
chmod +x train.sh
array() {
  mkdir -p "$1"
  seqpoint select -qq alone.run/order.csv --points 4 -o points.json
  rm -rf plan
  seqpoint plan -qq points.json -o plan --processes 2
  sbatch --wait "$examples/array.sbatch" plan ./train.sh
  seqpoint project -qq points.json --profile run=plan/out/process-0/profile.csv --profile run=plan/out/process-1/profile.csv -o "$1/projection.json"
}
agrees alone array
echo "all is well"
