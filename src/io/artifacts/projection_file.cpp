#include "io/artifacts/projection_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "io/artifacts/json.hpp"
#include "io/artifacts/schemas.hpp"
#include "io/artifacts/selection_digest.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// Relies on the schema; throws InputError for errors that the schema cannot express.
class ProjectionReader {
 public:
  explicit ProjectionReader(const JsonReader& reader) : reader_(reader) {}

  project::Projection read() const {
    const Json& root = reader_.root();
    project::Projection projection;
    projection.baseline = root["baseline"];
    projection.confidence = root["confidence"];
    for (const Json& configuration : root["configurations"])
      projection.configurations.push_back(read_configuration(
          configuration, "configurations[" + std::to_string(projection.configurations.size()) + "]."));
    if (root.contains("overheads")) projection.overheads = read_overheads(root["overheads"]);
    if (root.contains("onto")) projection.target_run = read_target_run(root["onto"]);
    projection.time_source = root.value("time_source", "");
    return projection;
  }

 private:
  static project::Overheads read_overheads(const Json& json) { return {json["per_epoch_s"], json["seconds"]}; }

  project::ConfigurationProjection read_configuration(const Json& json, const std::string& path) const {
    project::ConfigurationProjection configuration;
    configuration.name = json["name"];
    configuration.measured_weight = json["measured_weight"];
    for (const auto& [name, metric] : json["metrics"].items())
      configuration.metrics.push_back(
          read_metric(name, metric, path + "metrics." + name + ".", configuration.measured_weight));
    configuration.missing_points = json.value("missing_points", std::vector<std::string>());
    configuration.processes_agree = given<bool>(json, "processes_agree");
    for (const auto& [name, rows] : part(json, "measured").items())
      configuration.measured.push_back({name, read_measured(rows)});
    return configuration;
  }

  /// The other run, of which only the number of iterations is read.
  static project::TargetRun read_target_run(const Json& json) {
    project::TargetRun onto{"", json["digest"], {}, json["extrapolated_share"], json["farthest"]};
    onto.run.iterations = json["iterations"];
    return onto;
  }

  /// The measurements of a metric by point. Leaves out points with infinite figures, which are null in JSON.
  static std::vector<project::PointMeasurement> read_measured(const Json& rows) {
    std::vector<project::PointMeasurement> points;
    for (const Json& row : rows)
      if (!row[2].is_null() && !row[3].is_null() && !row[4].is_null())
        points.push_back({row[0], row[1], row[2], row[3], row[4]});
    return points;
  }

  /// `measured_weight`: of the configuration, for a metric that does not state its own.
  project::MetricProjection read_metric(const std::string& name, const Json& json, const std::string& path,
                                        double measured_weight) const {
    project::MetricProjection metric;
    metric.name = name;
    metric.kind = *value_of(project::kMetricKinds, json["kind"].get<std::string>());
    metric.measured_weight = given<double>(json, "measured_weight").value_or(measured_weight);
    read_figure(json, path, metric);
    return metric;
  }

  /// Sets value (NaN if null), interval with its one-sided bounds, or the reason why there is none. Throws InputError
  /// for a value outside its interval.
  void read_figure(const Json& json, const std::string& path, project::MetricProjection& figure) const {
    figure.value = given<double>(json, "value").value_or(kNotFinite);
    const auto low = given<double>(json, "low"), high = given<double>(json, "high");
    figure.interval.reason = json.value("interval_note", "");
    if (!low || !high) return;
    if (!(*low <= figure.value && figure.value <= *high))
      reader_.fail(path + "value", "does not lie between low and high");
    figure.interval = project::Interval{*low, *high};
    const auto least = given<double>(json, "at_least"), most = given<double>(json, "at_most");
    if (least && most) figure.interval.bounds = {*least, *most};
  }

  static constexpr double kNotFinite = std::numeric_limits<double>::quiet_NaN();

  const JsonReader& reader_;
};

using project::ConfigurationProjection;

/// Properties of every valid projection, from any program: no configuration or point is listed twice, the baseline is
/// a configuration, every point has measurements, and its mean is between the least and the most. Edited figures are
/// detected by the digest.
class ProjectionCheck {
 public:
  ProjectionCheck(const project::Projection& projection, const JsonReader& reader)
      : projection_(projection), reader_(reader) {}

  void run() const {
    std::set<std::string> names;
    for (std::size_t c = 0; c < projection_.configurations.size(); ++c)
      if (!names.insert(projection_.configurations[c].name).second)
        reader_.fail("configurations[" + std::to_string(c) + "].name", "is there twice");
    if (!names.empty() && !names.contains(projection_.baseline))
      reader_.fail("baseline", "is the name of no configuration");
    for (std::size_t c = 0; c < projection_.configurations.size(); ++c)
      check(projection_.configurations[c], "configurations[" + std::to_string(c) + "].");
  }

