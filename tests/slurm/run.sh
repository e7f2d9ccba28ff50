#!/usr/bin/env bash
# `seqpoint run` and a real Slurm, of one node, with a PyTorch job:
#
#   tests/slurm/run.sh EXE SOURCE_DIR
#
# A job that a script has submitted under `run` trains to its end after `run` has gone; `sbatch --wait`, and `run` inside a batch script, give a result.
# Ends with 77 where Slurm cannot run here, or without PyTorch.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source "$here/cluster.sh"

/usr/bin/python3 -c 'import torch' 2>/dev/null || { echo "no PyTorch here"; exit 77; }
cluster_folder "$1" log
scripts=$(realpath -- "$2")/tests/pytorch/scripts
cluster_start "$folder" || exit 77
cd "$folder/work"

fail() { echo "FAILED: $*" >&2; exit 1; }
run=(seqpoint run --max-processes 2 --points 4 --grace 1)
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

echo "== sbatch --wait"
rm -rf seqpoint-run checkpoint
"${run[@]}" -- sbatch --wait job.sh >result 2>told || fail "run with sbatch --wait: $(cat told)"
grep -q "^epoch " result || fail "no result: $(cat result told)"
[[ ! -e checkpoint ]] || fail "a job that is measured has trained"

echo "== run inside a batch script"
cat >inside.sh <<JOB
#!/usr/bin/env bash
#SBATCH --output=inside.log
${run[*]} -o inside -- $train >inside.result
JOB
sbatch --wait inside.sh >/dev/null || fail "the script failed: $(cat inside.log)"
grep -q "^epoch " inside.result || fail "no result: $(cat inside.result inside.log)"
echo "all is well"
