/// \file
/// What the name of a column says that its numbers are.
#pragma once

#include <string_view>

namespace seqpoint::profile {

/// What the numbers of a column are, and so how they may be projected.
enum class MetricRole {
  cost,     ///< of an iteration: adds up over a run
  rate,     ///< an average over the iteration's time
  maximum,  ///< memory in use: a run needs as much as its largest iteration
  no_cost,  ///< of the training or the machine: a loss, a learning rate, a temperature
  unknown
};

/// The role that a column's name states, by its words, which anything but letters and digits separates:
/// docs/profiles.md has the list. Times (that end in `_s`) are costs.
MetricRole role_of_column(std::string_view name);

}  // namespace seqpoint::profile
