#include <gtest/gtest.h>

#include <optional>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {
namespace {

TEST(OptionalNumber, IsANumberOrNothing) {
  OptionalNumber number;
  EXPECT_FALSE(number.has_value());
  EXPECT_EQ(number, std::nullopt);
  EXPECT_EQ(number.value_or(7), 7U);
  number = 0;
  EXPECT_TRUE(number.has_value());
  EXPECT_EQ(*number, 0U);
  EXPECT_EQ(number.value_or(7), 0U);
  number.reset();
  EXPECT_EQ(number, OptionalNumber());
}

TEST(OptionalNumber, IsConvertedFromAndToAnOptional) {
  EXPECT_EQ(OptionalNumber(std::optional<std::uint64_t>(3)), OptionalNumber(3));
  EXPECT_EQ(OptionalNumber(std::optional<std::uint64_t>()), std::nullopt);
  EXPECT_EQ(std::optional<std::uint64_t>(OptionalNumber(5)), std::optional<std::uint64_t>(5));
  EXPECT_EQ(std::optional<std::uint64_t>(OptionalNumber()), std::nullopt);
}

}  // namespace
}  // namespace seqpoint::profile