 private:
  void check(const ConfigurationProjection& configuration, const std::string& path) const {
    for (const project::MeasuredMetric& measured : configuration.measured)
      check(measured, path + "measured." + measured.name);
  }

  void check(const project::MeasuredMetric& measured, const std::string& path) const {
    std::set<std::string> ids;
    for (const project::PointMeasurement& point : measured.points) {
      if (!ids.insert(point.id).second) reader_.fail(path, "has point '" + point.id + "' twice");
      if (point.repeats == 0) reader_.fail(path, "has point '" + point.id + "' measured never");
      if (!(point.least <= point.value && point.value <= point.most))
        reader_.fail(path, "of point '" + point.id + "' has its mean outside the least and the most");
    }
  }

  const project::Projection& projection_;
  const JsonReader& reader_;
};

constexpr auto kOfOneRun = "compare projections of one run: project both from the same SeqPoints, onto the same run";

/// Throws InputError at `field` if the file's value differs from ours. An empty `theirs` is allowed: the file has no
/// value.
void require_same(const ProjectionFile& file, const char* field, const std::string& theirs, const std::string& ours,
                  const char* hint) {
  if (!theirs.empty() && theirs != ours)
    throw InputError({file.record.path, 0, field}, "is " + theirs + ", but here it is " + ours, hint);
}

/// Whether a projection has seconds of iterations.
bool has_times(const project::Projection& projection) {
  return std::ranges::any_of(projection.configurations,
                             [](const auto& c) { return project::find_metric(c, "runtime_s") != nullptr; });
}

}  // namespace

ProjectionFile read_projection(stream::Input input) {
  const std::string text = input.read_text();
  if (text.empty()) throw InputError({input.name()}, "is empty", "give the file that `seqpoint project` wrote");
  const JsonReader reader(input.name(), text, "project");
  require_schema(reader, "projection");
  ProjectionFile file;
  check_content(reader, file.notes);
  file.projection = ProjectionReader(reader).read();
  if (const std::string maker = own_maker(reader); !reader.root().contains("selection") && !maker.empty())
    reader.fail("selection", "is missing, but " + maker + " wrote it");
  file.selection = reader.root().value("selection", "");
  const Json& run = part(reader.root(), "run");
  file.iterations = given<std::uint64_t>(run, "iterations");
  file.samples = given<std::uint64_t>(run, "samples");
  file.epochs = given<std::uint64_t>(run, "epochs");
  file.run = given<std::string>(run, "digest").value_or("");
  ProjectionCheck(file.projection, reader).run();
  file.record = manifests::record_of(input, "projection", file.projection.configurations.size());
  return file;
}

std::string require_same_run(const ProjectionFile& file, const select::Selection& selection,
                             const trace::RunSummary& run) {
  const auto require = [&](const char* field, const std::optional<std::uint64_t>& theirs, std::uint64_t ours) {
    if (theirs) require_same(file, field, std::to_string(*theirs), std::to_string(ours), kOfOneRun);
  };
  require("run.epochs", file.epochs, run.epochs);
  require("run.iterations", file.iterations, run.iterations);
  require("run.samples", file.samples, run.samples);
  require_same(file, "run.digest", file.run, run_digest(run), kOfOneRun);
  const std::string& path = file.record.path;
  if (file.run.empty() && (file.selection.empty() || file.projection.target_run || &run != &selection.run))
    return path + " does not say of which run it is: only the sizes of the two were compared";
  if (file.selection == selection.digest || file.selection.empty()) return "";
  if (file.run.empty() && !same_run(file.selection, selection.digest))
    require_same(file, "selection", file.selection, selection.digest, kOfOneRun);
  return path + " is of other points of the same run: the totals are compared, each with its own interval";
}

std::string require_comparable(const ProjectionFile& file, const select::Selection& selection,
                               const trace::RunSummary& run, const project::Projection& projection) {
  std::string compared = require_same_run(file, selection, run);
  const auto seconds = [](const project::Projection& p) { return p.overheads ? p.overheads->seconds : 0.0; };
  const double theirs = seconds(file.projection), ours = seconds(projection);
  if (std::abs(theirs - ours) > 1e-9 * ours)
    require_same(file, "overheads.seconds", text::shortest(text::round12(theirs)), text::shortest(text::round12(ours)),
                 "give the same --epoch-overhead");
  // A table's seconds are the host's.
  const auto source = [](const project::Projection& p) { return p.time_source.empty() ? "host" : p.time_source; };
  if (has_times(file.projection) && has_times(projection))
    require_same(file, "time_source", source(file.projection), source(projection),
                 "project both with the same --time-source");
  return compared;
}

}  // namespace seqpoint::io::artifacts
