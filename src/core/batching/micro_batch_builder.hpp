/// \file
/// Puts a micro-batch together, rank after rank: for samplers that give ranks batches of different sizes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/batching/batches.hpp"

namespace seqpoint::batching {

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
