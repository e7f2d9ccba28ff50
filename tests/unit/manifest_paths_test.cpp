#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

using Paths = std::vector<std::string>;

TEST(ManifestPaths, AFileThatExistsIsItself) {
  MemoryFiles files;
  files.contents["a,b.json"] = files.contents["m_(1..2).json"] = "";
  EXPECT_EQ(io::manifests::manifest_paths("a,b.json", files), Paths{"a,b.json"});
  EXPECT_EQ(io::manifests::manifest_paths("m_(1..2).json", files), Paths{"m_(1..2).json"});
  EXPECT_EQ(io::manifests::manifest_paths("-", files), Paths{"-"});
  EXPECT_EQ(io::manifests::manifest_paths("gone.json", files), Paths{"gone.json"}) << "for the error to name";
}

TEST(ManifestPaths, APrefixOfAnIndexIsTheIndex) {
  MemoryFiles files;
  files.contents["corpus_text_document.idx"] = files.contents["both"] = files.contents["both.idx"] = "";
  EXPECT_EQ(io::manifests::manifest_paths("corpus_text_document", files), Paths{"corpus_text_document.idx"});
  EXPECT_EQ(io::manifests::manifest_paths("both", files), Paths{"both"});
}

TEST(ManifestPaths, ShardsAreCountedOut) {
  const MemoryFiles files;
  EXPECT_EQ(io::manifests::manifest_paths("d/manifest__OP_0..2_CL_.json", files),
            (Paths{"d/manifest_0.json", "d/manifest_1.json", "d/manifest_2.json"}));
  for (const char* const pattern : {"m{9..11}", "m(9..11)", "m[9..11]", "m<9..11>"})
    EXPECT_EQ(io::manifests::manifest_paths(pattern, files), (Paths{"m9", "m10", "m11"})) << pattern;
  EXPECT_EQ(io::manifests::manifest_paths("m{2..0}", files), (Paths{"m2", "m1", "m0"}));
  EXPECT_EQ(io::manifests::manifest_paths("manifest__OP_0..511_CL_.json", files).size(), 512U);
}

TEST(ManifestPaths, LeadingZerosStay) {
  const MemoryFiles files;
  EXPECT_EQ(io::manifests::manifest_paths("m{08..10}", files), (Paths{"m08", "m09", "m10"}));
}

TEST(ManifestPaths, TwoRangesCountTheLastFastest) {
  const MemoryFiles files;
  EXPECT_EQ(io::manifests::manifest_paths("b{0..1}/m{0..1}", files), (Paths{"b0/m0", "b0/m1", "b1/m0", "b1/m1"}));
}

TEST(ManifestPaths, CommasMakeALists) {
  const MemoryFiles files;
  EXPECT_EQ(io::manifests::manifest_paths("a.json,b{0..1}.json", files), (Paths{"a.json", "b0.json", "b1.json"}));
}

TEST(ManifestPaths, WhatIsNoRangeStaysAsItIs) {
  const MemoryFiles files;
  for (const char* const path : {"m{x..y}", "m{1}", "m{1..", "m(final).json", "m{1...3}", "m{-1..1}"})
    EXPECT_EQ(io::manifests::manifest_paths(path, files), Paths{path}) << path;
}

TEST(ManifestPaths, NobodyMeansABillionFiles) {
  const MemoryFiles files;
  EXPECT_THROW(io::manifests::manifest_paths("m{0..999999999}", files), UsageError);
}

TEST(ManifestPaths, PatternsOfNamesAreTakenInOrder) {
  MemoryFiles files;
  for (const char* const path : {"d/b.csv", "d/a.csv", "d/a.tsv", "d/en/a.csv", "d/de/a.csv"})
    files.contents[path] = "";
  EXPECT_EQ(io::manifests::manifest_paths("d/*.csv", files), (Paths{"d/a.csv", "d/b.csv"}));
  EXPECT_EQ(io::manifests::manifest_paths("d/*n/a.csv", files), Paths{"d/en/a.csv"});
  EXPECT_EQ(io::manifests::manifest_paths("d/*.txt", files), Paths{"d/*.txt"}) << "for the error to name";
}

