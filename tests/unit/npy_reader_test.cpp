// NumPy arrays, their bytes written here; oracle/npy_lengths.py has NumPy write them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "unit/read_memory.hpp"

namespace seqpoint::testing {
namespace {

using Sizes = std::vector<std::uint32_t>;

std::string stored(const std::vector<std::uint64_t>& numbers, std::size_t size, bool big = false) {
  std::string bytes;
  for (const std::uint64_t number : numbers) {
    std::string one;
    put(one, number, size);
    if (big) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

TEST(Npy, IntegersOfEveryWidthAndOrder) {
  for (const std::size_t size : {1U, 2U, 4U, 8U})
    for (const char kind : {'i', 'u'})
      for (const char order : {'<', '>', '|'}) {
        if (order == '|' && size > 1) continue;
        const std::string descr = std::string(1, order) + kind + std::to_string(size);
        EXPECT_EQ(lengths_of(npy_file(npy_header(descr, "(3,)"), stored({7, 0, 100}, size, order == '>'))),
                  (Sizes{7, 0, 100}))
            << descr;
      }
}

TEST(Npy, FloatsMustBeWholeUnlessTheyAreDurations) {
  const auto floats = [](double a, double b) {
    return npy_file(npy_header("<f8", "(2,)"),
                    stored({std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)}, 8));
  };
  EXPECT_EQ(lengths_of(floats(12, 3)), (Sizes{12, 3}));
  EXPECT_EQ(error_of(floats(12, 3.5)).substr(0, 62), "input: row 1: 3.5 is not a whole number; is its unit seconds?\n");
  io::manifests::ReadOptions seconds;
  seconds.unit = lengths::LengthUnit::seconds;
  EXPECT_EQ(lengths_of(floats(12, 3.5), seconds), (Sizes{1200, 350}));
  EXPECT_NE(error_of(floats(-1, 2)).find("row 0: -1 is negative"), std::string::npos);
  EXPECT_NE(error_of(floats(std::numeric_limits<double>::quiet_NaN(), 2)), "");
  const std::uint64_t one_and_half = std::bit_cast<std::uint32_t>(1.5F), two = std::bit_cast<std::uint32_t>(2.0F);
  EXPECT_EQ(lengths_of(npy_file(npy_header(">f4", "(2,)"), stored({one_and_half, two}, 4, true)), seconds),
            (Sizes{150, 200}));
}

TEST(Npy, TwoColumnsAreSourceAndTarget) {
  const lengths::Lengths rows =
      read_memory(npy_file(npy_header("<i4", "(3, 2)"), stored({1, 4, 2, 5, 3, 6}, 4))).lengths;
  EXPECT_EQ(rows.src, (Sizes{1, 2, 3}));
  EXPECT_EQ(rows.tgt, (Sizes{4, 5, 6}));
  const lengths::Lengths columns =
      read_memory(npy_file(npy_header("<i4", "(3, 2)", true), stored({1, 2, 3, 4, 5, 6}, 4))).lengths;
  EXPECT_EQ(columns, rows);
}

TEST(Npy, OneOfTwoColumnsMayBeNamed) {
  const std::string bytes = npy_file(npy_header("<i4", "(3, 2)"), stored({1, 4, 2, 5, 3, 6}, 4));
  const lengths::Lengths second = read_memory(bytes, with_field("1")).lengths;
  EXPECT_EQ(second.src, (Sizes{4, 5, 6}));
  EXPECT_FALSE(second.paired());
  const lengths::Lengths swapped = read_memory(bytes, with_field("1", "0")).lengths;
  EXPECT_EQ(swapped.src, (Sizes{4, 5, 6}));
  EXPECT_EQ(swapped.tgt, (Sizes{1, 2, 3}));
  EXPECT_NE(error_of(bytes, with_field("2")).find("the columns are: 0, 1"), std::string::npos);
}

TEST(Npy, HeadersAsOtherWritersMakeThem) {
  const std::string data = stored({1, 2}, 8);
  EXPECT_EQ(lengths_of(npy_file("{\"shape\":(2L,),\"descr\":\"<i8\",\"fortran_order\":False}", data)), (Sizes{1, 2}));
  EXPECT_EQ(lengths_of(npy_file(npy_header("<i8", "(2,)"), data, 2)), (Sizes{1, 2}));
  EXPECT_EQ(lengths_of(npy_file(npy_header("<i8", "(2,)"), data, 3)), (Sizes{1, 2}));
  EXPECT_EQ(lengths_of(npy_file(npy_header("<i8", "(2,)", true), data)), (Sizes{1, 2})) << "one column has no order";
}

TEST(Npy, OtherArraysAreRefused) {
  const std::string data = stored({1, 2}, 8);
  for (const char* const descr : {"<f2", "|O", "<U4", "|b1", "<i3", "i8", "<i16", ""})
    EXPECT_NE(error_of(npy_file(npy_header(descr, "(2,)"), data)).find("not of integers"), std::string::npos) << descr;
  EXPECT_NE(error_of(npy_file("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (2,), }", data))
                .find("a record of fields"),
            std::string::npos);
  for (const char* const shape : {"()", "(2, 1)", "(1, 2, 1)", "(2, 3)"})
    EXPECT_NE(error_of(npy_file(npy_header("<i8", shape), data)).find("not (N,) or (N, 2)"), std::string::npos)
        << shape;
  for (const char* const header :
       {"", "{}", "{'descr': '<i8', 'shape': (2,)}", "{'descr': '<i8', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (2,)} x", "{'descr': [", "{'shape': (-1,)}"})
    EXPECT_NE(error_of(npy_file(header, data)).find("header which does not say"), std::string::npos) << header;
  EXPECT_NE(error_of(npy_file(npy_header("<i8", "(2,)"), data, 4)).find("version 4.0"), std::string::npos);
}

TEST(Npy, PromisesAreNotBelieved) {
  const std::string data = stored({1, 2}, 8);
  for (const char* const shape :
       {"(1152921504606846976,)", "(18446744073709551615,)", "(9223372036854775808, 2)", "(3,)", "(2, 2)"})
    EXPECT_NE(error_of(npy_file(npy_header("<i8", shape), data)).find("ends after"), std::string::npos) << shape;
  EXPECT_NE(error_of(npy_file(npy_header("<i8", "(1,)"), data)).find("goes on behind its end"), std::string::npos);
  EXPECT_NE(error_of(npy_file(npy_header("<i8", "(0,)"), "")).find("has no rows"), std::string::npos);
}

}  // namespace
}  // namespace seqpoint::testing
