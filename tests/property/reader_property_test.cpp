// What every reader does with damaged input: it returns or throws InputError; and a format with a count or an end mark
// never gives fewer rows than the whole file has.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "unit/read_memory.hpp"

namespace seqpoint::testing::reader_property {
namespace {

struct Sample {
  std::string name, bytes;
  bool whole;  ///< the format says where it ends
  std::string field = {};
};

std::vector<Sample> samples() {
  return {
      {"fairseq", fairseq_index({3, 17, 1, 0, 5}), true},
      {"fairseq legacy", legacy_index({3, 17, 1}), true},
      {"megatron", megatron_index({3, 17, 1, 4}, {0, 1, 4}), true},
      // Nothing announces the modes: without them the same index is whole.
      {"megatron with modes", megatron_index({3, 17, 1, 4}, {0, 4}) + std::string(4, '\0'), false},
      {"json", "[{\"length\": 3, \"x\": {\"y\": [1]}}, {\"length\": 17}]", true},
      {"json of numbers", "[3, 17, 1]", true},
      {"json of cuts",
       "[{\"id\": \"a\", \"tracks\": [{\"cut\": {\"duration\": 3}, \"offset\": 1}], \"type\": \"MixedCut\"},\n"
       "{\"id\": \"b\", \"duration\": 3.5, \"type\": \"MonoCut\"}]",
       true},
      {"cuts",
       "{\"id\": \"b\", \"duration\": 3.5, \"type\": \"MonoCut\"}\n{\"id\": \"c\", \"duration\": 4.5, \"type\": "
       "\"MonoCut\"}\n",
       false},
      {"hf", "{\"input_ids\": [1, 2, 3]}\n{\"input_ids\": [1]}\n", false},
      {"mooncake", "{\"timestamp\": 0, \"input_length\": 9, \"output_length\": 5, \"hash_ids\": [0]}\n", false},
      {"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023,48,10\r\n2024,31,8", false},
  };
}

/// The rows, or nothing for an InputError; any other exception ends the test.
std::optional<std::uint64_t> rows_of(std::string_view bytes, const io::manifests::ReadOptions& options) {
  try {
    return read_memory(bytes, options).rows;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

io::manifests::ReadOptions options_for(const Sample& sample, const std::string& format = {}) {
  io::manifests::ReadOptions options = with_field(sample.field);
  options.format = format;
  return options;
}

TEST(Readers, APrefixIsNeverReadAsAWholeFile) {
  for (const Sample& sample : samples()) {
    const auto all = rows_of(sample.bytes, options_for(sample));
    ASSERT_TRUE(all) << sample.name;
    for (const std::string& format :
         {std::string(), read_memory(sample.bytes, options_for(sample)).inputs.front().format})
      for (std::size_t size = 0; size < sample.bytes.size(); ++size) {
        const auto rows = rows_of(sample.bytes.substr(0, size), options_for(sample, format));
        const std::uint64_t most = sample.whole ? 0 : *all;  // of a whole file no prefix is read at all
        EXPECT_LE(rows.value_or(0), most) << sample.name << ", cut to " << size << " bytes";
      }
  }
}

TEST(Readers, WhatFollowsTheEndIsNotOverlooked) {
  for (const Sample& sample : samples()) {
    if (!sample.whole) continue;
    for (int byte = 0; byte < 256; ++byte) {
      const bool blank = sample.bytes.front() == '[' && (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t');
      const auto rows = rows_of(sample.bytes + static_cast<char>(byte), options_for(sample));
      EXPECT_EQ(rows.has_value(), blank) << sample.name << " and byte " << byte;
    }
  }
}

TEST(Readers, DamagedBytesAreReadOrRefused) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    for (const Sample& sample : samples())
      for (int i = 0; i < 500; ++i) {
        std::string bytes = sample.bytes;
        for (auto changes = random() % 3 + 1; changes > 0; --changes)
          bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
        try {
          read_memory(bytes, options_for(sample));
        } catch (const InputError&) {
        } catch (const UsageError&) {  // recognised as another format, which has no such field
        } catch (const std::exception& error) {
          ADD_FAILURE() << sample.name << ", seed " << seed << ", case " << i << ": " << error.what();
        }
      }
  }
}

}  // namespace
}  // namespace seqpoint::testing::reader_property
