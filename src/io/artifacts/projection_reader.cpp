// A projection that an earlier run wrote.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/artifacts/json.hpp"
#include "io/artifacts/projection_check.hpp"
#include "io/artifacts/selection_digest.hpp"
#include "io/text/shortest_number.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/views/report_page.hpp"

namespace seqpoint::io::artifacts {
namespace {

class ProjectionReader {
 public:
  explicit ProjectionReader(const JsonReader& reader) : reader_(reader) {}

  project::Projection read() const {
    project::Projection projection;
    projection.baseline = reader_.text(reader_.root(), "baseline", "");
    projection.confidence = reader_.number(reader_.root(), "confidence", "");
    const Json& configurations = reader_.array(reader_.root(), "configurations", "");
    for (std::size_t c = 0; c < configurations.size(); ++c)
      projection.configurations.push_back(
          read_configuration(configurations[c], "configurations[" + std::to_string(c) + "]."));
    projection.overheads = read_overheads();
    if (reader_.root().contains("onto"))
      projection.target_run = read_target_run(reader_.object(reader_.root(), "onto", ""));
    const auto time = reader_.root().find("time_source");
    if (time != reader_.root().end() && time->is_string()) projection.time_source = time->get<std::string>();
    if (reader_.root().contains("breakdown"))
      projection.breakdown = read_breakdown(reader_.object(reader_.root(), "breakdown", ""));
    return projection;
  }

 private:
  std::optional<project::Overheads> read_overheads() const {
    if (!reader_.root().contains("overheads")) return std::nullopt;
    const Json& json = reader_.object(reader_.root(), "overheads", "");
    return project::Overheads{
        reader_.number(json, "per_epoch_s", "overheads."), reader_.number(json, "first_seen_s", "overheads."),
        reader_.integer(json, "signatures", "overheads."), reader_.number(json, "seconds", "overheads.")};
  }

  project::ConfigurationProjection read_configuration(const Json& json, const std::string& path) const {
    if (!json.is_object()) reader_.fail(path, "is not an object");
    project::ConfigurationProjection configuration;
    configuration.name = reader_.text(json, "name", path);
    configuration.coverage = reader_.number(json, "coverage", path);
    configuration.rows = reader_.optional_integer(json, "profile_rows", path).value_or(0);
    configuration.matched_rows = reader_.optional_integer(json, "matched_rows", path).value_or(0);
    if (json.contains("partial")) configuration.partial = reader_.text(json, "partial", path);
    if (json.contains("executed"))
      configuration.executed = read_executed(reader_.object(json, "executed", path), path + "executed.");
    if (json.contains("first_seen"))
      for (const auto& [name, cost] : reader_.object(json, "first_seen", path).items())
        configuration.first_seen.push_back(read_first_seen(name, cost, path + "first_seen." + name + "."));
    for (const auto& [name, metric] : reader_.object(json, "metrics", path).items())
      configuration.metrics.push_back(
          read_metric(name, metric, path + "metrics." + name + ".", configuration.coverage));
    for (const auto& [name, speedup] : reader_.object(json, "speedup", path).items())
      configuration.speedups.push_back(read_speedup(name, speedup, path + "speedup." + name + "."));
    const auto throughput = json.find("throughput");
    if (throughput != json.end() && throughput->is_object())
      configuration.throughput = read_throughput(*throughput, path + "throughput.");
    if (json.contains("missing_points"))
      for (const Json& id : reader_.array(json, "missing_points", path))
        configuration.missing_points.push_back(text_value(id, path + "missing_points"));
    if (json.contains("measured"))
      for (const auto& [name, rows] : reader_.object(json, "measured", path).items())
        configuration.measured.push_back({name, read_measured(rows, path + "measured." + name)});
    return configuration;
  }

  project::Executed read_executed(const Json& json, const std::string& path) const {
    return {.executions = reader_.integer(json, "executions", path),
            .warmup = reader_.integer(json, "warmup", path),
            .first = reader_.integer(json, "first", path),
            .padded_tokens = reader_.optional_integer(json, "padded_tokens", path),
            .fewer = reader_.number(json, "fewer", path),
            .fewer_tokens = optional_number(json, "fewer_tokens", path)};
  }

  project::FirstSeenCost read_first_seen(const std::string& name, const Json& json, const std::string& path) const {
    if (!json.is_object()) reader_.fail(path, "is not an object");
    return {.metric = name,
            .seconds_each = reader_.number(json, "each_s", path),
            .deviation_each = reader_.number(json, "deviation_s", path),
            .points = reader_.integer(json, "points", path),
            .seconds = reader_.number(json, "seconds", path),
            .half_width = reader_.number(json, "half_width", path)};
  }

  std::string text_value(const Json& value, const std::string& path) const {
    if (!value.is_string()) reader_.fail(path, "is not a string");
    return value.get<std::string>();
  }

