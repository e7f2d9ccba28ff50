// CSV of Mozilla DeepSpeech and Coqui STT: (bytes - 44) / 2 samples.
#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

TEST(MozillaReader, BytesBecomeSamplesBecomeFrames) {
  const io::manifests::Dataset data =
      read("train.csv", "wav_filename,wav_filesize,transcript\nclips/a.wav,96044,\"well, hello\"\nb.wav,44,x\n");
  EXPECT_EQ(data.lengths.src, (Lens{300, 0})) << "96044 bytes are 48000 samples";
  EXPECT_EQ(data.inputs.front().format, "mozilla-csv");
  EXPECT_EQ(data.inputs.front().unit, "samples");
}

TEST(MozillaReader, ColumnsMayBeInAnyOrderAndMore) {
  EXPECT_EQ(read("t.csv", "speaker,transcript,wav_filesize,wav_filename\ns,hi,32044,a.wav\n").lengths.src, Lens{100});
}

TEST(MozillaReader, BytesCanBeTheLengthThemselves) {
  io::manifests::ReadOptions options;
  options.unit = lengths::LengthUnit::bytes;
  EXPECT_EQ(read("t.csv", "wav_filename,wav_filesize,transcript\na.wav,32044,x\n", options).lengths.src, Lens{32044});
}

TEST(MozillaReader, WithoutSizesOrWithOtherAudioTheHeadersMustBeRead) {
  EXPECT_TRUE(says(refusal("t.csv", "wav_filename,transcript\na.wav,x\n"),
                   "t.csv:1: field 'wav_filesize': there is no such column"));
  const std::string_view opus = "wav_filename,wav_filesize,transcript\na.opus,9000,x\n";
  EXPECT_TRUE(says(refusal("t.csv", opus), "t.csv:2: field 'wav_filesize': of a file that is no .wav"));
  MemoryFiles files;
  files.audio["d/a.opus"] = {96000, 48000};
  EXPECT_EQ(read("d/t.csv", opus, beside(files, true)).lengths.src, Lens{200});
}

TEST(MozillaReader, BadRowsNameTheirLine) {
  const std::string said = refusal(
      "t.csv", "wav_filename,wav_filesize,transcript\na.wav,43,x\nb.wav,,x\nc.wav,9,x,y\nd.wav,many,x\ne.wav,47,x\n");
  EXPECT_TRUE(says(said, "t.csv:2: field 'wav_filesize': 43 bytes are less than the header of a .wav"));
  EXPECT_TRUE(says(said, "t.csv:3: field 'wav_filesize': is missing"));
  EXPECT_TRUE(says(said, "t.csv:4: has 4 fields, the header has 3"));
  EXPECT_TRUE(says(said, "t.csv:5: field 'wav_filesize': \"many\" is not a number"));
  EXPECT_TRUE(says(said, "t.csv:6: field 'wav_filesize': a size of 47 bytes is no whole number of 16-bit samples"));
}

TEST(MozillaReader, QuotesInFileNamesAreUndone) {
  MemoryFiles files;
  files.audio["say \"a\".wav"] = {16000, 16000};
  EXPECT_EQ(read("t.csv", "wav_filename,transcript\n\"say \"\"a\"\".wav\",x\n", beside(files, true)).lengths.src,
            Lens{100});
}

}  // namespace
}  // namespace seqpoint::testing
