// ESPnet2's shape files: the first number is the length, as it stands.
#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

TEST(EspnetReader, TheFirstNumberOfAShapeIsTheLength) {
  const io::manifests::Dataset data = read("exp/stats/train/speech_shape", "u1 520,80\nu2 83200\nu3\t17,5000\n");
  EXPECT_EQ(data.lengths.src, (Lens{520, 83200, 17}));
  EXPECT_EQ(data.inputs.front().format, "espnet-shape");
  EXPECT_EQ(data.inputs.front().unit, "as it stands");
}

TEST(EspnetReader, ShapesAreKnownByTheirNameOrTheirCommas) {
  EXPECT_EQ(read("text_shape.bpe", "u1 17\n").inputs.front().format, "espnet-shape");
  EXPECT_EQ(read("-", "u1 520,80\n").inputs.front().format, "espnet-shape");
  EXPECT_NE(refusal("lengths", "u1 520\n"), "") << "one number could be anything";
}

TEST(EspnetReader, AUnitMayBeNamed) {
  io::manifests::ReadOptions options;
  options.length_unit = lengths::LengthUnit::samples;
  EXPECT_EQ(read("speech_shape", "u1 83200\n", options).lengths.src, Lens{520});
}

TEST(EspnetReader, Utt2numSamplesIsInSamples) {
  const io::manifests::Dataset data = read("utt2num_samples", "u1 83200\nu2 159\n");
  EXPECT_EQ(data.lengths.src, (Lens{520, 0}));
  EXPECT_EQ(data.zeros, 1U);
}

TEST(EspnetReader, BadShapesNameTheirLine) {
  const std::string said = refusal("speech_shape", "u1 520,80\nu2 -5\nu3 5.5\nu4\nu5 7,\nu6 8 9\nu1 1\n");
  EXPECT_TRUE(says(said, "speech_shape:2: \"-5\" is not a shape"));
  EXPECT_TRUE(says(said, "speech_shape:3: \"5.5\" is not a shape"));
  EXPECT_TRUE(says(said, "speech_shape:4: is missing"));
  EXPECT_TRUE(says(said, "speech_shape:5: \"7,\" is not a shape"));
  EXPECT_TRUE(says(said, "speech_shape:6: \"8 9\" is not a shape"));
  EXPECT_TRUE(says(said, "speech_shape:7: 'u1' stands in line 1 already"));
}

TEST(EspnetReader, TwoShapeFilesAreMatchedByKeyInTheOrderOfTheFirst) {
  const io::manifests::Dataset data =
      read_pair("speech_shape", "b 200,80\na 100,80\n", "text_shape.bpe", "a 11,5000\nb 22,5000\n");
  EXPECT_EQ(data.lengths.src, (Lens{200, 100}));
  EXPECT_EQ(data.lengths.tgt, (Lens{22, 11}));
}

TEST(EspnetReader, ShapeFilesWithDifferentKeysAreRefused) {
  EXPECT_TRUE(says(refusal_of_pair("speech_shape", "a 1\nb 2\n", "text_shape", "a 1\nc 2\n"),
                   "speech_shape:2: 'b' is not in text_shape"));
  EXPECT_TRUE(says(refusal_of_pair("speech_shape", "a 1\n", "text_shape", "a 1\nc 2\n"),
                   "text_shape:2: 'c' is not in speech_shape"));
}

TEST(EspnetReader, ARowWithoutLengthOnTheOtherSideIsFoundByItsKey) {
  io::manifests::ReadOptions options;
  options.skip_missing = true;
  const io::manifests::Dataset data =
      read_pair("speech_shape", "a 1\nb 2\nc 3\n", "text_shape", "c 30\nb x\na 10\n", options);
  EXPECT_EQ(data.lengths.src, (Lens{1, 3}));
  EXPECT_EQ(data.lengths.tgt, (Lens{10, 30}));
  EXPECT_EQ(data.missing, 1U);
}

}  // namespace
}  // namespace seqpoint::testing
