// Numbers of the processes that measured rows.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/profile/measure.hpp"
#include "core/profile/process_number.hpp"

namespace seqpoint::profile {
namespace {

/// Files count their own processes from 0 and never reach this number.
constexpr std::size_t kOfProcess = std::size_t{1} << 63;

/// FNV-1a of 64 bits.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t digest = 14695981039346656037u;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return digest;
}

}  // namespace

std::optional<std::size_t> number_of_process(std::string_view process) {
  const bool counts = std::ranges::all_of(process, [](char c) { return c >= '0' && c <= '9'; });
  if (counts) return std::nullopt;
  return digest_of(process) | kOfProcess;
}

bool is_of_process(std::size_t process) { return process >= kOfProcess; }

}  // namespace seqpoint::profile
