// `scan --rows --sampler mozilla-deepspeech` against orders worked out by hand from the rules of its loader.
#include <gtest/gtest.h>

#include "seqpoint/batches.hpp"
#include "unit/scan_rows.hpp"

namespace seqpoint::testing {
namespace {

using Rows = std::vector<std::uint32_t>;
using Steps = std::vector<std::vector<Rows>>;

const Rows kMozillaLengths{30, 10, 20, 10, 50, 40, 20};  // by size: 1 3 2 6 0 5 4

Steps mozilla_steps(const std::vector<std::string>& more) {
  std::vector<std::string> options{"--sampler", "mozilla-deepspeech"};
  options.insert(options.end(), more.begin(), more.end());
  Steps all;
  for (const ScannedIteration& iteration : scan_rows(kMozillaLengths, options)) all.push_back(iteration.ranks);
  return all;
}

TEST(MozillaDeepSpeechOrders, BySizeAndWithoutTheRemainder) {
  EXPECT_EQ(mozilla_steps({"--batch-size", "2"}), (Steps{{{1, 3}}, {{2, 6}}, {{0, 5}}}));
  EXPECT_EQ(mozilla_steps({"--batch-size", "3", "--epochs", "2"}),
            (Steps{{{1, 3, 2}}, {{6, 0, 5}}, {{1, 3, 2}}, {{6, 0, 5}}}));
}

/// Python's sort keeps equal keys in order when it reverses, too.
TEST(MozillaDeepSpeechOrders, ReversedIsStable) {
  EXPECT_EQ(mozilla_steps({"--batch-size", "3", "--reverse-train"}), (Steps{{{4, 5, 0}}, {{2, 6, 1}}}));
}

TEST(MozillaDeepSpeechOrders, TowersTakeConsecutiveBatchesAndStopTogether) {
  EXPECT_EQ(mozilla_steps({"--batch-size", "1", "--world-size", "3"}), (Steps{{{1}, {3}, {2}}, {{6}, {0}, {5}}}));
  EXPECT_EQ(mozilla_steps({"--batch-size", "2", "--world-size", "2"}), (Steps{{{1, 3}, {2, 6}}}));
}

TEST(MozillaDeepSpeechOrders, HorovodProcessesTakeEachNthSample) {
  EXPECT_EQ(mozilla_steps({"--batch-size", "2", "--world-size", "2", "--horovod"}), (Steps{{{1, 2}, {3, 6}}}));
  EXPECT_EQ(mozilla_steps({"--batch-size", "1", "--world-size", "2", "--horovod"}),
            (Steps{{{1}, {3}}, {{2}, {6}}, {{0}, {5}}}));
}

/// Frames round; where durations are known, they order what has as many frames.
TEST(MozillaDeepSpeechOrders, DurationsOrderEqualFrames) {
  batching::BatchPolicy policy;
  policy.sampler = "mozilla-deepspeech";
  policy.batch_size = 1;
  Rows order;
  const auto note = [&](const batching::MicroBatch& step) { order.push_back(step.rows[0]); };
  batching::for_each_micro_batch({{5, 5, 5}, {}, {0.059, 0.051, 0.055}}, policy, note);
  EXPECT_EQ(order, (Rows{1, 2, 0}));
}

}  // namespace
}  // namespace seqpoint::testing
