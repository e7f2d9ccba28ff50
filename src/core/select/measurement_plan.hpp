/// \file
/// How often to measure points, what a plan costs, what a budget buys, and the expected error of the projection.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/select/point_search.hpp"
#include "core/select/select.hpp"

namespace seqpoint::select {

/// Most measurements of one point: the noise of their mean is a hundredth of that of one measurement.
inline constexpr std::uint64_t kMaxRepeats = 10'000;
/// Measurements per point on average where no error is asked for, and at most where the number of points is given.
inline constexpr std::uint64_t kDefaultRepeats = 3;
/// Most points that a budget is spent on where their number is not given.
inline constexpr std::uint64_t kMaxPoints = 64;
/// Most executions of a plan where neither points nor a budget are given.
inline constexpr double kMaxExecutions = 400;

/// The expected error of every run with these weights of these signatures, each measured `repeats` times, at different
/// iterations as long as a selection names some. Infinite noise with a single point, or more than kMaxFittedPoints.
std::vector<ExpectedError> expected_errors(const CostModel& model, const GroupIndices& groups,
                                           const Eigen::MatrixXd& weights, const std::vector<std::uint64_t>& repeats);

/// RepeatsRecord::half_width of the first run: with these weights of these signatures, measured so often in so many
/// processes. The mean over what processes may differ by of the interval that usual measurements then have.
std::optional<double> expected_half_width(const CostModel& model, const GroupIndices& groups,
                                          const Eigen::MatrixXd& weights, const std::vector<std::uint64_t>& repeats,
                                          std::uint64_t processes, const BetweenProcesses& between);

/// A point that measurements are allocated to.
struct MeasurablePoint {
  double cost_share = 0;                  ///< its share of the cost: weight x size, in any unit
  double price = 1;                       ///< of one measurement, > 0
  std::uint64_t distinct_iterations = 1;  ///< that can be measured, >= 1
};

/// What a plan takes so far, in some unit: every process runs warm-up until it is steady (a tenth of all), each point
/// once as its own warm-up, and the measurements, of which repeat r of a point is in process r mod sessions.
class PlanPrice {
 public:
  /// `of_warmup`: the price of an execution that makes a process steady.
  explicit PlanPrice(std::uint64_t sessions, double of_warmup = 1) : executions_(sessions), of_warmup_(of_warmup) {}

  double total() const;
  /// One more point, of that price an execution.
  void add_point(double price, std::uint64_t repeats);
  /// One more measurement of a point that has so many.
  void add_repeat(std::uint64_t repeats, double price);

 private:
  std::vector<std::uint64_t> executions_;  ///< of points, by process
  double of_points_ = 0, of_warmup_;
};

/// What measurements are bought with.
struct BuyingLimits {
  std::uint64_t sessions = 1;                               ///< each measures every point, >= 1
  double budget = std::numeric_limits<double>::infinity();  ///< of the plan's price
  double of_warmup = 1;                                     ///< price of an execution that makes a process steady
  std::uint64_t measurements = UINT64_MAX;                  ///< of all points together
  double enough = 0;  ///< variance at which no more is bought: V; where no model is given, of the points' disturbances
};

/// Repeats of each point: one in each process, then one more where the expected squared error falls most per price
/// (the first of equals), within the limits; at most kMaxRepeats (Neyman 1934). Nothing where the budget does not buy
/// one in each process. At least one in each process however few `measurements` are.
std::optional<std::vector<std::uint64_t>> allocate_measurements(const ModelConstants& constants,
                                                                std::span<const MeasurablePoint> points,
                                                                const BuyingLimits& limits);

/// The same of points of a model, and V with these repeats. `prices`: of one measurement of every signature of the
/// model; empty: 1 each.
struct Allocation {
  std::vector<std::uint64_t> repeats;
  double variance = 0;
};
std::optional<Allocation> allocate_measurements(const CostModel& model, const WeightedPoints& points,
                                                std::span<const double> prices, BuyingLimits limits);

/// Points and measurements bought together.
struct Purchase {
  GroupIndices groups;                         ///< in the order in which they were bought
  std::vector<std::uint64_t> repeats;          ///< of each
  std::vector<std::uint64_t> measurements_at;  ///< of all points together, by number of points, from one on
  double variance = 0;                         ///< V, where weights may be negative
};

/// From no points on, buys what lowers V most for its price: a point, measured and warmed up in every process, or one
/// more measurement of a point (ties: points first, then the first). Until V is `enough` or nothing is affordable.
/// `prices`: of an execution of every signature of the model; empty: 1 each.
Purchase buy_points(const CostModel& model, std::span<const double> prices, const BuyingLimits& limits,
                    std::uint64_t most_points = UINT64_MAX);

/// The points for a budget: those that are bought, or as many that find_points finds, if the budget buys them and
/// their V is less once the rest buys repeats. `prices`: as above, not empty.
FoundPoints points_for_budget(const CostModel& model, std::span<const double> prices, const BuyingLimits& limits,
                              std::uint64_t seed = 0);

}  // namespace seqpoint::select
