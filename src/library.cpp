// The public functions, implemented with the internal modules.
#include "seqpoint/seqpoint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/lengths/lengths.hpp"
#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"
#include "io/artifacts/files.hpp"
#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"

namespace seqpoint {

/// The content of a Selection, for the functions here.
struct SelectionAccess {
  static const select::Selection& of(const Selection& selection) { return *selection.selection_; }
};

namespace {

std::vector<io::stream::Input> open_all(const std::vector<std::string>& paths) {
  std::vector<io::stream::Input> inputs;
  for (const std::string& path : paths) inputs.push_back(io::stream::Input::open(path));
  return inputs;
}

batching::BatchPolicy policy_of(const LoaderOptions& loader) {
  batching::BatchPolicy policy;
  policy.sampler = loader.sampler;
  policy.batch_size = loader.batch_size;
  policy.seed = loader.seed;
  policy.epochs = loader.epochs;
  policy.world_size = loader.world_size;
  policy.drop_last = loader.drop_last;
  for (const auto& [name, value] : loader.options) policy.options.set(name, value);
  return policy;
}

Shape shape_of(const trace::Shape& shape) {
  return {.src_len = shape.src_len, .tgt_len = shape.tgt_len, .batch_size = shape.batch_size};
}

trace::Shape shape_of(const Shape& given) {
  trace::Shape shape;
  shape.src_len = given.src_len;
  shape.tgt_len = given.tgt_len;
  shape.batch_size = given.batch_size;
  return shape;
}

trace::Trace trace_of(const std::vector<Batch>& run) {
  trace::Trace trace;
  const auto has_target = [](const Batch& batch) { return batch.shape.tgt_len > 0; };
  trace.kind = trace::kind_of(trace::BatchLayout::padded, std::ranges::any_of(run, has_target));
  for (const Batch& batch : run) {
    trace.shapes.push_back(shape_of(batch.shape));
    trace.samples.push_back(batch.samples);
    trace.padded_tokens.push_back(batch.padded_tokens);
  }
  return trace;
}

std::vector<Point> points_of(const select::Selection& selection) {
  std::vector<Point> points;
  for (const select::Point& point : selection.points)
    points.push_back({.id = point.id,
                      .shape = shape_of(point.shape),
                      .weight = point.weight.iterations(),
                      .repeats = point.repeats,
                      .iterations = point.iterations});
  return points;
}

void require_time(const Configuration& configuration, const Measurement& measurement) {
  if (!trace::is_measurable(measurement.seconds) || measurement.seconds <= 0)
    throw InputError({configuration.name, 0, measurement.point},
                     fmt::format("took {} s, which is no time", measurement.seconds), "leave the measurement out");
}

/// There are as many processes as the highest number says.
void require_process(const Configuration& configuration, const Measurement& measurement) {
  if (measurement.process >= select::kMaxPlannedProcesses)
    throw InputError({configuration.name, 0, measurement.point},
                     fmt::format("is of process {}, beyond the highest number, {}", measurement.process,
                                 select::kMaxPlannedProcesses - 1),
                     "number the processes 0, 1, 2, ...");
}

project::NamedMeasurements measurements_of(const select::Selection& selection, const Configuration& configuration) {
  profile::Measurements measured{.metrics = {"runtime_s"}, .readings = {{}}};
  measured.readings.front().resize(selection.points.size());
  std::size_t processes = 1;
  for (const Measurement& measurement : configuration.measurements) {
    const auto point = std::ranges::find(selection.points, measurement.point, &select::Point::id);
    if (point == selection.points.end())
      throw InputError({configuration.name, 0, measurement.point}, "is no point of the selection",
                       "give the id of one of Selection::points()");
    require_time(configuration, measurement);
    require_process(configuration, measurement);
    measured.readings.front()[static_cast<std::size_t>(point - selection.points.begin())].emplace_back(
        measurement.seconds, measurement.iteration, measurement.process);
    processes = std::max(processes, measurement.process + 1);
  }
  measured.process_names.resize(processes);
  measured.rows = measured.matched_rows = measured.executions = configuration.measurements.size();
  return {configuration.name, std::move(measured)};
}

Estimate estimate_of(double value, const project::IntervalOrReason& interval) {
  Estimate estimate{.value = value, .interval = {}, .reason = interval.reason};
  if (interval) estimate.interval = {interval->low, interval->high};
  return estimate;
}

RunTime run_time_of(const project::ConfigurationProjection& configuration, bool is_first) {
  const project::MetricProjection& time = configuration.metrics.front();
  RunTime run{.name = configuration.name,
              .seconds = estimate_of(time.value, time.interval),
              .speedup = {},
              .measured_weight = time.measured_weight};
  if (!is_first && !configuration.speedups.empty())
    run.speedup = estimate_of(configuration.speedups.front().value, configuration.speedups.front().interval);
  return run;
}

}  // namespace

SampleLengths read_lengths(const std::vector<std::string>& manifests, const std::vector<std::string>& targets,
                           const std::string& length_field) {
  if (manifests.empty()) throw ParameterError("manifests", "is empty");
  if (!targets.empty() && targets.size() != manifests.size())
    throw ParameterError("targets", fmt::format(": {} files for {} manifests", targets.size(), manifests.size()),
                         "give none, or one target file for each manifest, in the same order");
  io::manifests::ReadOptions options;
  options.length_field = length_field;
  io::manifests::Dataset dataset = io::manifests::read_dataset(open_all(manifests), open_all(targets), options);
  return {.src = std::move(dataset.lengths.src), .tgt = std::move(dataset.lengths.tgt)};
}

std::vector<Batch> batches_of(const SampleLengths& samples, const LoaderOptions& loader) {
  const lengths::Lengths lengths{.src = samples.src, .tgt = samples.tgt};
  std::vector<Batch> batches;
  trace::for_each_iteration(lengths, policy_of(loader), {},
                            [&](const trace::IterationRow& row, const batching::MicroBatch& step) {
                              Batch& batch = batches.emplace_back();
                              batch.shape = shape_of(row.shape);
                              batch.samples = row.samples;
                              batch.padded_tokens = row.padded_tokens;
                              batch.rows.assign(step.rows.begin(), step.rows.end());
                            });
  return batches;
}

Selection::Selection(select::Selection selection)
    : selection_(std::make_shared<const select::Selection>(std::move(selection))), points_(points_of(*selection_)) {}

Selection Selection::choose(const std::vector<Batch>& run, const PointOptions& options) {
  if (run.empty()) throw ParameterError("run", "has no batch");
  select::SelectParams params;
  params.method = options.method;
  params.points = options.points;
  params.max_error = options.max_error;
  select::RepeatParams repeats;
  repeats.processes = options.processes;
  select::require_valid(params, repeats, false);
  return Selection(select::select_with_repeats(trace_of(run), params, repeats, "run"));
}

Selection Selection::read(const std::string& path) {
  return Selection(io::artifacts::read_seqpoints(io::stream::Input::open(path)).selection);
}

std::uint64_t Selection::iterations() const { return selection_->run.iterations; }

std::optional<double> Selection::expected_error() const {
  if (!selection_->method.repeats || !std::isfinite(selection_->method.repeats->error())) return std::nullopt;
  return selection_->method.repeats->error();
}

std::string Selection::json() const { return io::artifacts::seqpoints_json(*selection_, {}); }

const std::vector<std::string>& Selection::notes() const { return selection_->notes; }

std::vector<RunTime> project_run(const Selection& selection, const std::vector<Configuration>& configurations,
                                 double confidence) {
  const select::Selection& points = SelectionAccess::of(selection);
  if (configurations.empty()) throw ParameterError("configurations", "is empty");
  if (!(confidence >= 0.5 && confidence < 1)) throw ParameterError("confidence", "must be from 0.5 to below 1");
  std::set<std::string> names;
  std::vector<project::NamedMeasurements> measured;
  for (const Configuration& configuration : configurations) {
    if (!names.insert(configuration.name).second)
      throw ParameterError("configurations", fmt::format("has '{}' twice", configuration.name));
    measured.push_back(measurements_of(points, configuration));
  }
  project::ProjectParams params;
  params.confidence = confidence;
  std::vector<RunTime> runs;
  for (const project::ConfigurationProjection& one : project::project(points, measured, params).configurations)
    runs.push_back(run_time_of(one, runs.empty()));
  return runs;
}

}  // namespace seqpoint
