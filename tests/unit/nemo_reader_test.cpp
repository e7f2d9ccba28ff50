// NeMo's manifests. 16 kHz and 10 ms: frames are seconds x 100.
#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

constexpr std::string_view kTwoRecords =
    "{\"audio_filepath\": \"wavs/u1.wav\", \"duration\": 3.42, \"text\": \"good morning\"}\n"
    "\n"
    "{\"audio_filename\": \"wavs/u2.wav\", \"duration\": 11.0, \"offset\": 2.5, \"text\": \"see you\"}\n";

TEST(NemoReader, DurationIsInSecondsAndBlankLinesArePassedOver) {
  const io::manifests::Dataset data = read("m.json", kTwoRecords);
  EXPECT_EQ(data.lengths.src, (Lens{342, 1100}));
  EXPECT_EQ(data.inputs.front().format, "nemo");
}

TEST(NemoReader, ContextDurationStandsInForDuration) {
  const io::manifests::Dataset data = read("m.json",
                                           "{\"audio_filepath\": \"a\", \"context_duration\": 2.0}\n"
                                           "{\"context\": \"b\", \"duration\": 1.0, \"context_duration\": 9.0}\n");
  EXPECT_EQ(data.lengths.src, (Lens{200, 100}));
}

TEST(NemoReader, ANullDurationIsNoneEvenWithAContextDuration) {
  const std::string_view bytes =
      "{\"audio_filepath\": \"a\", \"duration\": 1}\n{\"audio_filepath\": \"b\", \"duration\": null, "
      "\"context_duration\": 2}\n";
  EXPECT_TRUE(says(refusal("m.json", bytes), "m.json:2: field 'duration': is missing"));
  io::manifests::ReadOptions options;
  options.skip_missing = true;
  EXPECT_EQ(read("m.json", bytes, options).missing, 1U);
}

TEST(NemoReader, RowsThatNameNoAudioAreErrors) {
  EXPECT_TRUE(says(refusal("m.json", "{\"audio_filepath\": \"a\", \"duration\": 1}\n{\"duration\": 2}\n"),
                   "m.json:2: names no audio"));
}

TEST(NemoReader, EveryBadLineIsReported) {
  const std::string said = refusal("m.json",
                                   "{\"audio_filepath\": \"a\", \"duration\": 1}\n"
                                   "{\"audio_filepath\": \"a\", \"duration\": \n"
                                   "{\"audio_filepath\": \"a\", \"duration\": \"3\"}\n"
                                   "{\"audio_filepath\": \"a\", \"duration\": 1, \"duration\": 2}\n"
                                   "{\"audio_filepath\": \"a\", \"duration\": -1}\n"
                                   "[1]\n");
  EXPECT_TRUE(says(said, "m.json:2: is not valid JSON"));
  EXPECT_TRUE(says(said, "m.json:3: field 'duration': \"3\" is a string, not a number"));
  EXPECT_TRUE(says(said, "m.json:4: field 'duration': the key is there more than once"));
  EXPECT_TRUE(says(said, "m.json:5: field 'duration': -1 is negative"));
  EXPECT_TRUE(says(said, "m.json:6: is not a JSON object"));
}

constexpr std::string_view kMarked =
    "{\"audio_filepath\": \"a\", \"duration\": 1}\n"
    "{\"audio_filepath\": \"b\", \"duration\": 2, \"_skipme\": true}\n"
    "{\"audio_filepath\": \"c\", \"duration\": 3, \"_skipme\": false}\n"
    "{\"audio_filepath\": \"d\", \"duration\": 4, \"_skipme\": 0}\n"
    "{\"audio_filepath\": \"e\", \"duration\": 5, \"_skipme\": \"bad audio\"}\n";

