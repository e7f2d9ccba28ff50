// Tokens of a line of text, against Python's str.split() and what the frameworks do instead.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/read_memory.hpp"

namespace seqpoint::testing {
namespace {

using Sizes = std::vector<std::uint32_t>;

Sizes tokens(const std::string& text, const char* split = "whitespace") {
  io::manifests::ReadOptions options = with_format("text");
  options.split = value_of(io::manifests::kTextSplits, split).value();
  return lengths_of(text, options);
}

std::string utf8(std::uint32_t point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6), byte(0x80 | (point & 63))};
  if (point < 0x10000) return {byte(0xE0 | point >> 12), byte(0x80 | (point >> 6 & 63)), byte(0x80 | (point & 63))};
  return {byte(0xF0 | point >> 18), byte(0x80 | (point >> 12 & 63)), byte(0x80 | (point >> 6 & 63)),
          byte(0x80 | (point & 63))};
}

// [c for c in range(0x110000) if chr(c).isspace()] in Python 3.11
const std::vector<std::uint32_t> kPythonBlanks{0x9,    0xa,    0xb,    0xc,    0xd,    0x1c,   0x1d,   0x1e,
                                               0x1f,   0x20,   0x85,   0xa0,   0x1680, 0x2000, 0x2001, 0x2002,
                                               0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
                                               0x2028, 0x2029, 0x202f, 0x205f, 0x3000};

/// A block's count of texts without spaces is of that block alone.
TEST(Text, ThreadsChangeNoWarning) {
  const auto is_of_spaces = [](const std::string& note) { return note.find("text without spaces") != note.npos; };
  for (const int one_in : {1, 3}) {
    std::string bytes;  // several blocks
    for (int i = 0; i < 60000; ++i)
      bytes += i % one_in == 0 ? "\u3053\u3093\u306b\u3061\u306f\u4e16\u754c\n"
                               : "seven words of text, with spaces in between them\n";
    for (const std::size_t threads : {1U, 4U}) {
      io::manifests::ReadOptions options = with_format("text");
      options.threads = threads;
      const std::vector<std::string> notes = read("m.txt", bytes, options).notes;
      EXPECT_EQ(std::ranges::any_of(notes, is_of_spaces), one_in == 1) << threads;
      if (one_in == 1) {
        EXPECT_NE(notes.at(0).find("60000 of 60000 rows"), std::string::npos) << threads;
      }
    }
  }
}

TEST(Text, WhitespaceIsThatOfPython) {
  std::string text;
  Sizes expected;
  for (std::uint32_t point = 1; point < 0x110000; ++point) {
    if (point == '\n' || (point >= 0xD800 && point < 0xE000)) continue;
    text += "a" + utf8(point) + "b\n";
    expected.push_back(std::find(kPythonBlanks.begin(), kPythonBlanks.end(), point) == kPythonBlanks.end() ? 1 : 2);
  }
  EXPECT_TRUE(tokens(text) == expected);
}

TEST(Text, TheThreeWaysToSplit) {
  const std::string text = "a b\n a  b \na\tb\n\nab\r\n \n";
  EXPECT_EQ(tokens(text), (Sizes{2, 2, 2, 0, 1, 0}));
  EXPECT_EQ(tokens(text, "spaces"), (Sizes{2, 2, 1, 0, 1, 0}));
  EXPECT_EQ(tokens(text, "each-space"), (Sizes{2, 5, 1, 1, 1, 2}));  // line.count(' ') + 1
}

TEST(Text, OtherFormatsAreNotSplit) {
  io::manifests::ReadOptions options;
  options.split = io::manifests::TextSplit::spaces;
  EXPECT_EQ(error_of("3\n5\n", options), "usage: --split is for text; input holds lengths");
}

TEST(Text, BytesThatAreNoUtf8AreNoBlanks) {
  EXPECT_EQ(tokens("\xe2\x80\n\xe2\n\xc2\n\x85\xa0\n"), (Sizes{1, 1, 1, 1}));
}

}  // namespace
}  // namespace seqpoint::testing
