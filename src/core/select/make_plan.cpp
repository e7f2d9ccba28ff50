#include "seqpoint/select/plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "seqpoint/error.hpp"

namespace seqpoint::select {
namespace {

constexpr auto kOtherRun = "give the manifests and the points of the same run, or select again";

/// Without padding there is neither a target side nor a batch size in a signature.
PointKey whole_key(const trace::Signature& signature, bool paired, bool varlen) {
  PointKey key{signature.src_len, {}, {}};
  if (varlen) key.sq_tokens = signature.sq_tokens;
  if (!varlen) key.batch_size = signature.batch_size;
  if (!varlen && paired) key.tgt_len = signature.tgt_len;
  return key;
}

std::string text_of(const PointKey& key) {
  std::string text = (key.sq_tokens ? "tokens " : "src_len ") + std::to_string(key.src_len);
  if (key.sq_tokens) text += ", sq_tokens " + std::to_string(*key.sq_tokens);
  if (key.tgt_len) text += ", tgt_len " + std::to_string(*key.tgt_len);
  if (key.batch_size) text += ", batch_size " + std::to_string(*key.batch_size);
  return text;
}

/// An iteration that some point names.
struct Found {
  trace::Signature signature;
  PlannedBatch batch;
};

std::map<std::uint64_t, Found> walk(const Selection& selection, const lengths::Lengths& lengths,
                                    const batching::BatchPolicy& policy, const trace::SignatureRule& rule,
                                    std::uint64_t& iterations) {
  std::map<std::uint64_t, Found> found;
  for (const Point& point : selection.points)
    for (const std::uint64_t iteration : point.iterations) found[iteration].batch.iteration = iteration;
  iterations = 0;
  trace::for_each_iteration(lengths, policy, rule, [&](const trace::IterationRow& row, const batching::Step& step) {
    ++iterations;
    const auto at = found.find(row.iteration);
    if (at == found.end()) return;
    const bool varlen = rule.kind == trace::SignatureKind::varlen;
    at->second.signature = varlen ? row.unpadded : row.signature;
    PlannedBatch& batch = at->second.batch;
    batch.signature = whole_key(at->second.signature, lengths.paired(), varlen);
    batch.rows.assign(step.rows.begin(), step.rows.end());
    batch.ends.assign(step.ends.begin(), step.ends.end());
    batch.padded_to_longest = step.shapes.empty();
  });
  return found;
}

/// Of one signature, though the point may leave a part of it open: measurements of a point are to differ by nothing
/// else.
void add_batches(std::vector<PlannedBatch>& batches, std::size_t p, const Point& point, std::uint64_t repeats,
                 const std::map<std::uint64_t, Found>& found, std::string_view source) {
  const std::size_t before = batches.size();
  for (const std::uint64_t iteration : point.iterations) {
    const Found& one = found.at(iteration);
    if (one.batch.ends.empty() || !point.key.matches(one.signature) || batches.size() - before == repeats) continue;
    if (batches.size() > before && one.batch.signature != batches[before].signature) continue;
    batches.push_back(one.batch);
    batches.back().point = p;
  }
  if (batches.size() > before) return;
  const PlannedBatch& first = found.at(point.iterations.front()).batch;
  if (first.ends.empty())
    throw InputError(
        {std::string(source)},
        "point " + point.id + " names iteration " + std::to_string(first.iteration) + ", which this run does not have",
        kOtherRun);
  throw InputError({std::string(source)},
                   "point " + point.id + " has " + text_of(point.key) + ", but iteration " +
                       std::to_string(first.iteration) + " of this run has " + text_of(first.signature),
                   kOtherRun);
}

/// Work of a batch, to find the largest: padded tokens, with one sample where their number is not known.
std::uint64_t padded_tokens(const PlannedBatch& batch) {
  const std::uint64_t length = std::uint64_t{batch.signature.src_len} + batch.signature.tgt_len.value_or(0);
  return length * batch.signature.batch_size.value_or(1);
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
  const auto largest = *std::max_element(points.begin(), points.end(), [&](std::size_t a, std::size_t b) {
    return padded_tokens(batches[begins[a]]) < padded_tokens(batches[begins[b]]);
  });
  PlanTask task;
  for (std::uint64_t w = 0; w < params.warmup; ++w) task.steps.push_back({largest, w, true, begins[largest]});
  std::uint64_t most = 0;
  for (const std::size_t point : points) most = std::max(most, params.repeats[point]);
  for (std::uint64_t repeat = 0; repeat < most; ++repeat)
    for (const std::size_t point : points)
      if (repeat < params.repeats[point])
        task.steps.push_back({point, repeat, false, begins[point] + repeat % (begins[point + 1] - begins[point])});
  task.points = std::move(points);
  return task;
}

/// A loader's last batch may be a short one: where one step alone has fewer samples than all others, it goes to the
/// end.
void move_short_step_back(std::vector<PlanStep>& steps, std::span<const PlannedBatch> batches) {
  const auto size = [&](const PlanStep& step) { return batches[step.batch].rows_of_a_rank().value_or(0); };
  const auto by_size = [&](const PlanStep& a, const PlanStep& b) { return size(a) < size(b); };
  const auto shortest = std::min_element(steps.begin(), steps.end(), by_size);
  const std::size_t usual = size(*std::max_element(steps.begin(), steps.end(), by_size));
  const auto others =
      std::count_if(steps.begin(), steps.end(), [&](const PlanStep& step) { return size(step) < usual; });
  if (others == 1 && !shortest->warmup) std::rotate(shortest, shortest + 1, steps.end());
}

/// Points apart by samples a rank, in parts of at most `chunk`, ordered by their first point.
std::vector<std::vector<std::size_t>> chunks_of(std::span<const PlannedBatch> batches, std::uint64_t chunk) {
  std::map<std::optional<std::size_t>, std::vector<std::size_t>> by_size;
  const std::vector<std::size_t> begins = begins_of(batches);
  for (std::size_t p = 0; p + 1 < begins.size(); ++p) by_size[batches[begins[p]].rows_of_a_rank()].push_back(p);
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

std::optional<std::size_t> PlannedBatch::rows_of_a_rank() const {
  if (ends.empty() || rows.empty()) return std::nullopt;
  for (std::size_t r = 0; r < ends.size(); ++r)
    if (ends[r] != (r + 1) * ends.front()) return std::nullopt;
  return ends.front();
}

std::vector<PlannedBatch> find_batches(const Selection& selection, std::span<const std::uint64_t> repeats,
                                       const lengths::Lengths& lengths, const batching::BatchPolicy& policy,
                                       const trace::SignatureRule& rule, std::string_view source) {
  std::uint64_t iterations = 0;
  const auto found = walk(selection, lengths, policy, rule, iterations);
  if (iterations != selection.run.iterations)
    throw InputError({std::string(source)},
                     "the points are of a run of " + counted(selection.run.iterations, "iteration") +
                         ", this one has " + std::to_string(iterations),
                     kOtherRun);
  std::vector<PlannedBatch> batches;
  for (std::size_t p = 0; p < selection.points.size(); ++p)
    add_batches(batches, p, selection.points[p], repeats[p], found, source);
  return batches;
}

std::vector<PlannedBatch> batches_of_points(const Selection& selection, std::span<const std::uint64_t> repeats) {
  std::vector<PlannedBatch> batches;
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    const Point& point = selection.points[p];
    // Iterations of a key that leaves a part of the signature open may differ in it: then only the first is known to
    // fit.
    const bool open = !point.key.sq_tokens && (!point.key.batch_size || (selection.run.paired && !point.key.tgt_len));
    const std::size_t known = open ? 1 : std::min<std::size_t>(point.iterations.size(), repeats[p]);
    for (std::size_t i = 0; i < known; ++i) {
      batches.push_back({.point = p, .iteration = point.iterations[i], .signature = point.key, .rows = {}, .ends = {}});
      if (i < point.samples.size()) batches.back().rows = point.samples[i];
    }
  }
  return batches;
}

Plan make_plan(std::vector<PlannedBatch> batches, const PlanParams& params) {
  Plan plan;
  plan.batches = std::move(batches);
  std::vector<std::size_t> all(begins_of(plan.batches).size() - 1);
  std::iota(all.begin(), all.end(), std::size_t{0});
  plan.whole = task_of(std::move(all), plan.batches, params);
  move_short_step_back(plan.whole.steps, plan.batches);
  for (std::vector<std::size_t>& points : chunks_of(plan.batches, params.chunk))
    plan.tasks.push_back(task_of(std::move(points), plan.batches, params));
  return plan;
}

std::optional<std::size_t> batch_size_of(const PlanTask& task, std::span<const PlannedBatch> batches) {
  const PlannedBatch& first = batches[task.steps.front().batch];
  const auto size = first.rows_of_a_rank();
  for (std::size_t s = 0; s < task.steps.size(); ++s) {
    const PlannedBatch& batch = batches[task.steps[s].batch];
    const auto here = batch.rows_of_a_rank();
    const bool fits = here == size || (here && s + 1 == task.steps.size() && *here < size.value_or(0));
    if (!fits || batch.ends.size() != first.ends.size()) return std::nullopt;
  }
  return size;
}

std::vector<std::uint32_t> rows_in_order(const PlanTask& task, std::span<const PlannedBatch> batches) {
  std::vector<std::uint32_t> order;
  for (const PlanStep& step : task.steps) {
    const PlannedBatch& batch = batches[step.batch];
    const auto size = batch.rows_of_a_rank();
    if (!size)
      order.insert(order.end(), batch.rows.begin(), batch.rows.end());
    else
      for (std::size_t i = 0; i < *size; ++i)
        for (std::size_t r = 0; r < batch.ends.size(); ++r) order.push_back(batch.rows[r * *size + i]);
  }
  return order;
}

}  // namespace seqpoint::select
