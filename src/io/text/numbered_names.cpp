#include "io/text/numbered_names.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace seqpoint::io::text {
namespace {

constexpr std::string_view kDigits = "0123456789";

std::optional<std::uint64_t> number_of(std::string_view digits) {
  constexpr std::size_t kMost = 18;
  std::uint64_t number = 0;
  if (digits.empty() || digits.size() > kMost || digits.find_first_not_of(kDigits) != std::string_view::npos) return {};
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

std::optional<std::pair<std::uint64_t, std::uint64_t>> numbers_that_differ(std::string_view a, std::string_view b) {
  // What is the same in front and behind, less the digits at its inner ends, which are part of the number.
  const auto same = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const std::size_t front = a.substr(0, same).find_last_not_of(kDigits) + 1;
  a.remove_prefix(front);
  b.remove_prefix(front);
  const auto behind =
      static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  const std::string_view end = a.substr(a.size() - behind);
  const std::size_t back = end.size() - std::min(end.find_first_not_of(kDigits), end.size());
  const auto first = number_of(a.substr(0, a.size() - back)), second = number_of(b.substr(0, b.size() - back));
  if (!first || !second || *first == *second) return std::nullopt;
  return std::pair(*first, *second);
}

}  // namespace seqpoint::io::text
