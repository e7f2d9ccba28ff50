#include "cli/commands/command.hpp"
#include "cli/options/profile_options.hpp"
#include "cli/progress.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli {
namespace {

struct InspectOptions {
  std::vector<std::string> profiles;
  ProfileOptions reading;
  ExportPaths exports;
};

std::vector<InputRecord> records_of(const std::vector<StepProfileFile>& files) {
  std::vector<InputRecord> records;
  for (const StepProfileFile& file : files) records.push_back(file.record);
  return records;
}

/// Only what is asked for: of a long table of measurements every form is many times as large as the file.
Findings list(std::vector<StepProfileFile> files, const Provenance& provenance, const ExportPaths& exports, bool table_on_stdout) {
  Findings findings;
  if (exports.any_json()) findings.json = inspection_json(files, provenance);
  std::vector<StepProfile> profiles;
  for (StepProfileFile& file : files) profiles.push_back(std::move(file.profile));
  files.clear();
  if (!exports.csv.empty()) findings.rows = inspection_rows(profiles);
  if (table_on_stdout || !exports.markdown.empty()) findings.table = inspection_table(profiles);
  return findings;
}

Exit run_inspect(const InspectOptions& o, const CLI::App& command, Console& console) {
  if (std::count(o.profiles.begin(), o.profiles.end(), "-") + (o.reading.map == "-" ? 1 : 0) > 1)
    throw UsageError("standard input (-) can be only one of the inputs");
  const NameRules rules = name_rules(o.reading, console);
  std::vector<std::string> files = o.profiles;
  if (rules.map) files.push_back(o.reading.map);
  refuse_to_overwrite(files, o.exports.files());
  Exports exports(o.exports);
  std::vector<StepProfileFile> read = read_profiles(o.profiles, o.reading, rules, console);
  for (StepProfileFile& file : read) mark_warmup(file.profile, o.reading.warmup);
  const Provenance provenance{options_in_force(command), records_of(read)};
  exports.write(during(console, "listing", [&] { return list(std::move(read), provenance, o.exports, exports.table_on_stdout()); }), console);
  return kDone;
}

}  // namespace

void add_inspect(CLI::App& command, Action& chosen) {
  auto o = std::make_shared<InspectOptions>();
  command
      .add_option("profiles", o->profiles, "Profiles in any format that `seqpoint formats` lists; one of them may be -")
      ->required()
      ->type_name("PROFILE");
  add_profile_options(command, o->reading);
  add_exports(command, o->exports);
  command.footer(
      "Examples:\n"
      "  seqpoint inspect worker0.pt.trace.json.gz\n"
      "  seqpoint inspect run.sqlite --match 'SL(?<seqlen>[0-9]+)' --json\n"
      "Times are of four kinds: host (the step on the CPU), gpu busy (the union of its device operations), gpu sum\n"
      "and gpu span (first start to last end). --warmup N marks the first N steps.");
  command.callback([o, &command, &chosen] {
    chosen = [o, &command](Console& console) { return run_inspect(*o, command, console); };
  });
}

}  // namespace seqpoint::cli
