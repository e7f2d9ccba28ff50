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

/// Puts a micro-batch together, rank after rank: for samplers that give ranks batches of different sizes.
class MicroBatchBuilder {
 public:
  explicit MicroBatchBuilder(const MicroBatchSink& sink) : sink_(sink) {}

  /// Adds the batch of the next rank: its dataset rows.
  void add_rank(std::span<const std::uint32_t> rows) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    ends_.push_back(rows_.size());
  }
  /// Adds the batch of the next rank, whose shape is not the one of shape_of(). Either all ranks of a micro-batch pass
  /// a shape, or none.
  void add_rank(std::span<const std::uint32_t> rows, const BatchShape& shape) {
    add_rank(rows);
    shapes_.push_back(shape);
  }

  /// Sends the micro-batch to the sink and begins the next one.
  void send(std::uint64_t epoch) {
    sink_({.epoch = epoch, .rows = rows_, .rank_ends = ends_, .shapes = shapes_});
    rows_.clear();
    ends_.clear();
    shapes_.clear();
  }

 private:
  const MicroBatchSink& sink_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::size_t> ends_;
  std::vector<BatchShape> shapes_;
};

}  // namespace seqpoint::batching
