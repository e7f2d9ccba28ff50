/// \file
/// WeNet's dynamic batches and its buckets (wenet/dataset/datapipes.py).
#pragma once

#include <cstdint>
#include <vector>

#include "core/batching/groups.hpp"

namespace seqpoint::batching::wenet {

/// DynamicBatchWindow (processor.py): as many rows as fit into `most_frames` when padded. `longest` is the longest row
/// of the open batch, which WeNet does not reset between epochs; it is read and updated.
Batches dynamic_batches(const Rows& rows, const std::vector<std::uint32_t>& frames, std::uint64_t most_frames,
                        std::uint64_t& longest);

/// bucket_by_sequence_length: incomplete buckets follow at the end, in the order in which they were begun. There is one
/// batch size more than boundaries.
Batches bucket_batches(const Rows& rows, const std::vector<std::uint32_t>& frames,
                       const std::vector<std::uint64_t>& boundaries, const std::vector<std::uint64_t>& batch_sizes);

}  // namespace seqpoint::batching::wenet
