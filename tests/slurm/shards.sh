#!/usr/bin/env bash
# Many shards on a real Slurm beside one machine:
#
#   tests/slurm/shards.sh EXE [ROWS]      160,000 rows, if not said otherwise
#
# A job array scans 16 shards, `merge` joins them: the bytes of one scan of them all, and how long either takes. Then what
# goes wrong with arrays: a task that is killed leaves nothing and is named, one that ran twice changes nothing, a shard that
# is given twice is refused. Ends with 77 where Slurm cannot run here.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source "$here/cluster.sh"

cluster_folder "$1" log
rows=${2-160000} shards=16
# shellcheck disable=SC2154  # cluster_folder sets it
cluster_start "$folder" || exit 77
cd "$folder/work"

fail() { echo "FAILED: $*" >&2; exit 1; }
expect() { [[ $2 == *"$3"* ]] || fail "$1: expected \"$3\" in: $2"; }  # WHAT TEXT PART
gone() { [[ -z $(squeue -h -j "$job" 2>/dev/null) ]]; }
since() { awk -v a="$1" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f s", b - a }'; }

echo "== $rows rows in $shards shards"
awk -v n="$rows" -v shards=$shards 'BEGIN { x = 1; for (i = 0; i < n; ++i) { x = x * 16807 % 2147483647; print 1 + x % 2000 > sprintf("shard-%02d.len", int(i * shards / n)) } }'
cat >scan.sh <<'JOB'
#!/usr/bin/env bash
#SBATCH --array=0-15 --output=scan-%a.log
printf -v shard %02d "$SLURM_ARRAY_TASK_ID"
[[ ! -e stop-$shard ]] || { echo running >"begun-$shard"; exec sleep 600; }
seqpoint -q scan "shard-$shard.len" --lengths-only -o "lengths-$shard.csv"
JOB
begin=$(date +%s.%N)
job=$(sbatch --parsable scan.sh)
cluster_await 3000 gone || fail "the array does not end"
array=$(since "$begin")
begin=$(date +%s.%N)
seqpoint -q merge lengths-{00..15}.csv -o merged.csv
merge=$(since "$begin")
begin=$(date +%s.%N)
seqpoint -q scan shard-{00..15}.len --lengths-only -o single.csv
single=$(since "$begin")
cmp merged.csv single.csv || fail "merged shards are not a single scan"
echo "array of $shards tasks on $(nproc) processors $array, merge $merge; one scan $single; the same $(stat -c %s single.csv) bytes"

echo "== a task is killed"
rm lengths-*.csv
touch stop-05
job=$(sbatch --parsable scan.sh)
others() { [[ -e begun-05 && $(squeue -h -j "$job" | wc -l) == 1 ]]; }
cluster_await 600 others || fail "the other tasks do not end"
scancel "${job}_5"
cluster_await 60 gone || fail "task 5 is still there"
left=$(find . -name '*lengths-05*')
[[ -z $left ]] || fail "the killed task left $left"
expect "merged by a pattern" "$(seqpoint merge lengths-??.csv -o part.csv 2>&1)" "lengths-04.csv is followed by lengths-06.csv: is number 5 missing?"
status=0
said=$(seqpoint merge lengths-{00..15}.csv -o part.csv 2>&1) || status=$?
[[ $status == 3 ]] || fail "a missing shard: exit status $status, not 3"
expect "a missing shard" "$said" "lengths-05.csv: No such file"

echo "== it again, and one that is done"
rm stop-05
sbatch --wait --array=5,3 scan.sh >/dev/null || fail "the tasks do not succeed again"
seqpoint -q merge lengths-{00..15}.csv | cmp - single.csv || fail "a repeated task changes the whole"

echo "== a shard twice"
status=0
said=$(seqpoint merge lengths-{00..15}.csv lengths-07.csv -o twice.csv 2>&1) || status=$?
[[ $status == 3 && ! -e twice.csv ]] || fail "a repeated shard: exit status $status"
expect "a repeated shard" "$said" "lengths-07.csv"
echo "all is well"
