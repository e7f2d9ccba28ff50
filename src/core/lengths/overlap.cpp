#include "core/lengths/overlap.hpp"

#include <cmath>
#include <map>
#include <vector>

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

/// For the first samples up to each, how many they begin with that they end with, too, but not all (Knuth, Morris and
/// Pratt 1977). Lengths that repeat themselves are compared once, not at each of their places.
std::vector<std::size_t> borders_of(const Lengths& lengths) {
  std::vector<std::size_t> borders(lengths.size(), 0);
  for (std::size_t i = 1, border = 0; i < lengths.size(); ++i) {
    while (border > 0 && !equal_at(lengths, i, lengths, border)) border = borders[border - 1];
    if (equal_at(lengths, i, lengths, border)) ++border;
    borders[i] = border;
  }
  return borders;
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
  const std::vector<std::size_t> borders = borders_of(second);
  std::size_t equal = 0;  // samples that `second` begins with and that end here in `first`
  for (std::size_t i = 0; i < first.size(); ++i) {
    while (equal > 0 && !equal_at(first, i, second, equal)) equal = borders[equal - 1];
    if (equal_at(first, i, second, equal)) ++equal;
    if (equal == second.size()) return equal;
  }
  while (equal > 0 && !is_telling(second, 0, equal)) equal = borders[equal - 1];
  return equal;
}

}  // namespace seqpoint::lengths
