#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "io/artifacts/fields.hpp"
#include "io/artifacts/schemas.hpp"
#include "io/artifacts/selection_digest.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::artifacts {
// Descriptions, for writing and for reading; not in an anonymous namespace, where fields.hpp could not find them.

void describe(auto& fields, Of<select::ExpectedError> auto& expected) {
  // The sum is that of the rounded parts, so that readers get the same sum.
  const select::ExpectedError rounded{text::round12(100 * expected.noise),
                                      text::round12(100 * expected.representation)};
  fields.follows("expected_error_pct", rounded.total());
  fields.percent("noise_pct", expected.noise);
  fields.percent("representation_pct", expected.representation);
}

void describe(auto& fields, Of<select::RepeatsRecord> auto& repeats) {
  fields.field("measurements", repeats.measurements);
  fields.unless_empty("processes", repeats.processes);
  fields.unless(std::uint64_t{1}, "accumulation", repeats.accumulation);
  fields.unless_empty("executions", repeats.cost.executions);
  if (repeats.cost.executions > 0) fields.field("tokens", repeats.cost.tokens);  // else the cost is not known
  fields.rounded_unless_empty("seconds", repeats.cost.seconds);
  describe(fields, repeats.expected);
  fields.percent_unless_zero("processes_pct", repeats.process_error);
  fields.percent_unless_empty("half_width_pct", repeats.half_width);
}

void describe(auto& fields, Of<select::CountedFirst> auto& first) {
  fields.percent("longer_pct", first.ratio);
  fields.percent("error_pct", first.error);
  fields.field("points", first.points);
  fields.field("measured_for", first.measured_for);
}

void describe(auto& fields, Of<trace::RankShapeCounts> auto& shapes) {
  fields.field("fewest", shapes.fewest);
  fields.field("most", shapes.most);
  fields.field("all", shapes.all);
  fields.field("iterations_with_new", shapes.iterations_with_new);
}

/// Without the shapes, whose kind decides what is written of them.
void describe(auto& fields, Of<trace::RunSummary> auto& run) {
  fields.field("iterations", run.iterations);
  fields.unless_empty("loaded", run.loaded);
  fields.rounded_unless_empty("loaded_variance", run.loaded_variance);
  fields.field("samples", run.samples);
  fields.field("epochs", run.epochs);
  fields.or_null("tokens", run.tokens);
  fields.field("padded_tokens", run.padded_tokens);
  fields.unless_empty("phases", run.phases);
  fields.unless(std::uint64_t{1}, "ranks", run.ranks);
  fields.unless_empty("rank_shapes", run.rank_shapes);
}

/// Without the shape.
void describe(auto& fields, Of<select::RunBatch> auto& batch) {
  fields.field("iteration", batch.iteration);
  fields.unless_empty("samples", batch.rows);
  fields.unless_empty("rank_ends", batch.ranks.ends);
  fields.unless_empty("heaviest_rank", batch.ranks.heaviest);
}