  /// Of the other run, no more than how many iterations it has.
  project::TargetRun read_target_run(const Json& json) const {
    project::TargetRun onto{"",
                            reader_.text(json, "digest", "onto."),
                            {},
                            reader_.number(json, "extrapolated_share", "onto."),
                            reader_.number(json, "farthest", "onto.")};
    onto.run.iterations = reader_.integer(json, "iterations", "onto.");
    return onto;
  }

  std::vector<project::PointMeasurement> read_measured(const Json& rows, const std::string& path) const {
    if (!rows.is_array()) reader_.fail(path, "is not an array");
    std::vector<project::PointMeasurement> points;
    for (const Json& row : rows) {
      const auto none = [](const Json& value) { return value.is_null(); };  // beyond all numbers
      if (!row.is_array() || row.size() != 5) reader_.fail(path, "has not a point, a count and three numbers a row");
      if (std::any_of(row.begin() + 2, row.end(), none)) continue;
      if (!row[2].is_number() || !row[3].is_number() || !row[4].is_number())
        reader_.fail(path, "has not a point, a count and three numbers a row");
      points.push_back({text_value(row[0], path), reader_.integer_value(row[1], path), row[2].get<double>(),
                        row[3].get<double>(), row[4].get<double>()});
    }
    return points;
  }

  project::Breakdown read_breakdown(const Json& json) const {
    project::Breakdown breakdown;
    const auto by = value_of(project::kBreakdowns, reader_.text(json, "by", "breakdown."));
    if (!by) reader_.fail("breakdown.by", "is not one of kernel, operator, category");
    breakdown.by = *by;
    breakdown.kernels = reader_.text(json, "time_source", "breakdown.") == "gpu-sum";
    for (const Json& configuration : reader_.array(json, "configurations", "breakdown.")) {
      const std::string path = "breakdown.configurations.";
      project::ConfigurationBreakdown& part = breakdown.configurations.emplace_back();
      part.name = reader_.text(configuration, "name", path);
      part.seconds = reader_.number(configuration, "seconds", path);
      part.coverage = reader_.number(configuration, "coverage", path);
      for (const Json& row : reader_.array(configuration, "rows", path))
        part.rows.push_back({reader_.text(row, "name", path), reader_.number(row, "seconds", path),
                             reader_.number(row, "calls", path), reader_.number(row, "share", path),
                             optional_number(row, "change", path)});
    }
    return breakdown;
  }

  project::MetricProjection read_metric(const std::string& name, const Json& json, const std::string& path,
                                        double coverage) const {
    if (!json.is_object()) reader_.fail(path, "is not an object");
    project::MetricProjection metric;
    metric.name = name;
    metric.kind = kind_of(reader_.text(json, "kind", path), path);
    metric.per_epoch = optional_number(json, "per_epoch", path);
    metric.coverage = optional_number(json, "coverage", path).value_or(coverage);
    read_figure(json, path, metric);
    return metric;
  }

  project::Speedup read_speedup(const std::string& name, const Json& json, const std::string& path) const {
    if (!json.is_object()) reader_.fail(path, "is not an object");
    project::Speedup speedup;
    speedup.metric = name;
    read_figure(json, path, speedup);
    return speedup;
  }

  project::Throughput read_throughput(const Json& json, const std::string& path) const {
    const auto time = json.find("time");
    return {time != json.end() && time->is_string() ? time->get<std::string>() : "",
            reader_.number(json, "samples_per_s", path), optional_number(json, "tokens_per_s", path),
            reader_.number(json, "padded_tokens_per_s", path)};
  }

  /// A value that was not finite is null.
  template <class Figure>
  void read_figure(const Json& json, const std::string& path, Figure& figure) const {
    figure.value = optional_number(json, "value", path).value_or(std::numeric_limits<double>::quiet_NaN());
    const auto low = optional_number(json, "low", path), high = optional_number(json, "high", path);
    figure.interval_note.clear();
    if (low && high) {
      if (!(*low <= figure.value && figure.value <= *high))
        reader_.fail(path + "value", "does not lie between low and high");
      figure.interval = project::Interval{*low, *high};
      return;
    }
    const auto note = json.find("interval_note");
    figure.interval_note = note != json.end() && note->is_string() ? note->get<std::string>() : "none is stated";
  }

  std::optional<double> optional_number(const Json& json, const std::string& key, const std::string& path) const {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return std::nullopt;
    return reader_.number(json, key, path);
  }

  project::MetricKind kind_of(const std::string& name, const std::string& path) const {
    if (const auto kind = value_of(project::kMetricKinds, name)) return *kind;
    reader_.fail(path + "kind", "is \"" + name + "\", not one of total, rate, max");
  }

