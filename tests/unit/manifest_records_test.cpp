// Manifests made of some rows of others: for every format, what is read from the new one are the rows that were asked
// for, and their bytes are those of the old one.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "io/manifests/subset.hpp"
#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

/// A file of a format, made so that row i has a length that no other has.
struct Source {
  const char* format;
  const char* name;
  std::string head = {};
  std::string (*record)(std::size_t row);
  const char* separator = "\n";  ///< between records
  const char* tail = "\n";
  const char* length_field = "";
  bool keyed = false;  ///< keys get something in front

  std::string bytes(std::size_t rows) const {
    std::string text = head;
    for (std::size_t i = 0; i < rows; ++i) text += (i > 0 ? separator : "") + record(i);
    return text + tail;
  }
};

std::string n(std::size_t row, std::size_t factor = 1) { return std::to_string((row + 1) * factor); }
std::string words(std::size_t row) {
  std::string text = "w";
  for (std::size_t i = 0; i < row; ++i) text += " w";
  return text;
}
std::string seconds(std::size_t row) { return n(row) + ".5"; }

const std::vector<Source>& sources() {
  using S = std::size_t;
  static const std::vector<Source> all{
      {"kaldi-utt2dur", "utt2dur", "", [](S i) { return "u" + n(i) + " " + seconds(i); }, "\n", "\n", "", true},
      {"kaldi-utt2num-frames", "utt2num_frames", "", [](S i) { return "u" + n(i) + "  " + n(i); }, "\n", "\n", "",
       true},
      {"kaldi-segments", "segments", "", [](S i) { return "u" + n(i) + " r1 0.5 " + n(i) + ".75"; }, "\n", "\n", "",
       true},
      {"kaldi-text", "text", "", [](S i) { return "u" + n(i) + " " + words(i); }, "\n", "\n", "", true},
      {"espnet-utt2num-samples", "utt2num_samples", "", [](S i) { return "u" + n(i) + " " + n(i, 160); }, "\n", "\n",
       "", true},
      {"espnet-shape", "speech_shape", "", [](S i) { return "u" + n(i) + " " + n(i) + ",80"; }, "\n", "\n", "", true},
      {"keyed", "lengths.txt", "", [](S i) { return "u" + n(i) + " " + n(i); }, "\n", "\n", "", true},
      {"nemo", "m.json", "",
       [](S i) {
         return R"({"audio_filepath": "a/)" + n(i) + R"(.wav", "duration": )" + seconds(i) + R"(, "text": "\"x\n"})";
       }},
      {"nemo-lhotse", "m.json", "",
       [](S i) { return R"({"audio_filepath": "a.wav", "duration": )" + seconds(i) + "}"; }},
      {"jsonl", "m.jsonl", "", [](S i) { return R"({"id": "[", "num_tokens": )" + n(i) + "}"; }},
      {"lhotse-cuts", "cuts.jsonl", "",
       [](S i) {
         return R"({"id": "a", "start": 1.0, "duration": )" + seconds(i) +
                R"(, "supervisions": [], "type": "MonoCut"})";
       }},
      {"jsonl", "recordings.jsonl", "",
       [](S i) {
         return R"({"id": "r1", "sources": [], "sampling_rate": 16000, "num_samples": 1, "duration": )" + seconds(i) +
                "}";
       }},
      {"jsonl", "s.jsonl", "",
       [](S i) { return R"({"id": "s1", "recording_id": "r1", "start": 0.5, "duration": )" + seconds(i) + "}"; }},
      {"jsonl", "f.jsonl", "",
       [](S i) {
         return R"({"type": "fbank", "num_frames": )" + n(i) + R"(, "num_features": 80, "storage_type": "x"})";
       }},
      {"jsonl", "m.jsonl", "",
       [](S i) {
         return R"({"timestamp": 0, "input_length": )" + n(i) + R"(, "output_length": 5, "hash_ids": [0, 1]})";
       }},
      {"jsonl", "train.jsonl", "",
       [](S i) { return R"({"key": "u", "source": "a.wav", "source_len": )" + n(i) + "}"; }},
      {"hf", "train.jsonl", "", [](S i) { return R"({"input_ids": [1, 2], "length": )" + n(i) + "}"; }},
      {"json", "m.json", "[", [](S i) { return R"({"id": "],[", "num_tokens": )" + n(i) + "}"; }, ",\n", "]"},
      {"json", "numbers.json", "[ ", [](S i) { return n(i); }, " , ", " ]"},
      {"csv", "trace.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\r\n", [](S i) { return "2023," + n(i) + ",10"; },
       "\r\n", ""},
      {"csv", "trace.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n",
       [](S i) { return "0.0," + n(i) + ",10"; }},
      {"lengths", "l.csv", "src_len,tgt_len\n", [](S i) { return n(i) + ",10"; }},
      {"tsv", "l.tsv", "src_tokens\ttext\n", [](S i) { return n(i) + "\t\"x"; }},
      {"csv", "l.csv", "utterance,length\n\n", [](S i) { return (i % 3 == 0 ? "\nu," : "\"u\",") + n(i); }},
      {"fairseq-tsv", "train.tsv", "/data\n", [](S i) { return "a.flac\t" + n(i); }},
      {"list", "l.txt", "", [](S i) { return n(i); }},
      {"text", "train.en", "", words},
  };
  return all;
}

