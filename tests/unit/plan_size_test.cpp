// How many batches a process runs, beside the smallest of all variances for one price, and by hand.
#include "core/measuring/price.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace seqpoint::testing {
namespace {

constexpr double kNoise = 0.06020797289396148;  // sqrt(0.045^2 + 0.04^2)
constexpr double kWarmUp = 0.5;                 // s

/// The number of batches with the smallest product of variance and price of a process, found by trying all.
std::uint64_t cheapest(double start_s, double batch_s, double tau, std::uint64_t most) {
  std::uint64_t best = 1;
  double least = INFINITY;
  for (std::uint64_t m = 1; m <= most; ++m) {
    const auto batches = static_cast<double>(m);
    const double product = (tau * tau + kNoise * kNoise / batches) * (start_s + kWarmUp + batch_s + batches * batch_s);
    if (product < least) best = m;
    least = std::min(least, product);
  }
  return best;
}

TEST(PlanSize, IsByHand) {
  EXPECT_EQ(measuring::batches_of_process({60, 0.2}, select::kHostBound, 10'000), 52U);     // 3.01 sqrt(301)
  EXPECT_EQ(measuring::batches_of_process({6, 0.24}, select::kHostBound, 10'000), 16U);     // 15, but 16 at least
  EXPECT_EQ(measuring::batches_of_process({60, 0.2}, select::kDeviceBound, 10'000), 400U);  // 418, but 400 at most
  EXPECT_EQ(measuring::batches_of_process({60, 0.2}, select::kHostBound, 100), 25U) << "a quarter of the epoch";
  EXPECT_EQ(measuring::batches_of_process({60, 0.2}, select::kHostBound, 20), 16U);
  EXPECT_EQ(measuring::batches_of_process({0, 1}, select::kHostBound, 10'000), 16U);
}

TEST(PlanSize, HasTheSmallestVarianceForItsPrice) {
  for (const double start_s : {2.0, 20.0, 60.0, 300.0})
    for (const double batch_s : {0.05, 0.2, 1.0})
      for (const select::BetweenProcesses& between : {select::kHostBound, select::kHostBoundOnDevice}) {
        const std::uint64_t tried = cheapest(start_s, batch_s, between.median, 400);
        const std::uint64_t found = measuring::batches_of_process({start_s, batch_s}, between, 1'000'000);
        const auto wanted = static_cast<double>(std::max(tried, measuring::kFewestPlanned));
        EXPECT_LE(std::abs(static_cast<double>(found) - wanted), 1) << start_s << " s, " << batch_s << " s a batch";
      }
}

}  // namespace
}  // namespace seqpoint::testing
