/// \file
/// From an order of the data set to the steps of one epoch: shared by the samplers that cut an order into batches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/batching/batches.hpp"

namespace seqpoint::batching {

/// 0, 1, ..., n-1.
std::vector<std::uint32_t> file_order(std::size_t n);

/// Hands out the steps of one epoch. One rank: consecutive chunks of the order. Several: rank r gets elements r, r + W,
/// ... of the order, as PyTorch's DistributedSampler deals them; so that all ranks get as many, the order is first
/// continued with its own head or, with drop_last, cut. Each rank then cuts its share into batches.
void distribute(std::span<const std::uint32_t> order, const BatchPolicy& policy, std::uint64_t epoch,
                const MicroBatchSink& sink);

/// What becomes of the last round of batches, if there are not enough samples for a full batch on every rank.
enum class IncompleteRound { fill, keep, drop };

/// Hands out the steps of one epoch, dealing whole batches: rank r gets batches r, r + W, ... of the order. The last
/// round is filled with samples from the head of the order, kept as it is (late ranks get less, or nothing), or
/// dropped.
void distribute_batches(std::span<const std::uint32_t> order, const BatchPolicy& policy, std::uint64_t epoch,
                        IncompleteRound last, const MicroBatchSink& sink);

/// Throws UsageError unless the last of `dealt` items and one copy of the head make a full round: samplers that append
/// the head once assert so. `items` is how the message calls them.
void require_head_fills_round(std::size_t dealt, const BatchPolicy& policy, const std::string& items);

/// The longer of both sides, or the only length.
std::uint32_t longer_side(const lengths::Lengths& lengths, std::uint32_t row);

/// numpy.random.seed takes 32 bits: throws UsageError for a larger (or negative) seed.
std::uint32_t numpy_seed(std::uint64_t seed);

/// What random.seed makes of a Python integer: its absolute value. A seed of 2^63 or more stands for the negative
/// number that it is modulo 2^64.
std::uint64_t python_seed(std::uint64_t seed);

/// For samplers that take nothing for granted.
std::string no_assumption(const BatchPolicy&);

/// A version such as "1.13", "2.1.0" or "202310", what is not there being 0; throws UsageError for anything else.
struct Version {
  unsigned major = 0, minor = 0, patch = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};
Version parse_version(std::string_view text);

}  // namespace seqpoint::batching
