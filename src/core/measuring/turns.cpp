#include "core/measuring/turns.hpp"

#include <algorithm>

namespace seqpoint::measuring {
namespace {

/// Whether no check is inconclusive or unmatched; also true without checks.
bool decided(const project::Gates& gates) {
  return std::ranges::none_of(gates.checks, [](const project::Check& check) {
    return check.verdict == project::Verdict::inconclusive || check.verdict == project::Verdict::unmatched;
  });
}

/// A smaller chance of error is caused by rounding.
constexpr double kRoundingOfAlpha = 1e-9;

double spent(std::span<const Look> looks) {
  double all = 0;
  for (const Look& look : looks) all += look.alpha;
  return all;
}

}  // namespace

std::uint64_t first_look(const StopRule& rule) { return rule.gated ? kMinProcessesToDecide : kMinProcesses; }

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

std::uint64_t end_of_together(std::uint64_t n, std::size_t builds, std::uint64_t parallel,
                              std::uint64_t max_processes) {
  const std::uint64_t round = n / builds, end_of_round = (round + 1) * builds;
  if (n % builds != 0 || parallel < builds) return std::min(n + parallel, end_of_round);
  return std::max(end_of_round, std::min(round + parallel / builds, max_processes) * builds);
}

std::uint64_t steps_of_round(std::size_t builds, std::uint64_t parallel) { return (builds + parallel - 1) / parallel; }

std::optional<double> alpha_of_look(const StopRule& rule, std::span<const Look> earlier, std::uint64_t processes,
                                    bool last) {
  if (last ? !rule.gated : processes < first_look(rule)) return std::nullopt;
  double own = 0;
  for (const Look& look : earlier)
    if (look.processes == processes) own = look.alpha;
  const double left = kAlpha - (spent(earlier) - own);
  if (left < kRoundingOfAlpha) return 0;
  if (last) return left;
  if (own > 0) return own;
  const auto to_come = static_cast<double>(rule.max_processes - std::min(processes, rule.max_processes) + 1);
  return std::min(kAlphaOfLook, left / to_come);
}

bool all_spent(std::span<const Look> looks) { return kAlpha - spent(looks) < kRoundingOfAlpha; }

project::Gates without_verdicts(project::Gates gates, const std::string& why) {
  for (project::Check& check : gates.checks) {
    const bool has_reason = check.verdict == project::Verdict::inconclusive && !check.note.empty();
    if (check.gate != project::Gate::max_regression || !check.value || has_reason) continue;
    check.verdict = project::Verdict::inconclusive;
    check.interval = check.bounds = {};
    check.detectable = {};
    check.more_processes = {};
    check.widest = {};
    check.note = why;
  }
  return gates;
}

Stop out_of(const StopRule& rule, const Standing& standing) {
  if (standing.processes >= rule.max_processes) return Stop::processes;
  if (rule.gated && standing.processes < kMinProcesses) return Stop::go_on;
  return standing.seconds + standing.seconds_a_round > rule.max_seconds ? Stop::time : Stop::go_on;
}

Stop stop(const StopRule& rule, const Standing& standing, const project::Projection& projection,
          const project::Gates& gates) {
  const Stop out = out_of(rule, standing);
  const bool is_look = standing.processes >= (out != Stop::go_on ? kMinProcesses : first_look(rule));
  if (is_look && standing.may_decide && !standing.disagree) {
    if (rule.gated && decided(gates)) return Stop::decided;
    if (!rule.gated && widest(projection) <= rule.precision) return Stop::precise;
  }
  return out;
}

}  // namespace seqpoint::measuring
