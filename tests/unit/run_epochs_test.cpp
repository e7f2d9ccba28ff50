// The epochs of a run of several.
#include <gtest/gtest.h>

#include "core/measuring/joined_builds.hpp"

namespace seqpoint::measuring {
namespace {

trace::Trace run_of(std::vector<std::uint32_t> lengths, std::vector<std::uint64_t> epochs) {
  trace::Trace run;
  for (const std::uint32_t length : lengths) run.shapes.push_back({.src_len = length, .batch_size = 4});
  run.epoch = std::move(epochs);
  return run;
}

TEST(RunEpochs, AreCutWhereTheirNumberChanges) {
  const std::vector<trace::RunSummary> epochs = epochs_of(run_of({10, 20, 30, 10, 10}, {0, 0, 0, 1, 1}));
  ASSERT_EQ(epochs.size(), 2u);
  EXPECT_EQ(epochs[0].iterations, 3u);
  EXPECT_EQ(epochs[0].histogram.size(), 3u);
  EXPECT_EQ(epochs[1].iterations, 2u);
  ASSERT_EQ(epochs[1].histogram.size(), 1u);
  EXPECT_EQ(epochs[1].histogram[0].count, 2u);
  EXPECT_EQ(epochs[1].padded_tokens, 80u);
}

TEST(RunEpochs, WithoutNumbersThereIsOne) { EXPECT_EQ(epochs_of(run_of({10, 20}, {})).size(), 1u); }

}  // namespace
}  // namespace seqpoint::measuring
