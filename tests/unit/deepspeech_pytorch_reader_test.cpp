#include <gtest/gtest.h>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

constexpr std::string_view kJson =
    "{\"root_path\": \"/d\", \"samples\": [{\"wav_path\": \"wav/a.wav\", \"transcript_path\": \"txt/a.txt\"},\n"
    " {\"wav_path\": \"wav/b.wav\", \"transcript_path\": \"txt/b.txt\"}]}\n";

MemoryFiles two_files() {
  MemoryFiles files;
  files.audio["/d/wav/a.wav"] = {16000, 16000};
  files.audio["/d/wav/b.wav"] = {24000, 16000};
  return files;
}

TEST(DeepspeechPytorchReader, TheCsvHasNoHeaderAndNoQuotes) {
  const io::manifests::Dataset data =
      read("manifest.csv", "/d/wav/b.wav,/d/txt/b.txt\n/d/wav/a.wav,/d/txt/a.txt\n", beside(two_files(), true));
  EXPECT_EQ(data.lengths.src, (Lens{150, 100})) << "the file's order";
  EXPECT_EQ(data.inputs.front().format, "deepspeech-csv");
}

TEST(DeepspeechPytorchReader, BadCsvRowsNameTheirLine) {
  const std::string said =
      refusal("m.csv", "/d/wav/a.wav,/d/txt/a.txt\n/d/wav/a,b.wav,/d/txt/a.txt\n\nx.wav\n/d/wav/c.wav,c.txt\n",
              beside(two_files(), true));
  EXPECT_TRUE(says(said, "m.csv:2: is not 'audio,transcript'"));
  EXPECT_TRUE(says(said, "m.csv:3: is not 'audio,transcript'"));
  EXPECT_TRUE(says(said, "m.csv:4: is not 'audio,transcript'"));
  EXPECT_TRUE(says(said, "m.csv:5: audio file /d/wav/c.wav: No such file or directory"));
}

TEST(DeepspeechPytorchReader, WithoutProbingThereIsNoLength) {
  EXPECT_TRUE(says(refusal("m.csv", "a.wav,a.txt\n"), "--probe-audio"));
  EXPECT_TRUE(says(refusal("m.json", kJson), "--probe-audio"));
}

TEST(DeepspeechPytorchReader, JsonPathsBeginAtItsRoot) {
  const io::manifests::Dataset data = read("m.json", kJson, beside(two_files(), true));
  EXPECT_EQ(data.lengths.src, (Lens{100, 150}));
  EXPECT_EQ(data.inputs.front().format, "deepspeech-json");
}

TEST(DeepspeechPytorchReader, TheRootMayComeLastAndBeRelative) {
  MemoryFiles files;
  files.audio["m/d/a.wav"] = {16000, 16000};
  EXPECT_EQ(read("m/m.json", "{\"samples\": [{\"wav_path\": \"a.wav\"}], \"root_path\": \"d\"}", beside(files, true))
                .lengths.src,
            Lens{100});
}

TEST(DeepspeechPytorchReader, BadSamplesNameTheirLine) {
  const std::string_view bytes =
      "{\"root_path\": \"/d\",\n \"samples\": [\n  {\"wav_path\": \"wav/a.wav\"},\n  {\"transcript_path\": \"x\"},\n  "
      "{\"wav_path\": 3},\n  {\"wav_path\": \"gone.wav\"}]}";
  const std::string said = refusal("m.json", bytes, beside(two_files(), true));
  EXPECT_TRUE(says(said, "m.json:4: field 'wav_path': is missing"));
  EXPECT_TRUE(says(said, "m.json:5: field 'wav_path'"));
  EXPECT_TRUE(says(said, "m.json:6: field 'wav_path': audio file /d/gone.wav"));
}

TEST(DeepspeechPytorchReader, JsonThatWasCutShortIsNeverAShorterDataSet) {
  const MemoryFiles files = two_files();
  for (std::size_t size = 0; size + 1 < kJson.size(); ++size) {  // the last byte is the newline
    io::manifests::ReadOptions options = beside(files, true);
    options.format = "deepspeech-json";
    EXPECT_NE(refusal("m.json", kJson.substr(0, size), options), "") << "cut at byte " << size;
  }
}

TEST(DeepspeechPytorchReader, JsonWithOtherThingsBehindOrWithoutItsKeysIsRefused) {
  io::manifests::ReadOptions options = with_format("deepspeech-json");
  options.probe_audio = true;
  EXPECT_TRUE(says(refusal("m.json", std::string(kJson) + "{}", options), "is not one whole JSON object"));
  EXPECT_TRUE(says(refusal("m.json", "{\"samples\": []}", options), "field 'root_path': is missing"));
  EXPECT_TRUE(says(refusal("m.json", "{\"root_path\": \"/d\"}", options), "field 'samples': is missing"));
  EXPECT_TRUE(says(refusal("m.json", "{\"root_path\": \"/d\", \"samples\": []}", options), "has no rows"));
  EXPECT_TRUE(
      says(refusal("m.json", "{\"root_path\": \"/d\", \"samples\": [], \"samples\": []}", options), "more than once"));
}

}  // namespace
}  // namespace seqpoint::testing
