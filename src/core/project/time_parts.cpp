#include "core/project/time_parts.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/algebra.hpp"
#include "core/numbers.hpp"
#include "core/project/measured_points.hpp"
#include "core/select/select.hpp"

namespace seqpoint::project {
namespace {

constexpr double kRanges = 3;

// --- by length -----------------------------------------------------------------------------------------------------

/// The work that each point stands for: padded tokens.
std::vector<double> work_of(const select::Selection& selection) {
  std::vector<double> work;
  for (const select::Point& point : selection.points)
    work.push_back(point.weight.iterations() * static_cast<double>(point.shape.padded_tokens()));
  return work;
}

/// Three ranges of lengths, with their bounds only; empty if there are no three.
std::vector<LengthRange> ranges_of(const select::Selection& selection, const std::vector<double>& work) {
  std::map<double, double> by_length;
  double all = 0, before = 0;
  for (std::size_t p = 0; p < work.size(); ++p) {
    by_length[selection.points[p].shape.length()] += work[p];
    all += work[p];
  }
  std::vector<LengthRange> ranges;
  double last_range = -1, last_length = 0;
  for (const auto& [length, own] : by_length) {
    const double range = std::floor(kRanges * (before + own / 2) / all);  // of the middle of its work
    if (range != last_range) {
      const double bound = ranges.empty() ? 0 : (last_length + length) / 2;
      if (!ranges.empty()) ranges.back().up_to = bound;
      ranges.push_back({.above = bound});
    }
    before += own;
    last_range = range;
    last_length = length;
  }
  return static_cast<double>(ranges.size()) < kRanges ? std::vector<LengthRange>() : ranges;
}

bool contains(const LengthRange& range, const select::Point& point) {
  return range.above < point.shape.length() && point.shape.length() <= range.up_to;
}

bool have_equal_bounds(const std::vector<LengthRange>& a, const std::vector<LengthRange>& b) {
  const auto bounds = [](const LengthRange& range) { return std::pair(range.above, range.up_to); };
  return std::ranges::equal(a, b, {}, bounds, bounds);
}

double seconds_of(const std::vector<LengthRange>& ranges) {
  double seconds = 0;
  for (const LengthRange& range : ranges) seconds += range.seconds;
  return seconds;
}

// --- by round ------------------------------------------------------------------------------------------------------

using Pair = std::pair<const PartsOfProcess*, const PartsOfProcess*>;

/// The processes of the baseline and of the other build that measured in one round, and know these parts.
std::vector<Pair> pairs_of(const TimeParts& base, const TimeParts& here, std::vector<double> PartsOfProcess::*seconds) {
  std::vector<Pair> pairs;
  for (const PartsOfProcess& process : base.processes) {
    const auto other = std::ranges::find(here.processes, process.round, &PartsOfProcess::round);
    if (process.round == 0 || other == here.processes.end()) continue;
    if (!(process.*seconds).empty() && !((*other).*seconds).empty()) pairs.emplace_back(&process, &*other);
  }
  return pairs;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// The seconds of a range, and those that it had if it had changed as all others.
void add_round(PartByRound& part, const std::vector<double>& before, const std::vector<double>& after, std::size_t i) {
  const double others_before = sum_of(before) - before[i], others_after = sum_of(after) - after[i];
  part.before.push_back(before[i] * others_after / others_before);
  part.after.push_back(after[i]);
}

Interval interval_of(const PartDifference& difference) {
  return {difference.change - *difference.half_width, difference.change + *difference.half_width};
}

/// Adds what rounds say of a phase. Its change stays that of the totals, so that the phases add up to the one that is
/// printed beside them: the mean of the rounds counts a disturbed process in full.
void add_rounds(PhaseDifference& phase, const PartDifference& rounds) {
  if (!rounds.half_width) return;
  const double half = *rounds.half_width, change = phase.change;
  phase.interval = Interval{std::min(change, rounds.change) - half, std::max(change, rounds.change) + half};
  const bool differs = phase.interval->low > 0 || phase.interval->high < 0;
  phase.is_cause = rounds.is_cause && differs && std::abs(change) >= kLeastCause;
}

}  // namespace

std::string_view name_of_phase(std::string_view column) {
  const auto found = std::ranges::find(kPhases, column, &decltype(kPhases)::value_type::first);
  return found == kPhases.end() ? "" : found->second;
}

bool is_phase(std::string_view metric, const std::vector<std::string>& metrics) {
  const auto has = [&](std::string_view name) { return std::ranges::find(metrics, name) != metrics.end(); };
  return !name_of_phase(metric).empty() && has("runtime_s") && has("wait_s") && (has("other_s") || has("step_s"));
}

double seconds_of(const std::vector<Phase>& phases) {
  double seconds = 0;
  for (const Phase& phase : phases) seconds += phase.seconds;
  return seconds;
}

std::vector<Phase> scaled_phases(std::vector<Phase> phases, double total) {
  const double measured = seconds_of(phases);
  if (!(measured > 0)) return {};
  for (Phase& phase : phases) {
    phase.share = phase.seconds / measured;
    phase.seconds *= total / measured;
  }
  return phases;
}

std::size_t rounds_with_phases(const TimeParts& base, const TimeParts& here) {
  return pairs_of(base, here, &PartsOfProcess::phases).size();
}

std::vector<PhaseDifference> phase_differences(const TimeParts& base, const TimeParts& here, double confidence,
                                               bool agree) {
  if (!std::ranges::equal(base.phases, here.phases, {}, &Phase::column, &Phase::column)) return {};
  std::vector<PartByRound> parts(base.phases.size());
  const std::vector<Pair> pairs = pairs_of(base, here, &PartsOfProcess::phases);
  double seconds = 0;
  for (const auto& [before, after] : pairs) {
    seconds += sum_of(before->phases) / static_cast<double>(pairs.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].before.push_back(before->phases[i]);
      parts[i].after.push_back(after->phases[i]);
    }
  }
  std::vector<PartDifference> differences(parts.size());
  if (pairs.size() >= kMinRoundsOfACause)
    differences = differences_by_round(parts, seconds, select::wider(base.between, here.between), confidence, agree);
  std::vector<PhaseDifference> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PhaseDifference& one = found.emplace_back(PhaseDifference{.column = base.phases[i].column});
    one.change = (here.phases[i].seconds - base.phases[i].seconds) / seconds_of(base.phases);
    add_rounds(one, differences[i]);
  }
  std::ranges::stable_sort(found, [](const PhaseDifference& a, const PhaseDifference& b) {
    if (a.is_cause != b.is_cause) return a.is_cause;
    return std::abs(a.change) > std::abs(b.change);
  });
  return found;
}

