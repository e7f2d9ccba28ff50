#include "core/project/session_spreads.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/distributions.hpp"

namespace seqpoint::project {
namespace {

std::vector<const NamedMeasurements*> pointers_to(std::span<const NamedMeasurements> configurations) {
  std::vector<const NamedMeasurements*> pointers;
  for (const NamedMeasurements& c : configurations) pointers.push_back(&c);
  return pointers;
}

}  // namespace

SessionSpreads::SessionSpreads(std::span<const NamedMeasurements> configurations, double confidence)
    : SessionSpreads(pointers_to(configurations), confidence) {}

SessionSpreads::SessionSpreads(std::vector<const NamedMeasurements*> configurations, double confidence)
    : configurations_(std::move(configurations)), confidence_(confidence), spreads_(configurations_.size()) {
  for (std::size_t c = 0; c < configurations_.size(); ++c) {
    const profile::Measurements& measured = configurations_[c]->measurements;
    for (std::size_t m = 0; m < measured.metrics.size(); ++m)
      if (const auto spread = spread_of_sessions(measured, m)) spreads_[c].emplace(measured.metrics[m], *spread);
  }
}

double SessionSpreads::half_width(std::size_t configuration, const std::string& metric) const {
  bool significant = false;
  double degrees = 0, squares = 0;
  for (const auto& of_configuration : spreads_)
    if (const auto found = of_configuration.find(metric); found != of_configuration.end()) {
      significant = significant || found->second.significant;
      degrees += found->second.degrees;
      squares += found->second.degrees * found->second.variance;
    }
  if (!significant) return 0;
  const auto own = spreads_[configuration].find(metric);
  const double sessions = own == spreads_[configuration].end() ? 1 : own->second.degrees + 1;
  return t_quantile(confidence_, degrees) * std::sqrt(squares / degrees / sessions);
}

void SessionSpreads::widen(std::size_t configuration, std::vector<MetricProjection>& metrics,
                           std::vector<std::string>& notes) const {
  const NamedMeasurements& named = *configurations_[configuration];
  if (named.measurements.session_names.size() > kMostSessions)
    notes.push_back(
        fmt::format("{}: {} sessions: whether they differ is looked at where there are at most {}, so that intervals "
                    "have no part of it; is the column 'session' another for each row?",
                    named.name, named.measurements.session_names.size(), kMostSessions));
  for (MetricProjection& metric : metrics) {
    if (metric.kind != MetricKind::total) continue;
    const auto found = spreads_[configuration].find(metric.name);
    if (found != spreads_[configuration].end() && found->second.significant)
      notes.push_back(fmt::format(
          "{}: {} of {} is {:.3g} % above that of {}, which repeats do not explain: the interval is as wide as so few "
          "sessions make it; measure all in one session, or in more sessions",
          named.name, metric.name, named.measurements.session_names[found->second.high],
          100 * (found->second.ratio - 1), named.measurements.session_names[found->second.low]));
    const double share = half_width(configuration, metric.name);
    if (share == 0 || !metric.interval) continue;
    auto& [low, high] = *metric.interval;
    const double half = std::hypot(high - metric.value, share * metric.value);
    low = low < 0 ? metric.value - half : std::max(metric.value - half, 0.0);  // costs are not negative
    high = metric.value + half;
  }
}

void SessionSpreads::widen(std::size_t baseline, std::size_t configuration, Speedup& speedup) const {
  const double share = std::hypot(half_width(baseline, speedup.metric), half_width(configuration, speedup.metric));
  if (!speedup.interval || share == 0) return;
  const double half = std::hypot(std::log(speedup.interval->high / speedup.value), share);
  speedup.interval = Interval{speedup.value * std::exp(-half), speedup.value * std::exp(half)};
}

}  // namespace seqpoint::project
