#include "core/trace/interruptions.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/trace/shapes.hpp"

namespace seqpoint::trace {
namespace {

struct Mean {
  double sum = 0;
  std::size_t number = 0;
};

using Means = std::map<Shape, Mean>;

/// Sums of a metric by shape over iterations that are measured and not interrupted.
Means means_of(const Trace& trace, const Metric& metric, const std::vector<bool>& interrupted) {
  Means means;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (interrupted[i] || std::isnan(metric.values[i])) continue;
    Mean& mean = means[trace.shapes[i]];
    mean.sum += metric.values[i];
    ++mean.number;
  }
  return means;
}

/// The mean of the shape nearest to `shape` by relative_distance(); the smallest such shape on a tie. `means` is not
/// empty.
double nearest_mean(const Means& means, const Shape& shape) {
  const auto distance = [&](const auto& entry) { return relative_distance(entry.first, shape); };
  const Mean& mean = std::ranges::min_element(means, {}, distance)->second;
  return mean.sum / static_cast<double>(mean.number);
}

}  // namespace

void fill_interrupted(Trace& trace, const std::vector<bool>& interrupted) {
  for (Metric& metric : trace.metrics) {
    const Means means = means_of(trace, metric, interrupted);
    if (means.empty()) continue;
    for (std::size_t i = 0; i < trace.size(); ++i)
      if (interrupted[i]) metric.values[i] = nearest_mean(means, trace.shapes[i]);
  }
}

}  // namespace seqpoint::trace
