#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

constexpr std::string_view kTrain =
    "client_id\tpath\tsentence\tup_votes\n"
    "c1\tcv_2.mp3\t\"Quotes are characters.\t2\n"
    "c2\tcv_1.mp3\tYes.\t3\n";

TEST(CommonVoiceReader, ClipsAreLookedUpInTheTableBesideThem) {
  MemoryFiles files;
  files.contents["cv/en/clip_durations.tsv"] = "clip\tduration[ms]\ncv_1.mp3\t4536\ncv_2.mp3\t1000\ncv_3.mp3\t9\n";
  const io::manifests::Dataset data = read("cv/en/train.tsv", kTrain, beside(files));
  EXPECT_EQ(data.lengths.src, (Lens{100, 453}));
  EXPECT_EQ(data.inputs.front().format, "common-voice");
  ASSERT_EQ(data.inputs.size(), 2U);
  EXPECT_EQ(data.inputs.back().path, "cv/en/clip_durations.tsv");
}

TEST(CommonVoiceReader, TheColumnMayBeCalledDuration) {
  MemoryFiles files;
  files.contents["clip_durations.tsv"] = "clip\tduration\ncv_1.mp3\t4536\ncv_2.mp3\t1000\n";
  EXPECT_EQ(read("train.tsv", kTrain, beside(files)).lengths.src, (Lens{100, 453}));
}

TEST(CommonVoiceReader, AClipThatTheTableLacksIsAnErrorAtItsLine) {
  MemoryFiles files;
  files.contents["clip_durations.tsv"] = "clip\tduration[ms]\ncv_2.mp3\t1000\n";
  EXPECT_TRUE(says(refusal("train.tsv", kTrain, beside(files)),
                   "train.tsv:3: field 'path': clip 'cv_1.mp3' is not in clip_durations.tsv"));
  io::manifests::ReadOptions options = beside(files);
  options.skip_missing = true;
  EXPECT_EQ(read("train.tsv", kTrain, options).missing, 1U);
}

TEST(CommonVoiceReader, WithoutTheTableItSaysWhatToDo) {
  const MemoryFiles files;
  const std::string said = refusal("train.tsv", kTrain, beside(files));
  EXPECT_TRUE(says(said, "there is no clip_durations.tsv"));
  EXPECT_TRUE(says(said, "--probe-audio"));
}

TEST(CommonVoiceReader, ProbingReadsTheClips) {
  MemoryFiles files;
  files.audio["d/clips/cv_1.mp3"] = {96000, 48000};
  files.audio["d/clips/cv_2.mp3"] = {48000, 48000};
  EXPECT_EQ(read("d/train.tsv", kTrain, beside(files, true)).lengths.src, (Lens{100, 200}));
}

TEST(CommonVoiceReader, ABadTableIsBlamedItself) {
  MemoryFiles files;
  files.contents["clip_durations.tsv"] = "clip\tduration[ms]\ncv_1.mp3\t1\ncv_1.mp3\t2\n";
  EXPECT_TRUE(
      says(refusal("train.tsv", kTrain, beside(files)), "clip_durations.tsv:3: 'cv_1.mp3' stands there already"));
  files.contents["clip_durations.tsv"] = "clip\tduration[ms]\ncv_1.mp3\t-1\n";
  EXPECT_TRUE(
      says(refusal("train.tsv", kTrain, beside(files)), "clip_durations.tsv:2: the length of 'cv_1.mp3' is -1"));
  files.contents["clip_durations.tsv"] = "name\tms\n";
  EXPECT_TRUE(says(refusal("train.tsv", kTrain, beside(files)), "clip_durations.tsv:1: has no columns 'clip'"));
}

TEST(CommonVoiceReader, TheTableAloneIsAManifestToo) {
  const io::manifests::Dataset data = read("clip_durations.tsv", "clip\tduration[ms]\na.mp3\t4536\nb.mp3\t1000\n");
  EXPECT_EQ(data.lengths.src, (Lens{453, 100}));
  EXPECT_EQ(data.inputs.front().unit, "ms");
  EXPECT_TRUE(says(refusal("clip_durations.tsv", "clip\tduration[ms]\na.mp3\t1\na.mp3\t1\n"),
                   "clip_durations.tsv:3: 'a.mp3' stands in line 2"));
}

}  // namespace
}  // namespace seqpoint::testing
