// What holds for every format: it is recognised, it survives anything, and a file that was cut short is never taken for
// a whole one without a word.
#include <gtest/gtest.h>

#include <random>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

/// A small file of each format and how many rows it has.
struct Sample {
  const char* format;
  const char* name;
  std::string bytes;
  std::size_t rows;
  bool line_by_line = true;  ///< cut at a line's end, it is a shorter file of its format
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"kaldi-utt2dur", "utt2dur", "u1 14.085\nu2 15.945\n", 2},
      {"kaldi-utt2dur", "durations.txt", "u1 14.085\nu2 15\n", 2},
      {"kaldi-utt2num-frames", "utt2num_frames", "u1 1407\nu2 1593\n", 2},
      {"kaldi-segments", "segments", "u1 r1 0.5 3.25\nu2 r1 4 -1\n", 2},
      {"kaldi-text", "text", "u1 good morning\nu2 see you\n", 2},
      {"espnet-utt2num-samples", "utt2num_samples", "u1 83200\nu2 120480\n", 2},
      {"espnet-shape", "speech_shape", "u1 83200\nu2 120480\n", 2},
      {"espnet-shape", "shapes", "u1 520,80\nu2 753,80\n", 2},
      {"jsonl", "train.jsonl",
       R"({"key": "u1", "source": "a.wav", "source_len": 90, "target": "hello", "target_len": 1})"
       "\n"
       R"({"key": "u2", "source": "b.wav", "source_len": 120, "target": "bye", "target_len": 1})"
       "\n",
       2},
      {"nemo", "m.json",
       R"({"audio_filepath": "a.wav", "duration": 3.42, "text": "good morning"})"
       "\n"
       R"({"audio_filepath": "b.wav", "duration": 11.0})"
       "\n",
       2},
      {"jsonl", "m.jsonl",
       R"({"id": "c1", "num_tokens": 17})"
       "\n"
       R"({"id": "c2", "num_tokens": 4})"
       "\n",
       2},
      {"lhotse-cuts", "cuts.jsonl",
       R"({"id": "a", "start": 1.0, "duration": 7.5, "supervisions": [], "type": "MonoCut"})"
       "\n"
       R"({"id": "b", "tracks": [{"offset": 1, "cut": {"duration": 3}}], "type": "MixedCut"})"
       "\n",
       2},
      {"jsonl", "recordings.jsonl",
       R"({"id": "r1", "sources": [], "sampling_rate": 16000, "num_samples": 67200, "duration": 4.2})"
       "\n",
       1},
      {"jsonl", "s.jsonl",
       R"({"id": "s1", "recording_id": "r1", "start": 0.5, "duration": 3.1, "text": "hello"})"
       "\n",
       1},
      {"jsonl", "f.jsonl",
       R"({"type": "fbank", "num_frames": 420, "num_features": 80, "storage_type": "lilcom_chunky"})"
       "\n",
       1},
      {"jsonl", "m.jsonl",
       R"({"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1]})"
       "\n",
       1},
      {"hf", "train.jsonl",
       R"({"input_ids": [101, 7592, 102]})"
       "\n"
       R"({"input_ids": [101]})"
       "\n",
       2},
      {"json", "m.json",
       R"([{"id": "c1", "num_tokens": 17},)"
       "\n"
       R"({"id": "c2", "num_tokens": 4}])",
       2, false},
      {"csv", "trace.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023,4808,10\n2024,31,8\n", 2},
      {"csv", "trace.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,4808,10\n0.5,31,8\n", 2},
      {"csv", "l.csv", "src_len,tgt_len\n9,10\n8,7\n", 2},
      {"tsv", "clip_durations.tsv", "clip\tduration[ms]\ncv_1.mp3\t4536\ncv_2.mp3\t1000\n", 2},
      {"tsv", "l.tsv", "src_tokens\ttgt_tokens\n9\t10\n8\t7\n", 2},
      {"csv", "l.csv", "utterance,samples\nu1,225360\nu2,1600\n", 2},
      {"csv", "len_for_bucket.csv", ",file_path,length,label\n0,a.flac,271360,1 2\n1,b.flac,270000,3\n", 2},
      {"csv", "libri.csv", "speaker_ID,sex,subset,length,origin_path\n19,F,train-clean-100,225360,a.flac\n", 1},
      {"fairseq-tsv", "train.tsv", "/data\na.flac\t225360\nb.flac\t1600\n", 2},
      {"keyed", "lengths.txt", "u1 1407\nu2 1593\n", 2},
      {"list", "l.txt", "213\n225\n", 2},
  };
  return all;
}

