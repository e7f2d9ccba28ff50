#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "io/artifacts/selection_digest.hpp"
#include "io/text/shortest_number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::artifacts {
namespace {

constexpr std::uint64_t kMostRepeatsOfAPoint = 1'000'000;

/// Null: not known.
Json percent_json(double share) { return std::isfinite(share) ? rounded_json(100 * share) : Json(nullptr); }

/// The sum is of its parts as they are written, so that who reads those finds the same.
void add_expected(Json& json, const select::ExpectedError& expected) {
  const select::ExpectedError written{text::round12(100 * expected.noise),
                                      text::round12(100 * expected.representation)};
  json["expected_error_pct"] = rounded_json(written.total());
  json["noise_pct"] = percent_json(expected.noise);
  json["representation_pct"] = percent_json(expected.representation);
}

Json numbers_of_points_json(const std::vector<select::NumberOfPointsRecord>& sizes) {
  Json rows = Json::array();
  const bool phases = sizes.back().phase > 0;
  for (const select::NumberOfPointsRecord& size : sizes) {
    Json row = Json::object();
    if (phases) row["phase"] = size.phase;
    row["points"] = size.points;
    add_expected(row, size.expected);
    row["n_eff"] = rounded_json(size.effective_sample_size);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json repeats_json(const select::RepeatsRecord& repeats) {
  Json json{{"measurements", repeats.measurements}};
  if (repeats.sessions) json["sessions"] = *repeats.sessions;
  if (repeats.cost.executions > 0) {
    json["executions"] = repeats.cost.executions;
    json["tokens"] = repeats.cost.tokens;
  }
  if (repeats.cost.seconds) json["seconds"] = rounded_json(*repeats.cost.seconds);
  add_expected(json, repeats.expected);
  return json;
}

Json method_json(const select::Selection& selection) {
  const select::MethodRecord& method = selection.method;
  Json json{{"name", method.name},
            {"points", selection.points.size()},
            {"parameters", parameters_json(method.parameters)},
            {"statistic", method.statistic},
            {"measured", method.statistic_is_measured},
            {"in_sample_error", method.in_sample_error ? rounded_json(*method.in_sample_error) : Json(nullptr)},
            {"n_eff", rounded_json(select::effective_sample_size(selection))}};
  if (method.repeats) json["repeats"] = repeats_json(*method.repeats);
  if (!method.numbers_of_points.empty()) json["sizes"] = numbers_of_points_json(method.numbers_of_points);
  return json;
}

Json point_json(const select::Point& point, const select::Selection& selection) {
  Json json{{"id", point.id}};
  add_key(json, point.key);
  if (!selection.run.phases.empty()) json["phase"] = point.phase;
  json["weight"] = point.weight.iterations();
  // Nine decimals: finer than a weight's millionth of an iteration in any run.
  json["share"] = std::round(point.weight.iterations() / static_cast<double>(selection.run.iterations) * 1e9) / 1e9;
  if (selection.method.repeats) json["repeats"] = point.repeats;
  if (!selection.further.empty()) json["run"] = point.run;
  json["iterations"] = point.iterations;
  if (!point.samples.empty()) json["samples"] = point.samples;
  for (const select::PointKey& alternate : point.alternates) {
    Json key = Json::object();
    add_key(key, alternate);
    json["alternates"].push_back(std::move(key));
  }
  return json;
}

Json further_run_json(const select::FurtherRun& further, const std::vector<select::Point>& points) {
  Json json{
      {"name", further.name}, {"source", further.source}, {"digest", further.digest}, {"run", run_json(further.run)}};
  add_expected(json, further.expected);
  for (std::size_t p = 0; p < points.size(); ++p) json["weights"][points[p].id] = further.weights[p].iterations();
  return json;
}

class SeqpointsReader {
 public:
  explicit SeqpointsReader(const JsonReader& reader) : reader_(reader) {}

  /// Throws InputError also where what was read contradicts itself.
  select::Selection read(std::vector<std::string>& notes) const {
    select::Selection selection;
    selection.run = read_run(reader_.object(reader_.root(), "run", ""), "run.");
    selection.method = read_method(reader_.object(reader_.root(), "method", ""));
    const Json& points = reader_.array(reader_.root(), "points", "");
    for (std::size_t p = 0; p < points.size(); ++p)
      selection.points.push_back(read_point(points[p], selection.run, "points[" + std::to_string(p) + "]."));
    if (reader_.root().contains("further_runs")) read_further_runs(selection);
    select::require_valid(selection, reader_.source());
    if (is_numbered_from_zero()) require_iterations_in_run(selection);
    selection.digest = checked_digest(selection, reader_, notes);
    return selection;
  }

 private:
  /// A trace may number its iterations as it likes.
  bool is_numbered_from_zero() const {
    if (!reader_.root().contains("provenance")) return false;
    const Provenance provenance = read_provenance(reader_);
    return !provenance.inputs.empty() && provenance.inputs.front().format != "trace";
  }

  void require_iterations_in_run(const select::Selection& selection) const {
    for (std::size_t p = 0; p < selection.points.size(); ++p) {
      const std::uint64_t last = std::ranges::max(selection.points[p].iterations);
      if (selection.points[p].run == 0 && last >= selection.run.iterations)
        reader_.fail("points[" + std::to_string(p) + "].iterations",
                     "has " + std::to_string(last) + ", but run.iterations is " +
                         std::to_string(selection.run.iterations) + ", counted from 0");
    }
  }

  /// Its name, and the table of sizes where it has one.
  select::RepeatsRecord read_repeats(const Json& json) const {
    select::RepeatsRecord repeats{.measurements = reader_.integer(json, "measurements", "method.repeats.")};
    repeats.sessions = reader_.optional_integer(json, "sessions", "method.repeats.", select::kMostSessions);
    repeats.cost.executions = reader_.optional_integer(json, "executions", "method.repeats.").value_or(0);
    repeats.cost.tokens = reader_.optional_integer(json, "tokens", "method.repeats.").value_or(0);
    if (repeats.cost.executions > 0 && json.contains("seconds"))  // in version 1.0 that of measurements alone
      repeats.cost.seconds = reader_.number(json, "seconds", "method.repeats.");
    repeats.expected = read_expected(json, "method.repeats.");
    return repeats;
  }

  select::ExpectedError read_expected(const Json& json, const std::string& path) const {
    const bool known = json.contains("noise_pct") && !json["noise_pct"].is_null();
    const select::ExpectedError expected{
        known ? reader_.number(json, "noise_pct", path) / 100 : std::numeric_limits<double>::infinity(),
        reader_.number(json, "representation_pct", path) / 100};
    if (expected.noise < 0) reader_.fail(path + "noise_pct", "is negative");
    if (expected.representation < 0) reader_.fail(path + "representation_pct", "is negative");
    return expected;
  }

  select::MethodRecord read_method(const Json& json) const {
    select::MethodRecord method;
    method.name = reader_.text(json, "name", "method.");
    if (json.contains("repeats")) method.repeats = read_repeats(reader_.object(json, "repeats", "method."));
    if (!json.contains("sizes")) return method;
    for (const Json& size : reader_.array(json, "sizes", "method.")) {
      method.numbers_of_points.push_back(
          {.points = reader_.integer(size, "points", "method.sizes."),
           .expected = read_expected(size, "method.sizes."),
           .effective_sample_size = reader_.number(size, "n_eff", "method.sizes."),
           .phase = reader_.optional_integer(size, "phase", "method.sizes.").value_or(0)});
    }
    return method;
  }

  void read_further_runs(select::Selection& selection) const {
    const Json& runs = reader_.array(reader_.root(), "further_runs", "");
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::string path = "further_runs[" + std::to_string(r) + "].";
      select::FurtherRun& further = selection.further.emplace_back(
          select::FurtherRun{.name = reader_.text(runs[r], "name", path),
                             .source = reader_.text(runs[r], "source", path),
                             .digest = reader_.text(runs[r], "digest", path),
                             .run = read_run(reader_.object(runs[r], "run", path), path + "run."),
                             .weights = {},
                             .expected = read_expected(runs[r], path)});
      const Json& weights = reader_.object(runs[r], "weights", path);
      for (const select::Point& point : selection.points)
        further.weights.push_back(read_weight(weights, point.id, path + "weights."));
    }
  }

  trace::RunSummary read_run(const Json& json, const std::string& path) const {
    trace::RunSummary run;
    run.iterations = reader_.integer(json, "iterations", path);
    run.samples = reader_.integer(json, "samples", path);
    run.epochs = reader_.integer(json, "epochs", path);
    run.tokens = reader_.optional_integer(json, "tokens", path);
    run.padded_tokens = reader_.integer(json, "padded_tokens", path);
    run.phases = read_phases(json, path);
    const Json& signature = reader_.array(json, "signature", path);
    const auto has = [&](const char* column) {
      return std::find(signature.begin(), signature.end(), column) != signature.end();
    };
    run.kind =
        trace::kind_of(has("sq_tokens") ? trace::BatchLayout::varlen : trace::BatchLayout::padded, has("tgt_len"));
    const Json& histogram = reader_.array(json, "histogram", path);
    for (std::size_t h = 0; h < histogram.size(); ++h)
      run.histogram.push_back(read_entry(histogram[h], run.kind, path + "histogram[" + std::to_string(h) + "]"));
    return run;
  }

  std::vector<std::uint64_t> read_phases(const Json& json, const std::string& path) const {
    std::vector<std::uint64_t> phases;
    if (!json.contains("phases")) return phases;
    for (const Json& first : reader_.array(json, "phases", path))
      phases.push_back(reader_.integer_value(first, path + "phases"));
    return phases;
  }

  trace::SignatureCount read_entry(const Json& row, trace::SignatureKind kind, const std::string& path) const {
    const std::span<const trace::Dimension> dimensions = trace::dimensions_of(kind);
    const std::size_t width = dimensions.size() + 1;
    if (!row.is_array() || row.size() != width)
      reader_.fail(path, "has not the " + std::to_string(width) + " numbers of run.signature and a count");
    select::PointKey key;
    for (std::size_t i = 0; i < dimensions.size(); ++i)
      key[dimensions[i]] = reader_.integer_value(row[i], path, trace::largest_value(dimensions[i]));
    return {select::signature_of(key), reader_.integer_value(row.back(), path)};
  }

  select::PointKey read_key(const Json& json, trace::SignatureKind kind, const std::string& path) const {
    select::PointKey key;
    for (const trace::Dimension d : trace::dimensions_of(kind)) {
      const std::string name(trace::name_of(d));
      if (d == trace::length_dimension(kind))
        key[d] = reader_.integer(json, name, path, trace::largest_value(d));
      else
        key[d] = reader_.optional_integer(json, name, path, trace::largest_value(d));
    }
    return key;
  }

  select::Point read_point(const Json& json, const trace::RunSummary& run, const std::string& path) const {
    if (!json.is_object()) reader_.fail(path, "is not an object");
    select::Point point;
    point.id = reader_.text(json, "id", path);
    point.key = read_key(json, run.kind, path);
    if (!run.phases.empty()) point.phase = reader_.integer(json, "phase", path, run.phases.size() - 1);
    point.weight = read_weight(json, "weight", path);
    point.run = reader_.optional_integer(json, "run", path).value_or(0);
    if (json.contains("repeats")) point.repeats = reader_.integer(json, "repeats", path, kMostRepeatsOfAPoint);
    const Json& iterations = reader_.array(json, "iterations", path);
    for (const Json& iteration : iterations)
      point.iterations.push_back(reader_.integer_value(iteration, path + "iterations"));
    if (json.contains("alternates"))
      for (const Json& alternate : reader_.array(json, "alternates", path))
        point.alternates.push_back(read_key(alternate, run.kind, path + "alternates."));
    return point;
  }

  select::Weight read_weight(const Json& json, const std::string& key, const std::string& path) const {
    const double weight = reader_.number(json, key, path);
    constexpr double kMost = 9e12;  // as many millionths as an int64 holds
    if (!(weight >= 0 && weight < kMost)) reader_.fail(path + key, "is not a number of iterations");
    return {static_cast<std::int64_t>(std::llround(weight * static_cast<double>(select::Weight::kUnit)))};
  }

  const JsonReader& reader_;
};

}  // namespace

Json run_json(const trace::RunSummary& run) {
  Json signature = Json::array(), histogram = Json::array();
  for (const trace::Dimension d : trace::dimensions_of(run.kind)) signature.push_back(trace::name_of(d));
  for (const trace::SignatureCount& entry : run.histogram) {
    Json& row = histogram.emplace_back(Json::array());
    for (const trace::Dimension d : trace::dimensions_of(run.kind)) row.push_back(entry.signature[d]);
    row.push_back(entry.count);
  }
  Json json{{"iterations", run.iterations},
            {"samples", run.samples},
            {"epochs", run.epochs},
            {"tokens", run.tokens ? Json(*run.tokens) : Json(nullptr)},
            {"padded_tokens", run.padded_tokens}};
  if (!run.phases.empty()) json["phases"] = run.phases;
  json["signature"] = std::move(signature);
  json["histogram"] = std::move(histogram);
  return json;
}

std::string seqpoints_json(const select::Selection& selection, const Provenance& provenance) {
  Json json{{"schema", schema_name("seqpoints")},
            {"digest", selection_digest(selection, provenance)},
            {"run", run_json(selection.run)},
            {"method", method_json(selection)}};
  for (const select::Point& point : selection.points) json["points"].push_back(point_json(point, selection));
  for (const select::FurtherRun& further : selection.further)
    json["further_runs"].push_back(further_run_json(further, selection.points));
  json["provenance"] = provenance_json(provenance);
  return json_text(json);
}

SeqpointsFile read_seqpoints(stream::Input input) {
  const std::string text = input.read_all();
  if (text.empty()) throw InputError({input.name()}, "is empty", "give the file that `seqpoint select` wrote");
  const JsonReader reader(input.name(), text);
  reader.require_schema("seqpoints");
  SeqpointsFile file;
  file.selection = SeqpointsReader(reader).read(file.notes);
  if (reader.root().contains("provenance"))
    if (const Provenance made = read_provenance(reader); !made.inputs.empty()) file.source = made.inputs.front().path;
  file.record = {input.name(), "seqpoints", "", "", input.digest(), file.selection.points.size()};
  return file;
}

SimpointFiles simpoint_files(const select::Selection& selection) {
  // Consumers read both files in lock-step and want the intervals ascending; the second column keeps the point's index.
  std::vector<std::pair<std::uint64_t, std::size_t>> by_interval;
  for (std::size_t p = 0; p < selection.points.size(); ++p)
    by_interval.emplace_back(selection.points[p].iterations.front(), p);
  std::sort(by_interval.begin(), by_interval.end());
  SimpointFiles files;
  for (const auto& [interval, p] : by_interval) {
    const std::string cluster = " " + std::to_string(p) + "\n";
    const double weight = selection.points[p].weight.iterations() / static_cast<double>(selection.run.iterations);
    files.simpoints += std::to_string(interval) + cluster;
    files.weights += text::shortest(text::round12(weight)) + cluster;
  }
  return files;
}

}  // namespace seqpoint::io::artifacts
