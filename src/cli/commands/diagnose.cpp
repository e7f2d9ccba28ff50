#include <fmt/core.h>

#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "cli/commands/project.hpp"
#include "cli/commands/tell_findings.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/progress.hpp"
#include "core/findings.hpp"
#include "core/trace/measured_value.hpp"
#include "io/artifacts/studies.hpp"
#include "io/views/diagnosis_text.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

struct DiagnoseRequest {
  ProjectRequest measured;  ///< what is read as `project` reads it
  std::vector<std::string> earlier;
  diagnose::DiagnoseParams params;
  ExportPaths exports;
  OptionsInForce options;
};

struct DiagnoseOptions {
  DiagnoseRequest request;
  std::vector<std::string> profiles, truths;
  std::optional<double> confidence;
};

OptionRows rows_of(DiagnoseOptions& o) {
  DiagnoseRequest& request = o.request;
  return joined(
      {{required({"seqpoints", text_to(request.measured.seqpoints, "SEQPOINTS"),
                  "What `seqpoint select` wrote; - is standard input"}),
        required({"--profile", list_to(o.profiles, "NAME=FILE"),
                  "measurements of a configuration; repeatable: for other configurations, or for more files of one"}),
        {"--stat", list_to(request.params.statistics, "COLUMN"), "examine this time only; repeatable [all]"},
        {"--confidence", share_to(o.confidence), "confidence of the intervals [95%]"},
        {"--robust", flag_to(request.params.robust), "the median of a point's repeats instead of their mean"},
        {"--truth", list_to(o.truths, "NAME=SECONDS"),
         "what the whole run took on a configuration, to compare intervals with; repeatable"},
        needing({"--earlier", list_to(request.earlier, "PROJECTION"),
                 "with --truth: also the intervals of this projection; repeatable"},
                {{"truth", "say what the run took: --truth NAME=SECONDS"}})},
       profile_rows(request.measured.reading),
       {{"--time-source", word_to(request.measured.time_source, "KIND", profile::kTimeKinds),
         "what runtime_s is in profilers' files: host, gpu-busy, gpu-sum or gpu-span [the first they have]"}},
       export_rows(request.exports)});
}

std::pair<std::string, double> parse_truth(const std::string& text, const Configurations& configurations) {
  const auto [name, seconds] = split_assignment(text, "--truth", "NAME=SECONDS");
  double value = 0;
  const auto [end, error] = std::from_chars(seconds.data(), seconds.data() + seconds.size(), value);
  if (error != std::errc{} || end != seconds.data() + seconds.size() || !(value > 0))
    throw UsageError(fmt::format("--truth {}: '{}' is no time above zero", name, seconds),
                     "in seconds, of all epochs together: --truth v1=412.5");
  if (!trace::is_measurable(value))
    throw UsageError(fmt::format("--truth {}: {}{}", name, seconds, trace::kNotMeasurable));
  for (const auto& [known, paths] : configurations)
    if (known == name) return {name, value};
  throw UsageError(fmt::format("--truth: there is no configuration '{}'", name),
                   "one of the names given with --profile NAME=FILE");
}

DiagnoseRequest request_of(DiagnoseOptions o, const GivenOptions& given) {
  DiagnoseRequest request = std::move(o.request);
  request.measured.configurations = configurations_of(o.profiles);
  request.params.confidence = confidence_of(o.confidence);
  for (const std::string& truth : o.truths)
    request.params.truths.push_back(parse_truth(truth, request.measured.configurations));
  std::vector<std::string> files{request.measured.seqpoints, request.measured.reading.map};
  for (const auto& [name, paths] : request.measured.configurations)
    files.insert(files.end(), paths.begin(), paths.end());
  files.insert(files.end(), request.earlier.begin(), request.earlier.end());
  require_one_standard_input(files);
  require_valid(request.exports, files);
  request.options = options_in_force(given);
  return request;
}

