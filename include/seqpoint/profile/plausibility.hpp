/// \file
/// Times that no iteration can have taken, and others that it hardly can.
#pragma once

#include <span>
#include <vector>

#include "seqpoint/error.hpp"
#include "seqpoint/profile/measurements.hpp"

namespace seqpoint::profile {

/// What is odd about the times of one configuration, whose rows are from `files`, each at the first row that shows it.
/// In the order in which their columns first appear.
std::vector<Finding> findings_about(const Measurements&, std::span<const ProfileTable> files, const select::Selection&);

/// What the rows of one configuration say of where they were measured: that it is another of `configurations`, or that
/// it changes.
std::vector<Finding> findings_about_origin(std::span<const ProfileTable> files, const std::string& configuration,
                                           std::span<const std::string> configurations);

/// Whether every time stands there twice or more at its point, to the last digit: a file or its rows were copied.
bool all_repeated(const Measurements&);
/// Whether two configurations have the same times at the same points, in any order, to the last digit. False where
/// clocks are so coarse that this may be chance.
bool same_times(const Measurements&, const Measurements&);
/// The median over points of what a time of the first configuration is beside the second's; 1 where none can be
/// compared.
double time_ratio(const Measurements&, const Measurements&);

}  // namespace seqpoint::profile
