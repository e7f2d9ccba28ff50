/// \file
/// The state of the machine: what else runs on its processors and GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::process {

/// A GPU, as nvidia-smi describes it. What it does not know is missing.
struct Gpu {
  std::string name;
  std::optional<double> clock_mhz, power_limit_w, default_power_limit_w;
  std::vector<std::string> slowed_by;  ///< reasons for lower clocks, as "power cap"; not: idle, set clocks
};

struct Machine {
  unsigned cores = 0;                  ///< that this program may use
  std::optional<double> load;          ///< programs that run or wait to, mean of the last minute
  std::vector<Gpu> gpus;               ///< in nvidia-smi's order; empty also if it cannot be asked
  std::uint64_t programs_on_gpus = 0;  ///< programs that use one of them
  unsigned all_cores = 0;              ///< of the machine, whose load it is; not recorded
};

/// Cores, load and GPUs of the machine now. Asks nvidia-smi, if it is in PATH, about the GPUs of CUDA_VISIBLE_DEVICES,
/// for at most 5 s each time.
Machine look_at_machine();

/// Reads `nvidia-smi --format=csv,noheader,nounits` with the fields of kGpuFields; lines with other fields are left
/// out. A figure that is "[N/A]", "[Not Supported]" or the like is nothing.
std::vector<Gpu> gpus_of(std::string_view csv);
inline constexpr std::string_view kGpuFields =
    "name,clocks.current.sm,power.limit,power.default_limit,clocks_throttle_reasons.active";

/// "2 cores, load 0.3; NVIDIA H200, 1,980 MHz, nothing else on it". Power limits below the default, reasons for lower
/// clocks and programs on the GPUs are named.
std::string text_of(const Machine&);

}  // namespace seqpoint::io::process
