#include "core/measuring/duets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/measuring/turns.hpp"
#include "core/select/scales.hpp"

namespace seqpoint::measuring {
namespace {

struct Sums {
  double base = 0, other = 0;
  Sums without(const Pair& pair) const { return {base - pair.weight * pair.base, other - pair.weight * pair.other}; }
  double log_ratio() const { return std::log(other / base); }
};

/// The share of a normal distribution below `z` standard deviations.
double below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace

Duet duet_of(std::span<const Pair> pairs, const UnseenWait& wait) {
  Sums all{wait.base, wait.other};
  for (const Pair& pair : pairs) {
    all.base += pair.weight * pair.base;
    all.other += pair.weight * pair.other;
  }
  const auto number = static_cast<double>(pairs.size());
  double mean = 0, squares = 0;
  for (const Pair& pair : pairs) mean += all.without(pair).log_ratio() / number;
  for (const Pair& pair : pairs) squares += std::pow(all.without(pair).log_ratio() - mean, 2);
  return {all.log_ratio(), (number - 1) / number * squares + wait.variance};
}

RatioOfDuets::RatioOfDuets(std::span<const Duet> duets) {
  constexpr int kSteps = 25;
  constexpr double kFarthest = 3;  // standard deviations of the prior of ln kappa
  const std::size_t number = duets.size();
  std::vector<double> evidence, disturbed(number);
  std::vector<std::vector<select::SeenLevel>> levels_by_part;
  for (int i = 0; i < kSteps; ++i) {
    const double at = kFarthest * (2.0 * i / (kSteps - 1) - 1);
    const double kappa = kBetweenDuets.median * std::exp(at * kBetweenDuets.spread);
    std::vector<select::SeenLevel>& levels = levels_by_part.emplace_back();
    for (const Duet& duet : duets) levels.push_back({duet.log_ratio, std::sqrt(kappa * kappa + duet.variance)});
    const select::LevelMoments level = select::level_of(levels, select::Tail::both);
    evidence.push_back(level.ln_evidence - at * at / 2);
    parts_.push_back({0, level.mean, std::sqrt(level.variance)});
  }
  const double most = *std::ranges::max_element(evidence);
  double sum = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) sum += parts_[i].weight = std::exp(evidence[i] - most);
  for (Normal& part : parts_) part.weight /= sum;
  if (number < kMinProcesses) return;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::vector<double> here = select::disturbed_probabilities(levels_by_part[i], select::Tail::both);
    for (std::size_t d = 0; d < number; ++d) disturbed[d] += parts_[i].weight * here[d];
  }
  const auto far = std::ranges::count_if(disturbed, [](double probability) { return probability > 0.5; });
  const std::size_t usual = number - static_cast<std::size_t>(far);
  agree_ = 2 * usual > number && usual >= std::min<std::size_t>(number, kMinProcessesToDecide);
  extremes_ = {std::numeric_limits<double>::max(), 0};
  for (const Duet& duet : duets) {
    const double twice = 2 * std::sqrt(duet.variance);
    extremes_.low = std::min(extremes_.low, std::exp(duet.log_ratio - twice));
    extremes_.high = std::max(extremes_.high, std::exp(duet.log_ratio + twice));
  }
}

double RatioOfDuets::value() const {
  double mean = 0;
  for (const Normal& part : parts_) mean += part.weight * part.mean;
  return std::exp(mean);
}

double RatioOfDuets::quantile(double share) const {
  constexpr double kFarthest = 40;  // standard deviations
  constexpr int kHalvings = 200;    // more than a double has digits
  double low = 1e300, high = -1e300;
  for (const Normal& part : parts_) {
    low = std::min(low, part.mean - kFarthest * part.deviation);
    high = std::max(high, part.mean + kFarthest * part.deviation);
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    double found = 0;
    for (const Normal& part : parts_) found += part.weight * below((middle - part.mean) / part.deviation);
    (found < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

project::IntervalOrReason RatioOfDuets::interval(double confidence) const {
  const double beyond = 1 - confidence;
  project::IntervalOrReason interval =
      project::Interval{std::exp(quantile(beyond / 2)), std::exp(quantile(1 - beyond / 2))};
  interval.bounds = {std::exp(quantile(beyond)), std::exp(quantile(confidence))};
  if (!agree_)
    for (project::Interval* const range : {&*interval, &interval.bounds})
      *range = {std::min(range->low, extremes_.low), std::max(range->high, extremes_.high)};
  return interval;
}

void set_ratio(project::Projection& projection, std::string_view metric, const RatioOfDuets& ratio) {
  std::vector<project::Speedup>& speedups = projection.configurations[1].speedups;
  const auto found = std::ranges::find(speedups, metric, &project::Speedup::metric);
  if (found == speedups.end()) return;
  const project::IntervalOrReason slower = ratio.interval(projection.confidence);
  found->value = 1 / ratio.value();
  found->interval = project::Interval{1 / slower->high, 1 / slower->low};
  found->interval.bounds = {1 / slower.bounds.high, 1 / slower.bounds.low};
  found->processes_agree = ratio.agree();
  project::share_levels(projection);
  project::compare_parts(projection.configurations[1], projection.configurations[0], projection.confidence);
}

void add_advice(std::vector<project::Check>& checks, std::uint64_t duets) {
  for (project::Check& check : checks) {
    check.more_processes.reset();
    if (check.verdict != project::Verdict::inconclusive || !check.bounds || !check.value) continue;
    const bool is_above = *check.value > check.limit;
    const double now = is_above ? *check.value - check.bounds->low : check.bounds->high - *check.value,
                 wanted = is_above ? *check.value - std::min(check.limit, 0.0) : check.limit - *check.value;
    check.widest = project::WidestPart::processes;
    if (!(wanted > 0)) continue;
    constexpr double kRounding = 1e-9;
    const double more = std::ceil(static_cast<double>(duets) * (std::pow(now / wanted, 2) - 1) - kRounding);
    if (more <= static_cast<double>(select::kMaxPlannedProcesses))
      check.more_processes = static_cast<std::uint64_t>(std::max(more, 1.0));
  }
}

}  // namespace seqpoint::measuring
