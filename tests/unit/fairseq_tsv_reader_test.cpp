#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

TEST(FairseqTsvReader, SamplesAreTheLengthAsTheyStand) {
  const io::manifests::Dataset data = read("train.tsv", "/data/LibriSpeech\nx/a.flac\t225360\nx/b c.flac\t255120\n");
  EXPECT_EQ(data.lengths.src, (Lens{225360, 255120}));
  EXPECT_EQ(data.inputs.front().format, "fairseq-tsv");
}

TEST(FairseqTsvReader, AUnitMakesFramesOfThem) {
  io::manifests::ReadOptions options;
  options.length_unit = lengths::LengthUnit::samples;
  EXPECT_EQ(read("train.tsv", "/\na.flac\t225360\n", options).lengths.src, Lens{1408});
}

TEST(FairseqTsvReader, TheRootMayBeEmpty) { EXPECT_EQ(read("train.tsv", "\na.flac\t160\n").lengths.src, Lens{160}); }

TEST(FairseqTsvReader, BadRowsNameTheirLine) {
  const std::string said = refusal("train.tsv", "/d\na.flac\t1\nb.flac\nc.flac\t1\t2\n\nd.flac\tx\ne.flac\t1.5\n");
  EXPECT_TRUE(says(said, "train.tsv:3: is not a path and a number of samples"));
  EXPECT_TRUE(says(said, "train.tsv:4: is not a path and a number of samples"));
  EXPECT_TRUE(says(said, "train.tsv:5: is not a path and a number of samples"));
  EXPECT_TRUE(says(said, "train.tsv:6: \"x\" is not a number"));
  EXPECT_TRUE(says(said, "train.tsv:7: 1.5 is not a whole number"));
}

}  // namespace
}  // namespace seqpoint::testing
