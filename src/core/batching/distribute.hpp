/// \file
/// From an order of the data set to the micro-batches of one epoch: shared by the samplers that cut an order into
/// batches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/batching/batches.hpp"

namespace seqpoint::batching {

using Batches = std::vector<Rows>;  ///< in order, none of them empty

/// 0, 1, ..., n-1.
Rows file_order(std::size_t n);
/// Sends the micro-batches of one epoch to `sink`. One rank: consecutive parts of the order. W ranks: rank r gets
/// elements r, r + W, ... of the order, as with PyTorch's DistributedSampler. To give every rank the same number, the
/// order is first continued with its own head or, with drop_last, cut. Each rank then cuts its share into batches; with
/// drop_last an incomplete last batch is left out, also with one rank.
void distribute(std::span<const std::uint32_t> order, const BatchPolicy& policy, std::uint64_t epoch,
                const MicroBatchSink& sink);

/// How the last round of batches is completed if samples are too few for a full batch on every rank.
enum class IncompleteRound { fill, keep, drop };

/// Sends the micro-batches of one epoch to `sink`, distributing whole batches: with W ranks, rank r gets batches r, r +
/// W, ... of the order. An incomplete last round is filled with samples from the head of the order, kept (the last
/// ranks get fewer samples, or none), or dropped: `last` decides this, not the policy's drop_last.
void distribute_batches(std::span<const std::uint32_t> order, const BatchPolicy& policy, std::uint64_t epoch,
                        IncompleteRound last, const MicroBatchSink& sink);

/// Sends existing batches in their order: rank r gets batches r, r + W, ... An incomplete last round is filled with
/// batches from the head or, with the policy's drop_last, dropped.
void deal_batches(const Batches& batches, const BatchPolicy& policy, std::uint64_t epoch, const MicroBatchSink& sink);

/// Throws ParameterError if twice the `distributed` items are fewer than the ranks: frameworks that fill the last round
/// with one copy of the head fail there. `items` is their name in the message: "samples".
void require_head_fills_round(std::size_t distributed, const BatchPolicy& policy, const std::string& items);

/// The longer of both sides of a row, or its only length.
std::uint32_t longer_side(const lengths::Lengths& lengths, std::uint32_t row);

/// numpy.random.seed takes 32 bits: throws ParameterError for a larger (or negative) seed.
std::uint32_t numpy_seed(std::uint64_t seed);

/// The seed that random.seed() makes from a Python integer: its absolute value. A seed of 2^63 or more stands for the
/// negative number that it is modulo 2^64.
std::uint64_t python_seed(std::uint64_t seed);

/// Sampler::assumes for samplers whose order depends on the manifest and the options alone: returns "".
std::string no_assumption(const BatchPolicy&);

/// A version such as "1.13", "2.1.0" or "202310"; missing parts are 0.
struct Version {
  unsigned major = 0, minor = 0, patch = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};
/// Reads one to three numbers separated by dots. A third dot ends the version, and what follows it is ignored. Throws
/// ParameterError for any other text.
Version parse_version(std::string_view text);
/// The version whose order is meant: the policy's, else the sampler's default.
Version version_of(const BatchPolicy& policy, const Sampler& sampler);

/// The value of a sampler's option, a whole number; `otherwise` if the option was not set. Throws ParameterError for 0
/// and for any other text.
std::uint64_t positive_count(const BatchPolicy& policy, std::string_view option, std::uint64_t otherwise);

}  // namespace seqpoint::batching