/// Throws InputError where one is of another run, or its intervals hold more or less often.
std::vector<project::Projection> read_earlier(const DiagnoseRequest& request, ProjectInputs& inputs, Console& console) {
  std::vector<project::Projection> earlier;
  std::map<std::string, std::string> known;  // by what is in them
  for (const std::string& path : request.earlier) {
    io::artifacts::ProjectionFile file = io::artifacts::read_projection(open_shown(path, console));
    if (const auto [same, is_new] = known.try_emplace(file.record.digest, path); !is_new)
      throw InputError({path}, "is the same as " + same->second + ": its intervals would count twice",
                       "give each once");
    for (const std::string& note : file.notes) console.note(note);
    const std::string compared = io::artifacts::require_same_run(file, inputs.selection, inputs.selection.run);
    if (!compared.empty()) console.note(compared);
    if (file.projection.confidence != request.params.confidence)
      throw InputError(
          {path, 0, "confidence"},
          fmt::format("is {}, but that of --confidence is {}", file.projection.confidence, request.params.confidence),
          "give the confidence of the earlier projections");
    inputs.records.push_back(file.record);
    earlier.push_back(std::move(file.projection));
  }
  return earlier;
}

void require_known_times(const diagnose::DiagnoseParams& params, const Measured& measured) {
  for (const std::string& statistic : params.statistics) {
    bool known = false;
    for (const project::NamedMeasurements& c : measured.configurations)
      for (const std::string& metric : c.measurements.metrics) known = known || metric == statistic;
    if (!known || !trace::is_time_metric(statistic))
      throw UsageError(fmt::format("--stat: no profile has a time '{}'", statistic),
                       "a column whose name ends in _s, such as runtime_s");
  }
}

/// That a row strays is said once.
void leave_out_strays(std::vector<Finding>& found, const diagnose::Diagnosis& diagnosis) {
  for (const diagnose::Series& series : diagnosis.series)
    for (const diagnose::FoundFault& fault : series.findings)
      std::erase_if(found, [&](const Finding& finding) {
        return fault.fault == diagnose::Fault::stray_measurement &&
               (finding.is(findings::kStrayRepeat) || finding.is(findings::kStrayPoint)) &&
               finding.subject == series.configuration && finding.place.field == series.metric &&
               finding.place.row() == fault.where;
      });
}

Exit run(DiagnoseRequest request, Console& console) {
  Exports exports(request.exports);
  ProjectInputs inputs = read_inputs(request.measured, console);
  const std::vector<project::Projection> earlier = read_earlier(request, inputs, console);
  Measured measured = measure(inputs, request.measured, console);
  require_known_times(request.params, measured);
  request.params.earlier = earlier;
  diagnose::Diagnosis diagnosis = during(console, "examining", [&] {
    return diagnose::diagnose(inputs.selection, measured_configurations(measured), request.params);
  });
  diagnosis.findings = std::exchange(measured.findings, {});
  leave_out_strays(diagnosis.findings, diagnosis);
  tell(inputs, measured, console);
  tell_first_run(inputs.selection, console);
  exports.write({.json = io::artifacts::diagnosis_json(diagnosis, inputs.selection,
                                                       {.options = request.options, .inputs = inputs.records}),
                 .rows = io::views::diagnosis_rows(diagnosis),
                 .table = io::views::diagnosis_table(diagnosis),
                 .text = io::views::diagnosis_text(diagnosis, request.measured.seqpoints)},
                console);
  return kDone;
}

}  // namespace

CommandSpec diagnose_command() {
  return command_of<DiagnoseOptions, DiagnoseRequest>(
      "diagnose", "Why an interval is as wide as it is, and which measurements do not fit",
      "Examples:\n"
      "  seqpoint diagnose points.json --profile v1=run.csv\n"
      "  seqpoint diagnose points.json --profile v1=monday.csv --profile v1=tuesday.csv   # do the two agree?\n"
      "  seqpoint diagnose points.json --profile v1=run.csv --truth v1=412.5 --earlier last-week.json",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
