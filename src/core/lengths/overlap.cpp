#include "seqpoint/lengths/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace seqpoint::lengths {
namespace {

constexpr double kTellingBits = 64;  // one chance in 2^64, of some 2^40 places to look at

bool equal_at(const Lengths& a, std::size_t i, const Lengths& b, std::size_t j) {
  return a.src[i] == b.src[j] && (!a.paired() || a.tgt[i] == b.tgt[j]);
}

bool tells_as_a_whole(const Lengths& lengths, std::size_t begin, std::size_t end) {
  std::map<std::uint32_t, double> counts;
  double changes = 0, squares = 0;
  for (std::size_t i = begin; i < end; ++i) {
    ++counts[lengths.src[i]];
    if (i > begin && lengths.src[i] != lengths.src[i - 1]) ++changes;
  }
  const auto all = static_cast<double>(end - begin);
  for (const auto& [length, count] : counts) squares += count / all * (count / all);
  return changes > 0 && -changes * std::log2(squares) >= kTellingBits;
}

}  // namespace

/// Lengths of which the first ones tell are told by those: nearly always few do.
bool is_telling(const Lengths& lengths, std::size_t begin, std::size_t end) {
  for (std::size_t looked_at = 1024; begin + looked_at < end; looked_at *= 2)
    if (tells_as_a_whole(lengths, begin, begin + looked_at)) return true;
  return tells_as_a_whole(lengths, begin, end);
}

std::size_t shared_samples(const Lengths& first, const Lengths& second) {
  if (first.paired() != second.paired() || !is_telling(second, 0, second.size())) return 0;
  const auto change = std::adjacent_find(second.src.begin(), second.src.end(), std::not_equal_to<>());
  const auto before = static_cast<std::size_t>(change - second.src.begin());
  for (std::size_t at = 0; at + before + 1 < first.size(); ++at) {
    // Looked at first, so that long runs of one length are not compared at each of their places.
    if (!equal_at(first, at + before + 1, second, before + 1) || !equal_at(first, at + before, second, before))
      continue;
    const std::size_t most = std::min(first.size() - at, second.size());
    std::size_t equal = 0;
    while (equal < most && equal_at(first, at + equal, second, equal)) ++equal;
    if (equal == most && is_telling(second, 0, equal)) return equal;
  }
  return 0;
}

}  // namespace seqpoint::lengths
