#include "io/text/numbered_names.hpp"

#include <gtest/gtest.h>

namespace seqpoint::testing {
namespace {

using io::text::numbers_that_differ;
using Numbers = std::optional<std::pair<std::uint64_t, std::uint64_t>>;

TEST(NumberedNames, AreEqualButForOneNumber) {
  EXPECT_EQ(numbers_that_differ("shard-03.csv", "shard-05.csv"), Numbers({3, 5}));
  EXPECT_EQ(numbers_that_differ("s/9.csv", "s/10.csv"), Numbers({9, 10}));
  EXPECT_EQ(numbers_that_differ("lengths-19.csv", "lengths-29.csv"), Numbers({19, 29})) << "the 9 is of the number";
  EXPECT_EQ(numbers_that_differ("train-00003-of-00016", "train-00004-of-00016"), Numbers({3, 4}));
  EXPECT_EQ(numbers_that_differ("7", "12"), Numbers({7, 12}));
}

TEST(NumberedNames, OthersHaveNone) {
  EXPECT_EQ(numbers_that_differ("a.csv", "b.csv"), std::nullopt);
  EXPECT_EQ(numbers_that_differ("a1.csv", "b2.csv"), std::nullopt);
  EXPECT_EQ(numbers_that_differ("1-1.csv", "2-2.csv"), std::nullopt) << "two numbers";
  EXPECT_EQ(numbers_that_differ("a1", "a1"), std::nullopt);
  EXPECT_EQ(numbers_that_differ("a1", "a01"), std::nullopt);
  EXPECT_EQ(numbers_that_differ("", ""), std::nullopt);
  EXPECT_EQ(numbers_that_differ("a", "a1"), std::nullopt);
  EXPECT_EQ(numbers_that_differ("1234567890123456789", "1234567890123456790"), std::nullopt);
}

}  // namespace
}  // namespace seqpoint::testing
