// Merges the profiles of several ranks: a step takes as long as the slowest of them.
#include <algorithm>
#include <map>
#include <set>

#include "seqpoint/profile/steps.hpp"

namespace seqpoint::profile {
namespace {

template <class T>
void keep_largest(std::optional<T>& to, const std::optional<T>& other) {
  if (other && (!to || *other > *to)) to = other;
}

/// NaN is "not measured": then the other value counts alone.
double sum_of(double a, double b) { return a != a ? b : b != b ? a : a + b; }

void merge(ProfiledStep& step, const ProfiledStep& other) {
  if (other.host_ns > step.host_ns) {
    step.operators = other.operators;
    step.kernels = other.kernels;
    step.gpu_ops = other.gpu_ops;
    step.gpu_kernels = other.gpu_kernels;
  }
  keep_largest(step.host_ns, other.host_ns);
  keep_largest(step.gpu_busy_ns, other.gpu_busy_ns);
  keep_largest(step.gpu_sum_ns, other.gpu_sum_ns);
  keep_largest(step.gpu_span_ns, other.gpu_span_ns);
  for (std::size_t m = 0; m < std::min(step.values.size(), other.values.size()); ++m)
    step.values[m] = sum_of(step.values[m], other.values[m]);
  step.stub = step.stub && other.stub;
  step.warmup = step.warmup || other.warmup;
  for (const std::string& label : other.labels)
    if (std::find(step.labels.begin(), step.labels.end(), label) == step.labels.end()) step.labels.push_back(label);
}

}  // namespace

std::vector<std::string> merge_ranks(std::vector<StepProfile>& profiles) {
  std::set<std::uint64_t> ranks;
  for (const StepProfile& profile : profiles) {
    if (!profile.rank || profile.metrics != profiles.front().metrics) return {};
    ranks.insert(*profile.rank);
  }
  if (ranks.size() < 2) return {};
  StepProfile merged = profiles.front();
  merged.steps.clear();
  merged.unattributed_gpu_ops = 0;
  std::map<std::string, std::size_t> places;
  for (const StepProfile& profile : profiles) {
    merged.unattributed_gpu_ops += profile.unattributed_gpu_ops;
    for (const ProfiledStep& step : profile.steps) {
      const auto [place, is_new] = places.try_emplace(step.key, merged.steps.size());
      if (is_new)
        merged.steps.push_back(step);
      else
        merge(merged.steps[place->second], step);
    }
  }
  profiles.clear();
  profiles.push_back(std::move(merged));
  return {"profiles of " + std::to_string(ranks.size()) + " ranks: every step is as long as the slowest rank's"};
}

}  // namespace seqpoint::profile
