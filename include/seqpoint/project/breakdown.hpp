/// \file
/// Stage 6: where the projected time goes, by kernel, operator or category.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seqpoint/profile/categories.hpp"
#include "seqpoint/profile/measurements.hpp"
#include "seqpoint/profile/steps.hpp"
#include "seqpoint/select/selection.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::project {

/// What the rows of a break-down are.
enum class BreakdownBy { kernel, host_operator, category };
/// Their words.
inline constexpr std::array<Word<BreakdownBy>, 3> kBreakdowns{
    {{"kernel", BreakdownBy::kernel}, {"operator", BreakdownBy::host_operator}, {"category", BreakdownBy::category}}};
/// The word for it.
inline std::string_view name_of(BreakdownBy by) { return name_in(kBreakdowns, by); }

/// One kernel, operator or category over the whole run.
struct BreakdownRow {
  std::string name;              ///< as the profiler or the category's rule has it
  double seconds = 0,            ///< of the whole run
      count = 0;                 ///< calls in the whole run; not a whole number, as weights are none
  double share = 0;              ///< of the configuration's rows
  std::optional<double> change;  ///< seconds / seconds of the baseline; nothing where the baseline has none
};

/// The rows of one configuration.
struct ConfigurationBreakdown {
  std::string name;                ///< of the configuration
  double seconds = 0;              ///< of all rows
  double coverage = 1;             ///< weight of the points with operations, over the iterations
  std::vector<BreakdownRow> rows;  ///< most seconds first, ties by name
};

/// Where the projected time of every configuration goes.
struct Breakdown {
  BreakdownBy by = BreakdownBy::category;  ///< what the rows are
  /// True: rows are sums of device operations (gpu sum). False: of operators' self times (host).
  bool kernels = true;
  std::vector<ConfigurationBreakdown> configurations;  ///< in the order given
};

/// The profiles of one configuration, and how they were matched. All of it is the caller's, and outlives the call.
struct ProfiledConfiguration {
  std::string name;                                     ///< of the configuration
  std::span<const profile::StepProfile> profiles;       ///< those that have steps
  std::span<const profile::ProfileTable> tables;        ///< those that Measurements::source_rows counts
  std::size_t first_table = 0;                          ///< position of the table of profiles[0]
  const profile::Measurements* measurements = nullptr;  ///< never null in a call
};

/// Breaks the time of a run down: the sum over the points of weight x mean over the repeats, for every operation. The
/// weight of points without operations goes to the others as in project(). By category, kernels are added up where
/// every configuration has them, else operators. `baseline`: a configuration's name, for BreakdownRow::change. Throws
/// ParameterError, with a way out, where a configuration has no operations of the kind.
Breakdown break_down(const select::Selection&, std::span<const ProfiledConfiguration>, BreakdownBy,
                     const profile::Categories&, const std::string& baseline);

}  // namespace seqpoint::project
