// The scripts of a plan. run.sh is the same for every plan but for the user's command and the table of tasks.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/artifacts/json.hpp"
#include "io/artifacts/plan_folder.hpp"

namespace seqpoint::io::artifacts {
namespace {

// Options of profilers as their own documents have them: Nsight Systems User Guide ("CLI Profile Command Switch
// Options"), Nsight Compute CLI ("NVTX Filtering"), rocprofv3 ("Command-line options").
constexpr std::string_view kRunHead = R"~(#!/usr/bin/env bash
# Profiles the SeqPoints of this plan; made by `seqpoint plan`.
#
#   run.sh [COMMAND...]            all tasks, a process each, one after the other (--tasks: the same)
#   run.sh --task N [COMMAND...]   one task (what slurm.sh and kubernetes.yaml do)
#   run.sh --missing               the tasks that are not done, as `sbatch --array=` takes them
#
# COMMAND... replaces the command of the plan. It runs in the current folder and sees
#
#   SEQPOINT_MANIFEST      the small manifest; read sequentially, its batches are the steps
#   SEQPOINT_TGT_MANIFEST  that of the target side; empty where there is none
#   SEQPOINT_BATCH_SIZE    samples a batch and rank; empty where they differ: then take the steps from SEQPOINT_PLAN
#   SEQPOINT_STEPS         how many batches to run, SEQPOINT_WARMUP: how many of them come before the first that is measured
#   SEQPOINT_MEASURED      the place, from 0, of every step that is measured; before its first, each point warms up
#   SEQPOINT_POINT         what is measured: one point or, apart by blanks, all of the task
#   SEQPOINT_STEP_POINTS   the point of every measured step, in order
#   SEQPOINT_ITERATIONS    the iteration of the run that every step is, warm-up included
#   SEQPOINT_TASK          number of the task, SEQPOINT_SESSION: which of the processes that measure all points it belongs to
#   SEQPOINT_PLAN          plan.json
#   SEQPOINT_OUT           a folder for results. It becomes out/TASK when the command has ended well: what a task that failed,
#                          was killed or ran twice has left is never taken for a result
#
# A task whose results are there is not run again. Then, for results called profile.csv, say:
#
#   seqpoint project points.json $(printf -- ' --profile v1=%s' out/*/profile.csv)
#
# Only the measured steps are profiled where the job calls cudaProfilerStart (roctxProfilerResume) after the warm-up and ...Stop
# (...Pause) at the end, or names each of them by an NVTX (ROCTx) range with the point's id:
#
#   nsys profile --trace=cuda,nvtx --capture-range=cudaProfilerApi --capture-range-end=stop -o "$SEQPOINT_OUT/profile" COMMAND
#   ncu --profile-from-start off --target-processes all -o "$SEQPOINT_OUT/profile" COMMAND
#   ncu --nvtx --nvtx-include "sp1/" --nvtx-include "sp2/" --target-processes all -o "$SEQPOINT_OUT/profile" COMMAND
#   rocprofv3 --selected-regions --marker-trace --kernel-trace --output-format csv -d "$SEQPOINT_OUT" -- COMMAND
#
# ("sp1/" is a range that was pushed; of one that was started, ncu wants "sp1".)
set -euo pipefail

plan=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
)~";

constexpr std::string_view kRunBody = R"~(
die() { echo "run.sh: $*" >&2; exit 2; }

# Runs what `describe` has described. Its results appear as a whole, and once.
run_task() {
  local out=$plan/out/$name attempt status=0
  if [[ -e $out ]]; then
    echo "run.sh: $name is done already; remove $out to run it again" >&2
    return 0
  fi
  mkdir -p -- "$plan/out" "$plan/unfinished" || die "cannot write to $plan"
  attempt=$(mktemp -d -- "$plan/unfinished/$name.XXXXXX") || die "cannot write to $plan/unfinished"
  SEQPOINT_MANIFEST=${manifest:+$plan/$manifest} SEQPOINT_TGT_MANIFEST=${tgt_manifest:+$plan/$tgt_manifest} \
    SEQPOINT_BATCH_SIZE=$batch_size SEQPOINT_STEPS=$steps SEQPOINT_WARMUP=$warmup SEQPOINT_POINT=$points \
    SEQPOINT_MEASURED=$measured SEQPOINT_STEP_POINTS=$step_points SEQPOINT_ITERATIONS=$iterations SEQPOINT_TASK=$task \
    SEQPOINT_SESSION=$session SEQPOINT_PLAN=$plan/plan.json SEQPOINT_OUT=$attempt "${command[@]}" || status=$?
  if (( status != 0 )); then
    echo "run.sh: $name ended with status $status; what it left is in $attempt" >&2
    return "$status"
  fi
  chmod --reference="$plan/out" -- "$attempt"
  if mv -T -- "$attempt" "$out" 2>/dev/null; then return 0; fi
  [[ -e $out ]] || die "cannot move $attempt to $out"
  echo "run.sh: $name was done by another run meanwhile; the results of this one stay in $attempt" >&2
}

missing() {
  local list=
  for (( task = 0; task < tasks; ++task )); do
    describe "$task"
    [[ -e $plan/out/$name ]] || list+=${list:+,}$task
  done
  if [[ -n $list ]]; then echo "$list"; fi
}

run_tasks() {
  local worst=0
  for (( task = 0; task < tasks; ++task )); do
    describe "$task"
    run_task || worst=$?
  done
  return "$worst"
}

what=
case ${1-} in
  --missing) missing; exit ;;
  --tasks) shift ;;
  --task)
    if ! [[ ${2-} =~ ^(0|[1-9][0-9]*)$ ]] || (( $2 >= tasks )); then die "--task needs a number from 0 to $(( tasks - 1 ))"; fi
    what=$2; shift 2 ;;
  -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
  --) shift ;;
  -*) die "unknown option '$1'; see --help" ;;
