// What names of columns say: those that loggers, trackers and profilers write.
#include "core/profile/measure.hpp"

#include <gtest/gtest.h>

namespace seqpoint::profile {
namespace {

void expect_role(MetricRole role, std::initializer_list<const char*> names) {
  for (const char* name : names) EXPECT_EQ(role_of_column(name), role) << name;
}

TEST(MetricRole, CostsAddUp) {
  expect_role(MetricRole::cost, {"runtime_s", "cpu_s", "epoch_s", "instructions", "cache-misses", "L1-dcache-loads",
                                 "energy_j", "dram_bytes_read", "memory_bytes_read", "flops", "kernel launches",
                                 "instructions_per_step", "Bytes per iteration", "cost_usd"});
}

TEST(MetricRole, RatesAreAverages) {
  expect_role(MetricRole::rate, {"ipc", "samples_per_s", "tokens/s", "gpu_util", "util_pct", "sm_occupancy", "watts",
                                 "energy_per_token", "mem_bandwidth_gbps", "gpu_mem_util", "MFU"});
}

TEST(MetricRole, MemoryInUseIsAMaximum) {
  expect_role(MetricRole::maximum, {"peak_bytes", "peak_mem_gb", "max_memory_allocated", "memory_mb", "RSS (kB)"});
}

TEST(MetricRole, WhatTrainingLogsIsNoCost) {
  expect_role(MetricRole::no_cost, {"loss", "train/loss_scale", "lr", "learning_rate", "grad_norm", "epoch",
                                    "global_step", "ppl", "seed", "gpu_temp_c", "timestamp", "num_gpus"});
}

TEST(MetricRole, OthersAreUnknown) { expect_role(MetricRole::unknown, {"widgets", "x", "Loses", ""}); }

}  // namespace
}  // namespace seqpoint::profile
