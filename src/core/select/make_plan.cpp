#include "seqpoint/select/plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "seqpoint/error.hpp"

namespace seqpoint::select {
namespace {

constexpr auto kOtherRunHint = "give the manifests and the points of the same run, or select again";

/// An iteration that some point names.
struct FoundIteration {
  trace::Signature signature;
  PlannedBatch batch;
};

std::map<std::uint64_t, FoundIteration> find_iterations(const Selection& selection, const lengths::Lengths& lengths,
                                                        const batching::BatchPolicy& policy,
                                                        const trace::SignatureRule& rule, std::uint64_t& iterations) {
  std::map<std::uint64_t, FoundIteration> found;
  for (const Point& point : selection.points)
    for (const std::uint64_t iteration : point.iterations) found[iteration].batch.iteration = iteration;
  iterations = 0;
  const trace::SignatureKind kind = trace::kind_of(rule.layout, lengths.paired());
  trace::for_each_iteration(lengths, policy, rule,
                            [&](const trace::IterationRow& row, const batching::MicroBatch& micro_batch) {
                              ++iterations;
                              const auto at = found.find(row.iteration);
                              if (at == found.end()) return;
                              at->second = {row.signature, planned_batch(kind, row, micro_batch)};
                            });
  return found;
}

/// The samples that the points name, where they do, are those of the run.
void require_same_samples(std::size_t p, const Point& point, const std::map<std::uint64_t, FoundIteration>& found,
                          std::string_view source) {
  for (std::size_t i = 0; i < point.samples.size(); ++i) {
    const PlannedBatch& batch = found.at(point.iterations[i]).batch;
    if (batch.rank_ends.empty() || point.samples[i] == batch.rows) continue;
    throw InputError({std::string(source), 0, "points[" + std::to_string(p) + "].samples"},
                     "are not those of iteration " + std::to_string(batch.iteration) + " of this run", kOtherRunHint);
  }
}

/// Adds batches of one signature only, also where the point leaves a part of it open: measurements of a point must not
/// differ in their signatures.
void add_batches(std::vector<PlannedBatch>& batches, std::size_t p, const Point& point, std::uint64_t repeats,
                 const std::map<std::uint64_t, FoundIteration>& found, std::string_view source) {
  const std::size_t before = batches.size();
  for (const std::uint64_t iteration : point.iterations) {
    const FoundIteration& one = found.at(iteration);
    if (one.batch.rank_ends.empty() || !point.key.matches(one.signature) || batches.size() - before == repeats)
      continue;
    if (batches.size() > before && one.batch.signature != batches[before].signature) continue;
    batches.push_back(one.batch);
    batches.back().point = p;
  }
  if (batches.size() > before) return;
  const PlannedBatch& first = found.at(point.iterations.front()).batch;
  if (first.rank_ends.empty())
    throw InputError(
        {std::string(source)},
        "point " + point.id + " names iteration " + std::to_string(first.iteration) + ", which this run does not have",
        kOtherRunHint);
  throw InputError({std::string(source)},
                   "point " + point.id + " has " + text_of(point.key, " ", ", ") + ", but iteration " +
                       std::to_string(first.iteration) + " of this run has " + text_of(first.signature, " ", ", "),
                   kOtherRunHint);
}

/// Where the batches of each point begin, and the end of them all.
std::vector<std::size_t> begins_of(std::span<const PlannedBatch> batches) {
  std::vector<std::size_t> begins;
  for (std::size_t b = 0; b < batches.size(); ++b)
    if (begins.size() == batches[b].point) begins.push_back(b);
  begins.push_back(batches.size());
  return begins;
}

PlanTask task_of(std::vector<std::size_t> points, std::span<const PlannedBatch> batches, const PlanParams& params) {
  const std::vector<std::size_t> begins = begins_of(batches);
  const auto tokens = [&](std::size_t p) { return signature_of(batches[begins[p]].signature).padded_tokens(); };
  const std::size_t largest = *std::ranges::max_element(points, {}, tokens);
  PlanTask task;
  for (std::uint64_t w = 0; w < params.warmup; ++w)
    task.executions.push_back({.point = largest, .repeat = w, .warmup = true, .batch = begins[largest]});
  std::uint64_t most = 0;
  for (const std::size_t point : points) most = std::max(most, params.repeats[point]);
  for (std::uint64_t repeat = 0; repeat < most; ++repeat) {
    std::vector<BatchExecution> round;
    for (const std::size_t point : points)
      if (repeat < params.repeats[point])
        round.push_back(
            {.point = point, .repeat = repeat, .batch = begins[point] + repeat % (begins[point + 1] - begins[point])});
    std::ranges::stable_sort(round, {}, [&](const BatchExecution& e) { return batches[e.batch].iteration; });
    task.executions.insert(task.executions.end(), round.begin(), round.end());
  }
  task.points = std::move(points);
  return task;
}

/// A loader's last batch may be short: where a single execution has fewer samples than all others, moves it to the end.
void move_short_batch_back(std::vector<BatchExecution>& executions, std::span<const PlannedBatch> batches) {
  const auto size = [&](const BatchExecution& execution) {
    return batches[execution.batch].samples_per_rank().value_or(0);
  };
  const auto by_size = [&](const BatchExecution& a, const BatchExecution& b) { return size(a) < size(b); };
  const auto shortest = std::min_element(executions.begin(), executions.end(), by_size);
  const std::size_t usual = size(*std::max_element(executions.begin(), executions.end(), by_size));
  const auto others = std::count_if(executions.begin(), executions.end(),
                                    [&](const BatchExecution& execution) { return size(execution) < usual; });
  if (others == 1 && !shortest->warmup) std::rotate(shortest, shortest + 1, executions.end());
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
    require_same_samples(p, selection.points[p], found, source);
    add_batches(batches, p, selection.points[p], repeats[p], found, source);
  }
  return batches;
}

std::vector<PlannedBatch> batches_of_points(const Selection& selection, std::span<const std::uint64_t> repeats) {
  std::vector<PlannedBatch> batches;
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    const Point& point = selection.points[p];
    // Iterations of a key that leaves a part of the signature open may differ in it: then only the first is known to
    // fit.
    const bool open = is_open(selection.run.kind, point.key);
    const std::size_t known = open ? 1 : std::min<std::size_t>(point.iterations.size(), repeats[p]);
    for (std::size_t i = 0; i < known; ++i) {
      batches.push_back(
          {.point = p, .iteration = point.iterations[i], .signature = point.key, .rows = {}, .rank_ends = {}});
      if (i < point.samples.size()) batches.back().rows = point.samples[i];
    }
  }
  return batches;
}