/// Has every file that a sample may refer to.
class Anything : public MemoryFiles {
 public:
  Anything() { contents["reco2dur"] = "r1 10.5\nr2 20\n"; }
};

io::manifests::ReadOptions options_for(const Sample& sample, const io::stream::Files& files) {
  io::manifests::ReadOptions options;
  options.files = &files;
  const std::string_view format = sample.format;
  if (format == "keyed") options.length_unit = lengths::LengthUnit::frames;
  return options;
}

TEST(TableOfReaders, EveryFormatIsRecognisedByNobodyElse) {
  const Anything files;
  for (const Sample& sample : samples()) {
    const io::manifests::Dataset data = read(sample.name, sample.bytes, options_for(sample, files));
    EXPECT_EQ(data.inputs.front().format, sample.format) << sample.name;
    EXPECT_EQ(data.lengths.size(), sample.rows) << sample.format;
  }
}

TEST(TableOfReaders, NoFinalLineEndWindowsLineEndsAndAByteOrderMarkChangeNothing) {
  const Anything files;
  for (const Sample& sample : samples()) {
    const io::manifests::ReadOptions options = options_for(sample, files);
    const lengths::Lengths lengths = read(sample.name, sample.bytes, options).lengths;
    std::string windows = "\xef\xbb\xbf";
    for (const char c : sample.bytes) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(read(sample.name, windows, options).lengths, lengths) << sample.format;
    std::string_view open = sample.bytes;
    if (open.ends_with('\n')) open.remove_suffix(1);
    EXPECT_EQ(read(sample.name, open, options).lengths, lengths) << sample.format;
  }
}

TEST(TableOfReaders, AFileThatWasCutShortIsRefusedOrToldOf) {
  const Anything files;
  for (const Sample& sample : samples()) {
    io::manifests::ReadOptions options = options_for(sample, files);
    options.format = sample.format;
    const std::string_view whole = std::string_view(sample.bytes).substr(0, sample.bytes.find_last_not_of('\n') + 1);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string_view cut = whole.substr(0, size);
      if (!refusal(sample.name, cut, options).empty()) continue;
      EXPECT_TRUE(sample.line_by_line) << sample.format << " cut at byte " << size;
      const io::manifests::Dataset data = read(sample.name, cut, options);
      EXPECT_LE(data.lengths.size(), sample.rows) << sample.format << " cut at byte " << size;
      EXPECT_TRUE(cut.ends_with('\n') || !data.notes.empty())
          << sample.format << " cut at byte " << size << ": " << cut;
    }
  }
}

/// `bytes` with a few of them changed, taken out or said twice.
std::string mangled(std::string bytes, std::mt19937& random) {
  for (unsigned i = 0, n = 1 + random() % 4; i < n && !bytes.empty(); ++i) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 3) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes.erase(at, 1 + random() % 3); break;
      default: bytes.insert(at, bytes.substr(random() % bytes.size(), 3));
    }
  }
  return bytes;
}

/// Whether an attempt to read ends in a data set or in words. Anything else than our own errors gets out and fails the
/// test.
bool ends_well(const Sample& sample, const std::string& bytes, const io::manifests::ReadOptions& options) {
  refusal(sample.name, bytes, options);
  return true;
}

TEST(TableOfReaders, NoFormatFallsOverTheFilesOfAnother) {
  const Anything files;
  for (const io::manifests::Reader& reader : io::manifests::readers()) {
    if (reader.read == nullptr) continue;
    for (const Sample& sample : samples()) {
      io::manifests::ReadOptions options = options_for(sample, files);
      options.format = reader.name;
      EXPECT_TRUE(ends_well(sample, sample.bytes, options)) << reader.name << " on " << sample.format;
    }
  }
}

TEST(TableOfReaders, NoFormatFallsOverMangledFiles) {
  const Anything files;
  std::mt19937 random(7);
  for (const Sample& sample : samples()) {
    io::manifests::ReadOptions options = options_for(sample, files);
    options.format = sample.format;
    for (int round = 0; round < 100; ++round) {
      const std::string bytes = mangled(sample.bytes, random);
      EXPECT_TRUE(ends_well(sample, bytes, options)) << sample.format << ": " << bytes;
      options.skip_missing = round % 2 == 0;
    }
  }
}

}  // namespace
}  // namespace seqpoint::testing