esac
if (( $# > 0 )); then command=("$@"); fi
(( ${#command[@]} > 0 )) || die "which command? run.sh COMMAND..., or plan with --command"

if [[ -z $what ]]; then run_tasks; exit; fi
task=$what
describe "$task"
run_task
)~";

constexpr std::string_view kComparisonHead = R"~(#!/usr/bin/env bash
# Measures builds in turn and compares them; made by `seqpoint plan --build`.
#
#   ab.sh [OPTION...]    options of `seqpoint project` instead of the gate --max-regression 5%
#
# Every build measures the points in as many processes as the plan has, each in a process of its own. Builds take turns, A B B A, so that
# what drifts on the machine is the same for all. The command of a build runs in the current folder and sees
#
#   SEQPOINT_PLAN      plan.json
#   SEQPOINT_SESSION   which of the plan's processes it is, from 0: the steps of plan.json that say so (the companion for PyTorch knows it)
#   SEQPOINT_PROFILE   the profile that it has to write
#   SEQPOINT_BUILD     the name of the build
#
# Profiles come to ab/BUILD-N.csv when a command has ended well. One that is there is not measured again; what a command that failed or was
# killed has left stays in ab/unfinished. The exit status is that of `seqpoint project`, or of the command that failed.
set -euo pipefail

plan=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
)~";

constexpr std::string_view kComparisonBody = R"~(
if [[ ${1-} == -h || ${1-} == --help ]]; then sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0; fi
command -v seqpoint >/dev/null || { echo "ab.sh: there is no seqpoint in the PATH" >&2; exit 2; }
unset SEQPOINT_TASK # of a job array, whose tasks are not the processes of this comparison

# Runs the command of a build once, unless its profile is there.
measure() {  # BUILD SESSION
  local profile=$plan/ab/$1-$2.csv attempt file status=0
  if [[ -e $profile ]]; then
    echo "ab.sh: $1, process $2, is measured already; remove $profile to measure it again" >&2
    return 0
  fi
  mkdir -p -- "$plan/ab/unfinished"
  attempt=$(mktemp -d -- "$plan/ab/unfinished/$1-$2.XXXXXX") # another ab.sh may run meanwhile
  SEQPOINT_PLAN=$plan/plan.json SEQPOINT_SESSION=$2 SEQPOINT_PROFILE=$attempt/$1-$2.csv SEQPOINT_BUILD=$1 \
    bash -c "$(command_of "$1")" || status=$?
  if (( status != 0 )); then
    echo "ab.sh: $1, process $2, ended with status $status; what it left is in $attempt" >&2
    exit "$status"
  fi
  if ! [[ -e $attempt/$1-$2.csv ]]; then
    echo "ab.sh: $1, process $2, has not written SEQPOINT_PROFILE" >&2
    exit 1
  fi
  if [[ -e $profile ]]; then
    echo "ab.sh: $1, process $2, was measured by another run meanwhile; what this one measured stays in $attempt" >&2
    return 0
  fi
  rm -f -- "$plan/ab/$1-$2".rank*.csv
  for file in "$attempt/$1-$2".rank*.csv; do  # the companion's, of ranks but the first
    if [[ -e $file ]]; then mv -- "$file" "$plan/ab/"; fi
  done
  mv -- "$attempt/$1-$2.csv" "$profile"
  rmdir -- "$attempt" 2>/dev/null || true
}

for (( session = 0; session < sessions; ++session )); do
  for (( n = 0; n < ${#builds[@]}; ++n )); do
    measure "${builds[session % 2 == 0 ? n : ${#builds[@]} - 1 - n]}" "$session"
  done
done
rmdir -- "$plan/ab/unfinished" 2>/dev/null || true
if (( $# > 0 )); then options=("$@"); else options=(--max-regression 5%); fi
for build in "${builds[@]}"; do
  for (( session = 0; session < sessions; ++session )); do
    for file in "$plan/ab/$build-$session".csv "$plan/ab/$build-$session".rank*.csv; do
      if [[ -e $file ]]; then options+=(--profile "$build=$file"); fi
    done
  done
done
exec seqpoint project "$points" --baseline "${builds[0]}" "${options[@]}"
)~";

constexpr std::string_view kJobHead = R"~(# All tasks of the plan at once, as a Job of Kubernetes (1.29 or later):
#
#   sed 's|image: IMAGE|image: registry/train:1|; s|claimName: CLAIM|claimName: profiling|' kubernetes.yaml |
#     kubectl create -f -
#
# The image has bash and what the command needs. The volume claim is the one that this folder is on; results come to
# out/ in it. A task whose results are there is not run again: to repeat those that failed, create the job again.
#
# What a task needs of the cluster (GPUs, a kind of node, the data set's volume) belongs to the pod. run.sh says what a
# task sees.
apiVersion: batch/v1
kind: Job
metadata:
  generateName: seqpoint-
spec:
  completionMode: Indexed
)~";

constexpr std::string_view kJobPod = R"~(
  backoffLimitPerIndex: 0 # a task that fails ends no other one
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: task
          image: IMAGE
          # args: [COMMAND, ...] replaces the command of the plan.
)~";

constexpr std::string_view kJobVolume = R"~( # where the plan was made
              subPath: "" # where this folder is on the claim; empty: it is the claim's root
      volumes:
        - name: plan
          persistentVolumeClaim:
            claimName: CLAIM
)~";

std::string selection_comment(const PlanDocument& document) {
  return "# Selection: " + document.selection.digest + "\n";
}

std::string shell_words(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return shell_word(text);
}

/// One task as a branch of `describe`.
std::string case_branch(std::size_t t, const PlanDocument& document) {
  const select::PlanTask& task = document.plan.tasks[t];
  const TaskFiles& files = document.tasks[t];
  std::vector<std::string> points, measured, step_points, iterations;
  for (const std::size_t point : task.points) points.push_back(document.selection.points[point].id);
  for (const select::BatchExecution& step : task.executions) {
    if (!step.warmup) {
      measured.push_back(std::to_string(iterations.size()));
      step_points.push_back(document.selection.points[step.point].id);
    }
    iterations.push_back(std::to_string(document.plan.batches[step.batch].iteration));
  }
  const auto size = select::batch_size_of(task, document.plan.batches);
  return "    " + std::to_string(t) + ") name=" + task_name(t) + " session=" + std::to_string(task.session) +
         " batch_size=" + (size ? std::to_string(*size) : "''") + " steps=" + std::to_string(task.executions.size()) +
         " warmup=" + measured.front() + " manifest=" + shell_word(files.manifest) +
         " tgt_manifest=" + shell_word(files.target) + "\n      points=" + shell_words(points) +
         "\n      measured=" + shell_words(measured) + "\n      step_points=" + shell_words(step_points) +
         "\n      iterations=" + shell_words(iterations) + " ;;\n";
}

/// The table of tasks.
std::string describe_function(const PlanDocument& document) {
  std::string text = "\ndescribe() {  # TASK   sets what there is to know of it\n  case $1 in\n";
  for (std::size_t t = 0; t < document.plan.tasks.size(); ++t) text += case_branch(t, document);
  return text + "    *) return 1 ;;\n  esac\n}\n";
}

/// A text as a scalar of YAML, in double quotes.
std::string yaml_text(const std::string& text) {
  std::string quoted = json_text(Json(text));
  quoted.pop_back();  // the end of the line
  return quoted;
}

/// A text as a word of a container's command, where $(NAME) would be a variable.
std::string container_word(std::string_view text) {
  std::string word;
  for (const char c : text) word += c == '$' ? "$$" : std::string(1, c);
  return word;
}

}  // namespace

std::string task_name(std::size_t task) {
  constexpr std::size_t kDigits = 4;
  const std::string number = std::to_string(task);
  return "task-" + std::string(kDigits - std::min(kDigits, number.size()), '0') + number;
}

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string run_script(const PlanDocument& document) {
  std::string text(kRunHead);
  text += selection_comment(document) + "tasks=" + std::to_string(document.plan.tasks.size()) + "\n";
  // For another shell: no text of the user's can be anything but the argument of that.
  text += document.command.empty() ? "command=()\n" : "command=(bash -c " + shell_word(document.command) + ")\n";
  return text + describe_function(document) + std::string(kRunBody);
}

std::string comparison_script(const PlanDocument& document) {
  std::vector<std::string> names;
  std::string commands;
  for (const Build& build : document.builds) {
    names.push_back(build.name);
    commands += "    " + build.name + ") printf '%s' " + shell_word(build.command) + " ;;\n";
  }
  std::string text(kComparisonHead);
  text += selection_comment(document);
  text += "points=" + shell_word(document.points) + " # change it where the file was moved\n";
  text += "sessions=" + std::to_string(document.plan.sessions.size()) + "\nbuilds=(";
  for (const std::string& name : names) text += (&name == names.data() ? "" : " ") + name;
  return text + ")\n\ncommand_of() {  # BUILD\n  case $1 in\n" + commands + "  esac\n}\n" +
         std::string(kComparisonBody);
}

std::string slurm_script(const PlanDocument& document) {
  return "#!/usr/bin/env bash\n" + selection_comment(document) +
         "#SBATCH --job-name=seqpoint\n"
         "#SBATCH --array=0-" +
         std::to_string(document.plan.tasks.size() - 1) +
         "\n"
         "#SBATCH --output=seqpoint-%A_%a.log\n"
         "# All tasks of the plan at once:\n"
         "#\n"
         "#   sbatch slurm.sh [COMMAND...]\n"
         "#   sbatch --array=\"$(./run.sh --missing)\" slurm.sh    # those that failed, were killed or ran out of "
         "time\n"
         "#\n"
         "# What a task needs of the cluster (--gres, --time, --partition) is best given to sbatch. run.sh says what a "
         "task sees.\n"
         "set -euo pipefail\n"
         "\n"
         "# Slurm runs a copy of this script, so where the plan is stands here. Change it where the folder was moved.\n"
         "plan=" +
         shell_word(document.folder) +
         "\n"
         "exec \"$plan/run.sh\" --task \"${SLURM_ARRAY_TASK_ID:?submit this script with sbatch}\" \"$@\"\n";
}

std::string kubernetes_job(const PlanDocument& document) {
  const std::string tasks = std::to_string(document.plan.tasks.size());
  return selection_comment(document) + std::string(kJobHead) + "  completions: " + tasks + "\n  parallelism: " + tasks +
         std::string(kJobPod) + "          command: [" + yaml_text(container_word(document.folder + "/run.sh")) +
         ", \"--task\", \"$(JOB_COMPLETION_INDEX)\"]\n" +
         "          volumeMounts:\n"
         "            - name: plan\n"
         "              mountPath: " +
         yaml_text(document.folder) + std::string(kJobVolume);
}

}  // namespace seqpoint::io::artifacts