PlannedBatch planned_batch(trace::SignatureKind kind, const trace::IterationRow& row,
                           const batching::MicroBatch& micro_batch) {
  return {.iteration = row.iteration,
          .signature = full_key(kind, row.signature),
          .rows = {micro_batch.rows.begin(), micro_batch.rows.end()},
          .rank_ends = {micro_batch.rank_ends.begin(), micro_batch.rank_ends.end()},
          .heaviest_rank = row.heaviest_rank,
          .padded_to_longest = micro_batch.shapes.empty()};
}

Plan make_plan(std::vector<PlannedBatch> batches, const PlanParams& params) {
  Plan plan;
  plan.batches = std::move(batches);
  std::vector<std::size_t> all(begins_of(plan.batches).size() - 1);
  std::iota(all.begin(), all.end(), std::size_t{0});
  plan.single_process = task_of(std::move(all), plan.batches, params);
  move_short_batch_back(plan.single_process.executions, plan.batches);
  for (std::vector<std::size_t>& points : points_by_task(plan.batches, params.points_per_task))
    plan.tasks.push_back(task_of(std::move(points), plan.batches, params));
  std::vector<BatchExecution> first;
  for (const PlannedBatch& batch : params.preflight) {
    const BatchExecution here{.warmup = true, .batch = plan.batches.size(), .preflight = true};
    first.insert(first.end(), first.empty() ? 2 : 1, here);
    plan.batches.push_back(batch);
  }
  for (std::size_t n = 0; n < first.size(); ++n) first[n].repeat = n;
  std::vector<BatchExecution>& executions = plan.single_process.executions;
  executions.insert(executions.begin(), first.begin(), first.end());
  return plan;
}

std::optional<std::size_t> batch_size_of(const PlanTask& task, std::span<const PlannedBatch> batches) {
  const PlannedBatch& first = batches[task.executions.front().batch];
  const auto size = first.samples_per_rank();
  for (std::size_t s = 0; s < task.executions.size(); ++s) {
    const PlannedBatch& batch = batches[task.executions[s].batch];
    const auto here = batch.samples_per_rank();
    const bool fits = here == size || (here && s + 1 == task.executions.size() && *here < size.value_or(0));
    if (!fits || batch.rank_ends.size() != first.rank_ends.size()) return std::nullopt;
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
