// Bounds by what an epoch takes, instead of by what it pads.
#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include "seqpoint/forecast.hpp"

namespace seqpoint::forecast {
namespace {

/// Iterations of one length, by batch size.
struct LengthGroup {
  std::uint32_t length = 0;
  std::span<const trace::SignatureCount> signatures;
};

std::vector<LengthGroup> groups_of(const trace::RunSummary& run) {
  const std::span<const trace::SignatureCount> all = run.histogram;
  std::vector<LengthGroup> groups;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    const std::uint32_t length = all[begin].signature.src_len;
    while (end < all.size() && all[end].signature.src_len == length) ++end;
    groups.push_back({length, all.subspan(begin, end - begin)});
  }
  return groups;
}

/// The least time of the first so many lengths, by the number of bounds; or, where that is not limited, of any number.
class LeastTime {
 public:
  LeastTime(const trace::RunSummary& run, const SecondsBySignature& seconds, double compile_s,
            std::optional<std::uint64_t> most)
      : groups_(groups_of(run)), seconds_(seconds), compile_s_(compile_s), limited_(most.has_value()) {
    const std::size_t layers = limited_ ? std::min<std::size_t>(*most, groups_.size()) : 1;
    layers_.assign(layers, std::vector<Best>(groups_.size() + 1));
    for (std::size_t end = 1; end <= groups_.size(); ++end) add_length(end);
  }

  std::vector<std::uint64_t> bounds() const {
    // Of equally good ones, the fewest bounds.
    const auto layer_of = [](const auto& a, const auto& b) { return a.back().seconds < b.back().seconds; };
    auto layer = static_cast<std::size_t>(std::min_element(layers_.begin(), layers_.end(), layer_of) - layers_.begin());
    std::vector<std::uint64_t> upper;
    for (std::size_t end = groups_.size(); end > 0;) {
      upper.push_back(groups_[end - 1].length);
      end = layers_[layer][end].start;
      if (limited_ && layer > 0) --layer;
    }
    std::reverse(upper.begin(), upper.end());
    return upper;
  }

 private:
  struct Best {
    double seconds = std::numeric_limits<double>::infinity();
    std::size_t start = 0;  ///< where the last bound's lengths begin
  };

  void add_length(std::size_t end) {
    double segment = 0;                                       // from `start` up to `end`, padded to the longest of them
    std::unordered_map<std::uint32_t, double> of_batch_size;  // seconds of those so far
    for (std::size_t start = end; start-- > 0;) {
      for (const auto& [signature, count] : groups_[start].signatures) {
        const auto [known, is_new] = of_batch_size.try_emplace(signature.batch_size, 0);
        if (is_new) {
          known->second = seconds_.at({.src_len = groups_[end - 1].length, .batch_size = signature.batch_size});
          segment += compile_s_;
        }
        segment += static_cast<double>(count) * known->second;
      }
      for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        Best& best = layers_[layer][end];
        const double with = before(layer, start) + segment;
        if (with < best.seconds) best = {with, start};
      }
    }
  }

  /// Seconds of the lengths before `start`, with one bound less.
  double before(std::size_t layer, std::size_t start) const {
    if (start == 0) return layer == 0 ? 0 : std::numeric_limits<double>::infinity();
    if (!limited_) return layers_[0][start].seconds;
    return layer == 0 ? std::numeric_limits<double>::infinity() : layers_[layer - 1][start].seconds;
  }

  std::vector<LengthGroup> groups_;
  const SecondsBySignature& seconds_;
  double compile_s_;
  bool limited_;
  std::vector<std::vector<Best>> layers_;  ///< by bounds but one, and number of lengths
};

}  // namespace

std::vector<trace::SignatureCount> signatures_padded_up(const trace::RunSummary& run) {
  std::vector<trace::SignatureCount> all;
  std::set<std::uint32_t> batch_sizes;  // of lengths so far
  for (const LengthGroup& group : groups_of(run)) {
    for (const trace::SignatureCount& entry : group.signatures) batch_sizes.insert(entry.signature.batch_size);
    for (const std::uint32_t batch_size : batch_sizes)
      all.push_back({{.src_len = group.length, .batch_size = batch_size}, 1});
  }
  return all;
}

trace::RunSummary padded_up(const trace::RunSummary& run, std::span<const std::uint64_t> upper) {
  trace::RunSummary padded = run;
  std::map<trace::Signature, std::uint64_t> counts;
  for (auto [signature, count] : run.histogram) {
    signature.src_len = static_cast<std::uint32_t>(*std::ranges::lower_bound(upper, signature.src_len));
    counts[signature] += count;
  }
  padded.histogram.clear();
  for (const auto& [signature, count] : counts) padded.histogram.push_back({signature, count});
  return padded;
}

Bounds fastest_bounds(const trace::RunSummary& run, const SecondsBySignature& seconds, double compile_s,
                      std::optional<std::uint64_t> most) {
  Bounds bounds{.upper = LeastTime(run, seconds, compile_s, most).bounds()};
  for (const LengthCount& l : lengths_of_batches(run, trace::Dimension::src_len))
    bounds.tokens += *std::ranges::lower_bound(bounds.upper, l.length) * l.sequences;
  return bounds;
}

}  // namespace seqpoint::forecast
