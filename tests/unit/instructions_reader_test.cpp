// Instruction data: text without lengths, refused unless an estimate is asked for. Words and bytes counted by hand.
#include <gtest/gtest.h>

#include "unit/read_memory.hpp"

namespace seqpoint::testing {
namespace {

using Sizes = std::vector<std::uint32_t>;

const std::string kAlpaca =
    R"([{"instruction": "Add them up.", "input": "1\t2", "output": "3"},)"
    "\n"
    R"({"instruction": "Say hi.", "input": "", "output": "H\u00e9llo", "note": "not counted"}])";
const std::string kShareGpt = R"([{"id": "1", "conversations": [{"from": "human", "value": "Hello there"}, )"
                              R"({"from": "gpt", "value": "Hi\nyou"}]}, {"id": "2", "conversations": []}])";

TEST(Instructions, AreRefusedWithAWayOut) {
  for (const std::string& text : {kAlpaca, kShareGpt}) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find("only the model's tokenizer knows"), std::string::npos);
    EXPECT_NE(error.find("--length-field estimate-words"), std::string::npos);
  }
}

TEST(Instructions, WordsAreCountedWhereAskedFor) {
  const io::manifests::Dataset alpaca = read_memory(kAlpaca, with_field("estimate-words"));
  EXPECT_EQ(alpaca.lengths.src, (Sizes{6, 3}));
  EXPECT_EQ(alpaca.inputs.front().format, "alpaca");
  ASSERT_EQ(alpaca.notes.size(), 1U);
  EXPECT_NE(alpaca.notes[0].find("estimate"), std::string::npos);
  const io::manifests::Dataset conversations = read_memory(kShareGpt, with_field("estimate-words"));
  EXPECT_EQ(conversations.lengths.src, (Sizes{4, 0}));
  EXPECT_EQ(conversations.inputs.front().format, "sharegpt");
}

TEST(Instructions, BytesAreCountedByFourRoundedUp) {
  EXPECT_EQ(lengths_of(kAlpaca, with_field("estimate-bytes")), (Sizes{4, 4}));    // 12 + 3 + 1 and 7 + 0 + 6 bytes
  EXPECT_EQ(lengths_of(kShareGpt, with_field("estimate-bytes")), (Sizes{5, 0}));  // 11 + 6 bytes
}

TEST(Instructions, LengthsBesideTheTextAreTaken) {
  EXPECT_EQ(lengths_of(R"([{"instruction": "a", "output": "b", "length": 12}])"), (Sizes{12}));
  EXPECT_EQ(lengths_of(R"({"conversations": [], "input_ids": [1, 2]})"
                       "\n"),
            (Sizes{2}));
  EXPECT_EQ(lengths_of(R"({"conversations": [], "turns": 2})"
                       "\n",
                       with_field("turns")),
            (Sizes{2}));
  EXPECT_EQ(lengths_of(R"([{"instruction": "a", "output": "b", "length": 12}])", with_field("estimate-words")),
            (Sizes{2}));
}

TEST(Instructions, TextThatIsNoTextIsAnError) {
  EXPECT_NE(error_of(R"([{"instruction": 3, "output": "b"}])", with_field("estimate-words")), "");
  EXPECT_NE(error_of(R"([{"id": 1, "conversations": ["hello"]}])", with_field("estimate-words")), "");
}

TEST(Instructions, TextUnderAnotherKeyIsNoTextOfLengthZero) {
  const std::string turns = R"([{"conversations": [{"speaker": "user", "said": "Hello there"}]}])";
  EXPECT_NE(error_of(turns, with_field("estimate-words")).find("it is not where it is looked for"), std::string::npos);
}

TEST(Instructions, HowManyTurnsThereAreIsNoLength) {
  for (const char* const field : {"conversations", "messages"}) {
    const std::string text = R"({"id": 1, ")" + std::string(field) +
                             R"(": [{"role": "user", "content": "Hello"}]})"
                             "\n";
    EXPECT_NE(error_of(text, with_field(field)).find("is a list of objects, whose number is no length"),
              std::string::npos);
  }
}

TEST(Instructions, OneConversationInTwoFormsCountsOnce) {
  const std::string both =
      R"({"conversations": [{"value": "a b"}], "messages": [{"content": "a b"}, {"content": [{"text": "c"}, {"image": 1}]}]})"
      "\n";
  const io::manifests::Dataset turns = read_memory(both, with_field("estimate-words"));
  EXPECT_EQ(turns.inputs.front().format, "sharegpt");
  EXPECT_EQ(turns.lengths.src, (Sizes{2}));
  io::manifests::ReadOptions options = with_field("estimate-words");
  options.format = "messages";
  options.message_tokens = 10;
  options.conversation_tokens = 100;
  EXPECT_EQ(lengths_of(both, options), (Sizes{123}));
}

TEST(EqualLengths, AreSaidWhereTheyAreMany) {
  std::string rows = "length\n";
  for (int i = 0; i < 16; ++i) rows += "7\n";
  EXPECT_EQ(read_memory(rows).notes.size(), 1U);
  EXPECT_TRUE(read_memory("length\n7\n7\n").notes.empty());
  EXPECT_EQ(read_memory("length\n0\n").notes.size(), 1U);
  EXPECT_TRUE(read_memory(rows + "8\n").notes.empty());
}

}  // namespace
}  // namespace seqpoint::testing
