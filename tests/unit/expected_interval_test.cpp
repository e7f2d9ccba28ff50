// What a selection promises of the interval that follows.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/select/select.hpp"
#include "seqpoint/error.hpp"
#include "varied_run.hpp"

namespace seqpoint::testing {
namespace {

select::RepeatsRecord planned(std::uint64_t processes, const select::BetweenProcesses& between,
                              std::optional<double> max_error = {}) {
  select::SelectParams params;
  params.max_error = max_error;
  params.between = between;
  select::RepeatParams repeats;
  repeats.processes = processes;
  return *select::select_with_repeats(varied_run(400), params, repeats).method.repeats;
}

TEST(ExpectedInterval, HasProcessesInIt) {
  const select::RepeatsRecord host = planned(2, select::kHostBound), device = planned(2, select::kDeviceBound);
  EXPECT_NEAR(host.process_error, 0.02 * std::sqrt(1.5), 1e-12);
  EXPECT_NEAR(device.process_error, 0.0025 * std::sqrt(1.5), 1e-12);
  EXPECT_NEAR(host.error(), std::hypot(host.expected.total(), host.process_error), 1e-12);
  ASSERT_TRUE(host.half_width && device.half_width);
  EXPECT_GT(*host.half_width, 1.96 * host.process_error);
  EXPECT_GT(*host.half_width, *device.half_width);
}

TEST(ExpectedInterval, MoreProcessesNarrowIt) {
  EXPECT_LT(*planned(3, select::kHostBound).half_width, *planned(2, select::kHostBound).half_width);
  EXPECT_LT(*planned(2, select::kHostBound).half_width, *planned(1, select::kHostBound).half_width);
}

TEST(ExpectedInterval, IsNotThereWhereProcessesAreNotLookedAt) {
  EXPECT_FALSE(planned(2, {}).half_width);
  EXPECT_EQ(planned(2, {}).process_error, 0);
}

TEST(ExpectedInterval, AnErrorThatIsAskedForHasProcessesInIt) {
  const select::RepeatsRecord three = planned(2, select::kHostBound, 0.03);
  EXPECT_LE(three.error(), 0.031);
  EXPECT_LT(planned(2, select::kDeviceBound, 0.03).cost.executions, three.cost.executions);
}

TEST(ExpectedInterval, AnErrorBelowWhatProcessesDifferByIsRefused) {
  try {
    planned(2, select::kHostBound, 0.02);
    FAIL();
  } catch (const ParameterError& error) {
    EXPECT_NE(std::string(error.what()).find("processes usually differ by 2 %, an error of 2.4 % by itself"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace seqpoint::testing
