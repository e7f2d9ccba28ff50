#include <filesystem>

#include "cli/commands/command.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/progress.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/report_page.hpp"

namespace seqpoint::cli {
namespace {

struct ReportOptions {
  std::string seqpoints, projection, title;
  std::vector<std::string> traces, statistics;  ///< as typed
  std::string output = "-", vega;
};

/// `NAME=FILE`, or FILE alone, whose name stays empty: a file may have a `=` in its own name.
std::pair<std::string, std::string> parse_trace(const std::string& text) {
  std::error_code none;
  if (text.find('=') == std::string::npos || std::filesystem::exists(text, none)) return {"", text};
  return split_assignment(text, "--trace", "[NAME=]FILE");
}

/// A trace without a name is of the only configuration, else it goes by its file.
std::string name_of_trace(const std::string& path, const Projection* projection) {
  if (projection != nullptr && projection->configurations.size() == 1) return projection->configurations.front().name;
  return path == "-" ? "trace" : std::filesystem::path(path).stem().string();
}

std::vector<NamedTrace> read_traces(const ReportOptions& o, const Projection* projection, std::vector<InputRecord>& inputs, Console& console) {
  std::vector<NamedTrace> traces;
  for (const std::string& argument : o.traces) {
    auto [name, path] = parse_trace(argument);
    if (name.empty()) name = name_of_trace(path, projection);
    for (const NamedTrace& other : traces)
      if (other.name == name) throw UsageError("two traces are named '" + name + "'", "name them: --trace NAME=FILE");
    TraceFile file = load_measured_trace(path, SignatureKind::padded, console);
    inputs.push_back(file.record);
    traces.push_back({name, std::move(file.trace), path});
  }
  return traces;
}

/// A projection of another run would be shown over the wrong lengths.
void require_same_run(const ProjectionFile& file, const Selection& selection) {
  if (file.projection.onto || !file.iterations || *file.iterations == selection.run.iterations) return;
  throw InputError({file.record.path, 0, "run.iterations"}, "is " + std::to_string(*file.iterations) + ", but the SeqPoints are of a run with " + std::to_string(selection.run.iterations),
                   "give the projection that was made from these SeqPoints");
}

std::optional<ProjectionFile> read_projection_of(const ReportOptions& o, const Selection& selection, Gates& gates, std::vector<InputRecord>& inputs,
                                                 const Console& console) {
  if (o.projection.empty()) return std::nullopt;
  ProjectionFile file = read_projection(open_shown(o.projection, console), gates);
  require_same_run(file, selection);
  inputs.push_back(file.record);
  return file;
}

std::vector<std::string> inputs_of(const ReportOptions& o) {
  std::vector<std::string> paths{o.seqpoints, o.projection};
  for (const std::string& trace : o.traces) paths.push_back(parse_trace(trace).second);
  return paths;
}

struct Drawn {
  std::string html, vega;
};

Exit run_report(const ReportOptions& o, const CLI::App& command, Console& console) {
  const std::vector<std::string> paths = inputs_of(o), outputs{o.output, o.vega};
  if (std::count(paths.begin(), paths.end(), "-") > 1) throw UsageError("standard input (-) can be only one of the inputs");
  if (o.output == o.vega) throw UsageError("two outputs go to " + o.vega, "give each a file of its own");
  refuse_to_overwrite(paths, outputs);
  Output page(o.output);
  const std::unique_ptr<Output> vega = o.vega.empty() ? nullptr : std::make_unique<Output>(o.vega);
  const SeqpointsFile file = read_seqpoints(open_shown(o.seqpoints, console));
  std::vector<InputRecord> inputs{file.record};
  Gates gates;
  const std::optional<ProjectionFile> projected = read_projection_of(o, file.selection, gates, inputs, console);
  const Projection* const projection = projected ? &projected->projection : nullptr;
  const std::vector<NamedTrace> traces = read_traces(o, projection, inputs, console);
  const std::string title = o.title.empty() ? o.seqpoints : o.title;
  const Drawn drawn = during(console, "drawing", [&] {
    const Report report = make_report({title, &file.selection.run, &file.selection, projection, nullptr, traces, o.statistics, &gates});
    return Drawn{report_html(report, {options_in_force(command), inputs}), vega ? report_vega(report) : ""};
  });
  page.write(drawn.html);
  if (vega) vega->write(drawn.vega);
  page.commit();
  if (vega) vega->commit();
  return kDone;
}

}  // namespace

void add_report(CLI::App& command, Action& chosen) {
  auto o = std::make_shared<ReportOptions>();
  command.add_option("seqpoints", o->seqpoints, "What `seqpoint select` wrote; - is standard input")->required()->type_name("SEQPOINTS");
  command.add_option("projection", o->projection, "What `seqpoint project` wrote of them as JSON; - is standard input")->type_name("PROJECTION");
  command.add_option("--trace", o->traces, "the iterations of the run, measured on the configuration of that name or not at all (then FILE alone will do); repeatable")
      ->type_name("NAME=FILE")->allow_extra_args(false);
  command.add_option("--stat", o->statistics, "show this statistic against length; repeatable [the first few]")->type_name("COLUMN")->allow_extra_args(false);
  add_text(command, "--title", o->title, "of the page [the name of the SeqPoints file]", "TEXT");
  command.add_option("-o,--output,--export-html", o->output, "write the page there, whole or not at all; - is standard output")
      ->type_name("FILE")->group(kOutputGroup);
  command.add_option("--export-vega", o->vega, "write the charts' figures as a Vega-Lite specification")->type_name("FILE")->group(kOutputGroup);
  command.footer("Examples:\n"
                 "  seqpoint report points.json projection.json -o page.html\n"
                 "  seqpoint report points.json projection.json --trace v1=run.csv -o page.html");
  command.callback([o, &command, &chosen] {
    chosen = [o, &command](Console& console) { return run_report(*o, command, console); };
  });
}

}  // namespace seqpoint::cli
