/// \file
/// Runs of every sampler of the table: lengths, and settings that fit them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>

#include "cli/parameters.hpp"
#include "core/batching/batches.hpp"
#include "core/trace/trace.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::testing {

enum class Corpus { even, skewed, alike };

/// 1600 samples: of any length up to 60, most short and a few very long, or of three lengths, so that ranks tie.
inline lengths::Lengths lengths_of(Corpus corpus, bool paired, Draw& draw) {
  const auto length = [&]() -> std::uint32_t {
    if (corpus == Corpus::even) return 1 + draw.below(60U);
    if (corpus == Corpus::alike) return 20 * (1 + draw.below(3U));
    return 1 + draw.below(draw.below(20U) == 0 ? 400U : 12U);
  };
  lengths::Lengths lengths;
  for (unsigned i = 0; i < 1600; ++i) {
    lengths.src.push_back(length());
    lengths.seconds.push_back(0.01 * lengths.src.back());
    if (paired) lengths.tgt.push_back(length());
  }
  return lengths;
}

/// The sampler's own example, with settings that fit the corpora, on so many ranks.
inline batching::BatchPolicy policy_of(const batching::Sampler& sampler, std::uint64_t ranks) {
  batching::BatchPolicy policy;
  policy.sampler = sampler.name;
  std::istringstream words{cli::with_options(sampler.example)};
  std::string name, value;
  if (words.peek() == ':') {
    words >> value;
    policy.options = batching::parse_sampler(policy.sampler + value).options;
  }
  while (words >> name >> value) {
    if (name == "--batch-size") policy.batch_size = std::stoul(value);
    if (name == "--seed") policy.seed = std::stoul(value);
    if (name == "--epoch") policy.epoch = std::stoul(value);
  }
  if (policy.options.has("max-duration")) policy.options.set("max-duration", "4");
  if (policy.options.has("seq-length")) policy.options.set("seq-length", "50");
  if (policy.batch_size > 64) policy.batch_size = 600;
  if (policy.batch_size <= 64) policy.batch_size = std::min<std::uint64_t>(policy.batch_size, 4);
  policy.world_size = ranks;
  return policy;
}

/// Whether the sampler does not refuse samples of two sides.
inline bool takes_pairs(const batching::Sampler& sampler) {
  Draw draw(0);
  try {
    trace::trace_of(lengths_of(Corpus::even, true, draw), policy_of(sampler, 1), {});
  } catch (const UsageError&) {
    return false;
  }
  return true;
}
inline bool is_of_pairs(const batching::Sampler& sampler) { return sampler.name == "mlperf-gnmt"; }

}  // namespace seqpoint::testing
