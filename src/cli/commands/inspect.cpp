#include "cli/commands/command.hpp"
#include "cli/commands/report_findings.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/profile_options.hpp"
#include "cli/progress.hpp"

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
  add_artefact(app, o.exports, kTableFormats);
}

void require_valid(const InspectRequest& o) {
  std::vector<std::string> files = o.profiles;
  files.push_back(o.reading.map);
  require_one_standard_input(files);
  require_valid(o.exports, files);
}

std::vector<io::manifests::InputRecord> records_of(const std::vector<io::profiles::StepProfileFile>& files) {
  std::vector<io::manifests::InputRecord> records;
  for (const io::profiles::StepProfileFile& file : files) records.push_back(file.record);
  return records;
}

/// Makes only the requested forms: for a long table of measurements every form is many times as large as the file.
ResultForms list(std::vector<io::profiles::StepProfileFile> files, const io::artifacts::Provenance& provenance,
                 const ExportPaths& exports, bool table_on_stdout) {
  ResultForms forms;
  if (exports.has(ExportFormat::json)) forms.json = io::profiles::inspection_json(files, provenance);
  std::vector<profile::StepProfile> profiles;
  for (io::profiles::StepProfileFile& file : files) profiles.push_back(std::move(file.profile));
  files.clear();
  if (exports.has(ExportFormat::csv)) forms.rows = io::views::inspection_rows(profiles);
  if (table_on_stdout || exports.has(ExportFormat::markdown)) forms.table = io::views::inspection_table(profiles);
  return forms;
}

Exit run(InspectRequest request, const CLI::App& app, Console& console) {
  require_valid(request);
  Exports exports(request.exports);
  read_map(request.reading, console);
  std::vector<io::profiles::StepProfileFile> files = read_profiles(request.profiles, request.reading, console);
  for (io::profiles::StepProfileFile& file : files) {
    warn_of(file.log.findings, console);
    if (file.table) io::profiles::show_rows_as_steps(file);
    if (file.profile.steps.empty())
      console.warn(file.profile.source + ": contains no step", "profile at least one iteration; --match names ranges");
    profile::mark_warmup(file.profile, request.reading.warmup);
  }
  const io::artifacts::Provenance provenance{.options = options_in_force(app), .inputs = records_of(files)};
  exports.write(during(console, "listing",
                       [&] { return list(std::move(files), provenance, request.exports, exports.table_on_stdout()); }),
                console);
  return kDone;
}

}  // namespace

Command add_inspect(CLI::App& program) {
  return add_command<InspectRequest>(
      program, "inspect", "Steps, times and kernels in a profile",
      "Examples:\n"
      "  seqpoint inspect worker0.pt.trace.json.gz\n"
      "  seqpoint inspect run.sqlite --match 'SL(?<seqlen>[0-9]+)' --json\n"
      "Times are of four kinds: host (the step on the CPU), gpu busy (the union of its device operations), gpu sum\n"
      "and gpu span (first start to last end). --skip N marks the first N steps.",
      declare, run);
}

}  // namespace seqpoint::cli::commands
