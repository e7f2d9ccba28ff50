// `scan --resume-at` against what the frameworks' own code had left after a checkpoint (tests/vectors/README.md).
#include "unit/order_cases.hpp"

namespace seqpoint::testing {
namespace {

TEST(ResumeOrders, WhatTheFrameworksGoOnWith) { expect_steps("resumed.json", 13); }

}  // namespace
}  // namespace seqpoint::testing