io::manifests::ReadOptions options_for(const Source& source, const io::stream::Files& files) {
  io::manifests::ReadOptions options;
  options.files = &files;
  options.format = source.format;
  options.length_field = source.length_field;
  options.keep_origins = true;
  const std::string_view format = source.format;
  if (format == "keyed") options.unit = lengths::LengthUnit::frames;
  return options;
}

const io::manifests::NewFile& file_of(const io::manifests::Excerpt& excerpt, const std::string& name) {
  return *std::find_if(excerpt.files.begin(), excerpt.files.end(),
                       [&](const io::manifests::NewFile& file) { return file.name == name; });
}

std::vector<io::manifests::RowOrigin> chosen(const io::manifests::Dataset& data, const std::vector<std::size_t>& rows) {
  std::vector<io::manifests::RowOrigin> origins;
  for (const std::size_t row : rows) origins.push_back(data.origins.at(row));
  return origins;
}

std::vector<std::size_t> random_rows(std::size_t of, std::mt19937& random) {
  std::vector<std::size_t> rows(1 + random() % 12);
  for (std::size_t& row : rows) row = random() % of;
  return rows;
}

TEST(ManifestRecords, AnyRowsOfAnyFormatAreReadBackInTheirOrder) {
  std::mt19937 random(11);
  for (const Source& source : sources())
    for (int round = 0; round < 20; ++round) {
      const std::size_t size = 1 + random() % 30;
      MemoryFiles files;
      files.contents[source.name] = source.bytes(size);
      const io::manifests::ReadOptions options = options_for(source, files);
      const io::manifests::Dataset data = read(source.name, files.contents[source.name], options);
      ASSERT_EQ(data.lengths.size(), size) << source.format;
      const std::vector<std::size_t> rows = random_rows(size, random);
      const std::vector<std::string> paths{source.name};
      const io::manifests::ManifestRecords records(paths, {}, options, chosen(data, rows));
      const io::manifests::Excerpt excerpt = records.excerpt("small", chosen(data, rows));
      const std::string& made = file_of(excerpt, excerpt.manifest).bytes;

      lengths::Lengths expected;
      for (const std::size_t row : rows) expected.src.push_back(data.lengths.src[row]);
      EXPECT_EQ(read(source.name, made, options).lengths.src, expected.src) << source.format << ":\n" << made;
      EXPECT_EQ(std::set<std::uint32_t>(data.lengths.src.begin(), data.lengths.src.end()).size(), size)
          << source.format;
      for (const std::size_t row : rows) {
        std::string record = source.record(row);
        if (source.keyed) record = "-" + record;
        record.erase(
            0, std::string_view(source.format) == "burstgpt" ? record.find('\n') + 1 : record.find_first_not_of('\n'));
        EXPECT_TRUE(says(made, record)) << source.format;
      }
    }
}

TEST(ManifestRecords, EveryFormatThatHasRecordsIsTriedHere) {
  const std::set<std::string_view> binary{"megatron-idx", "fairseq-idx",
                                          "npy"};  // against NumPy and torch, in oracle/plan_orders.py
  std::set<std::string_view> tried(binary);
  for (const Source& source : sources()) tried.insert(source.format);
  for (const io::manifests::Reader& reader : io::manifests::readers())
    EXPECT_EQ(tried.contains(reader.name), reader.copy_records != nullptr) << reader.name;
}

TEST(ManifestRecords, OfSeveralFilesRowsGoIntoOneUnderOneHeader) {
  MemoryFiles files;
  files.contents = {{"a.csv", "id,length\nx,1\ny,2\n"}, {"b.csv", "id,length\nz,3"}};
  io::manifests::ReadOptions options = beside(files);
  const std::vector<std::string> paths{"a.csv", "b.csv"};
  const std::vector<io::manifests::RowOrigin> rows{{1, 0, 0}, {0, 1, 1}, {1, 0, 0}};
  const io::manifests::ManifestRecords records(paths, {}, options, rows);
  EXPECT_EQ(records.excerpt("small", rows).files[0].bytes, "id,length\nz,3\ny,2\nz,3\n");
  EXPECT_EQ(records.excerpt("small", rows).manifest, "small.csv");
}

