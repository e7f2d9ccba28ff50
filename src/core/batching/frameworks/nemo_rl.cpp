// NeMo RL's sequence packing (nemo_rl/data/packing/algorithms.py, nemo_rl/distributed/batched_data_dict.py): every
// global batch of rows is packed apart, its bins are made a multiple of the ranks, and rank r gets bins r, r + W, ...,
// one a micro-batch.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/batching/bin_packing.hpp"
#include "core/batching/distribute.hpp"
#include "core/batching/frameworks/frameworks.hpp"
#include "core/batching/packs.hpp"
#include "core/batching/token_stream.hpp"
#include "core/rng/rng.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching::frameworks {
namespace {

constexpr std::array<std::string_view, 4> kPackers{"modified_first_fit_decreasing", "first_fit_decreasing",
                                                   "first_fit_shuffle", "concatenative"};

using FilledBins = std::vector<std::vector<Piece>>;

FilledBins first_fit(const std::vector<Piece>& pieces, std::uint64_t capacity) {
  FirstFit rule(capacity);
  FilledBins bins;
  for (const Piece& piece : pieces) {
    const std::uint32_t bin = rule.place(piece.tokens);
    bins.resize(rule.bins());
    bins[bin].push_back(piece);
  }
  return bins;
}

FilledBins modified_first_fit(const std::vector<Piece>& pieces, std::uint64_t capacity) {
  std::vector<std::uint32_t> sizes;
  for (const Piece& piece : pieces) sizes.push_back(piece.tokens);
  FilledBins bins;
  for (const std::vector<std::uint32_t>& items : modified_first_fit_decreasing(sizes, capacity)) {
    bins.emplace_back();
    for (const std::uint32_t item : items) bins.back().push_back(pieces[item]);
  }
  return bins;
}

FilledBins next_fit(const std::vector<Piece>& pieces, std::uint64_t capacity) {
  Packs packs;
  add_next_fit(packs, pieces, capacity);
  FilledBins bins;
  for (std::size_t pack = 0; pack < packs.size(); ++pack) bins.emplace_back(packs[pack].begin(), packs[pack].end());
  return bins;
}

/// Makes the number of bins a multiple of `ranks`: new ones get the last piece of the bin that had most pieces, until
/// one is left there; of equals of the last.
void round_up(FilledBins& bins, std::uint64_t ranks) {
  const std::size_t before = bins.size(), wanted = (before + ranks - 1) / ranks * ranks;
  std::vector<std::pair<std::size_t, std::size_t>> givers;  // pieces, bin
  for (std::size_t bin = 0; bin < before; ++bin) givers.emplace_back(bins[bin].size(), bin);
  std::sort(givers.rbegin(), givers.rend());
  bins.resize(wanted);
  auto giver = givers.begin();
  for (std::size_t bin = before; bin < wanted; ++bin) {
    while (giver != givers.end() && bins[giver->second].size() < 2) ++giver;
    if (giver == givers.end())
      throw ParameterError("sampler", fmt::format("nemo-rl: a global batch has fewer rows than the {} ranks", ranks),
                           "a larger `batch_size`");
    bins[bin].push_back(bins[giver->second].back());
    bins[giver->second].pop_back();
  }
}

class NemoRlPacker {
 public:
  NemoRlPacker(const lengths::Lengths& lengths, const BatchPolicy& policy)
      : lengths_(lengths.src),
        algorithm_(policy.options.one_of("algorithm", kPackers)),
        capacity_(sequence_length(lengths, policy, "train-mb-tokens")),
        random_(python_seed(policy.seed.value_or(0))) {
    if (policy.seed && algorithm_ != "first_fit_shuffle")
      throw ParameterError("seed", fmt::format("has no use here: `algorithm` {} draws nothing at random", algorithm_),
                           "leave it out");
  }

  FilledBins pack(RowRange rows) {
    std::vector<Piece> pieces;
    for (std::size_t row = rows.begin; row < rows.end; ++row)
      pieces.push_back(whole(static_cast<std::uint32_t>(row), lengths_));
    for (const Piece& piece : pieces) require_fits(piece);
    if (algorithm_ == "concatenative") return next_fit(pieces, capacity_);
    if (algorithm_ == "modified_first_fit_decreasing") return modified_first_fit(pieces, capacity_);
    if (algorithm_ == "first_fit_shuffle")
      random_.shuffle(std::span(pieces));
    else
      std::sort(pieces.begin(), pieces.end(),
                [](Piece a, Piece b) { return std::pair(a.tokens, a.row) > std::pair(b.tokens, b.row); });
    return first_fit(pieces, capacity_);
  }

 private:
  void require_fits(const Piece& piece) const {
    const bool too_short = piece.tokens == 0 && algorithm_ == "modified_first_fit_decreasing";
    if (piece.tokens <= capacity_ && !too_short) return;
    throw ParameterError("train-mb-tokens",
                         fmt::format("{}: row {} has {} tokens; here the original stops with a ValueError", capacity_,
                                     piece.row, piece.tokens),
                         "more tokens, or `max_length` and `min_length` to leave out rows");
  }

  std::span<const std::uint32_t> lengths_;
  std::string_view algorithm_;
  std::uint64_t capacity_;
  rng::PythonRandom random_;
};

void run_nemo_rl(const lengths::Lengths& lengths, const BatchPolicy& policy, const MicroBatchSink& sink) {
  NemoRlPacker packer(lengths, policy);
  const std::size_t size = policy.batch_size == 0 ? lengths.size() : policy.batch_size * policy.world_size;
  BatchPolicy one_bin = policy;
  one_bin.batch_size = 1;
  for (std::uint64_t e = 0; e < policy.first_epoch + policy.epochs; ++e)
    for (std::size_t begin = 0; begin + size <= lengths.size(); begin += size) {
      FilledBins bins = packer.pack({begin, begin + size});
      if (e < policy.first_epoch) continue;
      round_up(bins, policy.world_size);
      Packs packs;
      for (const std::vector<Piece>& bin : bins) {
        for (const Piece& piece : bin) packs.add(piece);
        packs.close();
      }
      distribute_batches(file_order(packs.size()), one_bin, e, IncompleteRound::keep, packs_to_rows(packs, 0, sink));
    }
}

std::string assumes_nemo_rl(const BatchPolicy& policy) {
  std::string text = "rows come in file order";
  if (policy.batch_size > 0) text += "; the last ones, less than a global batch, are left out";
  if (policy.options.one_of("algorithm", kPackers) == "first_fit_shuffle")
    text += "; nothing else draws from Python's generator after random.seed";
  return text;
}

using Kind = OptionSpec::Kind;
constexpr std::array kNemoRlOptions{
    OptionSpec{"algorithm", Kind::text, "modified_first_fit_decreasing",
               "modified_first_fit_decreasing, first_fit_decreasing, first_fit_shuffle or concatenative"},
    OptionSpec{"train-mb-tokens", Kind::count, "", "tokens of a micro-batch of packed rows, at most"},
};

}  // namespace

const Sampler kNemoRl{
    .name = "nemo-rl",
    .summary = "NeMo RL's sequence packing; a global batch is `batch_size` rows a rank (without it all rows)",
    .checked_against = "NeMo RL's own code and vectors",
    .example = "`train-mb-tokens` 4096 `batch_size` 256",
    .options = kNemoRlOptions,
    .run = run_nemo_rl,
    .assumes = assumes_nemo_rl,
    .needs_batch_size = false};

}  // namespace seqpoint::batching::frameworks
