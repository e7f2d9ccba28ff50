/// \file
/// Limits that the user sets on results, and whether they hold. A limit that cannot be decided is always reported.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "seqpoint/error.hpp"
#include "seqpoint/project/projection.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::project {

/// Whether a figure is within its limit.
enum class Verdict {
  holds,
  broken,        ///< the figure, and all of its interval if it has one, is beyond the limit
  inconclusive,  ///< the limit lies inside the interval
  unmeasured,    ///< the reference has the figure and the configuration does not; fails as broken does
  unmatched      ///< the reference has nothing of that name
};

/// The words of verdicts.
inline constexpr std::array<Word<Verdict>, 5> kVerdicts{{{"holds", Verdict::holds},
                                                         {"broken", Verdict::broken},
                                                         {"inconclusive", Verdict::inconclusive},
                                                         {"unmeasured", Verdict::unmeasured},
                                                         {"unmatched", Verdict::unmatched}}};

/// The word of a verdict.
inline std::string_view name_of(Verdict verdict) { return name_in(kVerdicts, verdict); }

/// Which limit: on the growth of a total, on the coverage of the points, on the error of a method.
enum class Gate { max_regression, require_coverage, fail_above };

/// Their words, which the options that set the limits have for names.
inline constexpr std::array<Word<Gate>, 3> kGates{{{"max-regression", Gate::max_regression},
                                                   {"require-coverage", Gate::require_coverage},
                                                   {"fail-above", Gate::fail_above}}};
/// The word of a limit.
inline std::string_view name_of(Gate gate) { return name_in(kGates, gate); }

/// One limit applied to one figure. Shares, not percent: 0.05 is 5 %.
struct Check {
  Gate gate = Gate::max_regression;  ///< which limit
  std::string subject;        ///< whose figure: a configuration, or a method and the configuration it was scored on
  std::string configuration;  ///< whose figure it is
  std::string metric;         ///< empty: of the configuration as a whole
  std::string reference;      ///< what it is compared with; empty: with the limit alone
  double limit = 0;           ///< the user's
  /// The figure, a share; nothing: there is none. Of a regression: how much more the total is than the reference's;
  /// below 0 is less.
  std::optional<double> value;
  std::optional<Interval> interval;  ///< of `value`; an end without bound is infinite
  Verdict verdict = Verdict::holds;  ///< whether the figure is within the limit
  std::string note;                  ///< why it could not be decided, or not on an interval; empty where it was
  /// The smallest regression that about four checks in five would find broken: exactly so many where disturbances are
  /// normal and the interval is as wide again. A share, as `limit`. Nothing: it has no interval.
  std::optional<double> detectable{};
  /// What would decide an inconclusive check if its figure stays as it is: about so many measurements more of each
  /// configuration that was measured now. Nothing: measurements of these points would not, or no reasonable number.
  std::optional<std::uint64_t> more_measurements{};
  /// Where they would not: about so many processes more, of each, with as many measurements a process.
  std::optional<std::uint64_t> more_processes{};
};

/// Whether a check passes: broken and unmeasured never do, inconclusive and unmatched only where `inconclusive_fails`
/// is false.
bool passes(const Check&, bool inconclusive_fails);

/// All checks of a result.
struct Gates {
  std::vector<Check> checks;        ///< in the order of configurations and metrics
  bool inconclusive_fails = false;  ///< what cannot be decided does not pass
};
/// Whether every check passes().
bool all_pass(const Gates&);

/// Checks a speedup (reference / this one) against the largest growth of a total, a share: broken below 1 / (1 +
/// limit), with all of its interval if there is one. Sets limit, value, interval, verdict and note; `note` is the
/// reason why there is no interval.
Check check_speedup(double speedup, const std::optional<Interval>& interval, const std::string& note, double limit);

/// Checks every total of every other configuration against the baseline's. `limit`: the largest growth that passes, a
/// share.
std::vector<Check> check_regressions(const Projection&, double limit);

/// An earlier projection as a reference. Does not own it.
struct Reference {
  const Projection& projection;         ///< outlives this
  std::string name;                     ///< in messages: its file
  std::vector<std::string> statistics;  ///< the metrics to compare; empty: all
};
/// Checks every total against the one of the same configuration in an earlier projection. `limit`: the largest growth
/// that passes, a share. Both were measured on their own, so the interval of their ratio comes from those of the
/// totals; where one is missing, or they are of different confidence, the values decide, and `note` says so. Where the
/// two have no name in common nothing is compared, and all checks are unmeasured, so that they fail.
std::vector<Check> check_regressions(const Projection&, const Reference&, double limit);

/// Why the comparison may not be what it looks like: the measurements are those of the earlier projection, or times are
/// in another unit.
std::vector<Finding> findings_about_reference(const Projection&, const Reference&);
/// Fills in Check::more_measurements or more_processes of the inconclusive checks of regressions, against the baseline
/// or, with `against_earlier`, against an earlier projection. `other`: the run that is projected; null: that of the
/// selection.
void add_advice(std::vector<Check>&, const Projection&, bool against_earlier, const select::Selection&,
                const trace::RunSummary* other, std::span<const NamedMeasurements>, const ProjectParams&);

/// Checks the coverage of every configuration, a share, against the least that is required.
std::vector<Check> check_coverage(const Projection&, double required);

/// Interval of above / below for two figures that were measured independently, both above zero: on the logarithm, the
/// distances from the estimates to the ends add up as the root of their squares, each side for itself (the method of
/// variance estimates recovery: Zou & Donner 2008, Statistics in Medicine 27, 1693-1702). Nothing where an end is not
/// above 0.
std::optional<Interval> ratio_interval(double above, const Interval& of_above, double below, const Interval& of_below);

}  // namespace seqpoint::project
