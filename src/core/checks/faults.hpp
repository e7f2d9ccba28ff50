/// \file
/// What can be wrong with measurements although each of them could be one: told by tests whose false alarms are known.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "core/enum_names.hpp"

namespace seqpoint::checks {

/// What can be wrong with measurements.
enum class Fault {
  stray_measurement,  ///< one differs from the others of its point
  stray_point,        ///< a point differs from what the others make of its lengths
  slow_start,         ///< the first measurements of the points are slower than later ones
  drift,              ///< cost grows along a session, or falls after the first measurements of its points
  disagreement,       ///< files, hosts or sessions differ
  misplaced           ///< times do not stand at the points that they were measured at
};
/// Their words.
inline constexpr std::array<Word<Fault>, 6> kFaults{{{"stray-measurement", Fault::stray_measurement},
                                                     {"stray-point", Fault::stray_point},
                                                     {"slow-start", Fault::slow_start},
                                                     {"drift", Fault::drift},
                                                     {"disagreement", Fault::disagreement},
                                                     {"misplaced", Fault::misplaced}}};
/// The word of a fault.
inline std::string_view name_of(Fault fault) { return name_in(kFaults, fault); }

/// How often measurements that are as the model says (docs/method.md) show any fault. Shared out evenly over the kinds
/// of faults that can be found, and of each over the series in which it can be; of misplaced times it is
/// kFalseWarnings. Reason: the usual one time in twenty.
inline constexpr double kFalseAlarms = 0.05;

/// How often each of the tests of a configuration's main time that are warned of may warn for nothing: of rounds, of
/// places. Reason: a warning of every projection, which one in a thousand may be for nothing.
inline constexpr double kFalseWarnings = 0.001 / 2;

/// A fault that was found.
struct FoundFault {
  Fault fault = Fault::stray_measurement;  ///< what is wrong
  std::string where;       ///< file and line; a file; "host a"; the session that begins at a file and line; or empty
  std::string point;       ///< its id; empty: not of one point
  std::size_t others = 0;  ///< of a stray measurement: the other measurements of its point
  double value = 0;        ///< of a stray measurement or point, in the metric's unit
  /// Cost over what the others say, minus 1; of a drift from the beginning of the session to its end. Of misplaced
  /// times 0.
  double change = 0;
  /// How likely at least one test of this kind finds as much where nothing is wrong; at most 1.
  double probability = 0;
};

/// What a fault that was not found may still be.
struct Limit {
  Fault fault = Fault::slow_start;  ///< stray_measurement, slow_start, drift, or disagreement
  /// Cost over what the others say, minus 1, as FoundFault::change: as much would just have been found, of a stray at
  /// any point, of drift where cost grows, of a disagreement of any file or session. Above 0.
  double change = 0;
};

/// How far measurements are examined, each with what is before it.
enum class Depth { what_could_be_found, findings, limits };

struct SeriesFaults {
  std::vector<FoundFault> findings;
  std::set<Fault> seen;             ///< faults that could have been found
  std::vector<std::string> unseen;  ///< as Series has it
  std::vector<Limit> limits;        ///< as Series has them
};

/// The faults of a time of a configuration.
struct TimeFaults {
  std::size_t configuration;  ///< its position
  std::string metric;         ///< the time's name
  SeriesFaults found;
};

}  // namespace seqpoint::checks
