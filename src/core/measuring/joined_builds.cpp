#include "core/measuring/joined_builds.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/trace/trace.hpp"

namespace seqpoint::measuring {
namespace {

/// The ratio of the total of `base` to that of `here`, above 1 if `here` is faster; the errors of both are independent.
project::Speedup speedup_of(const project::MetricProjection& base, const project::MetricProjection& here, bool agree) {
  return {.metric = here.name,
          .value = base.value / here.value,
          .interval = project::ratio_of(base, here),
          .processes_agree = agree};
}

}  // namespace

project::Projection joined(std::span<const project::Projection> builds) {
  project::Projection all = builds.front();
  const project::ConfigurationProjection base = all.configurations.front();
  for (const project::Projection& build : builds.subspan(1))
    for (project::ConfigurationProjection here : build.configurations) {
      const bool agree = base.processes_agree.value_or(true) && here.processes_agree.value_or(true);
      here.speedups.clear();
      for (const project::MetricProjection& metric : here.metrics)
        if (const project::MetricProjection* const of_base = project::find_metric(base, metric.name))
          here.speedups.push_back(speedup_of(*of_base, metric, agree));
      project::compare_parts(here, base, all.confidence);
      all.configurations.push_back(std::move(here));
    }
  return all;
}

// --- Builds whose starts draw different batches

namespace {

/// The most that each row can be long, by its batch: source and target.
std::map<std::uint32_t, trace::Shape> longest_rows(const OrderOfBuild& order) {
  std::map<std::uint32_t, trace::Shape> rows;
  for (std::size_t i = 0; i < order.trace.size(); ++i)
    for (const std::uint32_t row : order.rows.rows_of(i)) rows.emplace(row, order.trace.shapes[i]);
  return rows;
}

/// Whether no batch is longer than its rows can be, of at least half of all.
bool fits(const OrderOfBuild& order, const std::map<std::uint32_t, trace::Shape>& longest) {
  std::size_t compared = 0;
  for (std::size_t i = 0; i < order.trace.size(); ++i) {
    trace::Shape most;
    bool known = true;
    for (const std::uint32_t row : order.rows.rows_of(i)) {
      const auto found = longest.find(row);
      known = known && found != longest.end();
      if (!known) break;
      most.src_len = std::max(most.src_len, found->second.src_len);
      most.tgt_len = std::max(most.tgt_len, found->second.tgt_len);
    }
    if (!known) continue;
    ++compared;
    const trace::Shape& shape = order.trace.shapes[i];
    if (shape.src_len > most.src_len || shape.tgt_len > most.tgt_len) return false;
  }
  return 2 * compared >= order.trace.size();
}

/// Whether the unpadded tokens of both epochs differ by one batch at most, as where each leaves out another incomplete
/// one. True if either does not know them.
bool have_like_totals(const trace::Trace& a, const trace::Trace& b) {
  if (a.tokens.empty() || b.tokens.empty()) return true;
  std::uint64_t of_a = 0, of_b = 0, of_batch = 0;
  for (const std::uint64_t tokens : a.tokens) {
    of_a += tokens;
    of_batch = std::max(of_batch, tokens);
  }
  for (const std::uint64_t tokens : b.tokens) {
    of_b += tokens;
    of_batch = std::max(of_batch, tokens);
  }
  return std::max(of_a, of_b) - std::min(of_a, of_b) <= of_batch;
}

std::vector<std::uint32_t> sorted_sizes(const OrderOfBuild& order) {
  std::vector<std::uint32_t> sizes;
  for (const trace::Shape& shape : order.trace.shapes) sizes.push_back(shape.batch_size);
  std::ranges::sort(sizes);
  return sizes;
}

/// The longest source and target of all batches: those of the longest rows, in every draw.
std::pair<std::uint32_t, std::uint32_t> longest_of(const OrderOfBuild& order) {
  std::pair<std::uint32_t, std::uint32_t> most{0, 0};
  for (const trace::Shape& shape : order.trace.shapes)
    most = {std::max(most.first, shape.src_len), std::max(most.second, shape.tgt_len)};
  return most;
}

}  // namespace

bool draw_the_same_data(const OrderOfBuild& a, const OrderOfBuild& b) {
  const auto is_known = [](const OrderOfBuild& order) {
    return order.trace.kind != trace::ShapeKind::varlen && order.rows.ranks == 1 &&
           order.rows.size() == order.trace.size();
  };
  if (a.trace.kind != b.trace.kind || !is_known(a) || !is_known(b) || sorted_sizes(a) != sorted_sizes(b)) return false;
  return longest_of(a) == longest_of(b) && have_like_totals(a.trace, b.trace) && fits(a, longest_rows(b)) &&
         fits(b, longest_rows(a));
}

// --- The epochs of a run

std::vector<trace::RunSummary> epochs_of(const trace::Trace& run) {
  std::vector<trace::RunSummary> epochs;
  for (std::size_t begin = 0, end = 0; begin < run.size(); begin = end) {
    const auto same = [&](std::size_t i) { return run.epoch.empty() || run.epoch[i] == run.epoch[begin]; };
    for (end = begin + 1; end < run.size() && same(end);) ++end;
    epochs.push_back(trace::summarise(trace::iterations_between(run, begin, end)));
  }
  return epochs;
}

std::vector<project::Projection> project_epochs(const trace::Trace& run, const select::Selection& selection,
                                                std::span<const project::NamedMeasurements> measured,
                                                const project::ProjectParams& params) {
  std::vector<project::Projection> projections;
  for (trace::RunSummary& epoch : epochs_of(run)) {
    const project::TargetRun target{.source = "an epoch", .digest = {}, .run = std::move(epoch)};
    projections.push_back(project::project_onto(selection, target, measured, params));
  }
  return projections;
}

}  // namespace seqpoint::measuring
