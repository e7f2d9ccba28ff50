#!/usr/bin/env bash
# Runs one process of this plan; written by `seqpoint plan`.
#
#   process.sh N COMMAND...    N: from 0 to @LAST@
#   process.sh --missing       the processes that are not measured, as `sbatch --array=` takes them
#
# COMMAND... runs in the current folder and sees
#
#   SEQPOINT_PLAN      plan.json
#   SEQPOINT_PROCESS   N: the process whose steps of plan.json (and lines of rows.txt) it runs
#   SEQPOINT_OUT       a folder for results. It becomes out/process-N when the command has ended with status 0, so results of
#                      a command that failed, was killed or ran twice never count
#
# A process whose results are there does not run again. For results called profile.csv, project with
#
#   seqpoint project points.json $(printf -- ' --profile v1=%s' out/*/profile.csv)
@SELECTION@
set -euo pipefail

plan=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
processes=@PROCESSES@

die() { echo "process.sh: $*" >&2; exit 2; }

missing() {
  local list=
  for (( n = 0; n < processes; ++n )); do
    [[ -e $plan/out/process-$n ]] || list+=${list:+,}$n
  done
  if [[ -n $list ]]; then echo "$list"; fi
}

case ${1-} in
  --missing) missing; exit ;;
  -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
if ! [[ ${1-} =~ ^(0|[1-9][0-9]*)$ ]] || (( $1 >= processes )); then die "needs a number from 0 to $(( processes - 1 )); see --help"; fi
process=$1
shift
(( $# > 0 )) || die "which command? process.sh $process COMMAND..."

out=$plan/out/process-$process
if [[ -e $out ]]; then
  echo "process.sh: process $process is measured already; remove $out to measure it again" >&2
  exit 0
fi
mkdir -p -- "$plan/out" "$plan/unfinished" || die "cannot write to $plan"
attempt=$(mktemp -d -- "$plan/unfinished/process-$process.XXXXXX") || die "cannot write to $plan/unfinished"
status=0
SEQPOINT_PLAN=$plan/plan.json SEQPOINT_PROCESS=$process SEQPOINT_OUT=$attempt "$@" || status=$?
if (( status != 0 )); then
  echo "process.sh: process $process ended with status $status; its files stay in $attempt" >&2
  exit "$status"
fi
chmod --reference="$plan/out" -- "$attempt"
if mv -T -- "$attempt" "$out" 2>/dev/null; then exit 0; fi
[[ -e $out ]] || die "cannot move $attempt to $out"
echo "process.sh: another run has measured process $process meanwhile; the results of this one stay in $attempt" >&2