namespace {

/// One row per number of points that was considered; `sizes` is not empty. The phase is left out if there is only one.
Json numbers_of_points_json(const std::vector<select::NumberOfPointsRecord>& sizes) {
  Json rows = Json::array();
  const bool phases = sizes.back().phase > 0;
  for (const select::NumberOfPointsRecord& size : sizes) {
    FieldWriter row;
    if (phases) row.field("phase", size.phase);
    row.field("points", size.points);
    describe(row, size.expected);
    row.rounded("n_eff", size.effective_sample_size);
    rows.push_back(std::move(row.json));
  }
  return rows;
}

Json method_json(const select::Selection& selection) {
  const select::MethodRecord& method = selection.method;
  Json json{{"name", method.name},
            {"points", selection.points.size()},
            {"parameters", parameters_json(method.parameters, selection.run.phases.size())},
            {"statistic", method.metric},
            {"measured", method.metric_is_measured},
            {"in_sample_error", method.in_sample_error ? rounded_json(*method.in_sample_error) : Json(nullptr)},
            {"n_eff", rounded_json(select::effective_sample_size(selection))}};
  if (method.repeats) json["repeats"] = written(*method.repeats);
  if (selection.counted_first) json["counted_first"] = written(*selection.counted_first);
  if (!method.numbers_of_points.empty()) json["sizes"] = numbers_of_points_json(method.numbers_of_points);
  return json;
}

/// Adds, for each of a point's iterations, the ends of its ranks' samples and, if all are known, the rank with the most
/// work. Adds nothing if `ranks` is empty.
void add_ranks(Json& json, const std::vector<select::RankRows>& ranks) {
  if (ranks.empty()) return;
  for (const select::RankRows& rows : ranks) json["rank_ends"].push_back(rows.ends);
  if (std::ranges::all_of(ranks, [](const select::RankRows& rows) { return rows.heaviest.has_value(); }))
    for (const select::RankRows& rows : ranks) json["heaviest_ranks"].push_back(*rows.heaviest);
}

Json batch_json(const select::RunBatch& batch, trace::ShapeKind kind) {
  FieldWriter fields;
  add_key(fields.json, trace::PartialShape::of(kind, batch.shape));
  describe(fields, batch);
  return std::move(fields.json);
}

Json point_json(const select::Point& point, const select::Selection& selection) {
  Json json{{"id", point.id}};
  const trace::ShapeKind kind = selection.run.kind;
  add_key(json, trace::PartialShape::of(kind, point.shape));
  if (point.length_group) json["length_group"] = *point.length_group;
  if (!selection.run.phases.empty()) json["phase"] = point.phase;
  json["weight"] = point.weight.iterations();
  // Nine decimals: finer than a weight's millionth of an iteration in any run.
  json["share"] = std::round(point.weight.iterations() / static_cast<double>(selection.run.iterations) * 1e9) / 1e9;
  if (selection.method.repeats) json["repeats"] = point.repeats;
  json["iterations"] = point.iterations;
  if (!point.samples.empty()) json["samples"] = point.samples;
  add_ranks(json, point.ranks);
  return json;
}

/// Relies on the schema; throws InputError for errors that the schema cannot express.
class SeqpointsReader {
 public:
  explicit SeqpointsReader(const JsonReader& reader) : reader_(reader) {}

  select::Selection read() const {
    const Json& root = reader_.root();
    select::Selection selection;
    selection.run = read_run(root["run"], "run.");
    selection.method = read_method(root["method"]);
    if (root["method"].contains("counted_first"))
      selection.counted_first = read_as<select::CountedFirst>(root["method"]["counted_first"]);
    for (std::size_t p = 0; p < root["points"].size(); ++p)
      selection.points.push_back(read_point(root["points"][p], selection.run, fmt::format("points[{}].", p)));
    selection.warmup = read_batches(root, "warmup", selection.run);
    selection.largest = read_batches(root, "largest", selection.run);
    return selection;
  }

 private:
  /// The method's name and, if there are any, the repeats and the table of numbers of points. The rest is not read.
  static select::MethodRecord read_method(const Json& json) {
    select::MethodRecord method;
    method.name = json["name"];
    if (json.contains("repeats")) method.repeats = read_as<select::RepeatsRecord>(json["repeats"]);
    for (const Json& size : part(json, "sizes"))
      method.numbers_of_points.push_back({.points = size["points"],
                                          .expected = read_as<select::ExpectedError>(size),
                                          .effective_sample_size = given<double>(size, "n_eff").value_or(0),
                                          .phase = size.value("phase", std::uint64_t{0})});
    return method;
  }

  trace::RunSummary read_run(const Json& json, const std::string& path) const {
    auto run = read_as<trace::RunSummary>(json);
    const auto has = [&](const char* column) {
      return std::ranges::find(json["signature"], column) != json["signature"].end();
    };
    run.kind =
        trace::kind_of(has("sq_tokens") ? trace::BatchLayout::varlen : trace::BatchLayout::padded, has("tgt_len"));
    for (const Json& row : json["histogram"])
      run.histogram.push_back(read_entry(row, run.kind, path + fmt::format("histogram[{}]", run.histogram.size())));
    return run;
  }

