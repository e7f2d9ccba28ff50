// JSON records that have no format of their own but their keys: a line each, or all in one array.
#include <gtest/gtest.h>

#include "unit/read_memory.hpp"

namespace seqpoint::testing {
namespace {

using Sizes = std::vector<std::uint32_t>;

TEST(Json, AnArrayOfRecordsReadsAsTheSameRecordsALineEach) {
  const std::string array = "[{\"id\": \"a]\", \"length\": 3},\n {\"length\": 5, \"x\": [1, {\"length\": 9}]}]\n";
  EXPECT_EQ(lengths_of(array), (Sizes{3, 5}));
  EXPECT_EQ(format_of(array), "json");
  EXPECT_EQ(lengths_of("\xef\xbb\xbf  \n" + array), (Sizes{3, 5}));
  EXPECT_EQ(lengths_of("{\"id\": \"a]\", \"length\": 3}\n{\"length\": 5, \"x\": [1, {\"length\": 9}]}\n"),
            (Sizes{3, 5}));
}

TEST(Json, AnArrayOfNumbersIsAListOfLengths) {
  EXPECT_EQ(lengths_of("[3, 5,\n 0, 1e2]"), (Sizes{3, 5, 0, 100}));
  EXPECT_NE(error_of("[3, -5]").find("-5 is negative"), std::string::npos);
  for (const char* const bad :
       {"[3, \"5\"]", "[3, null]", "[3, [5]]", "[3, {\"length\": 5}]", "[3, 5", "[3 5]", "[3,]", "[3]]", "[3] 4"})
    EXPECT_NE(error_of(bad), "") << bad;
}

TEST(Json, ErrorsInAnArrayNameTheLine) {
  EXPECT_NE(error_of("[{\"length\": 3},\n {\"length\": 5},\n\n {\"length\": -1}]")
                .find("input:4: field 'length': -1 is negative"),
            std::string::npos);
  EXPECT_NE(error_of("[{\"length\": 3},\n 7]").find("input:2: is not one JSON array of records"), std::string::npos);
  EXPECT_NE(error_of("[]").find("has no rows"), std::string::npos);
}

TEST(Json, WhatIsBehindTheArrayIsAnError) {
  for (const char* const behind : {"x", "]", "{}", ",", "[]", "1"})
    EXPECT_NE(error_of(std::string("[{\"length\": 3}]") + behind), "") << behind;
}

TEST(Json, TheLayoutsAreNotMixedUp) {
  EXPECT_NE(error_of("[{\"length\": 3}]", with_format("jsonl")).find("--format json"), std::string::npos);
  EXPECT_NE(error_of("{\"length\": 3}\n", with_format("json")).find("--format jsonl"), std::string::npos);
}

TEST(Json, DottedKeysOfBothSidesMayShareTheirBeginning) {
  const lengths::Lengths lengths =
      read_memory("{\"n\": {\"a\": 3, \"b\": 4}}\n{\"n\": {\"b\": 6, \"a\": 5}}\n", with_field("n.a", "n.b")).lengths;
  EXPECT_EQ(lengths.src, (Sizes{3, 5}));
  EXPECT_EQ(lengths.tgt, (Sizes{4, 6}));
}

TEST(Json, ANamedArrayCountsItsElements) {
  const std::string lines =
      "{\"x\": {\"ids\": [1, 2, 3]}, \"labels\": []}\n{\"x\": {\"ids\": [7]}, \"labels\": [1, 2]}\n";
  EXPECT_EQ(lengths_of(lines, with_field("x.ids")), (Sizes{3, 1}));
  const lengths::Lengths pairs = read_memory(lines, with_field("x.ids", "labels")).lengths;
  EXPECT_EQ(pairs.tgt, (Sizes{0, 2}));
  EXPECT_EQ(lengths_of("{\"mel\": [[1, 2], [3, 4], [5, 6]]}\n", with_field("mel")), (Sizes{3}));
  for (const char* const bad : {"{\"ids\": [1, 2}\n", "{\"ids\": [1 2]}\n", "{\"ids\": [1,, 2]}\n",
                                "{\"ids\": [1, x]}\n", "{\"ids\": \"[1]\"}\n"})
    EXPECT_NE(error_of(bad, with_field("ids")), "") << bad;
}

TEST(Json, CountedSamplesBecomeFrames) {
  io::manifests::ReadOptions options = with_field("input_values");
  options.length_unit = lengths::LengthUnit::samples;
  options.frames = {100, 0.02};
  EXPECT_EQ(lengths_of("{\"input_values\": [0.1, 0.2, 0.3, 0.4, 0.5]}\n", options), (Sizes{2}));
}

TEST(HuggingFace, TakesTheColumnLengthElseTheNumberOfInputIds) {
  EXPECT_EQ(lengths_of("{\"input_ids\": [101, 7592, 102], \"length\": 7}\n{\"length\": 4, \"input_ids\": [101]}\n"),
            (Sizes{7, 4}));
  const std::string ids = "{\"input_ids\": [101, 7592, 102]}\n{\"input_ids\": []}\n";
  EXPECT_EQ(lengths_of(ids), (Sizes{3, 0}));
  EXPECT_EQ(format_of(ids), "hf");
  EXPECT_EQ(lengths_of("[{\"input_ids\": [101, 7592, 102]},\n{\"input_ids\": [1]}]"), (Sizes{3, 1}));
  EXPECT_EQ(lengths_of("{\"input_ids\": [101, 7592, 102], \"labels\": [5]}\n", with_field("labels")), (Sizes{1}));
  EXPECT_EQ(read_memory("{\"input_ids\": [101, 7592, 102], \"labels\": [5]}\n", with_field("", "labels")).lengths.tgt,
            (Sizes{1}));
}

TEST(HuggingFace, ABatchOfIdsIsNotOneSequence) {
  EXPECT_NE(error_of("{\"input_ids\": [[101, 7592], [102]]}\n").find("an array of arrays"), std::string::npos);
}

TEST(HuggingFace, ARecordLongerThanTheHeadIsStillRecognised) {
  std::string line = "{\"input_ids\": [1";
  for (int i = 1; i < 100000; ++i) line += ", 1";
  line += "]}\n";
  EXPECT_EQ(lengths_of(line + "{\"input_ids\": [1]}\n"), (Sizes{100000, 1}));
}

TEST(Csv, AListInACellCountsItsNumbers) {
  const std::string csv = "text,input_ids\nhi,\"[101, 7592, 102]\"\n\"\",[]\nx,[5]\n";
  EXPECT_EQ(lengths_of(csv), (Sizes{3, 0, 1}));
  for (const char* const bad : {"[101 102]", "\"[1, 2, ..., 3]\"", "\"[1,]\"", "\"[1, x]\"", "[1", "\"[[1], [2]]\""})
    EXPECT_NE(error_of(std::string("input_ids,x\n") + bad + ",1\n"), "") << bad;
}

}  // namespace
}  // namespace seqpoint::testing
