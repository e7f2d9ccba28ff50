/// \file
/// Packed sequences: what packers make of a data set before a loader orders them and puts them into batches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/batching/groups.hpp"
#include "seqpoint/batches.hpp"

namespace seqpoint::batching {

/// Tokens of one row, one after the other: all of them, or a part.
struct Piece {
  std::uint32_t row = 0;
  std::uint32_t tokens = 0;
};

/// Packs in order, each with its pieces in order.
class Packs : public Groups<Piece> {
 public:
  /// Appends `bins` packs: `pieces[i]` goes to bin `bin_of[i]`, in this order. Bins without a piece are left out.
  void add_bins(std::span<const Piece> pieces, std::span<const std::uint32_t> bin_of, std::size_t bins);
};

/// Rows [begin, end) of the data set.
struct RowRange {
  std::size_t begin = 0, end = 0;
};

/// Options by which users set how Dataset.map is called; each framework has its own names for them.
constexpr OptionSpec map_batch_size_option(std::string_view name) {
  return {name, OptionSpec::Kind::count, "1000", "rows that are packed together; 0: all of them"};
}
constexpr OptionSpec map_processes_option(std::string_view name) {
  return {name, OptionSpec::Kind::count, "1", "processes of Dataset.map, each with a part of the rows"};
}

/// The calls that Hugging Face's Dataset.map(batched=True) makes: `processes` contiguous shards, the first ones one row
/// longer where they do not divide, each cut every `batch_size` rows (0: not at all).
std::vector<RowRange> map_batches(std::size_t rows, std::uint64_t batch_size, std::uint64_t processes);
/// The same with the values of these options.
std::vector<RowRange> map_batches(std::size_t rows, const OptionValues&, std::string_view batch_size_option,
                                  std::string_view processes_option);

/// What becomes of the tokens behind the last whole sequence.
enum class ShortRest { keep, drop };

/// Appends the concatenation of the rows, cut every `length` tokens.
void add_concatenated(Packs& packs, std::span<const std::uint32_t> lengths, RowRange rows, std::uint64_t length,
                      ShortRest rest);

/// Appends next fit: a pack is closed by the first piece that would make it longer than `capacity`.
void add_next_fit(Packs& packs, std::span<const Piece> pieces, std::uint64_t capacity);

/// The row's tokens, in one piece.
inline Piece whole(std::uint32_t row, std::span<const std::uint32_t> lengths) { return {row, lengths[row]}; }

/// The loader of Hugging Face's Trainer.
inline constexpr std::string_view kTrainersLoader = "accelerate";

/// The option --loader: who orders the packs, and puts them into batches.
constexpr OptionSpec loader_option(std::string_view usual) {
  return {
      "loader", OptionSpec::Kind::text, usual,
      "the sampler that orders the packed sequences: accelerate (the Trainer's), pytorch-distributed or sequential"};
}

/// Takes micro-batches whose rows are numbers of packs, and sends micro-batches of dataset rows to `sink`. Each pack is
/// a sequence, `padded_to` tokens wide, or, where that is 0, as wide as the longest of its batch. `packs` and `sink`
/// have to outlive it.
MicroBatchSink packs_to_rows(const Packs& packs, std::uint32_t padded_to, const MicroBatchSink& sink);

/// Sends the batches that the loader makes of the packs, as packs_to_rows. Throws ParameterError where there is no
/// pack.
void load(const Packs& packs, std::uint32_t padded_to, std::string_view usual_loader, const BatchPolicy& policy,
          const MicroBatchSink& sink);

/// Sampler::assumes of that loader, behind what the packer takes for granted itself.
std::string assumptions(std::string_view of_packer, std::string_view usual_loader, const BatchPolicy& policy);

}  // namespace seqpoint::batching
