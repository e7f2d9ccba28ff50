// The batches that a process runs, how often and in which order.
#include <algorithm>
#include <numeric>

#include "core/rng/rng.hpp"
#include "core/select/select.hpp"

namespace seqpoint::select {
namespace {

/// How many of a point's listed iterations, from the first, are known to have its own shape: at least one. A group of
/// lengths lists those first, and the histogram counts them; with phases, or lengths of a part of the run, only
/// the first is certain, because the histogram is of the whole run.
std::size_t own_iterations(const Point& point, const trace::RunSummary& run) {
  if (!point.length_group) return point.iterations.size();
  if (!run.phases.empty() || run.loaded > 0) return 1;
  const auto entry = std::ranges::find(run.histogram, point.shape, &trace::ShapeCount::shape);
  const std::uint64_t count = entry == run.histogram.end() ? 1 : entry->count;
  return static_cast<std::size_t>(std::min<std::uint64_t>(count, point.iterations.size()));
}

/// The batch of the i-th listed iteration of a point, with the point's shape, and with rows and ranks if they are
/// known.
RunBatch batch_of(const Point& point, std::size_t i) {
  RunBatch batch{.iteration = point.iterations[i], .shape = point.shape, .rows = {}, .ranks = {}};
  if (i < point.samples.size()) batch.rows = point.samples[i];
  if (i < point.ranks.size()) batch.ranks = point.ranks[i];
  return batch;
}

/// Builds the list of executions of the processes.
class PlanMaker {
 public:
  /// Without warm-up batches in the selection, the first batch of every point is used for warm-up.
  PlanMaker(const Selection& selection, const PlanParams& params)
      : params_(params), counts_first_(selection.counted_first.has_value()) {
    for (const Point& point : selection.points) add_point(point, selection.run);
    begins_.push_back(batches_.size());
    for (const RunBatch& batch : selection.warmup) warmup_.push_back(added(batch));
    if (warmup_.empty()) warmup_.assign(begins_.begin(), begins_.end() - 1);
    if (params.preflight)
      for (const RunBatch& batch : selection.largest) preflight_.push_back(added(batch));
    for (std::size_t p = 1; p < repeats_.size(); ++p)
      if (tokens_of(p) > tokens_of(largest_)) largest_ = p;
  }

  Plan make() && {
    Plan plan;
    for (std::uint64_t process = 0; process < params_.processes; ++process)
      plan.processes.push_back(process_plan(process));
    plan.batches = std::move(batches_);
    return plan;
  }

 private:
  /// Adds a batch, and returns its index.
  std::size_t added(const RunBatch& batch) {
    batches_.push_back(batch);
    return batches_.size() - 1;
  }

  /// Adds a point with its batches, no more than its repeats, which are at least one in each process.
  void add_point(const Point& point, const trace::RunSummary& run) {
    const std::uint64_t repeats = std::max(params_.repeats.value_or(point.repeats), params_.processes);
    const std::size_t known = static_cast<std::size_t>(std::min<std::uint64_t>(own_iterations(point, run), repeats));
    begins_.push_back(batches_.size());
    repeats_.push_back(repeats);
    for (std::size_t i = 0; i < known; ++i) added(batch_of(point, i));
  }

  /// Padded tokens of the point's first batch.
  std::uint64_t tokens_of(std::size_t point) const { return batches_[begins_[point]].shape.padded_tokens(); }

  /// The n-th batch of a point, from 0: cycles through its batches.
  std::size_t batch_at(std::size_t point, std::uint64_t n) const {
    return begins_[point] + n % (begins_[point + 1] - begins_[point]);
  }

  /// The executions of one process, from 0, in the order of ProcessPlan; only process 0 has a preflight.
  ProcessPlan process_plan(std::uint64_t process) const {
    rng::TorchGenerator generator(params_.seed + process);
    const ProcessPlan measured = measurements_of(process, generator),
                      firsts = counts_first_ ? ProcessPlan{} : first_executions(measured);
    const ProcessPlan warmup = warmup_of(process, firsts.size() + measured.size(), generator);
    const auto rest = warmup.begin() + std::min<std::ptrdiff_t>(std::ssize(warmup), 1);
    ProcessPlan plan = process == 0 ? preflight() : ProcessPlan{};
    plan.insert(plan.end(), warmup.begin(), rest);
    plan.insert(plan.end(), firsts.begin(), firsts.end());
    plan.insert(plan.end(), rest, warmup.end());
    plan.insert(plan.end(), measured.begin(), measured.end());
    return plan;
  }

