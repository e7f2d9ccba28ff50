#include "core/project/further_measurements.hpp"

#include <cmath>
#include <numeric>

#include "core/select/measurement_plan.hpp"

namespace seqpoint::project {
namespace {

struct MeasuredSoFar {
  std::vector<select::MeasurablePoint> points;
  std::vector<select::MeasuredOften> often;
};

MeasuredSoFar measured_so_far(const select::Selection& selection, const RunEstimator& estimator,
                              const RunEstimator::Fit& fit, const MeasurementCounts& counts) {
  MeasuredSoFar found;
  for (std::size_t i = 0; i < counts.points.size(); ++i) {
    const std::size_t p = counts.points[i];
    const auto row = static_cast<Eigen::Index>(i);
    const double share = fit.weights[row] / static_cast<double>(estimator.run().iterations);
    found.points.push_back(
        {.cost_share = share * estimator.point_signatures().relative_size[static_cast<Eigen::Index>(p)],
         .price = 1,
         .distinct_iterations = selection.points[p].iterations.size()});
    found.often.push_back({counts.iterations[i], counts.measurements[i]});
  }
  return found;
}

}  // namespace

std::optional<std::uint64_t> measurements_until(const select::Selection& selection, const RunEstimator& estimator,
                                                const RunEstimator::Fit& fit, const MeasurementCounts& counts,
                                                double share) {
  const auto [points, often] = measured_so_far(selection, estimator, fit, counts);
  const double wanted = (1 - share) * fit.variance.total();
  if (wanted > fit.variance.measured) return std::nullopt;
  const auto more = select::further_measurements(estimator.model().constants(), points, often, wanted);
  if (!more) return std::nullopt;
  return std::accumulate(more->begin(), more->end(), std::uint64_t{0});
}

std::pair<std::vector<std::uint64_t>, double> after_measurements(const select::Selection& selection,
                                                                 const RunEstimator& estimator,
                                                                 const RunEstimator::Fit& fit,
                                                                 const MeasurementCounts& counts, std::uint64_t more) {
  const auto [points, often] = measured_so_far(selection, estimator, fit, counts);
  auto [each, fall] = select::share_out(estimator.model().constants(), points, often, more);
  return {std::move(each), fit.variance.total() - fall};
}

}  // namespace seqpoint::project
