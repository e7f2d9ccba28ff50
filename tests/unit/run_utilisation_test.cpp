// The share of the devices' peak that a training uses.
#include "core/measuring/utilisation.hpp"
#include "core/project/projection.hpp"

#include <gtest/gtest.h>

namespace seqpoint::measuring {
namespace {

TEST(Peak, IsThatOfTheNameWhicheverItsForm) {
  EXPECT_EQ(peak_of("NVIDIA H200"), 989e12);
  EXPECT_EQ(peak_of("NVIDIA H200 NVL"), 835e12);
  EXPECT_EQ(peak_of("NVIDIA H100 80GB HBM3"), 989e12);
  EXPECT_EQ(peak_of("NVIDIA H100 PCIe"), 756e12);
  EXPECT_EQ(peak_of("NVIDIA A100-SXM4-80GB"), 312e12);
  EXPECT_EQ(peak_of("NVIDIA L40S"), 362e12);
  EXPECT_EQ(peak_of("NVIDIA L4"), 121e12);
  EXPECT_EQ(peak_of("Tesla T4"), 65e12);
  EXPECT_FALSE(peak_of("NVIDIA RTX A4000"));
  EXPECT_FALSE(peak_of("NVIDIA H100 80GB HBM3 MIG 1g.10gb"));
  EXPECT_FALSE(peak_of("NVIDIA T400"));
  EXPECT_FALSE(peak_of("NVIDIA RTX A1000"));
}

// 7e9 parameters, 10,000 tokens/s: 4.2e14 FLOP/s of 989e12. Padded tokens count where no others are known.
TEST(Utilisation, IsOfTokensWithoutPadding) {
  const project::ModelWork work{.flops_per_token = flops_per_token(7'000'000'000), .peak_flops = 989e12};
  project::Throughput throughput{.time_metric = "runtime_s", .tokens_per_s = 10'000, .padded_tokens_per_s = 12'000};
  EXPECT_NEAR(project::utilisation(throughput, work, 1), 0.4247, 1e-4);
  EXPECT_NEAR(project::utilisation(throughput, work, 8), 0.4247 / 8, 1e-4);
  throughput.tokens_per_s.reset();
  EXPECT_NEAR(project::utilisation(throughput, work, 1), 0.5096, 1e-4);
}

}  // namespace
}  // namespace seqpoint::measuring
