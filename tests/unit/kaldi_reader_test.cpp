// Kaldi's tables. Frames are worked out by hand: 16 kHz and 10 ms, so seconds x 100, rounded down after rounding to
// samples.
#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

TEST(KaldiReader, Utt2durIsInSeconds) {
  const io::manifests::Dataset data = read("data/train/utt2dur", "a 14.085\nb\t0.5\nc 2\n");
  EXPECT_EQ(data.lengths.src, (Lens{1408, 50, 200}));
  EXPECT_EQ(data.inputs.front().format, "kaldi-utt2dur");
  EXPECT_EQ(data.inputs.front().unit, "seconds");
}

TEST(KaldiReader, Reco2durIsReadTheSameWay) { EXPECT_EQ(read("reco2dur", "r1 1.0\n").lengths.src, Lens{100}); }

TEST(KaldiReader, Utt2numFramesIsTheLengthItself) {
  const io::manifests::Dataset data =
      read("utt2num_frames.gz", "a 1407\nb 98\n");  // the name alone counts; compressed bytes are another matter
  EXPECT_EQ(data.lengths.src, (Lens{1407, 98}));
  EXPECT_EQ(data.inputs.front().format, "kaldi-utt2num-frames");
}

TEST(KaldiReader, ADecimalPointMakesSecondsOfAnyTwoColumns) {
  EXPECT_EQ(read("-", "a 1.25\nb 3.5\n").inputs.front().format, "kaldi-utt2dur");
}

TEST(KaldiReader, WholeNumbersByKeyAreNotGuessedAt) {
  EXPECT_TRUE(says(refusal("lengths.txt", "a 1407\nb 98\n"), "say which with --length-unit"));
  io::manifests::ReadOptions options;
  options.length_unit = lengths::LengthUnit::samples;
  EXPECT_EQ(read("lengths.txt", "a 1600\nb 320\n", options).lengths.src, (Lens{10, 2}));
  options.length_unit = lengths::LengthUnit::frames;
  EXPECT_EQ(read("lengths.txt", "a 1600\nb 320\n", options).lengths.src, (Lens{1600, 320}));
}

TEST(KaldiReader, AKeyThatStandsTwiceIsAnErrorThatNamesBothLines) {
  EXPECT_TRUE(says(refusal("utt2dur", "a 1.0\nb 2.0\na 1.0\n"), "utt2dur:3: 'a' stands in line 1 already"));
}

TEST(KaldiReader, BadNumbersNameTheirLine) {
  const std::string said = refusal("utt2dur", "a 1.0\nb\nc x3\nd -2\ne nan\nf 1.0 2.0\n");
  EXPECT_TRUE(says(said, "utt2dur:2: has a key but no length"));
  EXPECT_TRUE(says(said, "utt2dur:3: \"x3\" is not a number"));
  EXPECT_TRUE(says(said, "utt2dur:4: -2 is negative"));
  EXPECT_TRUE(says(said, "utt2dur:5: nan is not a finite number"));
  EXPECT_TRUE(says(said, "utt2dur:6: \"1.0 2.0\" is not a number"));
  EXPECT_TRUE(says(said, "--skip-missing"));
}

TEST(KaldiReader, SkipMissingCountsRowsWithoutLength) {
  io::manifests::ReadOptions options;
  options.skip_missing = true;
  const io::manifests::Dataset data = read("utt2dur", "a 1.0\nb\nc 2.0\n", options);
  EXPECT_EQ(data.lengths.src, (Lens{100, 200}));
  EXPECT_EQ(data.missing, 1U);
  EXPECT_EQ(data.rows, 3U);
}

TEST(KaldiReader, SegmentsLastFromStartToEnd) {
  const io::manifests::Dataset data = read("segments", "u1 r1 0.5 3.25\nu2 r1 1.10 2.36 1\n");
  EXPECT_EQ(data.lengths.src, (Lens{275, 126}));
  EXPECT_EQ(data.inputs.front().format, "kaldi-segments");
}

TEST(KaldiReader, ASegmentToTheEndTakesItFromReco2dur) {
  MemoryFiles files;
  files.contents["d/reco2dur"] = "r1 10.0\nr2 4.5\n";
  const io::manifests::Dataset data = read("d/segments", "u1 r1 0.0 3.25\nu2 r2 1.5 -1\nu3 r1 9 -1.0\n", beside(files));
  EXPECT_EQ(data.lengths.src, (Lens{325, 300, 100}));
  ASSERT_EQ(data.inputs.size(), 2U);
  EXPECT_EQ(data.inputs.back().path, "d/reco2dur");
  EXPECT_EQ(data.inputs.back().rows, 2U);
}

