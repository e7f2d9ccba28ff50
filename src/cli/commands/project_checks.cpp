// Checks whether measurements are what their columns claim, and whether the requested result depends on it.
#include <algorithm>

#include "cli/commands/project.hpp"
#include "cli/commands/report_findings.hpp"
#include "core/findings.hpp"
#include "core/findings/checks.hpp"
#include "io/views/diagnosis_text.hpp"

namespace seqpoint::cli::commands {
namespace {

/// The position of the baseline configuration; 0, the first, unless one is named.
std::size_t base_of(const Measured& measured, const ProjectRequest& request) {
  const auto found =
      std::ranges::find(measured.configurations, request.params.baseline, &project::NamedMeasurements::name);
  return found == measured.configurations.end() ? 0 : static_cast<std::size_t>(found - measured.configurations.begin());
}

/// Configurations as input of the checks. Inputs and measurements have to outlive it.
std::vector<findings::Joined> joined_files(const ProjectInputs& inputs, const Measured& measured) {
  std::vector<findings::Joined> all;
  for (std::size_t c = 0; c < inputs.configurations.size(); ++c) {
    findings::Joined& one = all.emplace_back(findings::Joined{.named = &measured.configurations[c],
                                                              .files = {},
                                                              .tables = measured.tables[c].tables,
                                                              .of_files = measured.tables[c].file_findings});
    for (const io::manifests::InputRecord& record : inputs.configurations[c].records)
      one.files.push_back({record.path, record.digest});
  }
  return all;
}

}  // namespace

void require_not_decisive(const Finding& finding, const ProjectRequest& request) {
  const auto is = [&](const FindingKind& kind) { return finding.is(kind); };
  const auto& named = request.params.metrics;
  if (request.is_of_run && is(findings::kOtherOrigin)) {
    if (finding.place.field == "device")
      throw InputError({io::views::problem_of(finding)}, 0,
                       "start all on one kind of device, as by `srun --constraint`, and measure anew: -o NEWFOLDER");
    return;
  }
  require_not_refused(finding, std::ranges::find(named, finding.place.field) != named.end());
  const bool copy = is(findings::kSharedFile) || is(findings::kSharedCopy) || is(findings::kSameTimes),
             gated = request.max_regression && request.against.empty(),
             decisive = copy                       ? gated || !request.params.baseline.empty()
                        : is(findings::kOtherUnit) ? gated
                                                   : request.max_regression.has_value();
  if (finding.severe && decisive)
    throw InputError({io::views::problem_of(finding)}, 0,
                     copy                       ? "give each --profile the measurements of its own"
                     : is(findings::kOtherUnit) ? "correct the one that is wrong: --max-regression would pass it"
                                                : "correct it or leave it out: --max-regression would depend on it");
}

std::vector<Finding> check(const ProjectInputs& inputs, const Measured& measured, const ProjectRequest& request) {
  const std::vector<findings::Joined> configurations = joined_files(inputs, measured);
  std::vector<Finding> findings =
      findings::check({.selection = &inputs.selection,
                       .configurations = configurations,
                       .baseline = base_of(measured, request),
                       .compares_builds = request.max_regression && request.against.empty()});
  for (const Finding& finding : findings) require_not_decisive(finding, request);
  if (request.is_of_run)  // processes may be on several hosts of a cluster
    std::erase_if(findings, [](const Finding& finding) { return finding.is(findings::kOtherOrigin); });
  return findings;
}

}  // namespace seqpoint::cli::commands
