/// \file
/// Faults of measurements that no single value shows: found by tests with a known rate of false alarms.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "core/enum_names.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::checks {

/// Kinds of faults.
enum class Fault {
  stray_measurement,  ///< one measurement is an outlier among those of its point
  stray_point,        ///< a point is an outlier: it differs from the value that the others predict for its lengths
  slow_start,         ///< the first measurements of the points are slower than later ones
  drift,              ///< cost grows during a process, or falls after the first measurements of its points
  disagreement,       ///< files, hosts or processes differ
  misplaced           ///< times are assigned to other points than they were measured at
};
/// The names of the faults.
inline constexpr std::array<Word<Fault>, 6> kFaults{{{"stray-measurement", Fault::stray_measurement},
                                                     {"stray-point", Fault::stray_point},
                                                     {"slow-start", Fault::slow_start},
                                                     {"drift", Fault::drift},
                                                     {"disagreement", Fault::disagreement},
                                                     {"misplaced", Fault::misplaced}}};
/// The name of a fault.
inline std::string_view name_of(Fault fault) { return name_in(kFaults, fault); }

/// Rate at which measurements that follow the model (docs/method.md) show any fault. Divided evenly among the kinds of
/// faults that can be found, and within a kind among the series; misplaced times have kFalseWarnings instead. Reason:
/// the usual one time in twenty.
inline constexpr double kFalseAlarms = 0.05;

/// False-alarm rate of each test of a configuration's main time that leads to a warning: rounds and places. Reason:
/// every projection makes these tests, so one false warning in a thousand is acceptable.
inline constexpr double kFalseWarnings = 0.001 / 2;

/// A fault that was found.
struct FoundFault {
  Fault fault = Fault::stray_measurement;  ///< what is wrong
  Where place = {};        ///< row of an outlier, first row of a drifting process, else a file; empty: several files
  std::string group = {};  ///< of a disagreement: "a.csv", "host a", "the process from a.csv:12"
  std::string point = {};  ///< id of the point; empty: not of one point
  std::size_t others = 0;  ///< for an outlying measurement: the number of other measurements of its point
  double value = 0;        ///< for an outlying measurement or point, in the metric's unit
  /// Cost over the value expected from the others, minus 1; for a drift, from the beginning of the process to its end.
  /// 0 for misplaced times.
  double change = 0;
  /// Probability that at least one test of this kind finds as much by chance; at most 1.
  double probability = 0;

  /// For people: the group, "a.csv:12", "a.csv" or the id of the point; may be empty.
  std::string where() const {
    if (!group.empty()) return group;
    return place.source.empty() ? point : place.row();
  }
};

/// Detection limit of a fault that was not found.
struct Limit {
  Fault fault = Fault::slow_start;  ///< stray_measurement, slow_start, drift, or disagreement
  /// Cost over the value expected from the others, minus 1, as FoundFault::change: the smallest that would have been
  /// found, for an outlier at any point, for drift if cost grows, for a disagreement of any file or process. Above 0.
  double change = 0;
};

/// How thoroughly measurements are examined; each level includes the levels before it.
enum class Depth { what_could_be_found, findings, limits };

struct SeriesFaults {
  std::vector<FoundFault> findings;
  std::set<Fault> seen;             ///< faults that could have been found
  std::vector<std::string> unseen;  ///< tests that could not be made, and why
  std::vector<Limit> limits;        ///< detection limits of faults that were not found
};

/// The faults of a time of a configuration.
struct TimeFaults {
  std::size_t configuration;  ///< its position
  std::string metric;         ///< the time's name
  SeriesFaults found;
};

}  // namespace seqpoint::checks
