/// \file
/// Counters by name, if not all steps have the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "core/profile/measure.hpp"

namespace seqpoint::io::profiles::engine {

class MetricColumns {
 public:
  explicit MetricColumns(profile::StepProfile& profile) : profile_(profile) {}

  /// The value of the metric in a step that is not in the profile yet, or is its last one; NaN if new. A new name
  /// becomes another metric of the profile. Valid until the step gets another metric.
  double& at(profile::ProfiledStep& step, std::string_view name) {
    const auto found = std::find(profile_.metrics.begin(), profile_.metrics.end(), name);
    const auto column = static_cast<std::size_t>(found - profile_.metrics.begin());
    if (found == profile_.metrics.end()) profile_.metrics.emplace_back(name);
    pad(step, profile_.metrics.size());
    return step.values[column];
  }
  void set(profile::ProfiledStep& step, std::string_view name, double value) { at(step, name) = value; }
  /// Adds to the existing value; the first value is set.
  void add(profile::ProfiledStep& step, std::string_view name, double value) {
    double& sum = at(step, name);
    sum = std::isnan(sum) ? value : sum + value;
  }
  /// Gives every step a value of every metric, NaN if not measured.
  void finish() {
    for (profile::ProfiledStep& step : profile_.steps) pad(step, profile_.metrics.size());
  }

 private:
  static void pad(profile::ProfiledStep& step, std::size_t size) {
    if (step.values.size() < size) step.values.resize(size, std::numeric_limits<double>::quiet_NaN());
  }
  profile::StepProfile& profile_;
};

}  // namespace seqpoint::io::profiles::engine
