#include "core/lengths/sorted_positions.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace seqpoint::lengths {
namespace {

constexpr unsigned kDigitBits = 11;
constexpr std::uint32_t kDigits = 1U << kDigitBits;

/// Sorts `order` by one digit of the column, the kDigitBits bits from bit `shift` up; stable. `next` is scratch space
/// of the size of `order`.
template <class Position>
void sort_by_digit(std::span<const std::uint32_t> column, unsigned shift, std::vector<Position>& order,
                   std::vector<Position>& next) {
  const auto digit = [&](std::size_t i) { return column[i] >> shift & (kDigits - 1); };
  std::array<std::size_t, kDigits> begin{};
  for (std::size_t i = 0; i < column.size(); ++i) ++begin[digit(i)];
  std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), std::size_t{0});
  for (const Position i : order) next[begin[digit(i)]++] = i;
  order.swap(next);
}

/// Sorts `order` by the column, which is not empty; stable. Digits above the highest bit in which values differ are
/// skipped. `next` is scratch space of the size of `order`.
template <class Position>
void sort_by(std::span<const std::uint32_t> column, std::vector<Position>& order, std::vector<Position>& next) {
  const auto [least, most] = std::minmax_element(column.begin(), column.end());
  for (unsigned shift = 0; shift < 32 && *least >> shift != *most >> shift; shift += kDigitBits)
    sort_by_digit(column, shift, order, next);
}

}  // namespace

std::vector<std::size_t> sorted_positions(std::span<const std::vector<std::uint32_t>> columns) {
  const std::size_t rows = columns.empty() ? 0 : columns.front().size();
  std::vector<std::size_t> order(rows), next(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The least significant column first: later sorts keep the order of ties.
  for (auto column = columns.rbegin(); rows > 0 && column != columns.rend(); ++column) sort_by(*column, order, next);
  return order;
}

std::vector<std::uint32_t> sorted_rows(std::span<const std::uint32_t> column) {
  std::vector<std::uint32_t> order(column.size()), next(column.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  if (!column.empty()) sort_by(column, order, next);
  return order;
}

}  // namespace seqpoint::lengths
