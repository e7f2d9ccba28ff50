#include "core/run/turns.hpp"

#include <algorithm>

namespace seqpoint::run {
namespace {

/// Whether no check is inconclusive or unmatched; also true without checks.
bool decided(const project::Gates& gates) {
  return std::ranges::none_of(gates.checks, [](const project::Check& check) {
    return check.verdict == project::Verdict::inconclusive || check.verdict == project::Verdict::unmatched;
  });
}

/// The number of processes of each build at the first look that can end the run.
std::uint64_t first_look(const StopRule& rule) { return rule.gated ? kMinProcessesToDecide : kMinProcesses; }

}  // namespace

double widest(const project::Projection& projection) {
  double most = 0;
  for (const project::ConfigurationProjection& c : projection.configurations) {
    if (projection.configurations.size() == 1)
      for (const project::MetricProjection& m : c.metrics)
        most = std::max(most, project::relative_half_width(m.value, m.interval));
    else
      for (const project::Speedup& s : c.speedups)
        most = std::max(most, project::relative_half_width(s.value, s.interval));
  }
  return most;
}

Turn turn(std::uint64_t n, std::size_t builds) {
  const std::uint64_t round = n / builds, place = n % builds;
  return {static_cast<std::size_t>(round % 2 == 0 ? place : builds - 1 - place), round + 1};
}

double confidence_of_look(const StopRule& rule, std::uint64_t processes) {
  if (processes >= rule.max_processes || processes < first_look(rule)) return kConfidence;
  const double looks = static_cast<double>(rule.max_processes - first_look(rule) + 1);
  return 1 - (1 - kConfidence) / looks;
}

Stop stop(const StopRule& rule, const Standing& standing, const project::Projection& projection,
          const project::Gates& gates) {
  if (standing.processes < kMinProcesses) return Stop::go_on;
  const bool last = standing.processes >= rule.max_processes;
  if (!standing.disagree && (last || standing.processes >= first_look(rule))) {
    if (rule.gated && decided(gates)) return Stop::decided;
    if (!rule.gated && widest(projection) <= rule.precision) return Stop::precise;
  }
  if (last) return Stop::processes;
  return standing.seconds + standing.seconds_a_round > rule.max_seconds ? Stop::time : Stop::go_on;
}

double most_common_share(const trace::RunSummary& run) {
  std::uint64_t most = 0;
  for (const trace::ShapeCount& shape : run.histogram) most = std::max(most, shape.count);
  return run.iterations == 0 ? 0 : static_cast<double>(most) / static_cast<double>(run.iterations);
}

}  // namespace seqpoint::run
