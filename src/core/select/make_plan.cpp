#include "seqpoint/select.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select {
namespace {

constexpr auto kOtherRunHint = "give the manifests and the points of the same run, or select again";

/// The batches of the iterations that some point names.
std::map<std::uint64_t, PlannedBatch> find_iterations(const Selection& selection, const lengths::Lengths& lengths,
                                                      const batching::BatchPolicy& policy,
                                                      const trace::SignatureRule& rule, std::uint64_t& iterations) {
  std::map<std::uint64_t, PlannedBatch> found;
  for (const Point& point : selection.points)
    for (const std::uint64_t iteration : point.iterations)
      if (point.run == 0) found[iteration].iteration = iteration;
  iterations = 0;
  trace::for_each_iteration(lengths, policy, rule,
                            [&](const trace::IterationRow& row, const batching::MicroBatch& micro_batch) {
                              ++iterations;
                              const auto at = found.find(row.iteration);
                              if (at == found.end()) return;
                              at->second = planned_batch(row, micro_batch);
                            });
  return found;
}

/// The samples that the points name, where they do, are those of the run.
void require_same_samples(std::size_t p, const Point& point, const std::map<std::uint64_t, PlannedBatch>& found,
                          std::string_view source) {
  for (std::size_t i = 0; i < point.samples.size(); ++i) {
    const PlannedBatch& batch = found.at(point.iterations[i]);
    if (batch.rank_ends.empty() || point.samples[i] == batch.rows) continue;
    throw InputError({std::string(source), 0, "points[" + std::to_string(p) + "].samples"},
                     "are not those of iteration " + std::to_string(batch.iteration) + " of this run", kOtherRunHint);
  }
}

/// Adds batches of the point's signature only, also where it is of a group of lengths: measurements of a point must not
/// differ in their signatures.
void add_batches(std::vector<PlannedBatch>& batches, std::size_t p, const Point& point, std::uint64_t repeats,
                 const std::map<std::uint64_t, PlannedBatch>& found, trace::SignatureKind kind,
                 std::string_view source) {
  const std::size_t before = batches.size();
  for (const std::uint64_t iteration : point.iterations) {
    const PlannedBatch& one = found.at(iteration);
    if (one.rank_ends.empty() || one.signature != point.signature || batches.size() - before == repeats) continue;
    batches.push_back(one);
    batches.back().point = p;
  }
  if (batches.size() > before) return;
  const PlannedBatch& first = found.at(point.iterations.front());
  if (first.rank_ends.empty())
    throw InputError(
        {std::string(source)},
        "point " + point.id + " names iteration " + std::to_string(first.iteration) + ", which this run does not have",
        kOtherRunHint);
  throw InputError({std::string(source)},
                   "point " + point.id + " has " + text_of(kind, point.signature) + ", but iteration " +
                       std::to_string(first.iteration) + " of this run has " + text_of(kind, first.signature),
                   kOtherRunHint);
}

/// Adds batches of a point of a further run, whose samples the selection names: they are of the same data set, and
/// shared out equally to the ranks, or are refused.
void add_named_batches(std::vector<PlannedBatch>& batches, std::size_t p, const Selection& selection,
                       std::uint64_t repeats, const lengths::Lengths& lengths, const batching::BatchPolicy& policy,
                       const trace::SignatureRule& rule, std::string_view source) {
  constexpr auto kHint = "scan that run of these manifests with `rows` and select again, or plan without manifests";
  const Point& point = selection.points[p];
  const FurtherRun& run = selection.further[point.run - 1];
  const auto refuse = [&](const std::string& problem) {
    throw InputError({std::string(source), 0, "points[" + std::to_string(p) + "].samples"}, problem, kHint);
  };
  if (point.samples.empty()) refuse("is not there: " + run.name + " does not say which samples its batches have");
  for (std::size_t i = 0; i < std::min<std::size_t>(point.samples.size(), repeats); ++i) {
    const std::vector<std::uint32_t>& rows = point.samples[i];
    std::vector<std::size_t> rank_ends;
    for (std::uint64_t r = 1; r <= policy.world_size; ++r) rank_ends.push_back(rows.size() * r / policy.world_size);
    if (rows.empty() || std::ranges::max(rows) >= lengths.size()) refuse("has rows that the data set does not have");
    const batching::MicroBatch micro_batch{.rows = rows, .rank_ends = rank_ends};
    std::vector<trace::Signature> of_ranks;
    trace::IterationRow row = trace::iteration_of(micro_batch, lengths, rule, of_ranks);
    row.iteration = point.iterations[i];
    batches.push_back(planned_batch(row, micro_batch));
    batches.back().point = p;
    batches.back().run = point.run;
    if (row.signature != point.signature)
      refuse("has rows that make " + text_of(selection.run.kind, row.signature) + ", and not " +
             text_of(selection.run.kind, point.signature));
  }
}

/// Where the batches of each point begin, and the end of them all.
std::vector<std::size_t> begins_of(std::span<const PlannedBatch> batches) {
  std::vector<std::size_t> begins;
  for (std::size_t b = 0; b < batches.size(); ++b)
    if (begins.size() == batches[b].point) begins.push_back(b);
  begins.push_back(batches.size());
  return begins;
}

/// Points with the same number of samples per rank, in tasks of at most `chunk` points, ordered by their first point.
std::vector<std::vector<std::size_t>> points_by_task(std::span<const PlannedBatch> batches, std::uint64_t chunk) {
  std::map<std::optional<std::size_t>, std::vector<std::size_t>> by_size;
  const std::vector<std::size_t> begins = begins_of(batches);
  for (std::size_t p = 0; p + 1 < begins.size(); ++p) by_size[batches[begins[p]].samples_per_rank()].push_back(p);
  std::vector<std::vector<std::size_t>> chunks;
  for (const auto& [size, points] : by_size)
    for (std::size_t begin = 0; begin < points.size();) {
      const std::size_t end = begin + static_cast<std::size_t>(std::min<std::uint64_t>(chunk, points.size() - begin));
      chunks.emplace_back(points.begin() + static_cast<std::ptrdiff_t>(begin),
                          points.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

/// Puts together what processes run.
class PlanMaker {
 public:
  explicit PlanMaker(std::vector<PlannedBatch> batches, const PlanParams& params)
      : params_(params), begins_(begins_of(batches)), batches_(std::move(batches)) {
    for (const PlannedBatch& batch : params.warmup_batches) warmup_.push_back(added(batch));
    for (const PlannedBatch& batch : params.preflight) preflight_.push_back(added(batch));
  }

  Plan make() && {
    Plan plan;
    plan.whole.points = all_points();
    const auto parts = points_by_task(std::span(batches_).first(begins_.back()), params_.points_per_task);
    for (std::uint64_t session = 0; session < params_.sessions; ++session) {
      plan.sessions.push_back(session_of(session));
      const PlanTask& all = plan.sessions.back();
      plan.whole.executions.insert(plan.whole.executions.end(), all.executions.begin(), all.executions.end());
      for (const std::vector<std::size_t>& points : parts) plan.tasks.push_back(part_of(all, points));
    }
    plan.batches = std::move(batches_);
    return plan;
  }

 private:
  using Executions = std::vector<BatchExecution>;

  std::size_t added(const PlannedBatch& batch) {
    batches_.push_back(batch);
    return batches_.size() - 1;
  }

  std::vector<std::size_t> all_points() const {
    std::vector<std::size_t> all(begins_.size() - 1);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  /// The n-th batch of a point, which has them in turn.
  std::size_t batch_of(std::size_t point, std::uint64_t n) const {
    return begins_[point] + n % (begins_[point + 1] - begins_[point]);
  }

  PlanTask session_of(std::uint64_t session) const {
    rng::TorchGenerator generator(params_.seed + session);
    PlanTask task{.points = all_points(), .executions = {}, .session = session};
    const Executions measured = measurements_of(session, generator);
    task.executions = session == 0 ? preflight() : Executions{};
    add_warmup(task, measured.size(), generator);
    task.executions.insert(task.executions.end(), measured.begin(), measured.end());
    return task;
  }

  /// Those points of a session, in its order; all that it runs where they are all, and one loader can.
  PlanTask part_of(const PlanTask& all, const std::vector<std::size_t>& points) const {
    const bool whole = points.size() == all.points.size();
    if (whole && (preflight_.empty() || batch_size_of(all, batches_))) return all;
    rng::TorchGenerator generator(params_.seed + all.session);
    Executions of_points;
    for (const BatchExecution& step : all.executions)
      if ((step.first || !step.warmup) && std::ranges::binary_search(points, step.point)) of_points.push_back(step);
    PlanTask task{.points = points, .executions = {}, .session = all.session};
    add_warmup(task, of_points.size(), generator);
    task.executions.insert(task.executions.end(), of_points.begin(), of_points.end());
    return task;
  }

  Executions preflight() const {
    Executions executions;
    for (const std::size_t batch : preflight_) {
      const BatchExecution here{.warmup = true, .batch = batch, .preflight = true};
      executions.insert(executions.end(), executions.empty() ? 2 : 1, here);
    }
    for (std::size_t n = 0; n < executions.size(); ++n) executions[n].repeat = n;
    return executions;
  }

  /// Its share of the repeats: the points once, then again, each time in another order.
  Executions measurements_of(std::uint64_t session, rng::TorchGenerator& generator) const {
    Executions executions;
    const std::uint64_t most = *std::ranges::max_element(params_.repeats);
    for (std::uint64_t repeat = session; repeat < most; repeat += params_.sessions) {
      std::vector<std::size_t> points = all_points();
      std::erase_if(points, [&](std::size_t p) { return repeat >= params_.repeats[p]; });
      for (const std::uint32_t place : generator.permutation(static_cast<std::uint32_t>(points.size()))) {
        const std::size_t point = points[place];
        const BatchExecution measured{.point = point, .repeat = repeat, .batch = batch_of(point, repeat)};
        if (repeat == session) executions.push_back(first_execution(measured));
        executions.push_back(measured);
      }
    }
    return executions;
  }

  BatchExecution first_execution(BatchExecution of) const {
    of.warmup = of.first = true;
    of.batch = batch_of(of.point, of.repeat + 1);
    return of;
  }

  /// Warm-up before the points, in an order drawn anew.
  void add_warmup(PlanTask& task, std::size_t executions, rng::TorchGenerator& generator) const {
    const std::vector<std::size_t> from = loadable_warmup(task.points);
    const std::uint64_t count = params_.warmup.value_or(usual_warmup(executions));
    const std::size_t shapes = static_cast<std::size_t>(std::min<std::uint64_t>(count, from.size()));
    const std::vector<std::uint32_t> order = generator.permutation(static_cast<std::uint32_t>(shapes));
    const std::size_t largest = *std::ranges::max_element(task.points, {}, [&](std::size_t p) { return tokens_of(p); });
    for (std::uint64_t w = 0; w < count; ++w) {
      // As many of them as are needed, spread over all, in every process others.
      const std::size_t at =
          ((2 * std::size_t{order[w % shapes]} + 1) * from.size() / (2 * shapes) + task.session / 2) % from.size();
      task.executions.push_back({.point = largest, .repeat = w, .warmup = true, .batch = from[at]});
    }
  }

  /// The batches to warm up with that a loader of these points can give; where there are none, the points' own.
  std::vector<std::size_t> loadable_warmup(const std::vector<std::size_t>& points) const {
    const auto fits = [&](std::size_t batch, std::size_t p) {
      return batches_[batch].samples_per_rank() == batches_[begins_[p]].samples_per_rank();
    };
    std::vector<std::size_t> found;
    for (const std::size_t batch : warmup_)
      if (std::ranges::any_of(points, [&](std::size_t p) { return fits(batch, p); })) found.push_back(batch);
    if (found.empty())
      for (const std::size_t point : points) found.push_back(begins_[point]);
    return found;
  }

  std::uint64_t tokens_of(std::size_t point) const { return batches_[begins_[point]].signature.padded_tokens(); }

  const PlanParams& params_;
  std::vector<std::size_t> begins_;  // of the batches of each point
  std::vector<PlannedBatch> batches_;
  std::vector<std::size_t> warmup_, preflight_;
};

}  // namespace

std::optional<std::size_t> PlannedBatch::samples_per_rank() const {
  if (rank_ends.empty() || rows.empty()) return std::nullopt;
  for (std::size_t r = 0; r < rank_ends.size(); ++r)
    if (rank_ends[r] != (r + 1) * rank_ends.front()) return std::nullopt;
  return rank_ends.front();
}

std::vector<PlannedBatch> find_batches(const Selection& selection, std::span<const std::uint64_t> repeats,
                                       const lengths::Lengths& lengths, const batching::BatchPolicy& policy,
                                       const trace::SignatureRule& rule, std::string_view source) {
  std::uint64_t iterations = 0;
  const auto found = find_iterations(selection, lengths, policy, rule, iterations);
  if (iterations != selection.run.iterations)
    throw InputError({std::string(source)},
                     "the points are of a run of " + counted(selection.run.iterations, "iteration") +
                         ", this one has " + std::to_string(iterations),
                     kOtherRunHint);
  std::vector<PlannedBatch> batches;
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    if (selection.points[p].run > 0) {
      add_named_batches(batches, p, selection, repeats[p], lengths, policy, rule, source);
      continue;
    }
    require_same_samples(p, selection.points[p], found, source);
    add_batches(batches, p, selection.points[p], repeats[p], found, selection.run.kind, source);
  }
  return batches;
}

std::vector<PlannedBatch> batches_of_points(const Selection& selection, std::span<const std::uint64_t> repeats) {
  std::vector<PlannedBatch> batches;
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    const Point& point = selection.points[p];
    // Iterations of a group of lengths may be of other signatures: only the first is known to have the point's.
    const std::size_t known = point.length_group ? 1 : std::min<std::size_t>(point.iterations.size(), repeats[p]);
    for (std::size_t i = 0; i < known; ++i) {
      batches.push_back(
          {.point = p, .iteration = point.iterations[i], .signature = point.signature, .rows = {}, .rank_ends = {}});
      batches.back().run = point.run;
      if (i < point.samples.size()) batches.back().rows = point.samples[i];
    }
  }
  return batches;
}

PlannedBatch planned_batch(const trace::IterationRow& row, const batching::MicroBatch& micro_batch) {
  return {.iteration = row.iteration,
          .signature = row.signature,
          .rows = {micro_batch.rows.begin(), micro_batch.rows.end()},
          .rank_ends = {micro_batch.rank_ends.begin(), micro_batch.rank_ends.end()},
          .heaviest_rank = row.heaviest_rank,
          .padded_to_longest = micro_batch.shapes.empty()};
}

std::uint64_t usual_warmup(std::uint64_t executions) {
  constexpr std::uint64_t kPointsToWarmup = 9;  // a tenth is warm-up
  return std::max<std::uint64_t>(executions / kPointsToWarmup, 1);
}

Plan make_plan(std::vector<PlannedBatch> batches, const PlanParams& params) {
  return PlanMaker(std::move(batches), params).make();
}

std::optional<std::size_t> batch_size_of(const PlanTask& task, std::span<const PlannedBatch> batches) {
  const PlannedBatch& first = batches[task.executions.front().batch];
  const auto size = first.samples_per_rank();
  for (const BatchExecution& step : task.executions) {
    const PlannedBatch& batch = batches[step.batch];
    if (batch.samples_per_rank() != size || batch.rank_ends.size() != first.rank_ends.size()) return std::nullopt;
  }
  return size;
}

std::vector<std::uint32_t> rows_in_order(const PlanTask& task, std::span<const PlannedBatch> batches) {
  std::vector<std::uint32_t> order;
  for (const BatchExecution& execution : task.executions) {
    const PlannedBatch& batch = batches[execution.batch];
    const auto size = batch.samples_per_rank();
    if (!size)
      order.insert(order.end(), batch.rows.begin(), batch.rows.end());
    else
      for (std::size_t i = 0; i < *size; ++i)
        for (std::size_t r = 0; r < batch.rank_ends.size(); ++r) order.push_back(batch.rows[r * *size + i]);
  }
  return order;
}

}  // namespace seqpoint::select
