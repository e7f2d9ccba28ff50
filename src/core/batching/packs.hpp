/// \file
/// Packed sequences: packers fill them from a data set before a loader orders and batches them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/batching/groups.hpp"

namespace seqpoint::batching {

/// Consecutive tokens of one row: all of them, or a part.
struct Piece {
  std::uint32_t row = 0;
  std::uint32_t tokens = 0;
};

/// Packs in order, each with its pieces in order.
class Packs : public Groups<Piece> {
 public:
  /// Appends up to `bins` packs, in the order of bins: `pieces[i]` goes to bin `bin_of[i]` < bins, behind earlier
  /// pieces of that bin. Bins without a piece are left out.
  void add_bins(std::span<const Piece> pieces, std::span<const std::uint32_t> bin_of, std::size_t bins);
};

/// Rows [begin, end) of the data set.
struct RowRange {
  std::size_t begin = 0, end = 0;
};

/// The calls of Hugging Face's Dataset.map(batched=True): `processes` contiguous shards, the first ones one row longer
/// if the rows do not divide evenly, each cut every `batch_size` rows (0: not at all).
std::vector<RowRange> map_batches(std::size_t rows, std::uint64_t batch_size, std::uint64_t processes);
/// Appends the concatenation of the rows, cut every `length` tokens; the last pack may be shorter. `lengths`: of all
/// rows of the data set.
void add_concatenated(Packs& packs, std::span<const std::uint32_t> lengths, RowRange rows, std::uint64_t length);

/// The option --loader: what orders the packs and batches them.
inline constexpr OptionSpec kLoaderOption{
    "loader", OptionSpec::Kind::text, "accelerate",
    "the sampler that orders the packed sequences: accelerate (the Trainer's), pytorch-distributed or sequential"};

/// Sends the batches that the loader (kLoaderOption) makes of the packs, each of which is a sequence; the sink gets
/// rows of the data set. Throws ParameterError for no pack or more than 4294967295, a loader that does not exist, and a
/// seed that the loader does not use.
void load(const Packs& packs, const BatchPolicy& policy, const MicroBatchSink& sink);

/// Sampler::assumes of that loader, appended to the packer's own assumptions (`of_packer`) after "; ". Either may be
/// empty. Throws ParameterError as load() for the loader.
std::string assumptions(std::string_view of_packer, const BatchPolicy& policy);

}  // namespace seqpoint::batching