TEST(NemoReader, ItsOwnLoaderTrainsOnMarkedRowsAndTheUserIsTold) {
  const io::manifests::Dataset data = read("m.json", kMarked);
  EXPECT_EQ(data.lengths.src, (Lens{100, 200, 300, 400, 500}));
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_TRUE(says(data.notes.front(), "rows marked _skipme: 2;"));
}

TEST(NemoReader, ItsLhotseLoaderLeavesMarkedRowsOut) {
  const io::manifests::Dataset data = read("m.json", kMarked, with_format("nemo-lhotse"));
  EXPECT_EQ(data.lengths.src, (Lens{100, 300, 400}));
  EXPECT_EQ(data.marked, 2U);
  EXPECT_EQ(data.rows, 5U);
}

TEST(NemoReader, ItsLhotseLoaderKnowsNoContextDuration) {
  EXPECT_TRUE(
      says(refusal("m.json", "{\"audio_filepath\": \"a\", \"context_duration\": 1}\n", with_format("nemo-lhotse")),
           "field 'duration': is missing"));
}

TEST(NemoReader, TarredSetsComeWithANoteOnTheirOrder) {
  const io::manifests::Dataset data =
      read("tarred_audio_manifest.json", "{\"audio_filepath\": \"u1.wav\", \"duration\": 1.0, \"shard_id\": 0}\n");
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_TRUE(says(data.notes.front(), "tar file's order"));
}

TEST(NemoReader, SeveralManifestsAreOneDataSet) {
  std::vector<io::stream::Input> inputs;
  inputs.push_back(io::stream::Input::from_memory("a.json", kTwoRecords));
  inputs.push_back(io::stream::Input::from_memory("b.json", "{\"audio_filepath\": \"x\", \"duration\": 0.5}\n"));
  EXPECT_EQ(io::manifests::read_dataset(std::move(inputs), {}, {}).lengths.src, (Lens{342, 1100, 50}));
}

TEST(NemoReader, ThreadsChangeNothing) {
  std::string bytes;  // several blocks of a megabyte
  for (int i = 0; i < 40000; ++i)
    bytes += "{\"audio_filepath\": \"speaker/chapter/utterance-" + std::to_string(i) +
             ".wav\", \"duration\": " + std::to_string(i % 7 + 1) + (i % 10 == 9 ? ", \"_skipme\": true}\n" : "}\n");
  io::manifests::ReadOptions options = with_format("nemo-lhotse");
  for (const std::size_t threads : {1U, 4U}) {
    options.threads = threads;
    const io::manifests::Dataset data = read("m.json", bytes, options);
    ASSERT_EQ(data.lengths.size(), 36000U);
    EXPECT_EQ(data.marked, 4000U);
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < 40000; ++i) {
      if (i % 10 == 9) continue;
      ASSERT_EQ(data.lengths.src[at++], 100 * (i % 7 + 1)) << i;
    }
  }
  options.format = "nemo";
  EXPECT_TRUE(says(read("m.json", bytes, options).notes.at(0), "rows marked _skipme: 4000;"));
}

TEST(NemoReader, ATargetFieldMakesPairs) {
  io::manifests::ReadOptions options;
  options.tgt_length_field = "tokens";
  const io::manifests::Dataset data =
      read("m.json", "{\"audio_filepath\": \"a\", \"duration\": 1, \"tokens\": 7}\n", options);
  EXPECT_EQ(data.lengths.src, Lens{100});
  EXPECT_EQ(data.lengths.tgt, Lens{7});
}

TEST(NemoReader, AnotherLengthFieldMakesPlainJsonLinesOfIt) {
  io::manifests::ReadOptions options;
  options.length_field = "num_samples";
  const io::manifests::Dataset data =
      read("m.json", "{\"audio_filepath\": \"a\", \"duration\": 1, \"num_samples\": 320}\n", options);
  EXPECT_EQ(data.lengths.src, Lens{2});
  EXPECT_EQ(data.inputs.front().format, "jsonl");
}

}  // namespace
}  // namespace seqpoint::testing
