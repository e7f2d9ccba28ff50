// Traces of requests to language models.
#include <gtest/gtest.h>

#include "unit/read_memory.hpp"

namespace seqpoint::testing {
namespace {

using Sizes = std::vector<std::uint32_t>;

TEST(Requests, AzureWithCrlfAndNoLastLineEnd) {
  const std::string trace =
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 "
      "18:17:04.0319600,3180,8";
  const io::manifests::Dataset dataset = read_memory(trace);
  EXPECT_EQ(dataset.lengths.src, (Sizes{4808, 3180}));
  EXPECT_FALSE(dataset.lengths.paired());
  EXPECT_EQ(dataset.inputs.front().format, "azure-llm");
  EXPECT_EQ(read_memory(trace, with_field("", "GeneratedTokens")).lengths.tgt, (Sizes{10, 8}));
}

const std::string kBurst =
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "5,ChatGPT,472,18,490,Conversation log\n"
    "45,ChatGPT,1087,0,1087,Conversation log\n"
    "118,GPT-4,417,276,693,\"API log\"\n";

TEST(Requests, FailedOnesOfBurstGptAreLeftOutAndCounted) {
  const io::manifests::Dataset dataset = read_memory(kBurst);
  EXPECT_EQ(dataset.lengths.src, (Sizes{472, 417}));
  EXPECT_EQ(dataset.rows, 2U);
  EXPECT_EQ(dataset.inputs.front().format, "burstgpt");
  ASSERT_EQ(dataset.notes.size(), 1U);
  EXPECT_NE(dataset.notes[0].find("1 row left out: 'Response tokens' is 0"), std::string::npos);
  EXPECT_EQ(lengths_of(kBurst, with_field("Total tokens")), (Sizes{490, 693}));
  EXPECT_EQ(lengths_of(kBurst, with_format("csv")), (Sizes{472, 1087, 417}));
}

TEST(Requests, FailedOnesAreCountedAlikeOnEveryThread) {
  std::string trace = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n";
  Sizes expected;
  for (std::uint32_t i = 0; i < 60000; ++i) {
    trace += std::to_string(i) + ",s,1.5,ChatGPT," + std::to_string(i % 999) + "," + std::to_string(i % 7) +
             ",0,Conversation log\n";
    if (i % 7 != 0) expected.push_back(i % 999);
  }
  for (const std::size_t threads : {1U, 3U}) {
    io::manifests::ReadOptions options;
    options.threads = threads;
    const io::manifests::Dataset dataset = read_memory(trace, options);
    EXPECT_EQ(dataset.lengths.src, expected);
    ASSERT_EQ(dataset.notes.size(), 1U);
    EXPECT_NE(dataset.notes[0].find("8572 rows left out"), std::string::npos);  // multiples of 7 below 60000
  }
}

TEST(Requests, Mooncake) {
  const std::string trace =
      "{\"timestamp\": 0, \"input_length\": 6758, \"output_length\": 500, \"hash_ids\": [0, 1, 2]}\n"
      "{\"timestamp\": 5, \"input_length\": 7322, \"output_length\": 490, \"hash_ids\": [0, 14]}\n";
  EXPECT_EQ(lengths_of(trace), (Sizes{6758, 7322}));
  EXPECT_EQ(format_of(trace), "mooncake");
  const lengths::Lengths pairs = read_memory(trace, with_field("", "output_length")).lengths;
  EXPECT_EQ(pairs.src, (Sizes{6758, 7322}));
  EXPECT_EQ(pairs.tgt, (Sizes{500, 490}));
  EXPECT_EQ(lengths_of(trace, with_field("hash_ids")), (Sizes{3, 2}));
}

TEST(Requests, VidurInBothLayouts) {
  const std::string arrivals = "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,4808,10\n0.052,3180,8\n";
  EXPECT_EQ(lengths_of(arrivals), (Sizes{4808, 3180}));
  EXPECT_EQ(format_of(arrivals), "vidur");
  const std::string processed = "num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n100,20,120,5.0\n";
  EXPECT_EQ(lengths_of(processed), (Sizes{100}));
  EXPECT_EQ(lengths_of(processed, with_field("num_total_tokens")), (Sizes{120}));
}

TEST(Requests, ABadCountIsAnErrorAtItsPlace) {
  EXPECT_EQ(error_of("TIMESTAMP,ContextTokens,GeneratedTokens\n2023,4808,10\n2023,-1,10\n").substr(0, 51),
            "input:3: field 'ContextTokens': -1 is negative\ncorr");
}

}  // namespace
}  // namespace seqpoint::testing