  /// The largest batches in their order, the first of them twice.
  ProcessPlan preflight() const {
    ProcessPlan executions;
    for (const std::size_t batch : preflight_) {
      const BatchExecution here{.warmup = true, .batch = batch, .preflight = true};
      executions.insert(executions.end(), executions.empty() ? 2 : 1, here);
    }
    for (std::size_t n = 0; n < executions.size(); ++n) executions[n].repeat = n;
    return executions;
  }

  /// This process's share of the repeats, one in `processes` from `process` on, in rounds: every point with a repeat
  /// left, once, in a new random order.
  ProcessPlan measurements_of(std::uint64_t process, rng::TorchGenerator& generator) const {
    ProcessPlan executions;
    const std::uint64_t most = *std::ranges::max_element(repeats_);
    for (std::uint64_t repeat = process; repeat < most; repeat += params_.processes) {
      std::vector<std::size_t> points;
      for (std::size_t p = 0; p < repeats_.size(); ++p)
        if (repeat < repeats_[p]) points.push_back(p);
      for (const std::uint32_t place : generator.permutation(static_cast<std::uint32_t>(points.size()))) {
        const std::size_t point = points[place];
        executions.push_back({.point = point, .repeat = repeat, .batch = batch_at(point, repeat)});
      }
    }
    return executions;
  }

  /// Every point once as warm-up, in the order of its first measurement in this process, each with the batch after the
  /// first measured one.
  ProcessPlan first_executions(const ProcessPlan& measured) const {
    ProcessPlan firsts(measured.begin(), measured.begin() + std::ssize(repeats_));
    for (BatchExecution& execution : firsts) {
      execution.warmup = execution.first = true;
      execution.batch = batch_at(execution.point, execution.repeat + 1);
    }
    return firsts;
  }

  /// The required number of warm-up batches, by default for `executions` of points in this process. They are spread
  /// over all sizes, in a new random order that is repeated if they are more than the warm-up batches. Each second
  /// process shifts all of them by one size.
  ProcessPlan warmup_of(std::uint64_t process, std::size_t executions, rng::TorchGenerator& generator) const {
    const std::uint64_t count = params_.warmup.value_or(usual_warmup(executions));
    const auto shapes = static_cast<std::size_t>(std::min<std::uint64_t>(count, warmup_.size()));
    const std::vector<std::uint32_t> order = generator.permutation(static_cast<std::uint32_t>(shapes));
    ProcessPlan warmup;
    for (std::uint64_t w = 0; w < count; ++w) {
      const std::size_t middle = (2 * std::size_t{order[w % shapes]} + 1) * warmup_.size() / (2 * shapes);
      warmup.push_back({.point = largest_,
                        .repeat = w,
                        .warmup = true,
                        .batch = warmup_[(middle + static_cast<std::size_t>(process) / 2) % warmup_.size()]});
    }
    return warmup;
  }

  const PlanParams& params_;
  bool counts_first_;
  std::vector<std::uint64_t> repeats_;  // number of repeats of each point
  std::vector<std::size_t> begins_;     // first batch of each point, and the end
  std::vector<RunBatch> batches_;
  std::vector<std::size_t> warmup_, preflight_;
  std::size_t largest_ = 0;  // point
};

}  // namespace

std::size_t Plan::executions() const {
  std::size_t sum = 0;
  for (const ProcessPlan& process : processes) sum += process.size();
  return sum;
}

std::uint64_t usual_warmup(std::uint64_t executions) {
  constexpr std::uint64_t kPointsToWarmup = 9;  // a tenth is warm-up
  return std::max<std::uint64_t>(executions / kPointsToWarmup, 1);
}

Plan make_plan(const Selection& selection, const PlanParams& params) { return PlanMaker(selection, params).make(); }

}  // namespace seqpoint::select
