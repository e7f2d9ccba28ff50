#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

TEST(LjspeechReader, CharactersOfTheNormalizedTextAreTheLength) {
  const io::manifests::Dataset data =
      read("LJSpeech-1.1/metadata.csv",
           "LJ001-0001|Chapter 2|Chapter two\nLJ001-0002|\"Well,\" he said|\nLJ001-0003|three\n");
  EXPECT_EQ(data.lengths.src, (Lens{11, 15, 5})) << "the second column where there is no third; quotes are characters";
  EXPECT_EQ(data.inputs.front().format, "ljspeech");
}

TEST(LjspeechReader, CharactersAreNotBytes) {
  EXPECT_EQ(read("metadata.csv", "a|x|gr\xc3\xbc\xc3\x9f dich\n").lengths.src, Lens{9});
}

TEST(LjspeechReader, TheThirdColumnOfAListOfFilesIsTheSpeaker) {
  EXPECT_EQ(read("filelist.txt", "wavs/a.wav|The tried and\nwavs/b.wav|two|17\n").lengths.src, (Lens{13, 3}));
}

TEST(LjspeechReader, BadRowsNameTheirLine) {
  const std::string said = refusal("metadata.csv", "a|b|c\nLJ001\na|b|c|d\n");
  EXPECT_TRUE(says(said, "metadata.csv:2: has 1 fields apart by |"));
  EXPECT_TRUE(says(said, "metadata.csv:3: has 4 fields apart by |"));
}

TEST(LjspeechReader, AMetadataCsvWithCommasIsACsv) {
  EXPECT_EQ(read("metadata.csv", "speaker_ID,sex,subset,length,origin_path\n19,F,train,225360,a.flac\n")
                .inputs.front()
                .format,
            "csv");
}

TEST(LjspeechReader, CoquisListsHaveAHeader) {
  const io::manifests::Dataset data =
      read("train.csv", "audio_file|speaker_name|text\nwavs/a.wav|x|One two\nwavs/b.wav|y|Three\n");
  EXPECT_EQ(data.inputs.front().format, "ljspeech");
  EXPECT_EQ(data.lengths.src, (Lens{7, 5}));
  EXPECT_TRUE(says(refusal("train.csv", "audio_file|text\nwavs/a.wav|x|One\n"), "train.csv:2: has 3 fields"));
}

TEST(LjspeechReader, AListOfFeaturesIsNoText) {
  EXPECT_TRUE(says(refusal("attn_mask.txt", "wavs/a.wav|/data/a_attn.npy\n"),
                   "attn_mask.txt:1: names a file where the text should be"));
}

}  // namespace
}  // namespace seqpoint::testing
