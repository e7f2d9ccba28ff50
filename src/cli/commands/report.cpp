#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "cli/commands/command.hpp"
#include "cli/commands/tell_findings.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/progress.hpp"
#include "io/views/report_page.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

struct ReportRequest {
  std::string seqpoints, projection;  ///< files; the second may be empty, as may all that follows
  std::string title;
  std::vector<std::pair<std::string, std::string>> traces;  ///< names and files; a name may be empty
  std::vector<std::string> statistics;
  std::string output = "-";
  OptionsInForce options;
};

struct ReportOptions {
  ReportRequest request;
  std::vector<std::string> traces;
};

OptionRows rows_of(ReportOptions& o) {
  ReportRequest& request = o.request;
  return {required({"seqpoints", text_to(request.seqpoints, "SEQPOINTS"),
                    "What `seqpoint select` wrote; - is standard input"}),
          {"projection", text_to(request.projection, "PROJECTION"),
           "What `seqpoint project` wrote of them as JSON; - is standard input"},
          {"--trace", list_to(o.traces, "NAME=FILE"),
           "a trace of the run, measured on the configuration NAME (of a trace that was not measured FILE alone will "
           "do); repeatable"},
          {"--stat", list_to(request.statistics, "COLUMN"),
           "show this statistic against length; repeatable [the first few]"},
          {"--title", text_to(request.title, "TEXT"), "title of the page [the name of the SeqPoints file]"},
          {"-o,--output,--export-html", path_to(request.output),
           "write the page there, whole or not at all; - is standard output", kOutputGroup}};
}

/// `NAME=FILE`, or FILE alone, whose name stays empty: a file may have a `=` in its own name.
std::pair<std::string, std::string> parse_trace(const std::string& text) {
  std::error_code none;
  if (text.find('=') == std::string::npos || std::filesystem::exists(text, none)) return {"", text};
  return split_assignment(text, "--trace", "[NAME=]FILE");
}

void take_name(std::set<std::string>& taken, const std::string& name) {
  if (!taken.insert(name).second)
    throw UsageError(fmt::format("two traces are named '{}'", name), "name them: --trace NAME=FILE");
}

ReportRequest request_of(ReportOptions o, const GivenOptions& given) {
  ReportRequest request = std::move(o.request);
  request.options = options_in_force(given);
  if (request.title.empty()) request.title = request.seqpoints;
  std::vector<std::string> paths{request.seqpoints, request.projection};
  std::set<std::string> names;
  for (const std::string& text : o.traces) {
    const auto& [name, path] = request.traces.emplace_back(parse_trace(text));
    if (!name.empty()) take_name(names, name);
    paths.push_back(path);
  }
  require_one_standard_input(paths);
  refuse_to_overwrite(paths, std::vector{request.output});
  return request;
}

/// A trace without a name is of the only configuration, else it goes by its file.
std::string name_of_trace(const std::string& path, const project::Projection* projection) {
  if (projection != nullptr && projection->configurations.size() == 1) return projection->configurations.front().name;
  return path == "-" ? "trace" : std::filesystem::path(path).stem().string();
}

std::vector<evaluate::NamedTrace> read_traces(const ReportRequest& request, const project::Projection* projection,
                                              trace::BatchLayout layout,
                                              std::vector<io::manifests::InputRecord>& inputs, Console& console) {
  std::vector<evaluate::NamedTrace> traces;
  std::set<std::string> names;
  for (const auto& [given, path] : request.traces) {
    const std::string name = given.empty() ? name_of_trace(path, projection) : given;
    take_name(names, name);
    io::artifacts::TraceFile file = load_measured_trace(path, layout, console);
    inputs.push_back(file.record);
    traces.push_back({name, std::move(file.trace), path});
  }
  return traces;
}

/// A projection of another run would be shown over the wrong lengths.
void require_same_run(const io::artifacts::ProjectionFile& file, const select::Selection& selection) {
  if (file.projection.target_run || !file.iterations || *file.iterations == selection.run.iterations) return;
  throw InputError(
      {file.record.path, 0, "run.iterations"},
      fmt::format("is {}, but the SeqPoints are of a run with {}", *file.iterations, selection.run.iterations),
      "give the projection that was made from these SeqPoints");
}

std::optional<io::artifacts::ProjectionFile> read_projection_of(const ReportRequest& request,
                                                                const select::Selection& selection,
                                                                project::Gates& gates,
                                                                std::vector<io::manifests::InputRecord>& inputs,
                                                                Console& console) {
  if (request.projection.empty()) return std::nullopt;
  io::artifacts::ProjectionFile file = io::artifacts::read_projection(open_shown(request.projection, console), gates);
  for (const std::string& note : file.notes) console.note(note);
  require_same_run(file, selection);
  io::artifacts::require_same_selection(file, selection);
  if (file.selection.empty())
    console.note(
        fmt::format("{} does not say of which selection it is: only the runs' sizes were compared", file.record.path));
  inputs.push_back(file.record);
  return file;
}

/// To the traces; empty where none was.
std::vector<std::string> names_given(const ReportRequest& request) {
  std::vector<std::string> names;
  for (const auto& [name, path] : request.traces) names.push_back(name);
  return names;
}

Exit run(ReportRequest request, Console& console) {
  io::stream::Output page(request.output);
  const io::artifacts::SeqpointsFile file = io::artifacts::read_seqpoints(open_shown(request.seqpoints, console));
  for (const std::string& note : file.notes) console.note(note);
  tell_first_run(file.selection, console);
  std::vector<io::manifests::InputRecord> inputs{file.record};
  project::Gates gates;
  const std::optional<io::artifacts::ProjectionFile> projected =
      read_projection_of(request, file.selection, gates, inputs, console);
  const project::Projection* const projection = projected ? &projected->projection : nullptr;
  const std::vector<evaluate::NamedTrace> traces =
      read_traces(request, projection, trace::properties_of(file.selection.run.kind).layout, inputs, console);
  if (projection != nullptr) tell_findings(traces, names_given(request), *projection, console);
  page.write(during(console, "drawing", [&] {
    const report::Report report = report::make_report({.title = request.title,
                                                       .run = &file.selection.run,
                                                       .selection = &file.selection,
                                                       .projection = projection,
                                                       .traces = traces,
                                                       .statistics = request.statistics,
                                                       .gates = &gates});
    return io::views::report_html(report, {.options = request.options, .inputs = inputs});
  }));
  page.commit();
  return kDone;
}

}  // namespace

CommandSpec report_command() {
  return command_of<ReportOptions, ReportRequest>(
      "report", "One self-contained page to look at",
      "Examples:\n"
      "  seqpoint report points.json projection.json -o page.html\n"
      "  seqpoint report points.json projection.json --trace v1=run.csv -o page.html",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
