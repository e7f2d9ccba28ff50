#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "io/artifacts/files.hpp"

namespace seqpoint {
namespace {

/// Against the standard library's own texts, around every number of digits.
TEST(LengthsCsv, NumbersAreWrittenAsTheyAre) {
  lengths::Lengths lengths;
  std::string expected = "src_len\n";
  const auto add = [&](std::uint32_t value) {
    lengths.src.push_back(value);
    expected += std::to_string(value) + "\n";
  };
  for (std::uint32_t value = 0; value <= 10'100; ++value) add(value);
  for (const std::uint32_t power : {100'000U, 1'000'000U, 10'000'000U, 1'000'000'000U})
    for (const std::uint32_t value : {power - 1, power, power + 1, power + 10}) add(value);
  add(std::numeric_limits<std::uint32_t>::max());
  std::string written;
  io::artifacts::write_lengths(lengths, [&](std::string_view bytes) { written += bytes; });
  EXPECT_EQ(written, expected);
}

}  // namespace
}  // namespace seqpoint
