// Traces of requests to language models: CSV and JSON lines whose columns have usual names.
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
  EXPECT_EQ(read_memory(trace, with_field("", "GeneratedTokens")).lengths.tgt, (Sizes{10, 8}));
}

TEST(Requests, BurstGptHasFailedOnesSoThatItsColumnIsAskedFor) {
  const std::string trace =
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n"
      "45,ChatGPT,1087,0,1087,Conversation log\n";
  EXPECT_NE(error_of(trace), "");
  EXPECT_EQ(lengths_of(trace, with_field("Request tokens")), (Sizes{472, 1087}));
}

TEST(Requests, Mooncake) {
  const std::string trace =
      "{\"timestamp\": 0, \"input_length\": 6758, \"output_length\": 500, \"hash_ids\": [0, 1, 2]}\n"
      "{\"timestamp\": 5, \"input_length\": 7322, \"output_length\": 490, \"hash_ids\": [0, 14]}\n";
  EXPECT_EQ(lengths_of(trace), (Sizes{6758, 7322}));
  const lengths::Lengths pairs = read_memory(trace, with_field("", "output_length")).lengths;
  EXPECT_EQ(pairs.src, (Sizes{6758, 7322}));
  EXPECT_EQ(pairs.tgt, (Sizes{500, 490}));
  EXPECT_EQ(lengths_of(trace, with_field("hash_ids")), (Sizes{3, 2}));
}

TEST(Requests, VidurInBothLayouts) {
  const std::string arrivals = "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,4808,10\n0.052,3180,8\n";
  EXPECT_EQ(lengths_of(arrivals), (Sizes{4808, 3180}));
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
