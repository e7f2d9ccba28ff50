/// \file
/// Stage 6: candidate runs in the order of their projected cost, all from one set of measurements.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/project/projection.hpp"

namespace seqpoint::project {

/// A run that may be made, under its name.
struct Candidate {
  std::string name;  ///< as messages and tables call it
  TargetRun target;  ///< the run itself
};

/// What the interval of a difference says of a candidate against the best.
enum class Order {
  best,       ///< the least of all
  more,       ///< all of the interval is above 0
  undecided,  ///< 0 lies inside
  unknown     ///< there is no interval, or the run's own reaches zero though every measured cost is above it
};
/// The word for it: `best`, `more`, `undecided`, `unknown`.
std::string_view name_of(Order);

/// What an epoch of a candidate costs, in the metric's unit.
struct RankedRun {
  std::size_t candidate = 0;           ///< position in Ranking::candidates
  Order order = Order::best;           ///< against the best
  double value = 0;                    ///< of the mean epoch
  std::optional<Interval> interval{};  ///< of `value`
  double difference = 0;               ///< to the best; 0 or more where the order is known
  /// The interval of `difference`, for itself. Both are projected from the same measurements, so that it is not what
  /// the two intervals of values would give. [0, 0] for the best.
  std::optional<Interval> difference_interval{};
  std::string interval_note{};             ///< why there are none, or why the order is unknown; else empty
  std::optional<Throughput> throughput{};  ///< nothing where no time was measured
};

/// The candidates as one configuration would run them.
struct ConfigurationRanking {
  std::string name;                         ///< of the configuration
  double coverage = 1;                      ///< weight of the points that were measured, over the iterations
  std::vector<std::string> missing_points;  ///< ids of those that lack any metric
  /// The least first, equal ones in the order of the candidates. Those whose interval reaches zero come last, and,
  /// where others have one, those without.
  std::vector<RankedRun> runs;
  std::string partial{};                      ///< as ConfigurationProjection, of the first candidate of which it is
  std::optional<FirstSeenCost> first_seen{};  ///< in times, where it was measured; `seconds` are of the first candidate
};

/// Candidate runs side by side, in every configuration.
struct Ranking {
  std::string metric;                                ///< a total
  double confidence = 0.95;                          ///< of every interval
  std::vector<Candidate> candidates;                 ///< in the order given, with their extrapolation
  double per_epoch_s = 0,                            ///< as Overheads, included in times; 0: none
      first_seen_s = 0;                              ///< as Overheads, included in times; 0: none
  std::vector<ConfigurationRanking> configurations;  ///< in the order given
  std::vector<std::string> notes;                    ///< what the user should be told (warnings)
};

/// Ranks at least one candidate by what an epoch costs, in every configuration: by ProjectParams::statistics where it
/// names one metric, else by the time. The overheads, >= 0, are added to times, as add_overheads() does it. Throws as
/// project_onto and add_overheads, and ParameterError where that metric is no total or was not measured in every
/// configuration. Overheads are in seconds.
Ranking rank(const select::Selection&, std::span<const Candidate>, std::span<const NamedMeasurements>,
             const ProjectParams&, double per_epoch_s = 0, std::optional<double> first_seen_s = {});

}  // namespace seqpoint::project
