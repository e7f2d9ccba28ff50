#include "core/select/population.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select {
namespace {

/// The measured column of that name; null for an empty name. Throws as population_of().
const trace::Metric* metric_of(const trace::Trace& trace, std::string_view name, std::string_view source) {
  if (name.empty()) return nullptr;
  const trace::Metric* const metric = trace.find_metric(name);
  if (metric == nullptr) {
    std::string known;
    for (const trace::Metric& other : trace.metrics) known += (known.empty() ? "it has: " : ", ") + other.name;
    throw ParameterError("metric", ": " + std::string(source) + " has no measured column '" + std::string(name) + "'",
                         known.empty() ? "it has lengths only; leave `metric` out" : known);
  }
  for (std::size_t i = 0; i < metric->values.size(); ++i)
    if (!std::isfinite(metric->values[i]))
      throw InputError({std::string(source), 0, metric->name},
                       "iteration " + std::to_string(trace.iteration_number(i)) + " was not measured",
                       "every batch needs a value for `metric`; or leave `metric` out");
  return metric;
}

/// The mean of the metric over the iterations of a stratum.
double average(const Population& all, const Stratum& stratum) {
  double sum = 0;
  std::uint64_t count = 0;
  for (std::size_t g = stratum.begin; g < stratum.end; ++g) {
    sum += all.groups[g].sum;
    count += all.groups[g].count;
  }
  return sum / static_cast<double>(count);
}

/// The metric that measuring a choice would give: the value at its position, if it has one; else the mean over its
/// length group, or over the iterations of its shape. If the length replaces the metric, the length of its shape.
double mean_at(const Population& all, const Choice& choice) {
  if (choice.position) return all.value_at(*choice.position);
  if (!all.has_metric()) return choice.shape.length();
  const LengthGroup& group = *std::ranges::lower_bound(all.groups, choice.shape.length(), {}, &LengthGroup::length);
  if (choice.length_group) return group.mean();
  double sum = 0;
  std::uint64_t count = 0;
  for (const std::size_t i : all.positions_of(group)) {
    if (all.trace.shapes[i] != choice.shape) continue;
    sum += all.value_at(i);
    ++count;
  }
  return sum / static_cast<double>(count);
}

/// The sum of the terms in ascending order, so that it does not depend on theirs; 0 without terms, which it removes.
double take_sum(std::vector<double>& terms) {
  std::sort(terms.begin(), terms.end());
  const double sum = std::accumulate(terms.begin(), terms.end(), 0.0);
  terms.clear();
  return sum;
}

}  // namespace

Population population_of(const trace::Trace& trace, std::string_view name, std::string_view source) {
  Population all{.trace = trace,
                 .groups = {},
                 .metric = metric_of(trace, name, source),
                 .order = trace::positions_by_length(trace)};
  const auto length = [&](std::size_t at) { return trace.shapes[all.order[at]].length(); };
  std::vector<double> terms;
  for (std::size_t at = 0; at < all.order.size();) {
    LengthGroup group{.length = length(at), .begin = at};
    for (; at < all.order.size() && length(at) == group.length; ++at) terms.push_back(all.value_at(all.order[at]));
    group.count = at - group.begin;
    group.sum = take_sum(terms);
    all.groups.push_back(group);
  }
  for (const LengthGroup& group : all.groups) all.total += group.sum;
  return all;
}

Choice choice_of(const Population& all, const LengthGroup& group, std::uint64_t weight) {
  std::map<trace::Shape, std::uint64_t> counts;
  for (const std::size_t i : all.positions_of(group)) ++counts[all.trace.shapes[i]];
  const auto usual =
      std::ranges::max_element(counts.rbegin(), counts.rend(), {}, [](const auto& entry) { return entry.second; });
  return {.shape = usual->first, .weight = static_cast<double>(weight), .length_group = group.length};
}

Choice represent(const Population& all, const Stratum& stratum) {
  const double aim = average(all, stratum);
  const auto distance = [&](std::size_t g) { return std::abs(all.groups[g].mean() - aim); };
  double nearest = distance(stratum.begin);
  for (std::size_t g = stratum.begin; g < stratum.end; ++g) nearest = std::min(nearest, distance(g));
  std::size_t chosen = stratum.begin;
  while (distance(chosen) > nearest && !(distance(chosen) - nearest < 1e-9 * std::abs(aim))) ++chosen;
  std::uint64_t weight = 0;
  for (std::size_t g = stratum.begin; g < stratum.end; ++g) weight += all.groups[g].count;
  return choice_of(all, all.groups[chosen], weight);
}

double in_sample_error(const Population& all, const std::vector<Choice>& choices) {
  double projected = 0;
  for (const Choice& choice : choices) projected += choice.weight * mean_at(all, choice);
  if (projected == all.total) return 0;
  return (projected - all.total) / all.total;
}

std::vector<ShapeGroup> shape_groups(const Population& all) {
  const trace::Trace& trace = all.trace;
  std::vector<ShapeGroup> groups;
  std::vector<double> terms;
  for (const std::size_t i : trace::positions_by_shape(trace)) {
    const trace::Shape shape = trace.shapes[i];
    if (groups.empty() || groups.back().shape != shape) {
      if (!groups.empty()) groups.back().sum = take_sum(terms);
      groups.push_back({shape, 0, 0});
    }
    ++groups.back().count;
    if (all.has_metric()) terms.push_back(all.value_at(i));
  }
  groups.back().sum = take_sum(terms);
  return groups;
}

}  // namespace seqpoint::select
