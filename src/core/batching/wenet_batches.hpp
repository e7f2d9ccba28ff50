/// \file
/// WeNet's three kinds of batches (wenet/dataset/datapipes.py).
#pragma once

#include <cstdint>
#include <vector>

namespace seqpoint::batching::wenet {

using Rows = std::vector<std::uint32_t>;

std::vector<Rows> static_batches(const Rows& rows, std::size_t size);

/// DynamicBatchWindow (processor.py): as many rows as fit into `most_frames` when padded. `longest` is the longest row
/// of the open batch, which WeNet does not reset between epochs; it is read and updated.
std::vector<Rows> dynamic_batches(const Rows& rows, const std::vector<std::uint32_t>& frames, std::uint64_t most_frames,
                                  std::uint64_t& longest);

/// bucket_by_sequence_length: incomplete buckets follow at the end, in the order in which they were begun. There is one
/// batch size more than boundaries.
std::vector<Rows> bucket_batches(const Rows& rows, const std::vector<std::uint32_t>& frames,
                                 const std::vector<std::uint64_t>& boundaries,
                                 const std::vector<std::uint64_t>& batch_sizes);

}  // namespace seqpoint::batching::wenet