TEST(KaldiReader, WithoutReco2durASegmentToTheEndSaysWhatIsNeeded) {
  const MemoryFiles files;
  const std::string said = refusal("d/segments", "u1 r1 0 1\nu2 r2 1.5 -1\n", beside(files));
  EXPECT_TRUE(says(said, "d/segments:2: lasts to the end of its recording (-1), but there is no d/reco2dur"));
  EXPECT_TRUE(says(said, "get_reco2dur.sh"));
}

TEST(KaldiReader, ABadReco2durIsBlamedItself) {
  MemoryFiles files;
  files.contents["reco2dur"] = "r1 10.0\nr1 11.0\n";
  EXPECT_TRUE(says(refusal("segments", "u1 r1 0 -1\n", beside(files)), "reco2dur:2: 'r1' is there already"));
  files.contents["reco2dur"] = "r1 ten\n";
  EXPECT_TRUE(says(refusal("segments", "u1 r1 0 -1\n", beside(files)),
                   "reco2dur:1: the length of 'r1' \"ten\" is not a number"));
  files.contents["reco2dur"] = "r2 10.0\n";
  EXPECT_TRUE(
      says(refusal("segments", "u1 r1 0 -1\n", beside(files)), "segments:1: recording 'r1' is not in reco2dur"));
}

TEST(KaldiReader, SegmentsThatKaldiWouldDropAreErrors) {
  EXPECT_TRUE(says(refusal("segments", "u1 r1 3.0 2.0\n"), "segments:1: ends at 2 s, but starts at 3 s"));
  EXPECT_TRUE(says(refusal("segments", "u1 r1 2.0 2.0\n"), "ends at 2 s, but starts at 2 s"));
  EXPECT_TRUE(says(refusal("segments", "u1 r1 -0.5 2.0\n"), "starts at -0.5 s"));
  EXPECT_TRUE(says(refusal("segments", "u1 r1 0.5\n"), "is not 'key recording start end [channel]'"));
  EXPECT_TRUE(says(refusal("segments", "u1 r1 0.5 1 2 3\n"), "is not 'key recording start end [channel]'"));
  EXPECT_TRUE(says(refusal("segments", "u1 r1 x 1\n"), "\"x\" is not a time in seconds"));
}

TEST(KaldiReader, ATableOfRecordingsThatIsStillBeingWrittenIsToldOf) {
  MemoryFiles files;
  files.contents["reco2dur"] = "r1 12.5";
  const io::manifests::Dataset data = read("segments", "u1 r1 2 -1\n", beside(files));
  EXPECT_EQ(data.lengths.src, Lens{1050});
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_TRUE(says(data.notes.front(), "reco2dur: the last line has no line end"));
}

TEST(KaldiReader, TextCountsTheWordsBehindTheKey) {
  const io::manifests::Dataset data = read("text", "u1 good morning  to you\nu2\tyes\n");
  EXPECT_EQ(data.lengths.src, (Lens{4, 1}));
  EXPECT_EQ(data.inputs.front().format, "kaldi-text");
}

TEST(KaldiReader, SpeechAndItsTextAreMatchedByKey) {
  const io::manifests::Dataset data =
      read_pair("utt2num_frames", "u1 100\nu2 200\n", "text", "u2 one two three\nu1 one\n");
  EXPECT_EQ(data.lengths.src, (Lens{100, 200}));
  EXPECT_EQ(data.lengths.tgt, (Lens{1, 3}));
}

TEST(KaldiReader, OneSideWithKeysAndOneWithoutAreNoPair) {
  EXPECT_TRUE(says(refusal_of_pair("train.en", "a b\nc d\n", "text", "u1 x\nu2 y\n"), "has rows without keys"));
}

TEST(KaldiReader, OptionsWithoutUseAreRefused) {
  io::manifests::ReadOptions options;
  options.length_field = "duration";
  EXPECT_TRUE(says(refusal("utt2dur", "a 1.0\n", options), "usage: --length-field duration has no use"));
  options = {};
  options.length_unit = lengths::LengthUnit::milliseconds;
  EXPECT_EQ(read("segments", "u1 r1 0 1000\n", options).lengths.src, Lens{100}) << "the unit of both times can be said";
}

}  // namespace
}  // namespace seqpoint::testing
