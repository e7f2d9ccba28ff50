// Headers of real audio files, which the tests write byte by byte.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

/// Little endian.
void put_little(std::string& bytes, std::uint32_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
}

/// 16-bit PCM, all zero.
std::string wav(std::uint32_t samples, std::uint32_t rate, std::uint32_t channels) {
  const std::uint32_t frame = 2 * channels, data = samples * frame;
  std::string bytes = "RIFF";
  put_little(bytes, 36 + data, 4);
  bytes += "WAVEfmt ";
  put_little(bytes, 16, 4);
  put_little(bytes, 1, 2);
  put_little(bytes, channels, 2);
  put_little(bytes, rate, 4);
  put_little(bytes, rate * frame, 4);
  put_little(bytes, frame, 2);
  put_little(bytes, 16, 2);
  bytes += "data";
  put_little(bytes, data, 4);
  return bytes + std::string(data, '\0');
}

/// 4001 samples of stereo silence at 8 kHz, as the program flac packs them.
std::string flac() {
  constexpr std::string_view kHex =
      "664c6143800000221000100000001000001001f402f000000fa1818fa67f8205a8abac96164e69875431"
      "fff87418000fa0580000000000003d4a";
  std::string bytes;
  for (std::size_t i = 0; i < kHex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(kHex.substr(i, 2)), nullptr, 16));
  return bytes;
}

class AudioFile : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef SEQPOINT_WITH_SNDFILE
    GTEST_SKIP() << "built without libsndfile";
#endif
    folder_ = std::filesystem::temp_directory_path() / ("seqpoint-audio-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(AudioFile, AWavSaysItsSamplesAndRate) {
  const io::stream::AudioHeader header = io::stream::disk_files().audio_header(write("a.wav", wav(4001, 22050, 2)));
  EXPECT_EQ(header.samples, 4001U);
  EXPECT_EQ(header.rate, 22050);
}

TEST_F(AudioFile, AFlacSaysItsSamplesAndRate) {
  const io::stream::AudioHeader header = io::stream::disk_files().audio_header(write("a.flac", flac()));
  EXPECT_EQ(header.samples, 4001U);
  EXPECT_EQ(header.rate, 8000);
}

TEST_F(AudioFile, ManifestsOnDiskFindTheirAudio) {
  write("a.wav", wav(32000, 16000, 1));
  write("b.flac", flac());
  const std::string manifest = write("wav.scp", "u1 a.wav\nu2 " + (folder_ / "b.flac").string() + "\n");
  std::vector<io::stream::Input> inputs;
  inputs.push_back(io::stream::Input::open(manifest));
  io::manifests::ReadOptions options;
  options.probe_audio = true;
  EXPECT_EQ(io::manifests::read_dataset(std::move(inputs), {}, options).lengths.src, (Lens{200, 50}));
}

TEST_F(AudioFile, WhatIsNoAudioIsRefusedInWords) {
  const auto said = [](const std::string& path) -> std::string {
    try {
      io::stream::disk_files().audio_header(path);
    } catch (const InputError& error) {
      return error.problems().front().text;
    }
    return {};
  };
  EXPECT_EQ(said((folder_ / "gone.wav").string()), "No such file or directory");
  EXPECT_TRUE(says(said(write("text.wav", "this is no audio")), "is no audio: "));
  EXPECT_NE(said(write("empty.wav", "")), "");
  EXPECT_NE(said(folder_.string()), "") << "a folder";
}

TEST_F(AudioFile, AFileThatWasCutShortIsNeverLongerThanItIs) {
  for (const std::string& whole : {wav(40, 16000, 1), flac()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string path = write("cut", whole.substr(0, size));
      try {
        EXPECT_LE(io::stream::disk_files().audio_header(path).samples, 4001U) << size;
      } catch (const InputError&) {
      }
    }
  }
}

#ifndef SEQPOINT_WITH_SNDFILE
TEST(AudioWithoutSndfile, SaysWhatToInstall) {
  ReadOptions options;
  options.probe_audio = true;
  EXPECT_TRUE(says(refusal("wav.scp", "u1 a.wav\n", options),
                   "usage: --probe-audio: this seqpoint was built without libsndfile"));
}
#endif

}  // namespace
}  // namespace seqpoint::testing
