// WeNet's data.list. int(seconds * rate) as its decode_wav has it, worked out by hand.
#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

TEST(WenetReader, CutsSayTheirLengthThemselves) {
  const io::manifests::Dataset data =
      read("data.list",
           "{\"key\": \"u1\", \"wav\": \"/d/l.wav\", \"txt\": \"bye\", \"start\": 12.5, \"end\": 15.75}\n"
           "{\"key\": \"u2\", \"wav\": \"/d/l.wav\", \"txt\": \"ok\", \"start\": 0, \"end\": 0.00999999}\n");
  EXPECT_EQ(data.lengths.src, (Lens{325, 0})) << "int(0.00999999 * 16000) is 159 samples, less than a frame";
  EXPECT_EQ(data.inputs.front().format, "wenet");
}

TEST(WenetReader, WholeFilesNeedTheirHeaders) {
  const std::string_view list = "{\"key\": \"u1\", \"wav\": \"u1.wav\", \"txt\": \"hello\"}\n";
  EXPECT_TRUE(says(refusal("-", list), "-:1: field 'wav': has no length; --probe-audio takes it"));
  MemoryFiles files;
  files.audio["u1.wav"] = {48000, 16000};
  EXPECT_EQ(read("-", list, beside(files, true)).lengths.src, Lens{300});
}

TEST(WenetReader, ACutEndsWhereItsAudioEnds) {
  MemoryFiles files;
  files.audio["l.wav"] = {32000, 16000};
  const std::string_view list =
      "{\"key\": \"a\", \"wav\": \"l.wav\", \"txt\": \"x\", \"start\": 1.5, \"end\": 3.0}\n"
      "{\"key\": \"b\", \"wav\": \"l.wav\", \"txt\": \"x\", \"start\": 5.0, \"end\": 6.0}\n";
  EXPECT_EQ(read("data.list", list, beside(files, true)).lengths.src, (Lens{50, 0}));
}

TEST(WenetReader, BadRowsNameTheirField) {
  const std::string said =
      refusal("data.list",
              "{\"key\": \"a\", \"wav\": \"l.wav\", \"txt\": \"x\", \"start\": 1.5}\n"
              "{\"key\": \"b\", \"txt\": \"x\"}\n"
              "{\"key\": \"c\", \"wav\": \"l.wav\", \"txt\": \"x\", \"start\": 2, \"end\": 1}\n"
              "{\"key\": \"d\", \"wav\": \"l.wav\", \"txt\": \"x\", \"start\": \"2\", \"end\": 3}\n"
              "{\"key\": \"e\"\n");
  EXPECT_TRUE(says(said, "data.list:1: field 'start': has only one of start and end"));
  EXPECT_TRUE(says(said, "data.list:2: field 'wav': is missing"));
  EXPECT_TRUE(says(said, "data.list:3: field 'end': is not behind start"));
  EXPECT_TRUE(says(said, "data.list:4: field 'start'"));
  EXPECT_TRUE(says(said, "data.list:5: is not valid JSON"));
}

TEST(WenetReader, ShardsHaveNoLengths) {
  EXPECT_TRUE(says(refusal("data.list", "/shards/0.tar\n/shards/1.tar\n"), "data.list:1: names shards"));
}

}  // namespace
}  // namespace seqpoint::testing