  /// A row of the histogram: the shape's dimensions, then its count. Throws InputError for a wrong number of elements,
  /// and a dimension that is too large.
  trace::ShapeCount read_entry(const Json& row, trace::ShapeKind kind, const std::string& path) const {
    const std::span<const trace::Dimension> dimensions = trace::dimensions_of(kind);
    if (row.size() != dimensions.size() + 1)
      reader_.fail(path, fmt::format("has not the {} numbers of run.signature and a count", dimensions.size() + 1));
    trace::PartialShape key;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      key[dimensions[i]] = row[i].get<std::uint64_t>();
      if (const std::uint64_t most = trace::largest_value(dimensions[i]); key[dimensions[i]] > most)
        reader_.fail(path, fmt::format("is not a whole number from 0 to {}", most));
    }
    return {key.whole(kind).value(), row.back()};
  }

  /// Files of other programs may leave out parts other than the length: the point then
  /// is the run's most frequent shape with the given parts (ties: the last in the histogram), or an empty shape if the
  /// run has none. Throws InputError without a length.
  trace::Shape read_shape(const Json& json, const trace::RunSummary& run, const std::string& path) const {
    trace::PartialShape parts;
    for (const trace::Dimension d : trace::dimensions_of(run.kind))
      parts[d] = given<std::uint64_t>(json, trace::name_of(d).data());
    if (const trace::Dimension length = trace::length_dimension(run.kind); !parts[length])
      reader_.fail(path + std::string(trace::name_of(length)), "is missing");
    if (const auto whole = parts.whole(run.kind)) return *whole;
    trace::ShapeCount usual;
    for (const trace::ShapeCount& entry : run.histogram)
      if (entry.count >= usual.count && parts.may_be(entry.shape)) usual = entry;
    return usual.shape;
  }

  /// The length of a point that has no other dimension, and so represents all shapes of that length; else nothing.
  static std::optional<std::uint64_t> length_alone(const Json& json, trace::ShapeKind kind) {
    const std::span<const trace::Dimension> dimensions = trace::dimensions_of(kind);
    const auto value = [&](trace::Dimension d) { return given<std::uint64_t>(json, trace::name_of(d).data()); };
    if (std::any_of(dimensions.begin() + 1, dimensions.end(), value)) return std::nullopt;
    return value(dimensions.front());
  }

  select::Point read_point(const Json& json, const trace::RunSummary& run, const std::string& path) const {
    select::Point point{.id = json["id"],
                        .shape = read_shape(json, run, path),
                        .weight = weight_of(json["weight"]),
                        .iterations = json["iterations"],
                        .samples = json.value("samples", std::vector<std::vector<std::uint32_t>>()),
                        .repeats = json.value("repeats", std::uint64_t{1}),
                        .length_group = given<std::uint64_t>(json, "length_group")};
    if (!point.length_group) point.length_group = length_alone(json, run.kind);
    if (!run.phases.empty() && !json.contains("phase")) reader_.fail(path + "phase", "is missing");
    if (!run.phases.empty()) point.phase = json["phase"];
    if (point.phase > 0 && point.phase >= run.phases.size())
      reader_.fail(path + "phase", fmt::format("is not a whole number from 0 to {}", run.phases.size() - 1));
    point.ranks = read_ranks(json, path);
    return point;
  }

  /// The ranks of each of a point's iterations; empty if there are none. Throws InputError if rank_ends and
  /// heaviest_ranks differ in number.
  std::vector<select::RankRows> read_ranks(const Json& json, const std::string& path) const {
    std::vector<select::RankRows> ranks;
    const Json& ends = part(json, "rank_ends");
    const Json& heaviest = part(json, "heaviest_ranks");
    if (!heaviest.empty() && heaviest.size() != ends.size())
      reader_.fail(path + "heaviest_ranks", "are not as many as the rank_ends");
    for (std::size_t i = 0; i < ends.size(); ++i) {
      ranks.push_back({.ends = ends[i]});
      if (!heaviest.empty()) ranks.back().heaviest = heaviest[i].get<std::size_t>();
    }
    return ranks;
  }

