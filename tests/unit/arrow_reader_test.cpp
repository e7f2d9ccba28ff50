// Arrow files and streams that apache-arrow (JavaScript) and Polars (Rust) wrote: tests/vectors/arrow. Their rows are
// stated in the table there.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "unit/read_memory.hpp"

namespace seqpoint::testing {
namespace {

using Sizes = std::vector<std::uint32_t>;

std::string arrow_bytes(const std::string& name) {
  std::ifstream file(std::string(SEQPOINT_SOURCE_DIR) + "/tests/vectors/arrow/" + name + ".arrow", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}
Sizes sizes_in(const std::string& name, const std::string& field = {}) {
  return lengths_of(arrow_bytes(name), with_field(field));
}

TEST(Arrow, NumbersBehindADictionaryAStructAndText) {
  EXPECT_EQ(format_of(arrow_bytes("flat")), "arrow");
  EXPECT_EQ(sizes_in("flat"), (Sizes{7, 300, 0, 12}));
}

TEST(Arrow, ListsAreTheirNumberOfElements) {
  const Sizes lists{3, 1, 0, 2};
  EXPECT_EQ(sizes_in("lists"), lists) << "input_ids";
  EXPECT_EQ(sizes_in("lists", "attention_mask"), lists);
  EXPECT_EQ(sizes_in("large_list"), lists) << "a file, with offsets of 64 bits";
  EXPECT_EQ(sizes_in("lists", "nested"), (Sizes{2, 1, 0, 3}));
}

TEST(Arrow, APartOfATableAndSeveralBatches) {
  EXPECT_EQ(sizes_in("sliced"), (Sizes{1, 0, 2}));
  EXPECT_EQ(sizes_in("two_batches"), (Sizes{3, 1, 0, 2, 3, 1}));
}

TEST(Arrow, TwoColumnsArePairs) {
  const io::manifests::Dataset data = read_memory(arrow_bytes("pairs"));
  EXPECT_EQ(data.lengths.src, (Sizes{3, 4}));
  EXPECT_EQ(data.lengths.tgt, (Sizes{5, 6}));
  EXPECT_EQ(read_memory(arrow_bytes("pairs"), with_field("tgt_len", "src_len")).lengths.src, (Sizes{5, 6}));
}

TEST(Arrow, NullsAreMissing) {
  EXPECT_NE(error_of(arrow_bytes("nullable")).find("field 'duration': row 1: is missing"), std::string::npos);
  io::manifests::ReadOptions options;
  options.skip_missing = true;
  EXPECT_EQ(lengths_of(arrow_bytes("nullable"), options), (Sizes{150, 25, 200})) << "seconds, in frames of 10 ms";
  options.length_field = "input_ids";
  EXPECT_EQ(lengths_of(arrow_bytes("nullable"), options), (Sizes{3, 0, 2}));
}

TEST(Arrow, WhatHasNoLengthsIsRefused) {
  const auto refused = [](const std::string& name, const std::string& field, const std::string& as) {
    const std::string error = error_of(arrow_bytes(name), with_field(field));
    EXPECT_NE(error.find(as), std::string::npos) << error;
  };
  refused("dictionary", "", "field 'length': holds entries of a dictionary");
  refused("messages", "messages", "holds lists of objects, whose number is no length");
  refused("messages", "", "none of its columns is known to hold lengths: messages");
  refused("flat", "text", "field 'text': holds text");
  refused("flat", "none", "there is no such column");
  refused("flat_file", "", "has no schema in front of its rows");
  refused("compressed", "", "has compressed batches");
  refused("empty", "", "has no rows");
}

TEST(Arrow, AFileThatIsCutIsRefusedAndAStreamWithinAMessage) {
  const std::string file = arrow_bytes("large_list"), stream = arrow_bytes("lists");
  for (std::size_t size = 8; size < file.size(); ++size) EXPECT_NE(error_of(file.substr(0, size)), "") << size;
  std::size_t whole = 0;
  for (std::size_t size = 8; size < stream.size(); ++size) whole += error_of(stream.substr(0, size)).empty() ? 1 : 0;
  EXPECT_LE(whole, 1U) << "behind the one batch, where only the mark of the end is missing";
  EXPECT_NE(error_of(stream + "more"), "");
}

TEST(Arrow, DamageEndsInAValueOrAnError) {
  for (const char* const name : {"flat_file", "lists", "nullable", "large_list", "pairs", "dictionary"}) {
    const std::string bytes = arrow_bytes(name);
    for (std::size_t at = 0; at < std::min<std::size_t>(bytes.size(), 4096); ++at)
      for (const char damage : {'\xff', '\x7f', '\x01', '\x00'}) {
        std::string damaged = bytes;
        damaged[at] = damage;
        error_of(damaged, with_format("arrow"));
      }
  }
}

}  // namespace
}  // namespace seqpoint::testing
