#include "core/measuring/joined_builds.hpp"

namespace seqpoint::measuring {
namespace {

/// The ratio of the total of `base` to that of `here`, above 1 if `here` is faster; the errors of both are independent.
project::Speedup speedup_of(const project::MetricProjection& base, const project::MetricProjection& here, bool agree) {
  return {.metric = here.name,
          .value = base.value / here.value,
          .interval = project::ratio_of(base, here),
          .processes_agree = agree};
}

}  // namespace

project::Projection joined(std::span<const project::Projection> builds) {
  project::Projection all = builds.front();
  const project::ConfigurationProjection base = all.configurations.front();
  for (const project::Projection& build : builds.subspan(1))
    for (project::ConfigurationProjection here : build.configurations) {
      const bool agree = base.processes_agree.value_or(true) && here.processes_agree.value_or(true);
      here.speedups.clear();
      for (const project::MetricProjection& metric : here.metrics)
        if (const project::MetricProjection* const of_base = project::find_metric(base, metric.name))
          here.speedups.push_back(speedup_of(*of_base, metric, agree));
      project::compare_parts(here, base, all.confidence);
      all.configurations.push_back(std::move(here));
    }
  return all;
}

}  // namespace seqpoint::measuring
