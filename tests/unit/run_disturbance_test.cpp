// One sentence for the processes that a machine disturbed.
#include "core/measuring/disturbance.hpp"

#include <gtest/gtest.h>

namespace seqpoint::measuring {
namespace {

TEST(Disturbance, ProcessesAreListed) {
  EXPECT_EQ(processes_text({}), "the run");
  EXPECT_EQ(processes_text({"4"}), "process 4");
  EXPECT_EQ(processes_text({"4", "5"}), "processes 4 and 5");
  EXPECT_EQ(processes_text({"old 1", "new 1", "new 2"}), "processes old 1, new 1 and new 2");
}

}  // namespace
}  // namespace seqpoint::measuring