  /// The batches in the array at `key` of the root; none if the key is missing.
  std::vector<select::RunBatch> read_batches(const Json& root, const char* key, const trace::RunSummary& run) const {
    std::vector<select::RunBatch> batches;
    for (const Json& json : part(root, key)) {
      const std::string path = fmt::format("{}[{}].", key, batches.size());
      batches.push_back(read_as<select::RunBatch>(json));
      batches.back().shape = read_shape(json, run, path);
    }
    return batches;
  }

  /// Iterations, rounded to millionths.
  static select::Weight weight_of(const Json& iterations) {
    return {std::llround(iterations.get<double>() * static_cast<double>(select::Weight::kUnit))};
  }

  const JsonReader& reader_;
};

[[noreturn]] void refuse(const SeqpointsFile& file, const std::string& key, const std::string& problem) {
  throw InputError({file.record.path, 0, key}, problem, "make the file anew with `seqpoint select`");
}

/// Throws InputError for a point with an iteration at or after the run's end. Does nothing if the run came from a
/// trace, which may use any iteration numbers, or its origin is not known.
void require_iterations_in_run(const SeqpointsFile& file) {
  if (file.provenance.inputs.empty() || file.from_trace()) return;
  const select::Selection& selection = file.selection;
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    const std::uint64_t last = std::ranges::max(selection.points[p].iterations);
    if (last >= selection.run.iterations)
      refuse(file, fmt::format("points[{}].iterations", p),
             fmt::format("has {}, but run.iterations is {}, counted from 0", last, selection.run.iterations));
  }
}

}  // namespace

Json run_json(const trace::RunSummary& run) {
  Json shape = Json::array(), histogram = Json::array();
  for (const trace::Dimension d : trace::dimensions_of(run.kind)) shape.push_back(trace::name_of(d));
  for (const trace::ShapeCount& entry : run.histogram) {
    Json& row = histogram.emplace_back(Json::array());
    for (const trace::Dimension d : trace::dimensions_of(run.kind)) row.push_back(entry.shape[d]);
    row.push_back(entry.count);
  }
  Json json = written(run);
  json["signature"] = std::move(shape);
  json["histogram"] = std::move(histogram);
  return json;
}

std::string seqpoints_json(const select::Selection& selection, const Provenance& provenance) {
  Json json{{"schema", schema_name("seqpoints")},
            {"digest", selection_digest(selection, provenance)},
            {"run", run_json(selection.run)},
            {"method", method_json(selection)}};
  for (const select::Point& point : selection.points) json["points"].push_back(point_json(point, selection));
  for (const select::RunBatch& batch : selection.warmup)
    json["warmup"].push_back(batch_json(batch, selection.run.kind));
  for (const select::RunBatch& batch : selection.largest)
    json["largest"].push_back(batch_json(batch, selection.run.kind));
  json["provenance"] = provenance_json(provenance);
  return json_text(json);
}

SeqpointsFile read_seqpoints(stream::Input input) {
  const std::string text = input.read_text();
  if (text.empty()) throw InputError({input.name()}, "is empty", "give the file that `seqpoint select` wrote");
  const JsonReader reader(input.name(), text);
  require_schema(reader, "seqpoints");
  SeqpointsFile file;
  file.selection = SeqpointsReader(reader).read();
  file.record = manifests::record_of(input, "seqpoints", file.selection.points.size());
  if (reader.root().contains("provenance")) file.provenance = read_provenance(reader);
  select::require_valid(file.selection, reader.source());
  require_iterations_in_run(file);
  file.selection.digest = checked_digest(file.selection, reader, file.notes);
  return file;
}

bool SeqpointsFile::from_trace() const { return provenance.inputs.front().format == "trace"; }

}  // namespace seqpoint::io::artifacts
