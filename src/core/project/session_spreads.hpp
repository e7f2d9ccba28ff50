/// \file
/// What differences between sessions add to intervals.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/project/session_spread.hpp"
#include "seqpoint/project/projection.hpp"

namespace seqpoint::project {

/// Sessions of all configurations are taken to vary alike: they are of the same days and machines, and a few sessions
/// of one alone tell little.
class SessionSpreads {
 public:
  /// Measurements have to outlive it.
  SessionSpreads(std::vector<const NamedMeasurements*>, double confidence);
  SessionSpreads(std::span<const NamedMeasurements>, double confidence);

  /// Of the metric of one configuration: what the half-width of its interval has beside the model's, a share of the
  /// value; 0 where no configuration's sessions differ.
  double half_width(std::size_t configuration, const std::string& metric) const;
  /// Widens the intervals of a configuration's totals, and notes sessions that differ.
  void widen(std::size_t configuration, std::vector<MetricProjection>&, std::vector<std::string>& notes) const;
  /// Widens the interval of a speedup of one configuration over another.
  void widen(std::size_t baseline, std::size_t configuration, Speedup&) const;

 private:
  std::vector<const NamedMeasurements*> configurations_;
  double confidence_;
  /// By configuration: metrics whose sessions can be compared.
  std::vector<std::map<std::string, SessionSpread>> spreads_;
};

}  // namespace seqpoint::project
