#include "core/project/further_measurements.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <span>

namespace seqpoint::project {
namespace {

/// Adds measurements of points one by one.
class Buyer {
 public:
  Buyer(const select::ModelConstants& constants, std::span<const select::MeasurablePoint> points,
        std::span<const MeasuredOften> so_far)
      : constants_(constants), points_(points), often_(so_far.begin(), so_far.end()), more_(points.size(), 0) {
    for (std::size_t p = 0; p < points.size(); ++p) queue(p);
  }

  /// Decrease of the squared error.
  double buy() {
    const auto [fall, place] = gains_.top();
    const auto p = static_cast<std::size_t>(-place);
    gains_.pop();
    often_[p] = once_more(p);
    ++more_[p];
    queue(p);
    return fall;
  }
  const std::vector<std::uint64_t>& more() const { return more_; }

 private:
  double variance(std::size_t p, const MeasuredOften& often) const {
    const double share = points_[p].cost_share;
    return share * share * constants_.disturbance_variance(often.iterations, often.measurements);
  }
  MeasuredOften once_more(std::size_t p) const {
    const auto most = static_cast<double>(points_[p].distinct_iterations);
    return {std::max(often_[p].iterations, std::min(often_[p].iterations + 1, most)), often_[p].measurements + 1};
  }
  void queue(std::size_t p) {
    gains_.emplace(variance(p, often_[p]) - variance(p, once_more(p)), -static_cast<std::ptrdiff_t>(p));
  }

  const select::ModelConstants& constants_;
  std::span<const select::MeasurablePoint> points_;
  std::vector<MeasuredOften> often_;
  std::vector<std::uint64_t> more_;
  std::priority_queue<std::pair<double, std::ptrdiff_t>> gains_;  ///< the first of equals on top
};

struct MeasuredSoFar {
  std::vector<select::MeasurablePoint> points;
  std::vector<MeasuredOften> often;
};

MeasuredSoFar measured_so_far(const select::Selection& selection, const RunEstimator& estimator,
                              const RunEstimator::Fit& fit, const MeasurementCounts& counts) {
  MeasuredSoFar found;
  for (std::size_t i = 0; i < counts.points.size(); ++i) {
    const std::size_t p = counts.points[i];
    const auto row = static_cast<Eigen::Index>(i);
    const double share = fit.weights[row] / static_cast<double>(estimator.run().iterations);
    found.points.push_back({.cost_share = share * estimator.point_shapes().relative_size[static_cast<Eigen::Index>(p)],
                            .price = 1,
                            .distinct_iterations = selection.points[p].iterations.size()});
    found.often.push_back({counts.iterations[i], counts.measurements[i]});
  }
  return found;
}

}  // namespace

std::optional<std::vector<std::uint64_t>> further_measurements(const select::ModelConstants& constants,
                                                               std::span<const select::MeasurablePoint> points,
                                                               std::span<const MeasuredOften> so_far, double wanted) {
  Buyer buyer(constants, points, so_far);
  for (std::uint64_t bought = 0; wanted > 0; ++bought) {
    if (bought == select::kMaxRepeats) return std::nullopt;
    wanted -= buyer.buy();
  }
  return buyer.more();
}

std::pair<std::vector<std::uint64_t>, double> share_out(const select::ModelConstants& constants,
                                                        std::span<const select::MeasurablePoint> points,
                                                        std::span<const MeasuredOften> so_far, std::uint64_t more) {
  Buyer buyer(constants, points, so_far);
  double fall = 0;
  for (std::uint64_t bought = 0; bought < std::min(more, select::kMaxRepeats); ++bought) fall += buyer.buy();
  return {buyer.more(), fall};
}

std::optional<std::uint64_t> measurements_until(const select::Selection& selection, const RunEstimator& estimator,
                                                const RunEstimator::Fit& fit, const MeasurementCounts& counts,
                                                double wanted) {
  if (wanted > fit.measured_variances.sum()) return std::nullopt;
  const auto [points, often] = measured_so_far(selection, estimator, fit, counts);
  const auto more = further_measurements(estimator.model().constants(), points, often, wanted);
  if (!more) return std::nullopt;
  return std::accumulate(more->begin(), more->end(), std::uint64_t{0});
}

std::pair<std::vector<std::uint64_t>, double> after_measurements(const select::Selection& selection,
                                                                 const RunEstimator& estimator,
                                                                 const RunEstimator::Fit& fit,
                                                                 const MeasurementCounts& counts, std::uint64_t more) {
  const auto [points, often] = measured_so_far(selection, estimator, fit, counts);
  return share_out(estimator.model().constants(), points, often, more);
}

}  // namespace seqpoint::project
