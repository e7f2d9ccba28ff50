// The one list of samplers.
#include <array>
#include <stdexcept>

#include "samplers.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {

std::span<const Sampler> samplers() {
  static const std::array kTable{
      kSequential,
      kSorted,
      kPytorch,
      kPytorchDistributed,
      kLhotseSimple,
      kLhotseDynamic,
      kLhotseBucketing,
      kNemoSemiSorted,
      kTorchtext,
      kOpenNmt,
      kSockeye,
      kEspnet,
      kWenet,
  };
  return kTable;
}

const Sampler& find_sampler(std::string_view name) {
  std::string known;
  for (const Sampler& sampler : samplers()) {
    if (sampler.name == name) return sampler;
    known += (known.empty() ? "" : ", ") + std::string(sampler.name);
  }
  throw UsageError("there is no sampler '" + std::string(name) + "'", "one of: " + known);
}

void for_each_step(const Lengths& lengths, const BatchPolicy& policy, const StepSink& sink) {
  const Sampler& sampler = find_sampler(policy.sampler);
  const std::string owner = "--sampler " + policy.sampler;
  policy.options.require_known(sampler.options, owner);
  if (!policy.version.empty() && sampler.default_version.empty())
    throw UsageError("--sampler-version: the order of " + owner + " does not depend on a version");
  if (policy.batch_size == 0 && sampler.needs_batch_size)
    throw UsageError(owner + " needs a batch size of 1 or more", "--batch-size N, of one rank");
  if (policy.world_size == 0) throw UsageError("--world-size must be 1 or more");
  if (policy.epochs == 0) throw UsageError("--epochs must be 1 or more");
  if (lengths.size() == 0) throw std::invalid_argument("for_each_step: no samples");
  if (sampler.needs_seconds && lengths.seconds.size() != lengths.size())
    throw UsageError(owner + " looks at durations, and the manifest has none",
                     "a manifest of seconds, ms or samples; say so with --length-unit");
  sampler.run(lengths, policy, sink);
}

}  // namespace seqpoint
