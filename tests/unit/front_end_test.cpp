// Front ends against values worked out by hand, and against windows counted one by one.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "core/lengths/lengths.hpp"
#include "seqpoint/error.hpp"
#include "unit/scan_rows.hpp"

namespace seqpoint::testing {
namespace {

std::uint32_t frames(const std::string& front_end, std::uint64_t samples, double rate = 16000) {
  lengths::FrameRule rule;
  rule.sample_rate = rate;
  rule.front_end = front_end;
  const auto [value, fault] =
      lengths::LengthConverter(lengths::LengthUnit::samples, rule)(static_cast<double>(samples));
  EXPECT_EQ(fault, lengths::LengthConverter::Fault::none);
  return value;
}

TEST(FrontEnd, OneSecondAtSixteenKilohertz) {
  const std::map<std::string, std::uint32_t> expected{
      {"plain", 100},                  // 16000 / 160
      {"stft-center", 101},            // one more, at the end
      {"kaldi", 98},                   // 1 + (16000 - 400) / 160 = 98.5
      {"kaldi-no-snip", 100},          // (16000 + 80) / 160 = 100.5
      {"lhotse", 100},                 // the same
      {"nemo", 100},                   // 16000 / 160
      {"nemo-padded", 112},            // 101 up to a multiple of 16
      {"deepspeech-pytorch", 51},      // (101 - 1) / 2 + 1
      {"deepspeech-pytorch-1.2", 46},  // (101 + 20 - 11) / 2 + 1 = 56, less 10
      {"mlperf-deepspeech", 36},       // (101 - 11) / 2 + 1 = 46, less 10
      {"mozilla", 49},                 // 1 + (16000 - 512) / 320 = 49.4
      {"wav2vec2", 49},                // 3199, 1599, 799, 399, 199, 99, 49
  };
  for (const lengths::FrontEnd& front_end : lengths::front_ends()) {
    ASSERT_TRUE(expected.contains(std::string(front_end.name))) << front_end.name;
    EXPECT_EQ(frames(std::string(front_end.name), 16000), expected.at(std::string(front_end.name))) << front_end.name;
  }
}

/// Windows of `width` that fit, one every `step`, put down one after the other.
std::uint64_t fitting(std::uint64_t length, std::uint64_t width, std::uint64_t step) {
  std::uint64_t count = 0;
  for (std::uint64_t start = 0; start + width <= length; start += step) ++count;
  return count;
}

/// Frames whose middle is not behind the end.
std::uint64_t middles(std::uint64_t samples, std::uint64_t hop) {
  std::uint64_t count = 0;
  while (count * hop + (hop - hop / 2) <= samples) ++count;
  return count;
}

std::uint64_t next_multiple(std::uint64_t value, std::uint64_t of) {
  while (value % of != 0) ++value;
  return value;
}

/// Zero frames are not padded into some.
std::uint64_t convolved(std::uint64_t frames, std::uint64_t first_pad, std::uint64_t second_pad) {
  if (frames == 0) return 0;
  const std::uint64_t first = fitting(frames + 2 * first_pad, 11, 2);
  return first == 0 ? 0 : fitting(first + 2 * second_pad, 11, 1);
}

/// Milliseconds as whole samples of a rate.
std::uint64_t ms(std::uint64_t rate, std::uint64_t milliseconds) { return rate * milliseconds / 1000; }

using Count = std::function<std::uint64_t(std::uint64_t samples, std::uint64_t rate)>;

std::uint64_t spectrogram(std::uint64_t n, std::uint64_t rate) {
  const std::uint64_t n_fft = ms(rate, 20), side = n_fft / 2;
  return fitting(side + n + side, n_fft, ms(rate, 10));
}

const std::map<std::string, Count> kCounted{
    {"stft-center", [](auto n, auto rate) { return fitting(256 + n + 256, 512, ms(rate, 10)); }},
    {"kaldi", [](auto n, auto rate) { return fitting(n, ms(rate, 25), ms(rate, 10)); }},
    {"kaldi-no-snip", [](auto n, auto rate) { return middles(n, ms(rate, 10)); }},
    {"lhotse", [](auto n, auto rate) { return middles(n, ms(rate, 10)); }},
    {"nemo", [](auto n, auto rate) { return fitting(n, ms(rate, 10), ms(rate, 10)); }},
    {"nemo-padded", [](auto n, auto rate) { return next_multiple(fitting(n + 512, 512, ms(rate, 10)), 16); }},
    {"deepspeech-pytorch", [](auto n, auto rate) { return convolved(spectrogram(n, rate), 5, 5); }},
    {"deepspeech-pytorch-1.2", [](auto n, auto rate) { return convolved(spectrogram(n, rate), 10, 0); }},
    {"mlperf-deepspeech", [](auto n, auto rate) { return convolved(spectrogram(n, rate), 0, 0); }},
    {"mozilla", [](auto n, auto rate) { return fitting(n, ms(rate, 32), ms(rate, 20)); }},
    {"wav2vec2",
     [](auto n, auto) {
       for (const auto& [kernel, stride] :
            {std::pair{10U, 5U}, {3U, 2U}, {3U, 2U}, {3U, 2U}, {3U, 2U}, {2U, 2U}, {2U, 2U}})
         n = fitting(n, kernel, stride);
       return n;
     }},
};

TEST(FrontEnd, AsManyFramesAsWindowsCountedOneByOne) {
  std::size_t compared = 0;
  for (const auto& [name, count] : kCounted)
    for (const std::uint64_t rate : {8000U, 11025U, 16000U, 22050U, 44100U})
      for (std::uint64_t samples = 0; samples < 12000; samples += samples < 1500 ? 1 : 83) {
        ASSERT_EQ(frames(name, samples, static_cast<double>(rate)), count(samples, rate))
            << name << " " << samples << " at " << rate;
        ++compared;
      }
  EXPECT_EQ(compared, 11U * 5 * (1500 + 127));
}

TEST(FrontEnd, LongerIsNeverFewerFrames) {
  for (const lengths::FrontEnd& front_end : lengths::front_ends())
    for (const double rate : {8000.0, 22050.0})
      for (std::uint64_t samples = 0, before = 0; samples < 3000; ++samples) {
        const std::uint64_t now = frames(std::string(front_end.name), samples, rate);
        ASSERT_LE(before, now) << front_end.name << " " << samples;
        before = now;
      }
}

/// 22050 Hz x 10 ms are 220.5 samples.
TEST(FrontEnd, EachRoundsItsHopItsOwnWay) {
  lengths::FrameRule rule;
  rule.sample_rate = 22050;
  for (const auto& [name, hop] :
       std::map<std::string, std::uint64_t>{{"plain", 221}, {"kaldi", 220}, {"lhotse", 220}, {"nemo", 220}}) {
    rule.front_end = name;
    EXPECT_EQ(rule.framing().hop, hop) << name;
  }
  rule.front_end = "lhotse";
  rule.sample_rate = 22150;  // 221.5: to the even neighbour
  EXPECT_EQ(rule.framing().hop, 222U);
}

TEST(FrontEnd, AGivenFrameShiftReplacesTheFrontEndsOwn) {
  lengths::FrameRule rule;
  rule.front_end = "mozilla";
  EXPECT_EQ(rule.framing().hop, 320U);
  rule.frame_shift = 0.01;
  EXPECT_EQ(rule.framing().hop, 160U);
}

TEST(FrontEnd, RefusesWhatIsNone) {
  EXPECT_THROW(lengths::find_front_end("mfcc"), UsageError);
  lengths::FrameRule rule;
  rule.front_end = "wav2vec2";
  rule.frame_shift = 0.01;
  EXPECT_THROW(rule.framing(), UsageError);
  rule = {};
  rule.front_end = "kaldi";
  rule.sample_rate = 99;  // 0.99 samples, cut to none
  EXPECT_THROW(rule.framing(), UsageError);
}

TEST(FrontEnd, IsChosenOnTheCommandLine) {
  const std::vector<std::string> options{"--batch-size", "1", "--length-unit", "seconds"};
  const auto src_len = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = options;
    all.insert(all.end(), more.begin(), more.end());
    return scan_rows({1}, all).at(0).src_len;
  };
  EXPECT_EQ(src_len({}), 100U);
  EXPECT_EQ(src_len({"--front-end", "kaldi"}), 98U);
  EXPECT_EQ(src_len({"--front-end", "kaldi", "--frame-shift", "0.02"}), 49U);  // 1 + 15600 / 320
  EXPECT_EQ(src_len({"--front-end", "mozilla", "--sample-rate", "8000"}), 49U);
}

}  // namespace
}  // namespace seqpoint::testing