std::vector<LengthRange> ranges_by_length(const select::Selection& selection, const MeasuredPoints& time) {
  std::vector<LengthRange> ranges = ranges_of(selection, work_of(selection));
  const std::vector<double> seconds = seconds_by_length(selection, time, ranges);
  if (seconds.empty()) return {};
  for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i].seconds = seconds[i];
  return ranges;
}

std::vector<double> seconds_by_length(const select::Selection& selection, const MeasuredPoints& time,
                                      const std::vector<LengthRange>& ranges) {
  if (time.values.size() < selection.points.size()) return {};
  std::vector<double> seconds(ranges.size());
  for (std::size_t p = 0; p < selection.points.size(); ++p)
    for (std::size_t i = 0; i < ranges.size(); ++i)
      if (contains(ranges[i], selection.points[p]))
        seconds[i] += selection.points[p].weight.iterations() * time.values[p];
  return seconds;
}

std::vector<RangeDifference> length_differences(const TimeParts& base, const TimeParts& here, double confidence,
                                                bool agree) {
  if (base.ranges.empty() || !have_equal_bounds(base.ranges, here.ranges)) return {};
  std::vector<PartByRound> parts(base.ranges.size());
  double seconds = 0, rounds = 0;
  for (const auto& [before, after] : pairs_of(base, here, &PartsOfProcess::ranges)) {
    seconds += sum_of(before->ranges);
    ++rounds;
    for (std::size_t i = 0; i < parts.size(); ++i) add_round(parts[i], before->ranges, after->ranges, i);
  }
  std::vector<PartDifference> differences(parts.size());
  if (rounds >= kMinRoundsOfACause)
    differences =
        differences_by_round(parts, seconds / rounds, select::wider(base.between, here.between), confidence, agree);
  const double all_before = seconds_of(base.ranges), all = seconds_of(here.ranges);
  std::vector<RangeDifference> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LengthRange &before = base.ranges[i], &after = here.ranges[i];
    found.push_back({.above = before.above,
                     .up_to = before.up_to,
                     .share = before.seconds / all_before,
                     .change = after.seconds / before.seconds - 1,
                     .change_of_others = (all - after.seconds) / (all_before - before.seconds) - 1,
                     .is_cause = differences[i].is_cause});
    if (differences[i].half_width) found.back().interval = interval_of(differences[i]);
  }
  return found;
}

