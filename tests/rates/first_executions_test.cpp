// How often first executions count: in jobs that have a cold start, and in jobs that have none.
#include "core/measuring/first_executions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "property/draw.hpp"

namespace seqpoint::first_executions_rates {
namespace {

using testing::Draw;

constexpr std::size_t kRuns = 2000;
constexpr double kHalfWidth = 0.095;  // of a job on a processor, two processes

/// First executions cost `more` in this share of the shapes; executions scatter by `noise`.
struct Job {
  double more = 0, share = 1, noise = 0.02;
};

/// The share of runs in which first executions count, of jobs that are measured at so many points.
double share_counted(const Job& job, std::size_t points) {
  Draw draw(7);
  std::size_t counted = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    std::vector<double> logs;
    for (std::size_t p = 0; p < points; ++p) {
      const double cold = draw.uniform() < job.share ? job.more : 0;
      logs.push_back(std::log1p(cold) + job.noise * (draw.normal() - draw.normal()));
    }
    const auto first = profile::first_executions(logs);
    if (measuring::count(first.value(), measuring::share_of_first(2), kHalfWidth)) ++counted;
  }
  return static_cast<double>(counted) / kRuns;
}

TEST(FirstExecutions, OfJobsWithAColdStartDoNotCount) {
  for (const std::size_t points : {8U, 16U, 26U})
    for (const double noise : {0.01, 0.02, 0.04, 0.06})
      for (const double more : {0.05, 0.09, 0.2, 1.0, 10.0})
        EXPECT_LE(share_counted({.more = more, .noise = noise}, points), 0.05)
            << points << " points, noise " << noise << ", cold start " << more;
}

/// Where a quarter of the shapes is compiled, most plans show one.
TEST(FirstExecutions, OfJobsThatCompileAQuarterOfTheShapesRarelyCount) {
  for (const std::size_t points : {16U, 26U})
    EXPECT_LE(share_counted({.more = 1, .share = 0.25}, points), 0.05) << points << " points";
}

TEST(FirstExecutions, OfQuietJobsWithoutAColdStartMostlyCount) {
  EXPECT_GE(share_counted({}, 8), 0.7);
  EXPECT_GE(share_counted({}, 16), 0.9);
  EXPECT_GE(share_counted({}, 26), 0.9);
  for (const std::size_t points : {8U, 16U, 26U})
    for (const double noise : {0.02, 0.04, 0.06})
      RecordProperty("counted_" + std::to_string(points) + "_" + std::to_string(static_cast<int>(100 * noise)),
                     std::to_string(share_counted({.noise = noise}, points)));
}

}  // namespace
}  // namespace seqpoint::first_executions_rates
