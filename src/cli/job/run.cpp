#include "cli/job/run.hpp"

#include "cli/job/hooked_start.hpp"
#include "cli/job/job_run.hpp"
#include "cli/job/run_place.hpp"
#include "cli/job/run_text.hpp"
#include "cli/last_words.hpp"

namespace seqpoint::cli::job {
namespace {

Exit run(RunOptions given, const CLI::App& app, Console& console) {
  RunRequest request = request_of(std::move(given), app);
  RunFolder folder(request.folder, request.resume);
  const bool is_begun = !folder.record.request.builds.empty();
  if (is_begun) adopt(request, folder.record);
  const io::artifacts::RunPlace place = place_here(request.job.builds);
  if (is_begun) require_same_place(folder.record.place, place, request.folder);
  request.rule.gated = request.limit.max_regression.has_value();
  folder.record.request = request.job;
  folder.record.limit = request.limit;
  folder.record.place = place;
  folder.save();
  if (console.verbosity() >= Verbosity::normal)
    set_last_words(step_line("next", resume_command(request.folder)) + "\n");
  { const Exports probe(request.exports); }  // reports an unwritable output before anything is measured
  try {
    JobRun jobs(request, folder, console);
    return request.record ? jobs.record() : jobs.measure();
  } catch (const JobFailed& failure) {
    tell(failure, console);
    return failure.status();
  }
}

}  // namespace

Command add_run(CLI::App& program) {
  return add_command<RunOptions>(
      program, "run", "Measure any training command: epoch time, or a verdict between builds",
      "Examples:\n"
      "  seqpoint run -- python3 train.py --config chat.yaml\n"
      "  seqpoint run --max-regression 3% old='bash old.sh' new='bash new.sh'\n"
      "  seqpoint run --resume seqpoint-run --precision 1%\n"
      "  seqpoint run --record --resume seqpoint-run     # times a whole epoch, to check the projection\n"
      "Any command works whose Python processes keep PYTHONPATH: bash train.sh, torchrun, accelerate launch, make, "
      "srun",
      declare, run);
}

}  // namespace seqpoint::cli::job
