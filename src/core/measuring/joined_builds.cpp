#include "core/measuring/joined_builds.hpp"

#include "core/trace/trace.hpp"

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

// --- The epochs of a run

std::vector<trace::RunSummary> epochs_of(const trace::Trace& run) {
  std::vector<trace::RunSummary> epochs;
  for (std::size_t begin = 0, end = 0; begin < run.size(); begin = end) {
    const auto same = [&](std::size_t i) { return run.epoch.empty() || run.epoch[i] == run.epoch[begin]; };
    for (end = begin + 1; end < run.size() && same(end);) ++end;
    epochs.push_back(trace::summarise(trace::iterations_between(run, begin, end)));
  }
  return epochs;
}

std::vector<project::Projection> project_epochs(const trace::Trace& run, const select::Selection& selection,
                                                std::span<const project::NamedMeasurements> measured,
                                                const project::ProjectParams& params) {
  std::vector<project::Projection> projections;
  for (trace::RunSummary& epoch : epochs_of(run)) {
    const project::TargetRun target{.source = "an epoch", .digest = {}, .run = std::move(epoch)};
    projections.push_back(project::project_onto(selection, target, measured, params));
  }
  return projections;
}

}  // namespace seqpoint::measuring
