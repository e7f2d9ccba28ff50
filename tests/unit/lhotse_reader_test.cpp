// Lhotse's four kinds of manifests. Lengths are worked out by hand: floor(round(seconds x 16000) / 160).
#include <gtest/gtest.h>

#include "unit/read_memory.hpp"

namespace seqpoint::testing {
namespace {

using Sizes = std::vector<std::uint32_t>;

std::string track(const std::string& offset, const std::string& duration, const std::string& more = "") {
  return R"({"cut": {"id": "x", "duration": )" + duration +
         R"(, "supervisions": [{"duration": 99}]}, "type": "MonoCut", "offset": )" + offset + more + "}";
}
std::string mix(const std::string& tracks, const std::string& more = "") {
  return R"({"id": "m", "tracks": [)" + tracks + "], \"type\": \"MixedCut\"" + more + "}\n";
}

const std::string kMono =
    R"({"id": "c1", "start": 5.0, "duration": 4.2, "channel": 0, "supervisions": [{"duration": 99, "type": "x"}], )"
    R"("recording": {"id": "r", "sources": [], "sampling_rate": 8000, "duration": 60}, "type": "MonoCut"})"
    "\n";

TEST(Lhotse, CutsOfAllKindsHaveTheirOwnDuration) {
  std::string cuts = kMono;
  for (const char* const type : {"MultiCut", "Cut", "PaddingCut"}) {
    std::string other = kMono;
    cuts += other.replace(other.find("MonoCut"), 7, type);
  }
  const io::manifests::Dataset dataset = read_memory(cuts);
  EXPECT_EQ(dataset.lengths.src, (Sizes{420, 420, 420, 420}));
  EXPECT_EQ(dataset.inputs.front().format, "lhotse-cuts");
  EXPECT_EQ(dataset.inputs.front().unit, "seconds");
}

TEST(Lhotse, AMixReachesAsFarAsItsLongestTrack) {
  EXPECT_EQ(lengths_of(mix(track("0.0", "7.78") + ", " + track("3.89", "9.705", ", \"snr\": 20.0"))),
            (Sizes{1359}));  // 13.595 s
  EXPECT_EQ(lengths_of(mix(track("0.0", "20") + ", " + track("3.89", "9.705"))), (Sizes{2000}));
  EXPECT_EQ(lengths_of(kMono + mix(track("0", "1"))), (Sizes{420, 100}));
  EXPECT_EQ(lengths_of(mix(R"({"cut": {"duration": 2.5}, "type": "MonoCut"})")), (Sizes{250})) << "no offset is 0";
}

TEST(Lhotse, AMixIsRoundedToEightDigits) {
  // 0.1 + 0.2 = 0.30000000000000004; at 1 MHz a frame a sample, 0.3000000049 s would round up without it.
  io::manifests::ReadOptions fine;
  fine.frames = {1e9, 1e-9};
  EXPECT_EQ(lengths_of(mix(track("0.1", "0.200000004")), fine), (Sizes{300000000}));
  EXPECT_EQ(lengths_of(mix(track("0.1", "0.200000006")), fine), (Sizes{300000010}));
}

TEST(Lhotse, MutedTracksCountOnlyWhereAllAre) {
  const std::string quiet = ", \"mute\": true";
  EXPECT_EQ(lengths_of(mix(track("0", "3") + "," + track("0", "9", quiet))), (Sizes{300}));
  EXPECT_EQ(lengths_of(mix(track("0", "3", quiet) + "," + track("0", "9", quiet))), (Sizes{900}));
  EXPECT_EQ(lengths_of(mix(track("0", "3"), ", \"snr_reference\": " + track("0", "9"))), (Sizes{300}));
}

TEST(Lhotse, DamagedMixesAreErrors) {
  EXPECT_NE(error_of(mix("")).find("is missing"), std::string::npos);
  EXPECT_NE(error_of(mix(track("0", "null"))).find("is missing"), std::string::npos);
  EXPECT_NE(error_of(mix(track("null", "3"))).find("is missing"), std::string::npos);
  EXPECT_NE(error_of(kMono + "{\"id\": \"x\", \"duration\": 3, \"type\": \"ShortCut\"}\n")
                .find("\"ShortCut\" is no kind of cut"),
            std::string::npos);
  EXPECT_NE(error_of(kMono + "{\"id\": \"x\", \"duration\": 3}\n"), "");
}

TEST(Lhotse, RecordingsSupervisionsAndFeatures) {
  const std::string recording =
      R"({"id": "r", "sources": [{"type": "file"}], "sampling_rate": 8000, "num_samples": 33600, "duration": 4.2})"
      "\n";
  EXPECT_EQ(lengths_of(recording), (Sizes{420}));
  EXPECT_EQ(format_of(recording), "jsonl");
  EXPECT_EQ(lengths_of(recording, with_field("num_samples")), (Sizes{210})) << "samples are at --sample-rate";
  const std::string supervision =
      R"({"id": "s", "recording_id": "r", "start": 93.94, "duration": 1.740000000000009, "channel": [0]})"
      "\n";
  EXPECT_EQ(lengths_of(supervision), (Sizes{174}));
  EXPECT_EQ(format_of(supervision), "jsonl");
  const std::string features =
      R"({"type": "fbank", "num_frames": 778, "num_features": 23, "frame_shift": 0.01, "sampling_rate": 16000, )"
      R"("start": 0.0, "duration": 7.78, "storage_type": "numpy_files", "recording_id": "r"})"
      "\n";
  EXPECT_EQ(lengths_of(features), (Sizes{778}));
  EXPECT_EQ(format_of(features), "jsonl");
}

TEST(Lhotse, OlderManifestsAreOneArray) {
  EXPECT_EQ(lengths_of("[\n" + kMono + ",\n" + mix(track("0", "1")) + "]\n"), (Sizes{420, 100}));
}

TEST(Lhotse, AnyOtherKeyMayBeNamed) { EXPECT_EQ(lengths_of(kMono, with_field("recording.duration")), (Sizes{6000})); }

TEST(Lhotse, KeepsSecondsForSamplersThatLookAtThose) {
  io::manifests::ReadOptions options;
  options.keep_seconds = true;
  EXPECT_EQ(read_memory(kMono + mix(track("0.5", "1.25")), options).lengths.seconds, (std::vector<double>{4.2, 1.75}));
}

}  // namespace
}  // namespace seqpoint::testing
