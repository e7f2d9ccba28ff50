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

/// Maximum measurements of one point: the noise of their mean is a hundredth of that of one measurement.
inline constexpr std::uint64_t kMaxRepeats = 10'000;
/// Measurements per point: the average if no error is requested, and the maximum if the number of points is given.
inline constexpr std::uint64_t kDefaultRepeats = 3;
/// Maximum points for a budget if their number is not given.
inline constexpr std::uint64_t kMaxPoints = 64;
/// Maximum executions of a plan if neither points nor a budget are given.
inline constexpr double kMaxExecutions = 400;

/// The expected error of the run with these weights of these shapes (shares of the iterations), each measured `repeats`
/// times, at different iterations as long as a selection lists some. For a single point, or more than kMaxFittedPoints,
/// noise is infinite and misfit is not counted.
ExpectedError expected_error(const CostModel& model, const GroupIndices& groups, const Eigen::VectorXd& weights,
                             const std::vector<std::uint64_t>& repeats);

/// RepeatsRecord::half_width for these weights of these shapes, repeats and number of processes:
/// averaged over the between-process variation, assuming typical measurements. Nothing for a single point, for more
/// than kMaxFittedPoints, and if `between` has a median of 0.
std::optional<double> expected_half_width(const CostModel& model, const GroupIndices& groups,
                                          const Eigen::VectorXd& weights, const std::vector<std::uint64_t>& repeats,
                                          std::uint64_t processes, const BetweenProcesses& between);

/// A point that measurements are allocated to.
struct MeasurablePoint {
  double cost_share = 0;                  ///< its share of the cost: weight x size, in any unit
  double price = 1;                       ///< price of one measurement, > 0
  std::uint64_t distinct_iterations = 1;  ///< that can be measured, >= 1
};

/// The cost of a plan so far, in some unit: every process runs warm-up until it is steady (a tenth of all), each point
/// once as its own warm-up, and the measurements; repeat r of a point is in process r mod processes.
class PlanPrice {
 public:
  /// `of_warmup`: the price of a warm-up execution of a process. `counts_first`: points have no warm-up of their own.
  explicit PlanPrice(std::uint64_t processes, double of_warmup = 1, bool counts_first = false)
      : executions_(processes), of_warmup_(of_warmup), counts_first_(counts_first) {}

  /// Includes the warm-up of every process, usual_warmup() of its executions of points.
  double total() const;
  /// Adds a point with its own warm-up, one execution in each process, and `repeats` measurements, at `price` per
  /// execution.
  void add_point(double price, std::uint64_t repeats);
  /// Adds a measurement, of this price, to a point that has `repeats` of them.
  void add_repeat(std::uint64_t repeats, double price);

 private:
  std::vector<std::uint64_t> executions_;  ///< executions of points, by process
  double of_points_ = 0, of_warmup_;
  bool counts_first_;
};

/// The limits of a purchase of measurements.
struct BuyingLimits {
  std::uint64_t processes = 1;                              ///< processes, each of which measures every point, >= 1
  double budget = std::numeric_limits<double>::infinity();  ///< limit on the plan's price
  double of_warmup = 1;                                     ///< price of a warm-up execution of a process
  std::uint64_t measurements = UINT64_MAX;                  ///< limit for all points together
  double enough = 0;  ///< variance at which buying stops: V; without a model, the variance of the points' noise
};

/// Repeats of each point: one in each process, then one more at the point where the expected squared error falls most
/// per price (ties: the first), within the limits; at most kMaxRepeats (Neyman 1934). Nothing if the budget does not
/// buy one in each process. At least one in each process however few `measurements` are.
std::optional<std::vector<std::uint64_t>> allocate_measurements(const ModelConstants& constants,
                                                                std::span<const MeasurablePoint> points,
                                                                const BuyingLimits& limits);

/// Repeats of each point, and V with them.
struct Allocation {
  std::vector<std::uint64_t> repeats;
  double variance = 0;
};
/// allocate_measurements() for points of a model; `limits.enough` is a V. `prices`: of one measurement of every shape
/// of the model; empty: 1 each.
std::optional<Allocation> allocate_measurements(const CostModel& model, const WeightedPoints& points,
                                                std::span<const double> prices, BuyingLimits limits);

/// Points and measurements bought together.
struct Purchase {
  GroupIndices groups;                         ///< in the order of purchase
  std::vector<std::uint64_t> repeats;          ///< number of repeats of each
  std::vector<std::uint64_t> measurements_at;  ///< total of all points, by number of points, from one on
  double variance = 0;                         ///< V; weights may be negative
};

/// Starting without points, buys the item that lowers V most per price: a point, measured and warmed up in every
/// process, or one more measurement of a point (ties: points first, then the first). Stops when V is `enough`, nothing
/// is affordable, or kMaxRepeats items are bought; if `enough` is 0, when no new point is affordable.
/// BuyingLimits::measurements is ignored. `prices`: of an execution of every shape of the model; empty: 1 each.
Purchase buy_points(const CostModel& model, std::span<const double> prices, const BuyingLimits& limits,
                    std::uint64_t most_points = UINT64_MAX);

/// The points for a budget, at most kMaxPoints: as many as buy_points() buys, from find_points(); or the bought ones,
/// if their V is lower once the rest of the budget buys repeats, or if it does not buy those of find_points(). If no
/// point is affordable, one from find_points(). `prices`: as above.
FoundPoints points_for_budget(const CostModel& model, std::span<const double> prices, const BuyingLimits& limits);

}  // namespace seqpoint::select