std::string refusal_of(const std::vector<std::string>& paths, const io::manifests::ReadOptions& options,
                       const std::vector<io::manifests::RowOrigin>& rows) {
  try {
    io::manifests::ManifestRecords(paths, {}, options, rows);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ManifestRecords, WhatDoesNotGoIntoOneManifestIsRefused) {
  MemoryFiles files;
  files.contents = {{"a.csv", "id,length\nx,1\n"}, {"b.csv", "length,id\n3,z\n"}, {"c.txt", "7\n8\n"}};
  const io::manifests::ReadOptions options = beside(files);
  EXPECT_TRUE(
      says(refusal_of({"a.csv", "b.csv"}, options, {{0, 0, 0}, {1, 0, 0}}), "has not the same header as a.csv"));
  EXPECT_TRUE(
      says(refusal_of({"a.csv", "c.txt"}, options, {{0, 0, 0}, {1, 0, 0}}), "is of format list, a.csv of format csv"));
  EXPECT_TRUE(says(refusal_of({"c.txt"}, options, {{0, 2, 2}}), "ends before row 2"));
  EXPECT_TRUE(says(refusal_of({"-"}, options, {{0, 0, 0}}), "is standard input"));
}

TEST(ManifestRecords, ParallelTextStaysParallelAndEmptyLinesCount) {
  MemoryFiles files;
  files.contents = {{"d/train.en", "a b\n\nc\n"}, {"d/train.de", "x\ny z\n\n"}};
  const io::manifests::ReadOptions options = beside(files);
  const std::vector<std::string> src{"d/train.en"}, tgt{"d/train.de"};
  const std::vector<io::manifests::RowOrigin> rows{{0, 1, 1}, {0, 2, 2}, {0, 1, 1}};
  const io::manifests::Excerpt made = io::manifests::ManifestRecords(src, tgt, options, rows).excerpt("small", rows);
  EXPECT_EQ(file_of(made, "small.en").bytes, "\nc\n\n");
  EXPECT_EQ(file_of(made, "small.de").bytes, "y z\n\ny z\n");
  EXPECT_EQ(made.target_manifest, "small.de");
}

TEST(ManifestRecords, SidesOfOneNameAreKeptApart) {
  MemoryFiles files;
  files.contents = {{"en/train.txt", "a b\n"}, {"de/train.txt", "x\n"}};
  const io::manifests::ReadOptions options = beside(files);
  const std::vector<std::string> src{"en/train.txt"}, tgt{"de/train.txt"};
  const std::vector<io::manifests::RowOrigin> rows{{0, 0, 0}};
  const io::manifests::Excerpt made = io::manifests::ManifestRecords(src, tgt, options, rows).excerpt("small", rows);
  EXPECT_EQ(file_of(made, "small.txt").bytes, "a b\n");
  EXPECT_EQ(file_of(made, "small.tgt.txt").bytes, "x\n");
}

TEST(ManifestRecords, AKaldiFolderKeepsItsTablesTogether) {
  MemoryFiles files;
  files.contents = {{"d/segments", "u1 r2 0 1\nu2 r1 0 2\n"},
                    {"d/wav.scp", "r1 a.wav\nr2 sox b.flac |\n"},
                    {"d/text", "u1 good  morning\nu2 see\n"},
                    {"d/utt2spk", "u1 s1\nu2 s1\n"},
                    {"d/spk2utt", "s1 u1 u2\n"},
                    {"d/spk2gender", "s1 f\n"},
                    {"d/cmvn.scp", "s1 x.ark:3\n"},
                    {"d/reco2dur", "r1 9\nr2 8\n"}};
  const io::manifests::ReadOptions options = beside(files);
  const std::vector<std::string> paths{"d/segments"};
  const std::vector<io::manifests::RowOrigin> rows{{0, 1, 1}, {0, 0, 0}, {0, 1, 1}};
  const io::manifests::Excerpt made = io::manifests::ManifestRecords(paths, {}, options, rows).excerpt("small", rows);
  EXPECT_EQ(made.manifest, "small/segments");
  EXPECT_EQ(file_of(made, "small/segments").bytes, "000000-u2 r1 0 2\n000001-u1 r2 0 1\n000002-u2 r1 0 2\n");
  EXPECT_EQ(file_of(made, "small/text").bytes, "000000-u2 see\n000001-u1 good  morning\n000002-u2 see\n");
  EXPECT_EQ(file_of(made, "small/wav.scp").bytes, "r1 a.wav\nr2 sox b.flac |\n");
  EXPECT_EQ(file_of(made, "small/reco2dur").bytes, "r1 9\nr2 8\n");
  EXPECT_EQ(file_of(made, "small/utt2spk").bytes, "000000-u2 000000-s1\n000001-u1 000001-s1\n000002-u2 000002-s1\n");
  EXPECT_EQ(file_of(made, "small/spk2utt").bytes, "000000-s1 000000-u2\n000001-s1 000001-u1\n000002-s1 000002-u2\n");
  EXPECT_EQ(file_of(made, "small/spk2gender").bytes, "000000-s1 f\n000001-s1 f\n000002-s1 f\n");
  EXPECT_EQ(file_of(made, "small/cmvn.scp").bytes, "000000-s1 x.ark:3\n000001-s1 x.ark:3\n000002-s1 x.ark:3\n");
}

TEST(ManifestRecords, ShapesOfBothSidesAreMatchedByKey) {
  MemoryFiles files;
  files.contents = {{"d/speech_shape", "u1 520,80\nu2 753,80\n"}, {"d/text_shape", "u2 9\nu1 4\n"}};
  io::manifests::ReadOptions options = beside(files);
  options.keep_origins = true;
  const io::manifests::Dataset data = read_pair("d/speech_shape", files.contents["d/speech_shape"], "d/text_shape",
                                                files.contents["d/text_shape"], options);
  const std::vector<std::string> src{"d/speech_shape"}, tgt{"d/text_shape"};
  const std::vector<io::manifests::RowOrigin> rows = chosen(data, {1, 0, 1});
  const io::manifests::Excerpt made = io::manifests::ManifestRecords(src, tgt, options, rows).excerpt("small", rows);
  EXPECT_EQ(file_of(made, "small/speech_shape").bytes, "000000-u2 753,80\n000001-u1 520,80\n000002-u2 753,80\n");
  EXPECT_EQ(file_of(made, "small/text_shape").bytes, "000000-u2 9\n000001-u1 4\n000002-u2 9\n");
}

TEST(ManifestRecords, RelativePathsAreLinkedAndThoseThatLeadOutAreSaid) {
  MemoryFiles files;
  files.contents = {{"/d/m.json", R"({"audio_filepath": "wav/1.wav", "duration": 1})"
                                  "\n"
                                  R"({"audio_filepath": "../x/2.wav", "duration": 2})"
                                  "\n"
                                  R"({"audio_filepath": "/abs/3.wav", "duration": 3})"
                                  "\n"
                                  R"({"audio_filepath": "elsewhere/4.wav", "duration": 4})"
                                  "\n"},
                    {"/d/wav", ""}};
  const io::manifests::ReadOptions options = beside(files);
  const std::vector<std::string> paths{"/d/m.json"};
  const std::vector<io::manifests::RowOrigin> rows{{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {0, 3, 3}};
  const io::manifests::Excerpt made = io::manifests::ManifestRecords(paths, {}, options, rows).excerpt("small", rows);
  ASSERT_EQ(made.links.size(), 1U);
  EXPECT_EQ(made.links[0].name, "wav");
  EXPECT_EQ(made.links[0].target, "/d/wav");
  EXPECT_EQ(made.unlinkable_paths, std::vector<std::string>{"../x/2.wav"});
}

TEST(ManifestRecords, WhatWasPackedIsPackedAgain) {
  MemoryFiles files;
  files.contents = {{"l.txt.gz", "7\n8\n"}, {"l.txt.zst", "7\n8\n"}};  // told by the name; their bytes may be plain
  const io::manifests::ReadOptions options = beside(files);
  const std::vector<io::manifests::RowOrigin> rows{{0, 1, 1}};
  for (const std::string name : {"l.txt.gz", "l.txt.zst"}) {
    const std::vector<std::string> paths{name};
    const io::manifests::Excerpt made = io::manifests::ManifestRecords(paths, {}, options, rows).excerpt("small", rows);
    EXPECT_EQ(made.manifest, "small" + name.substr(1));
    EXPECT_NE(made.files[0].bytes, "8\n");
    EXPECT_EQ(io::stream::Input::from_memory(name, made.files[0].bytes).read_all(), "8\n");
  }
}

}  // namespace
}  // namespace seqpoint::testing