Paths in_folder(std::initializer_list<const char*> names) {
  MemoryFiles files;
  for (const std::string name : names) files.contents["d/" + name] = "";
  return io::manifests::manifest_paths("d", files);
}

TEST(ManifestPaths, TablesOfAKaldiFolderHaveTheSameUtterances) {
  MemoryFiles files;
  files.contents = {{"d/utt2dur", "a 1.5\nb 2.5\n"}, {"d/text", "b two\na one\n"}, {"d/wav.scp", "a a.wav\nb b.wav\n"}};
  EXPECT_EQ(io::manifests::manifest_paths("d", files), Paths{"d/utt2dur"});
  files.contents["d/text"] = "a one\n";
  EXPECT_THROW(io::manifests::manifest_paths("d", files), InputError);
  EXPECT_EQ(io::manifests::manifest_paths("d/utt2dur", files), Paths{"d/utt2dur"}) << "the user has chosen";
}

TEST(ManifestPaths, AFolderIsWhatItsNamesSay) {
  EXPECT_EQ(in_folder({"text", "utt2dur", "wav.scp"}), Paths{"d/utt2dur"});
  EXPECT_EQ(in_folder({"text", "utt2dur", "utt2num_frames", "wav.scp"}), Paths{"d/utt2num_frames"});
  EXPECT_EQ(in_folder({"speech_shape", "text_shape.bpe"}), Paths{"d/speech_shape"});
  EXPECT_EQ(in_folder({"part-1.jsonl", "part-0.jsonl", "_SUCCESS", "_metadata.jsonl", "README.md"}),
            (Paths{"d/part-0.jsonl", "d/part-1.jsonl"}));
  EXPECT_EQ(in_folder({"lang=en/p.jsonl", "lang=de/x=1/p.jsonl", "other/p.jsonl"}),
            (Paths{"d/lang=de/x=1/p.jsonl", "d/lang=en/p.jsonl"}));
}

TEST(ManifestPaths, AFolderOfSeveralDataSetsIsRefused) {
  EXPECT_THROW(in_folder({"a.csv", "b.jsonl"}), InputError);
  EXPECT_THROW(in_folder({"train-0.jsonl", "test-0.jsonl"}), InputError) << "nobody trains on both";
  EXPECT_THROW(in_folder({"train-0.jsonl", "more.jsonl"}), InputError);
  EXPECT_THROW(in_folder({"training.jsonl", "trained.jsonl"}), InputError) << "no shards of one name";
  EXPECT_THROW(in_folder({"cuts.jsonl", "recordings.jsonl", "supervisions.jsonl"}), InputError);
  EXPECT_THROW(in_folder({"train.en-de.de.idx", "train.en-de.en.idx"}), InputError) << "two sides";
  EXPECT_THROW(in_folder({"README.md"}), InputError);
}

TEST(ManifestPaths, ShardsHaveOneNameButForNumbers) {
  EXPECT_EQ(in_folder({"train-00000-of-00002.jsonl", "train-00001-of-00002.jsonl"}).size(), 2U);
  EXPECT_EQ(in_folder({"part-0-6bd2-c000.csv", "part-11-6bd2-c000.csv"}).size(), 2U);
  EXPECT_EQ(in_folder({"a.jsonl"}).size(), 1U);
}

/// Each manifest is named with its rows, so that the user sees which describe the same samples.
TEST(ManifestPaths, SeveralManifestsAreNamedWithTheirRows) {
  MemoryFiles files;
  files.contents = {{"d/train.src.jsonl", "{\"length\": 3}\n{\"length\": 4}\n"},
                    {"d/train.tgt.jsonl", "{\"length\": 5}\n{\"length\": 6}\n{\"length\": 7}\n"}};
  try {
    io::manifests::manifest_paths("d", files);
    FAIL() << "the two would count as one data set";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("train.src.jsonl (2 rows), train.tgt.jsonl (3 rows)"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace seqpoint::testing