// --- Parts in rounds

namespace {

/// A part of a batch scatters about three times as much between processes as the whole batch.
constexpr double kPartOverWhole = 3;
/// What parts differ by from part to part, on the logarithm: more than whole batches do.
constexpr double kLeastSpread = 1;
/// The least standard deviation of a part, a share of the run: clocks and what lies between phases.
constexpr double kLeastDeviation = 0.003;
/// The grid of the deviation, in standard deviations of its prior.
constexpr Eigen::Index kSteps = 31;
constexpr double kFarthest = 3;

/// By round, the difference of a part as a share of the run.
std::vector<double> differences_of(const PartByRound& part, double seconds) {
  std::vector<double> differences;
  for (std::size_t r = 0; r < part.before.size(); ++r)
    differences.push_back((part.after[r] - part.before[r]) / seconds);
  return differences;
}

/// The half-width of the interval of their mean; `share`: of the part in the run.
double half_width_of(const std::vector<double>& differences, double share, const select::BetweenProcesses& between,
                     double confidence) {
  const Eigen::ArrayXd x = Eigen::ArrayXd::LinSpaced(kSteps, -kFarthest, kFarthest);
  const double spread = std::max(between.spread, kLeastSpread), rounds = static_cast<double>(differences.size());
  double squares = 0;
  for (const double difference : differences) squares += std::pow(difference - mean(differences), 2);
  const Eigen::ArrayXd deviations = kPartOverWhole * between.median * (spread * x).exp();
  const Eigen::ArrayXd variances = 2 * ((deviations * share).square() + kLeastDeviation * kLeastDeviation);
  Eigen::ArrayXd weights = -0.5 * x.square() - 0.5 * (rounds - 1) * variances.log() - squares / (2 * variances);
  weights = (weights - weights.maxCoeff()).exp();
  return normal_mixture_half_width(weights / weights.sum(), variances / rounds, confidence);
}

bool have_one_sign(const std::vector<double>& differences) {
  const auto positive = std::ranges::count_if(differences, [](double difference) { return difference > 0; });
  return positive == 0 || positive == std::ssize(differences);
}

}  // namespace

std::vector<PartDifference> differences_by_round(std::span<const PartByRound> parts, double seconds,
                                                 const select::BetweenProcesses& between, double confidence,
                                                 bool agree) {
  std::vector<PartDifference> found;
  for (const PartByRound& part : parts) {
    const std::vector<double> differences = differences_of(part, seconds);
    PartDifference& one = found.emplace_back(PartDifference{.change = mean(differences)});
    if (differences.size() < kMinRoundsOfACause) continue;
    const double share = (mean(part.before) + mean(part.after)) / (2 * seconds);
    one.half_width = half_width_of(differences, share, between, within_all(parts.size(), confidence));
    one.is_cause = agree && std::abs(one.change) > *one.half_width && have_one_sign(differences) &&
                   std::abs(one.change) >= kLeastCause;
  }
  return found;
}

double within_all(std::size_t intervals, double confidence) {
  return 1 - (1 - confidence) / static_cast<double>(intervals);
}

}  // namespace seqpoint::project
