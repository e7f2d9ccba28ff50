/// \file
/// Puts a step together, rank after rank: for samplers whose ranks get batches of different sizes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "seqpoint/batches.hpp"

namespace seqpoint {

class StepBuilder {
 public:
  explicit StepBuilder(const StepSink& sink) : sink_(sink) {}

  void add_rank(std::span<const std::uint32_t> rows) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    ends_.push_back(rows_.size());
  }
  /// The same, of a batch that is padded to more than its longest sample.
  void add_rank(std::span<const std::uint32_t> rows, std::uint32_t src_length, std::uint32_t tgt_length) {
    add_rank(rows);
    src_lengths_.push_back(src_length);
    tgt_lengths_.push_back(tgt_length);
  }

  /// Hands the step out and begins the next one.
  void send(std::uint64_t epoch) {
    sink_({epoch, rows_, ends_, src_lengths_, tgt_lengths_});
    rows_.clear();
    ends_.clear();
    src_lengths_.clear();
    tgt_lengths_.clear();
  }

 private:
  const StepSink& sink_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> src_lengths_, tgt_lengths_;
};

}  // namespace seqpoint
