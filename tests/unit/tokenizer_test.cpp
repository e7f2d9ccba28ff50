// Tokens of text: words, and pieces of a tiny SentencePiece model. The counts are those of SentencePiece's own Python
// module.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

constexpr std::string_view kText = "good morning dogs\n\nthe  benches\nxyz\n  two  \nall the dogs run\n";
const Lens kWords{3, 0, 2, 1, 1, 4};

TEST(Tokens, AreWordsWhereThereIsNoModel) {
  EXPECT_EQ(read("train.en", kText, with_format("text")).lengths.src, kWords);
}

TEST(Tokens, OfAKeyedTextAreSplitAsAskedFor) {
  io::manifests::ReadOptions options;
  EXPECT_EQ(read("text",
                 "u1 a\xc2\xa0"
                 "b\tc\n",
                 options)
                .lengths.src,
            Lens{3})
      << "len('a\\xa0b\\tc'.split())";
  options.split = io::manifests::TextSplit::spaces;
  EXPECT_EQ(read("text",
                 "u1 a\xc2\xa0"
                 "b\tc\n",
                 options)
                .lengths.src,
            Lens{1});
}

#ifdef SEQPOINT_WITH_SENTENCEPIECE

const Lens kPieces{11, 0, 5, 4, 3, 12};

MemoryFiles with_model() {
  std::ifstream file(SEQPOINT_SOURCE_DIR "/tests/golden/scan/text-tokenizer/tiny.model", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  MemoryFiles files;
  files.contents["tiny.model"] = bytes.str();
  return files;
}

class Pieces : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.tokenizer = "tiny.model";
    options_.files = &files_;
  }

  const MemoryFiles files_ = with_model();
  io::manifests::ReadOptions options_;
};

TEST_F(Pieces, OfEveryLineAreTheLength) {
  options_.format = "text";
  const io::manifests::Dataset data = read("train.en", kText, options_);
  EXPECT_EQ(data.lengths.src, kPieces);
  EXPECT_EQ(data.inputs.back().path, "tiny.model");
  EXPECT_EQ(data.inputs.back().rows, 39U) << "get_piece_size() of the Python module";
}

TEST_F(Pieces, SpecialSymbolsAreAdded) {
  options_.format = "text";
  options_.add_src = 1;
  options_.add_tgt = 2;
  const io::manifests::Dataset data = read_pair("a", "xyz\n", "b", "two\n", options_);
  EXPECT_EQ(data.lengths.src, Lens{5});
  EXPECT_EQ(data.lengths.tgt, Lens{5});
}

TEST_F(Pieces, OfAKeyedTextAreTheLengthToo) {
  EXPECT_EQ(read("text", "u1 xyz\nu2 all the dogs run\n", options_).lengths.src, (Lens{4, 12}));
}

TEST_F(Pieces, OfSpokenTextStandInForCharacters) {
  EXPECT_EQ(read("metadata.csv", "a|b|xyz\n", options_).lengths.src, Lens{4});
}

TEST_F(Pieces, OfATextFieldAreTheTargetOfSpeech) {
  options_.tgt_length_field = "text";
  const std::string_view nemo =
      "{\"audio_filepath\": \"a\", \"duration\": 1.5, \"text\": \"good morn\\u0069ng dogs\"}\n";
  for (const char* const format : {"nemo", "jsonl"}) {
    options_.format = format;
    const io::manifests::Dataset data = read("m.json", nemo, options_);
    EXPECT_EQ(data.lengths.src, Lens{150}) << format;
    EXPECT_EQ(data.lengths.tgt, Lens{11}) << format;
  }
}

TEST_F(Pieces, OfATextFieldCanBeTheLength) {
  options_.length_field = "doc.body";
  EXPECT_EQ(read("d.jsonl", "{\"doc\": {\"body\": \"xyz\"}}\n", options_).lengths.src, Lens{4});
}

TEST_F(Pieces, OfTextInOneArrayOfRecordsCountToo) {
  options_.length_field = "body";
  EXPECT_EQ(read("d.json", "[{\"body\": \"xyz\"},\n {\"body\": \"all the dogs r\\u0075n\"}]", options_).lengths.src,
            (Lens{4, 12}));
}

TEST_F(Pieces, LeaveArraysToTheNumberOfTheirElements) {
  options_.length_field = "body";
  options_.tgt_length_field = "ids";
  const io::manifests::Dataset data = read("d.jsonl", "{\"body\": \"xyz\", \"ids\": [7, 8, 9]}\n", options_);
  EXPECT_EQ(data.lengths.src, Lens{4});
  EXPECT_EQ(data.lengths.tgt, Lens{3});
}

TEST_F(Pieces, AreNotWhatIsBetweenSpaces) {
  options_.format = "text";
  options_.split = io::manifests::TextSplit::spaces;
  EXPECT_TRUE(says(refusal("a", "x\n", options_), "usage: --split and --tokenizer both say"));
}

TEST_F(Pieces, WithoutTextAreAMistake) {
  EXPECT_TRUE(says(refusal("l.csv", "length\n3\n", options_), "usage: --tokenizer has no use"));
}

TEST_F(Pieces, AreNoSeconds) {
  options_.tgt_length_field = "text";
  options_.unit = lengths::LengthUnit::seconds;
  EXPECT_TRUE(says(refusal("m.json", "{\"audio_filepath\": \"a\", \"duration\": 1, \"text\": \"x\"}\n", options_),
                   "usage: --length-unit seconds"));
}

TEST_F(Pieces, NeedAModel) {
  MemoryFiles files;
  files.contents["tiny.model"] = "this is no model";
  options_.files = &files;
  EXPECT_TRUE(says(refusal("a", "x\n", options_), "tiny.model: is not a SentencePiece model"));
  files.contents.clear();
  EXPECT_TRUE(says(refusal("a", "x\n", options_), "tiny.model: No such file"));
}

TEST_F(Pieces, NeedAWholeModel) {
  MemoryFiles files;
  options_.files = &files;
  options_.format = "text";
  const std::string whole = files_.contents.at("tiny.model");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    files.contents["tiny.model"] = whole.substr(0, size);
    const std::string said = refusal("a", "x\n", options_);
    EXPECT_NE(said, "") << "cut at byte " << size;
  }
}

// Each byte of the model in turn is another one: pieces of some kind, or an error that names the model.
TEST_F(Pieces, OfADamagedModelAreNoFaultOfOurs) {
  MemoryFiles files;
  options_.files = &files;
  options_.format = "text";
  const std::string whole = files_.contents.at("tiny.model");
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char other : {'\0', '\x01', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = other;
      files.contents["tiny.model"] = damaged;
      const std::string said = refusal("a", kText, options_);
      EXPECT_TRUE(said.empty() || says(said, "tiny.model: is ")) << "byte " << at << ": " << said;
    }
}

#else

TEST(Tokens, OfAModelNeedTheLibrary) {
  MemoryFiles files;
  files.contents["m"] = "";
  ReadOptions options = beside(files);
  options.tokenizer = "m";
  EXPECT_TRUE(
      says(refusal("a", "x\n", options), "usage: --tokenizer: this seqpoint was built without libsentencepiece"));
}

#endif

}  // namespace
}  // namespace seqpoint::testing
