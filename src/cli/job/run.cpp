#include "cli/job/run.hpp"

#include <fmt/ranges.h>

#include "cli/job/hooked_start.hpp"
#include "cli/job/job_run.hpp"
#include "cli/job/run_place.hpp"
#include "cli/job/run_text.hpp"
#include "cli/last_words.hpp"
#include "io/views/ci.hpp"

namespace seqpoint::cli::job {
namespace {

/// Tells CI that a run has no result, as far as that was asked for: in the test report, because an earlier one would be
/// read in its place, and in an annotation. `failed`: the build whose job failed; empty: not known.
void export_failure(const RunRequest& request, const std::string& failed, const std::string& reason, Console& console) {
  report_ci(request.ci, {.title = "seqpoint run", .table = {}, .warnings = {}, .failures = {reason}}, {},
            !request.exports.to_stdout(), console);
  ExportPaths reports = request.exports;
  std::erase_if(reports.exports, [](const auto& each) { return each.format != ExportFormat::junit; });
  if (reports.exports.empty()) return;
  std::vector<std::string> builds;
  for (const io::artifacts::Build& build : request.job.builds) builds.push_back(build.name);
  const std::string junit = io::views::failed_junit("seqpoint.run", builds, failed, reason);
  Exports(reports, false).write({.junit = junit}, console);
}

Exit run(RunOptions given, const CLI::App& app, Console& console) {
  RunRequest request = request_of(std::move(given), app);
  RunFolder folder(request.folder, request.resume);
  const bool is_begun = !folder.record.request.builds.empty();
  if (is_begun) adopt(request, folder.record);
  const io::artifacts::RunPlace place = place_here(request.job.builds);
  if (is_begun) require_same_place(folder.record.place, place, request.folder);
  request.rule.gated = request.limit.max_regression.has_value();
  folder.record.request = without_secrets(request.job);
  folder.record.limit = request.limit;
  folder.record.place = place;
  folder.save();
  if (console.verbosity() >= Verbosity::normal)
    set_last_words(step_line("next", resume_command(request.folder)) + "\n");
  { const Exports probe(request.exports); }  // reports an unwritable output before anything is measured
  try {
    RunState state(request, folder, console);
    return request.record ? record(state) : measure(state);
  } catch (const InputError& refused) {
    export_failure(request, "", refused.what(), console);
    throw;
  } catch (const JobFailed& failure) {
    tell(failure, console);
    export_failure(request, failure.build(),
                   fmt::format("{}: {}\n{}", failure.log(), failure.what(), fmt::join(last_lines(failure), "\n")),
                   console);
    return failure.status();
  }
}

}  // namespace

Command add_run(CLI::App& program) {
  return add_command<RunOptions>(
      program, "run", "Measure a training job: epoch time, or a verdict between builds",
      "Examples:\n"
      "  seqpoint run -- python3 train.py --config chat.yaml\n"
      "  seqpoint run --max-regression 3% old='bash old.sh' new='bash new.sh'\n"
      "  seqpoint run --resume seqpoint-run --precision 1%\n"
      "  seqpoint run --record --resume seqpoint-run\n"
      "Any command works whose Python processes keep PYTHONPATH: bash train.sh, torchrun, accelerate launch, make, "
      "srun",
      declare, run);
}

}  // namespace seqpoint::cli::job
