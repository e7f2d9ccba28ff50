/// \file
/// Batches that a job's own loader made, as somebody recorded them: the order of any sampler that is in no table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/batching/batches.hpp"

namespace seqpoint::batching {

/// Micro-batches in the order of training, column by column. A value; the caller keeps columns of the same length.
struct RecordedOrder {
  std::string source;                         ///< the file, for errors
  std::vector<std::uint64_t> lines;           ///< one per micro-batch: where it stands there, 1-based
  std::vector<std::uint32_t> rows;            ///< dataset rows, micro-batch after micro-batch, rank after rank
  std::size_t ranks = 1;                      ///< data-parallel, >= 1
  std::vector<std::size_t> rank_ends;         ///< one per rank and micro-batch: where its batch ends in `rows`
  std::vector<std::uint64_t> epoch;           ///< ascending without gaps; empty: one epoch, 0
  std::vector<std::uint64_t> optimiser_step;  ///< its number; empty: not recorded
  // What the job padded to, of the rank with the most work; each empty where it was not recorded.
  std::vector<std::uint32_t> src_len;     ///< of the source
  std::vector<std::uint32_t> tgt_len;     ///< of the target
  std::vector<std::uint32_t> batch_size;  ///< sequences
  /// Where there is one rank, one per micro-batch, as MicroBatch::shapes; compare_lengths() sets them. Empty: as
  /// shape_of() says.
  std::vector<BatchShape> shapes;

  std::size_t size() const { return lines.size(); }  ///< micro-batches
  /// The micro-batch at position i < size(). `ends` is what its `rank_ends` are kept in.
  MicroBatch micro_batch(std::size_t i, std::vector<std::size_t>& ends) const;
  /// The dataset rows of the micro-batch at position i < size(), all ranks.
  std::span<const std::uint32_t> rows_of(std::size_t i) const;
  std::uint64_t first_epoch() const { return epoch.empty() ? 0 : epoch.front(); }                ///< 0-based
  std::uint64_t epochs() const { return epoch.empty() ? 1 : epoch.back() - epoch.front() + 1; }  ///< >= 1
};

/// Throws InputError, at a line of the order, for a row that the data set does not have.
void require_rows(const RecordedOrder&, const lengths::Lengths&);

/// What the order tells of the rows of a data set, each of which it has: those that come again within an epoch, those
/// that are in no batch. Empty: every row once in each epoch.
std::string describe_use(const RecordedOrder&, const lengths::Lengths&);

/// Compares the lengths that were recorded with those of the rows, all of which the data set has, padded to a multiple.
/// Where they differ those that were recorded hold, if there is one rank, and `shapes` is set. Returns what the user
/// should be told; empty: they agree.
std::string compare_lengths(RecordedOrder&, const lengths::Lengths&, std::uint32_t pad_multiple);

/// Makes a policy one of this order: its ranks and epochs and, where it has them, its optimiser steps. Throws
/// ParameterError where the policy says otherwise, InputError for optimiser steps that are not of equal size, or not of
/// that which the policy says.
void set_order(BatchPolicy&, std::shared_ptr<const RecordedOrder>);

}  // namespace seqpoint::batching
