#include "core/measuring/epochs.hpp"

#include "core/trace/phases.hpp"

namespace seqpoint::measuring {

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
