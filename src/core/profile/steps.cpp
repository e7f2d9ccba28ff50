#include "core/profile/measure.hpp"

#include <algorithm>

namespace seqpoint::profile {
namespace {

/// The median of the known host times in nanoseconds, rounded down; 0 if there are none.
std::int64_t median_host(const std::vector<ProfiledStep>& steps) {
  std::vector<std::int64_t> times;
  for (const ProfiledStep& step : steps)
    if (step.host_ns) times.push_back(*step.host_ns);
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  return times.size() % 2 == 1 ? times[half] : times[half - 1] + (times[half] - times[half - 1]) / 2;
}

}  // namespace

std::optional<std::int64_t> ProfiledStep::time(TimeKind kind) const {
  switch (kind) {
    case TimeKind::gpu_busy: return gpu_busy_ns;
    case TimeKind::gpu_sum: return gpu_sum_ns;
    case TimeKind::gpu_span: return gpu_span_ns;
    case TimeKind::host: break;
  }
  return host_ns;
}

bool StepProfile::has(TimeKind kind) const {
  return std::any_of(steps.begin(), steps.end(),
                     [kind](const ProfiledStep& step) { return step.time(kind).value_or(0) > 0; });
}

std::optional<TimeKind> StepProfile::first_kind() const {
  for (const auto& [name, kind] : kTimeKinds)
    if (has(kind)) return kind;
  return std::nullopt;
}

void mark_stubs(StepProfile& profile) {
  constexpr std::int64_t kShare = 20;  // 5 %
  const std::int64_t median = median_host(profile.steps);
  const bool devices = profile.has(TimeKind::gpu_sum);
  for (ProfiledStep& step : profile.steps) {
    const bool idle = step.gpu_ops.value_or(0) == 0 && step.weak_gpu_ops == 0;
    const bool may_be = devices || (&step == &profile.steps.back() && profile.steps.size() > 1);
    step.stub = idle && may_be && step.host_ns && *step.host_ns < median / kShare;
  }
}

void mark_warmup(StepProfile& profile, std::uint64_t count) {
  for (ProfiledStep& step : profile.steps) {
    if (count == 0) return;
    if (step.stub) continue;
    step.warmup = true;
    --count;
  }
}

}  // namespace seqpoint::profile
