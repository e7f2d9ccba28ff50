// TRL's SFTTrainer with packing=True (trl/data_utils.py, pack_dataset): Dataset.map packs batches of rows, each apart
// from the others, and the Trainer's loader orders what comes out.
//   bfd        best fit, longest first; rows are cut to --seq-length, and the rest of them is lost
//   bfd_split  the same with the rest as rows of their own
//   wrapped    rows end to end, cut every --seq-length tokens
#include <algorithm>
#include <array>

#include "core/batching/bin_packing.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/packs.hpp"
#include "core/batching/token_stream.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::array<std::string_view, 3> kTrlStrategies{"bfd", "bfd_split", "wrapped"};

/// The rows cut into pieces of at most `length` tokens, in the order of the rows. Without `keeps_rest`, the tokens of a
/// row beyond `length` are lost. Rows without tokens have no piece.
std::vector<Piece> fragments(const std::vector<std::uint32_t>& lengths, RowRange rows, std::uint64_t length,
                             bool keeps_rest) {
  std::vector<Piece> pieces;
  for (std::size_t row = rows.begin; row < rows.end; ++row)
    for (std::uint64_t left = lengths[row]; left > 0;) {
      const std::uint64_t taken = std::min(left, length);
      pieces.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(taken)});
      left = keeps_rest ? left - taken : 0;
    }
  return pieces;
}

/// Appends packs of at most `length` tokens: best fit decreasing, pieces of equal length in their order.
void add_best_fit(Packs& packs, std::vector<Piece> pieces, std::uint64_t length) {
  std::stable_sort(pieces.begin(), pieces.end(), [](Piece a, Piece b) { return a.tokens > b.tokens; });
  BestFit bins(length);
  std::vector<std::uint32_t> bin_of;
  bin_of.reserve(pieces.size());
  for (const Piece& piece : pieces) bin_of.push_back(bins.place(piece.tokens));
  packs.add_bins(pieces, bin_of, bins.bins());
}

/// Sampler::run. Packs each batch of Dataset.map by --packing-strategy, then loads all packs. Throws ParameterError for
/// paired data, and as load().
void run_trl(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  const std::uint64_t length = sequence_length(lengths, policy);
  const std::string_view strategy = policy.options.one_of("packing-strategy", kTrlStrategies);
  Packs packs;
  constexpr std::uint64_t kUsual = 1000;  // Dataset.map's own
  const std::uint64_t size = policy.options.count_or("map-batch-size", kUsual);
  for (const RowRange rows : map_batches(lengths.size(), size, policy.options.count_or("dataset-num-proc", 1)))
    if (strategy == "wrapped")
      add_concatenated(packs, lengths.src, rows, length);
    else
      add_best_fit(packs, fragments(lengths.src, rows, length, strategy == "bfd_split"), length);
  load(packs, policy, sink);
}

std::string assumes_trl(const BatchPolicy& policy) {
  const bool loses = policy.options.one_of("packing-strategy", kTrlStrategies) == "bfd";
  return assumptions(loses ? "tokens of a row beyond `seq-length` are lost, as bfd loses them" : "", policy);
}

using Kind = OptionSpec::Kind;
constexpr std::array kTrlOptions{
    OptionSpec{"dataset-num-proc", Kind::count, "1", "processes of Dataset.map, each with a part of the rows"},
    kLoaderOption,
    OptionSpec{"map-batch-size", Kind::count, "1000", "rows that are packed together; 0: all of them"},
    OptionSpec{"packing-strategy", Kind::text, "bfd", "bfd, bfd_split or wrapped"},
    OptionSpec{"seq-length", Kind::count, "", "tokens of a packed sequence, at most: SFTConfig.max_length"},
};

}  // namespace

const Sampler kTrl{
    .name = "trl",
    .summary = "TRL's packing of Dataset.map's batches, best fit or wrapped; a batch is `batch_size` packed sequences",
    .checked_against = "TRL's own code, with a stand-in for pyarrow, and vectors",
    .example = "`seq-length` 2048 `batch_size` 4 `seed` 42",
    .options = kTrlOptions,
    .run = run_trl,
    .assumes = assumes_trl};

}  // namespace seqpoint::batching::frameworks
