// What a mistyped name most likely stands for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/enum_names.hpp"

namespace seqpoint {
namespace {

/// Wrong letters as they are defined, without a table.
std::size_t wrong_letters(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  std::size_t least = std::min({wrong_letters(a.substr(1), b) + 1, wrong_letters(a, b.substr(1)) + 1,
                                wrong_letters(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1)});
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0])
    least = std::min(least, wrong_letters(a.substr(2), b.substr(2)) + 1);
  return least;
}

std::vector<std::string> words_of(std::string_view letters, std::size_t longest) {
  std::vector<std::string> words{""};
  for (std::size_t i = 0; i < words.size(); ++i)
    for (const char letter : letters)
      if (words[i].size() < longest) words.push_back(words[i] + letter);
  return words;
}

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

TEST(Names, NearestIsWhatTheDefinitionSays) {
  constexpr std::array<std::string_view, 6> kKnown{"abcba", "aab", "cb", "bacab", "ccc", "abc"};
  for (const std::string& given : words_of("abc", 5)) {
    std::size_t least = std::min(std::max<std::size_t>(2, given.size() / 3), given.size() / 2) + 1;
    std::string_view nearest;
    for (const std::string_view name : kKnown)
      if (const std::size_t wrong = wrong_letters(given, name); wrong < least) {
        least = wrong;
        nearest = name;
      }
    EXPECT_EQ(nearest_name(given, kKnown), nearest) << given;
  }
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