  const JsonReader& reader_;
};

}  // namespace

ProjectionFile read_projection(stream::Input input, project::Gates& gates) {
  const std::string text = input.read_all();
  if (text.empty()) throw InputError({input.name()}, "is empty", "give the file that `seqpoint project` wrote");
  const JsonReader reader(input.name(), text, "project");
  reader.require_schema("projection");
  ProjectionFile file;
  check_content(reader, file.notes);
  file.projection = ProjectionReader(reader).read();
  gates = read_gates(reader);
  if (reader.root().contains("selection"))
    file.selection = reader.text(reader.root(), "selection", "");
  else if (const std::string maker = own_maker(reader); !maker.empty())
    reader.fail("selection", "is missing, but " + maker + " made the file: was it taken out?");
  const auto run = reader.root().find("run");
  if (run != reader.root().end() && run->is_object()) {
    file.iterations = reader.optional_integer(*run, "iterations", "run.");
    file.samples = reader.optional_integer(*run, "samples", "run.");
    file.epochs = reader.optional_integer(*run, "epochs", "run.");
  }
  require_valid(file.projection, reader);
  file.record = {.path = input.name(),
                 .format = "projection",
                 .fields = "",
                 .unit = "",
                 .digest = input.digest(),
                 .rows = file.projection.configurations.size()};
  return file;
}

ProjectionFile read_projection(stream::Input input) {
  project::Gates unused;
  return read_projection(std::move(input), unused);
}

namespace {

/// Throws InputError where the earlier projection is of another run. Points of the same run project the same total, by
/// whatever points.
std::string compared_runs(const ProjectionFile& file, const select::Selection& selection,
                          const project::Projection& projection) {
  const auto target = [](const project::Projection& p) { return p.target_run ? p.target_run->digest : ""; };
  const std::string onto = target(projection);
  if (onto != target(file.projection))
    return file.record.path + " is not projected onto the same file: of the two runs only the sizes were compared";
  if (file.selection.empty())
    return file.record.path + " does not say of which selection it is: of the two runs only the sizes were compared";
  if (file.selection == selection.digest) return "";
  const bool same = same_run(file.selection, selection.digest);
  if (!same && onto.empty())
    throw InputError({file.record.path, 0, "selection"},
                     "is " + file.selection + ", but that of the points is " + selection.digest +
                         ": it was projected from points of another run",
                     "compare projections of one run: project both from the same SeqPoints");
  return file.record.path + " is of other points" + (same ? " of the same run" : "") +
         ": the totals are compared, each with its own interval";
}

/// Throws InputError where only one of the two has what shapes cost when they are new.
void require_same_first_seen(const ProjectionFile& file, const project::Projection& projection) {
  const auto has = [](const project::ConfigurationProjection& c, const std::string& metric) {
    return std::ranges::find(c.first_seen, metric, &project::FirstSeenCost::metric) != c.first_seen.end();
  };
  for (const project::ConfigurationProjection& then : file.projection.configurations)
    for (const project::ConfigurationProjection& now : projection.configurations)
      for (const project::MetricProjection& metric : then.metrics)
        if (then.name == now.name && has(then, metric.name) != has(now, metric.name))
          throw InputError({file.record.path, 0, "configurations." + then.name + ".first_seen"},
                           has(now, metric.name) ? "is not there, but here first executions were measured"
                                                 : "is there, but here no first execution was measured",
                           "give both the same --first-seen-cost, 0 to leave first executions out; or measure both "
                           "with the companion");
}

}  // namespace

std::string require_comparable(const ProjectionFile& file, const select::Selection& selection,
                               const trace::RunSummary& run, const project::Projection& projection) {
  const auto require = [&](const char* field, const std::optional<std::uint64_t>& theirs, std::uint64_t ours) {
    if (theirs && *theirs != ours)
      throw InputError(
          {file.record.path, 0, field},
          "is " + std::to_string(*theirs) + ", but the SeqPoints are of a run with " + std::to_string(ours),
          "compare projections of one run: project both from the same SeqPoints");
  };
  require("run.epochs", file.epochs, run.epochs);
  require("run.iterations", file.iterations, run.iterations);
  require("run.samples", file.samples, run.samples);
  const auto seconds = [](const project::Projection& p) { return p.overheads ? p.overheads->seconds : 0.0; };
  const double theirs = seconds(file.projection), ours = seconds(projection);
  if (std::abs(theirs - ours) > 1e-9 * ours)
    throw InputError(
        {file.record.path, 0, "overheads.seconds"},
        "is " + text::shortest(text::round12(theirs)) + ", but here it is " + text::shortest(text::round12(ours)),
        "give the same --overhead and --first-seen-cost");
  require_same_first_seen(file, projection);
  return compared_runs(file, selection, projection);
}

}  // namespace seqpoint::io::artifacts
