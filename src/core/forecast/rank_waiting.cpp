#include "seqpoint/forecast.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace seqpoint::forecast {
namespace {

using Load = std::function<double(std::uint32_t row)>;

/// A way to share samples out, with what its ranks then have.
struct Way {
  std::string_view name;
  Load load;                                                      ///< null: they stay as they are
  std::vector<const SecondsBySignature::value_type*> of_ranks{};  ///< iteration after iteration
  std::vector<std::size_t> ends{};                                ///< of iterations in `of_ranks`
  std::uint64_t padded_tokens = 0;
};

void predict(SecondsBySignature& seconds, const SecondsOf& seconds_of) {
  std::vector<trace::SignatureCount> all;
  for (const auto& [signature, unknown] : seconds) all.push_back({signature, 1});
  for (const auto& [signature, predicted] : seconds_of(all)) seconds[signature] = predicted;
}

/// What single samples add to an empty batch.
class CostOfSamples {
 public:
  CostOfSamples(const lengths::Lengths& lengths, const trace::RunSummary& run, const SecondsOf& seconds_of)
      : lengths_(lengths), varlen_(run.kind == trace::SignatureKind::varlen) {
    const std::uint64_t batches = run.iterations * run.ranks;
    mean_ =
        static_cast<std::uint32_t>(std::max<std::uint64_t>((varlen_ ? run.padded_tokens : run.samples) / batches, 1));
    seconds_.emplace();
    for (std::uint32_t row = 0; row < lengths.size(); ++row) seconds_.emplace(equals(row).first, 0);
    predict(seconds_, seconds_of);
  }
  double operator()(std::uint32_t row) const {
    const auto [batch, share] = equals(row);
    return share * (seconds_.at(batch) - seconds_.at({}));
  }

 private:
  /// A batch of samples like this one, as large as the mean rank's, and the share of it that one sample is.
  std::pair<trace::Signature, double> equals(std::uint32_t row) const {
    const batching::BatchShape one = batching::shape_of({&row, 1}, lengths_);
    if (!varlen_) return {{.src_len = one.src_len, .tgt_len = one.tgt_len, .batch_size = mean_}, 1.0 / mean_};
    const double share = static_cast<double>(one.tokens) / mean_;
    if (one.tokens == 0) return {{}, 0};
    return {{.tokens = mean_, .sq_tokens = static_cast<std::uint64_t>(static_cast<double>(one.sq_tokens) / share)},
            share};
  }

  const lengths::Lengths& lengths_;
  bool varlen_;
  std::uint32_t mean_;          ///< samples of a batch; without padding its tokens
  SecondsBySignature seconds_;  ///< of such batches, and of an empty one
};

/// Shares the samples of a micro-batch out anew.
class Dealer {
 public:
  Dealer(const batching::MicroBatch& from, const Load& load, bool padded)
      : loads_(from.ranks(), 0), batches_(from.ranks()) {
    std::vector<std::pair<double, std::uint32_t>> samples;
    for (const std::uint32_t row : from.rows) samples.emplace_back(load(row), row);
    std::ranges::stable_sort(samples, std::ranges::greater{}, [](const auto& sample) { return sample.first; });
    for (const auto& [weight, row] : samples) {
      std::size_t least = from.ranks();
      for (std::size_t r = 0; r < from.ranks(); ++r)
        if ((!padded || batches_[r].size() < from.rows_of_rank(r).size()) &&
            (least == from.ranks() || loads_[r] < loads_[least]))
          least = r;
      batches_[least].push_back(row);
      loads_[least] += weight;
    }
    for (const std::vector<std::uint32_t>& batch : batches_) {
      rows_.insert(rows_.end(), batch.begin(), batch.end());
      ends_.push_back(rows_.size());
    }
  }
  /// Valid as long as this.
  batching::MicroBatch dealt() const { return {.rows = rows_, .rank_ends = ends_}; }

 private:
  std::vector<double> loads_;                        ///< by rank
  std::vector<std::vector<std::uint32_t>> batches_;  ///< by rank
  std::vector<std::uint32_t> rows_;
  std::vector<std::size_t> ends_;
};

void add(Way& way, const trace::IterationRow& row, SecondsBySignature& seconds) {
  for (const trace::Signature& s : row.rank_signatures) way.of_ranks.push_back(&*seconds.emplace(s, 0).first);
  way.ends.push_back(way.of_ranks.size());
  way.padded_tokens += row.padded_tokens;
}

/// Once the seconds of its ranks are known.
DealtRun dealt_run(const Way& way, const trace::RunSummary& run) {
  std::map<trace::Signature, std::uint64_t> slowest_ones;
  double mean = 0, slowest = 0;
  for (std::size_t i = 0, begin = 0; i < way.ends.size(); begin = way.ends[i++]) {
    const std::span ranks(way.of_ranks.data() + begin, way.ends[i] - begin);
    const auto& [signature, seconds] = **std::ranges::max_element(ranks, {}, [](auto* rank) { return rank->second; });
    ++slowest_ones[signature];
    slowest += seconds;
    for (const auto* const rank : ranks) mean += rank->second / static_cast<double>(ranks.size());
  }
  DealtRun found{.name = way.name, .waiting = slowest > 0 ? std::max(1 - mean / slowest, 0.0) : 0, .run = run};
  found.run.padded_tokens = way.padded_tokens;
  found.run.waiting.reset();
  found.run.histogram.clear();
  for (const auto& [signature, count] : slowest_ones) found.run.histogram.push_back({signature, count});
  return found;
}

}  // namespace

std::vector<DealtRun> deal_to_ranks(const lengths::Lengths& lengths, const batching::BatchPolicy& policy,
                                    const trace::SignatureRule& rule, const trace::RunSummary& run,
                                    const SecondsOf& seconds_of) {
  const CostOfSamples cost(lengths, run, seconds_of);
  const auto shape = [&](std::uint32_t row) { return batching::shape_of({&row, 1}, lengths); };
  std::vector<Way> ways{{"as they are", {}},
                        {"by tokens", [&](std::uint32_t row) { return static_cast<double>(shape(row).tokens); }},
                        {"by squares", [&](std::uint32_t row) { return static_cast<double>(shape(row).sq_tokens); }},
                        {"by fitted cost", [&](std::uint32_t row) { return cost(row); }}};
  const bool padded = rule.layout == trace::BatchLayout::padded;
  SecondsBySignature seconds;
  std::vector<trace::Signature> signatures;
  trace::for_each_iteration(lengths, policy, rule,
                            [&](const trace::IterationRow& row, const batching::MicroBatch& micro_batch) {
                              if (!micro_batch.shapes.empty()) ways.resize(1, ways.front());
                              add(ways.front(), row, seconds);
                              for (Way& way : std::span(ways).subspan(1)) {
                                const Dealer dealer(micro_batch, way.load, padded);
                                add(way, trace::iteration_of(dealer.dealt(), lengths, rule, signatures), seconds);
                              }
                            });
  predict(seconds, seconds_of);
  std::vector<DealtRun> found;
  for (const Way& way : ways) found.push_back(dealt_run(way, run));
  return found;
}

}  // namespace seqpoint::forecast
