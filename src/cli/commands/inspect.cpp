#include <algorithm>

#include "cli/commands/command.hpp"
#include "cli/commands/report_findings.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/profile_options.hpp"
#include "cli/progress.hpp"
#include "io/profiles/profile_formats.hpp"

namespace seqpoint::cli::commands {
namespace {

struct InspectRequest {
  std::vector<std::string> profiles;
  ProfileReading reading;
  ExportPaths exports;
};

void declare(CLI::App& app, InspectRequest& o) {
  OptionGroup(app)
      .list("profiles", o.profiles, "PROFILE",
            "Profiles in any format that `seqpoint list formats` lists; one of them may be -")
      ->required();
  add_profile_options(app, o.reading);
  add_output(app, o.exports, kTableFormats);
}

void require_valid(const InspectRequest& o) {
  std::vector<std::string> files = o.profiles;
  files.push_back(o.reading.map);
  refuse_several_standard_inputs(files);
  require_valid(o.exports, files);
}

std::vector<io::manifests::InputRecord> records_of(const std::vector<io::profiles::StepProfileFile>& files) {
  std::vector<io::manifests::InputRecord> records;
  for (const io::profiles::StepProfileFile& file : files) records.push_back(file.record);
  return records;
}

/// The result. JSON is made only if an export requests it; the tables read `files` when they are written, so `files`
/// must outlive them. Reason: for a long table of measurements every form is many times as large as the file.
ResultForms list(const std::vector<io::profiles::StepProfileFile>& files, const io::artifacts::Provenance& provenance,
                 const ExportPaths& exports) {
  const auto steps = [&files](const io::profiles::StepVisitor& visit) { io::profiles::for_each_step(files, visit); };
  ResultForms forms{.json = {}, .rows = io::views::inspection_rows(steps), .table = io::views::inspection_table(steps)};
  if (exports.has(ExportFormat::json)) forms.json = io::profiles::inspection_json(files, provenance);
  return forms;
}

/// Marks the first `count` steps, and the first `count` rows of a table, as warm-up.
void mark_warmup(io::profiles::StepProfileFile& file, std::uint64_t count) {
  profile::mark_warmup(file.profile, count);
  if (!file.table) return;
  auto& rows = file.table->rows;
  for (std::size_t r = 0; r < std::min<std::size_t>(count, rows.size()); ++r) rows[r].warmup = true;
}

Exit run(InspectRequest request, const CLI::App& app, Console& console) {
  require_valid(request);
  Exports exports(request.exports);
  read_map(request.reading, console);
  std::vector<io::profiles::StepProfileFile> files = read_profiles(request.profiles, request.reading, console);
  for (io::profiles::StepProfileFile& file : files) {
    warn_of(file.profile.findings, console);
    if (file.profile.steps.empty() && !file.table)
      console.warn(file.profile.source + ": contains no step", "profile at least one batch; --match names ranges");
    mark_warmup(file, request.reading.warmup);
  }
  const io::artifacts::Provenance provenance{.options = options_in_force(app), .inputs = records_of(files)};
  exports.write(during(console, "listing", [&] { return list(files, provenance, request.exports); }), console);
  return kDone;
}

}  // namespace

Command add_inspect(CLI::App& program) {
  return add_command<InspectRequest>(
      program, "inspect", "Steps, times and kernels in a profile",
      "Examples:\n"
      "  seqpoint inspect worker0.pt.trace.json.gz\n"
      "  seqpoint inspect run.sqlite --match 'SL(?<seqlen>[0-9]+)' --json\n"
      "Times are of four kinds: host (the step on the CPU), gpu busy (the union of its device operations), gpu sum "
      "and gpu span (first start to last end). --skip N leaves out the first N steps.",
      declare, run);
}

}  // namespace seqpoint::cli::commands
