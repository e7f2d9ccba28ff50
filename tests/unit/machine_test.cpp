// The state of the machine, from nvidia-smi's answers.
#include "io/process/machine.hpp"

#include <gtest/gtest.h>

namespace seqpoint::io::process {
namespace {

TEST(Machine, GpusAreReadFromNvidiaSmi) {
  const std::vector<Gpu> gpus = gpus_of(
      "NVIDIA H200, 1980, 700.00, 700.00, 0x0000000000000000\n"
      "NVIDIA A100-SXM4-80GB, 1095, 275.00, 400.00, 0x0000000000000044\r\n"
      "Tesla T4, [N/A], [Not Supported], 70.00, [N/A]\n");
  ASSERT_EQ(gpus.size(), 3U);
  EXPECT_EQ(gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(gpus[0].clock_mhz, 1980);
  EXPECT_TRUE(gpus[0].slowed_by.empty());
  EXPECT_EQ(gpus[1].slowed_by, (std::vector<std::string>{"power cap", "temperature"}));
  EXPECT_EQ(gpus[1].power_limit_w, 275);
  EXPECT_FALSE(gpus[2].clock_mhz || gpus[2].power_limit_w);
}

TEST(Machine, OtherAnswersAreNoGpus) {
  EXPECT_TRUE(gpus_of("").empty());
  EXPECT_TRUE(gpus_of("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n").empty());
}

// Idle (1) and clocks that an application set (2) slow nothing down.
TEST(Machine, IsSaidInALine) {
  Machine machine{.cores = 2, .load = 0.31, .gpus = {}, .programs_on_gpus = 0};
  EXPECT_EQ(text_of(machine), "2 cores, load 0.31");
  machine.gpus = gpus_of("NVIDIA H200, 1980, 700.00, 700.00, 0x3");
  EXPECT_EQ(text_of(machine), "2 cores, load 0.31; NVIDIA H200, 1,980 MHz, nothing else on it");
  machine.gpus = gpus_of("NVIDIA A100, 1095, 275.00, 400.00, 0x40");
  machine.programs_on_gpus = 2;
  EXPECT_EQ(text_of(machine),
            "2 cores, load 0.31; NVIDIA A100, 1,095 MHz, limited to 275 of 400 W, slowed by temperature, 2 other "
            "programs on it");
}

}  // namespace
}  // namespace seqpoint::io::process
