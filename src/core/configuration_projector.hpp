/// \file
/// One configuration's part of a projection.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "point_values.hpp"
#include "seqpoint/projection.hpp"

namespace seqpoint {

/// Projects everything of one configuration. What it is given has to outlive it.
class ConfigurationProjector {
 public:
  ConfigurationProjector(const Selection& selection, const NamedMeasurements& named, const ProjectParams& params,
                         std::vector<std::string>& notes);

  ConfigurationProjection run();

  /// Where a metric was measured; nothing for a metric that this configuration lacks.
  std::optional<MeasuredPoints> measured(const std::string& name) const;

  /// Above and below the line of a rate: two metrics, or a metric that is weighted by time, times it, and that time.
  std::optional<std::pair<MeasuredPoints, MeasuredPoints>> parts_of_rate(const std::string& name) const;

 private:
  bool wanted(const std::string& name) const;
  const PointValues* find(const std::string& name) const;
  double epochs() const { return static_cast<double>(selection_.run.epochs); }

  /// runtime_s where there is one, else the first metric that is a time.
  const std::pair<std::string, PointValues>* time_metric() const;
  MetricKind kind_of(const std::string& name) const;
  void add_metric(const std::string& name, const PointValues& metric);
  MetricProjection time_weighted(const std::string& name, const PointValues& metric);
  void add_rate(const RateSpec& rate);
  void add(MetricProjection projected);
  void add_throughput();
  void list_missing();
  void list_measured();

  const Selection& selection_;
  const NamedMeasurements& named_;
  const ProjectParams& params_;
  std::vector<std::string>& notes_;
  std::vector<std::pair<std::string, PointValues>> values_;
  ConfigurationProjection out_;
};

}  // namespace seqpoint
