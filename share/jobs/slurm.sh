#!/usr/bin/env bash
@SELECTION@
#SBATCH --job-name=seqpoint
#SBATCH --array=0-@LAST@
#SBATCH --output=seqpoint-%A_%a.log
# All processes of the plan at once:
#
#   sbatch slurm.sh COMMAND...
#   sbatch --array="$(./process.sh --missing)" slurm.sh COMMAND...    # those that failed, were killed or ran out of time
#
# Give what a process needs of the cluster (--gres, --time, --partition) to sbatch. process.sh says what COMMAND sees.
set -euo pipefail

# Slurm runs a copy of this script, so the path of the plan is written here. Change it if you move the folder.
plan=@FOLDER@
exec "$plan/process.sh" "${SLURM_ARRAY_TASK_ID:?submit this script with sbatch}" "$@"
