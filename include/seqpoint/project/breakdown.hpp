/// \file
/// Stage 6: where the projected time goes, by kernel, operator or category.
#pragma once

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

namespace seqpoint::project {

enum class BreakdownBy { kernel, host_operator, category };
/// `kernel`, `operator`, `category`; nothing for any other word.
std::optional<BreakdownBy> breakdown_by(std::string_view name);
std::string_view name_of(BreakdownBy by);

/// One kernel, operator or category over the whole run.
struct BreakdownRow {
  std::string name;
  double seconds = 0, count = 0;
  double share = 0;              ///< of the configuration's rows
  std::optional<double> change;  ///< seconds / seconds of the baseline; nothing where the baseline has none
};

struct ConfigurationBreakdown {
  std::string name;
  double seconds = 0;              ///< of all rows
  double coverage = 1;             ///< weight of the points with operations, over the iterations
  std::vector<BreakdownRow> rows;  ///< most seconds first, ties by name
};

struct Breakdown {
  BreakdownBy by = BreakdownBy::category;
  bool kernels = true;  ///< true: rows are sums of device operations (gpu sum); false: of operators' self times (host)
  std::vector<ConfigurationBreakdown> configurations;
};

/// The profiles of one configuration, and how they were matched. All of it is the caller's.
struct ProfiledConfiguration {
  std::string name;
  std::span<const profile::StepProfile> profiles;
  std::span<const profile::ProfileTable> tables;  ///< those that Measurements::source_rows counts
  std::size_t first_table = 0;                    ///< position of the table of profiles[0]
  const profile::Measurements* measurements = nullptr;
};

/// Sum over the points of weight x mean over the repeats, for every operation. The weight of points without operations
/// goes to the nearest that have some, as in `project`. By category, kernels are added up where every configuration has
/// them, else operators. Throws UsageError, with a way out, where a configuration has neither.
Breakdown break_down(const select::Selection&, std::span<const ProfiledConfiguration>, BreakdownBy,
                     const profile::Categories&, const std::string& baseline);

}  // namespace seqpoint::project
