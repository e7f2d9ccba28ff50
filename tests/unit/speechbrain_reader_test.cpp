// SpeechBrain's JSON, an object a sample.
#include <gtest/gtest.h>

#include "unit/read_memory.hpp"

namespace seqpoint::testing {
namespace {

using Sizes = std::vector<std::uint32_t>;

const std::string kSpeechBrainTrain = R"({
  "a-1": {"wav": "{data_root}/a.wav", "length": 3.5, "words": "ONE {\"TWO\"}"},
  "a-2": {"wav": "{data_root}/b.wav", "words": "", "length": 12}
})";

TEST(SpeechBrain, LengthIsInSeconds) {
  const io::manifests::Dataset data = read_memory(kSpeechBrainTrain);
  EXPECT_EQ(data.inputs.front().format, "speechbrain-json");
  EXPECT_EQ(data.inputs.front().unit, "seconds");
  EXPECT_EQ(data.lengths.src, (Sizes{350, 1200}));
}

TEST(SpeechBrain, DurationComesFirstAndOtherKeysByName) {
  const std::string text = R"({"a": {"clean_wav": "a.wav", "length": 16000, "duration": 1.0, "tokens": 5}})";
  EXPECT_EQ(read_memory(text).lengths.src, (Sizes{100}));
  EXPECT_EQ(lengths_of(text, with_field("tokens")), (Sizes{5}));
}

TEST(SpeechBrain, WhatIsMissingNamesItsLine) {
  EXPECT_NE(error_of(R"({"a": {"wav": "a.wav", "length": 1},)"
                     "\n"
                     R"("b": {"wav": "b.wav"}})")
                .find(":2"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"a": {"wav": "a.wav", "length": 1},)"
                     "\n"
                     R"("a": {"wav": "b.wav", "length": 1}})")
                .find("stands in line 1 already"),
            std::string::npos);
  EXPECT_NE(error_of(kSpeechBrainTrain.substr(0, kSpeechBrainTrain.size() - 2)).find("is not valid JSON"),
            std::string::npos);
}

}  // namespace
}  // namespace seqpoint::testing
