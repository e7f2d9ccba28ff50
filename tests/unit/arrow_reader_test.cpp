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
  refused("dictionary", "", "field 'length': holds text");
  refused("messages", "messages", "holds lists of objects, whose number is no length");
  refused("messages", "", "none of its columns is known to hold lengths: messages");
  refused("flat", "text", "field 'text': holds text");
  refused("flat", "none", "there is no such column");
  refused("empty", "", "has no rows");
}

Sizes sizes_of_file(const std::string& name, const std::string& field = {}) {
  MemoryFiles files;
  files.contents[name] = arrow_bytes(name);
  io::manifests::ReadOptions options = beside(files);
  options.length_field = field;
  return read(name, files.contents[name], options).lengths.src;
}

TEST(Arrow, ASchemaMayStandInTheFooterAlone) {
  EXPECT_EQ(sizes_of_file("flat_file"), (Sizes{7, 300, 0, 12}));
  EXPECT_EQ(sizes_of_file("large_list"), (Sizes{3, 1, 0, 2})) << "and in front";
  MemoryFiles files;
  files.contents["-"] = arrow_bytes("flat_file");
  EXPECT_TRUE(says(refusal("-", files.contents["-"], beside(files)), "has its schema behind its rows"));
}

TEST(Arrow, EntriesOfADictionaryAreLookedUp) {
  io::manifests::ReadOptions options;
  options.skip_missing = true;
  EXPECT_EQ(lengths_of(arrow_bytes("dictionary_numbers"), options), (Sizes{300, 7, 300, 0}));
  EXPECT_EQ(sizes_in("dictionary_two_batches"), (Sizes{5, 6, 5, 8, 5, 9})) << "the second batch brings more";
  EXPECT_NE(error_of(arrow_bytes("dictionary_numbers")).find("row 3: is missing"), std::string::npos);
}

TEST(Arrow, CompressedBatchesAreUnpacked) {
  EXPECT_EQ(sizes_in("compressed"), (Sizes{3, 1, 0, 2}));
  Sizes lists, numbers;
  for (std::uint32_t i = 0; i < 200; ++i) lists.push_back(i * 7 % 11), numbers.push_back(2 * lists.back());
  for (const char* const name : {"polars_lz4", "polars_zstd"}) {  // views of text stand in front
    EXPECT_EQ(sizes_in(name, "input_ids"), lists) << name;
    EXPECT_EQ(sizes_in(name), numbers) << name;
  }
}

/// A saved data set of two files, whose rows are `state`'s.
MemoryFiles saved(const std::string& state) {
  MemoryFiles files;
  files.contents = {{"d/state.json", state},
                    {"d/a.arrow", arrow_bytes("lists")},
                    {"d/b.arrow", arrow_bytes("sliced")},
                    {"d/pairs.arrow", arrow_bytes("pairs")}};
  return files;
}
std::string refusal_of_saved(const std::string& state) {
  const MemoryFiles files = saved(state);
  return refusal("d/state.json", state, beside(files));
}

TEST(Arrow, ASavedDataSetIsItsFilesInTheirOrder) {
  const std::string state = R"({"_data_files": [{"filename": "b.arrow"}, {"filename": "a.arrow"}]})";
  const MemoryFiles files = saved(state);
  const io::manifests::Dataset data = read("d/state.json", state, beside(files));
  EXPECT_EQ(data.lengths.src, (Sizes{1, 0, 2, 3, 1, 0, 2}));
  ASSERT_EQ(data.inputs.size(), 3U);
  EXPECT_EQ(data.inputs[0].format, "hf-saved");
  EXPECT_EQ(data.inputs[2].path, "d/a.arrow");
  EXPECT_EQ(io::manifests::manifest_paths("d", files), std::vector<std::string>{"d/state.json"});
}

TEST(Arrow, AFileOfAMappedSetIsNotTheSet) {
  const auto notes = [](const std::string& state) {
    const MemoryFiles files = saved(state);
    return read("d/a.arrow", files.contents.at("d/a.arrow"), beside(files)).notes;
  };
  const std::vector<std::string> mapped =
      notes(R"({"_data_files": [{"filename": "a.arrow"}], "_indices_data_files": [{"filename": "i.arrow"}]})");
  ASSERT_EQ(mapped.size(), 1U);
  EXPECT_TRUE(says(mapped[0], "give the folder"));
  EXPECT_TRUE(notes(R"({"_indices_data_files": null, "_data_files": [{"filename": "a.arrow"}]})").empty());
}

TEST(Arrow, ASavedDataSetThatIsNotWholeIsRefused) {
  EXPECT_TRUE(says(refusal_of_saved(R"({"_data_files": [{"filename": "c.arrow"}]})"),
                   "d/state.json: field '_data_files': names c.arrow, which is not there"));
  EXPECT_TRUE(says(refusal_of_saved(R"({"_data_files": [{}]})"), "names no file"));
  EXPECT_TRUE(says(refusal_of_saved(R"({"_data_files": []})"), "has no rows"));
  EXPECT_TRUE(says(refusal_of_saved(R"({"_data_files": [{"filename": "a.arrow"}, {"filename": "pairs.arrow"}]})"),
                   "has lengths in 'src_len', the files before it in 'input_ids'"));
  EXPECT_TRUE(says(refusal_of_saved(R"({"_data_files": [{"filename": "a.arrow"}],
                                       "_indices_data_files": [{"filename": "b.arrow"}]})"),
                   "field 'indices': there is no such column"));
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
  for (const char* const name :
       {"flat_file", "lists", "nullable", "large_list", "pairs", "dictionary_numbers", "polars_lz4", "polars_zstd"}) {
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
