// What a mistyped name most likely stands for.
#include <gtest/gtest.h>

#include <array>

#include "seqpoint/options.hpp"

namespace seqpoint {
namespace {

constexpr std::array<std::string_view, 5> kNames{"pytorch", "pytorch-distributed", "sorted", "nmt", "hf"};

TEST(Names, NearestIsWithinTwoLettersOrAThird) {
  EXPECT_EQ(nearest_name("pytroch", kNames), "pytorch");                            // two that changed places
  EXPECT_EQ(nearest_name("ptorch", kNames), "pytorch");                             // one is missing
  EXPECT_EQ(nearest_name("pyytorchh", kNames), "pytorch");                          // two too many
  EXPECT_EQ(nearest_name("pitorsh", kNames), "pytorch");                            // two are others
  EXPECT_EQ(nearest_name("pitorsk", kNames), "");                                   // three of seven
  EXPECT_EQ(nearest_name("pytorchdistribute", kNames), "pytorch-distributed");      // 2 of 17
  EXPECT_EQ(nearest_name("pytorchz-distribtedzz", kNames), "pytorch-distributed");  // 4 of 21
  EXPECT_EQ(nearest_name("shuffle", kNames), "");
}

TEST(Names, OfAShortNameNotMoreThanHalfIsWrong) {
  EXPECT_EQ(nearest_name("nmd", kNames), "nmt");
  EXPECT_EQ(nearest_name("xyz", kNames), "");
  EXPECT_EQ(nearest_name("hg", kNames), "hf");
  EXPECT_EQ(nearest_name("h", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
}

TEST(Names, TheFirstOfTheNearest) {
  constexpr std::array<std::string_view, 2> kAlike{"sorted", "sortal"};
  EXPECT_EQ(nearest_name("sortad", kAlike), "sorted");
  EXPECT_EQ(nearest_name("sortal", kAlike), "sortal");
}

TEST(Names, ThoseThatBeginWithTheWord) {
  EXPECT_EQ(names_hint("nemo", {"nmt", "nemo-rl", "nemo-semi-sorted", "nemotron"}),
            "did you mean nemo-rl or nemo-semi-sorted? one of: nmt, nemo-rl, nemo-semi-sorted, nemotron");
}

TEST(Names, HintHasAllOfThem) {
  EXPECT_EQ(names_hint("sortet", kNames), "did you mean sorted? one of: pytorch, pytorch-distributed, sorted, nmt, hf");
  EXPECT_EQ(names_hint("", {"a", "b"}), "one of: a, b");
}

}  // namespace
}  // namespace seqpoint
