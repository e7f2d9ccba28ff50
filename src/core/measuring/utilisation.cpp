#include "core/measuring/utilisation.hpp"

#include <array>

namespace seqpoint::measuring {
namespace {

struct Peak {
  std::string_view name;
  double tflops;
};

/// The first part that the name contains counts, so longer names are before shorter ones.
constexpr std::array<Peak, 19> kPeaks{{{"GB200", 2500},
                                       {"B200", 2250},
                                       {"H100 PCIe", 756},
                                       {"H100 NVL", 835},
                                       {"GH200", 989},
                                       {"H200 NVL", 835},
                                       {"H200", 989},
                                       {"H100", 989},
                                       {"H800", 989},
                                       {"H20", 148},
                                       {"A100", 312},
                                       {"A800", 312},
                                       {"A10G", 70},
                                       {"NVIDIA A40", 149.7},
                                       {"L40S", 362},
                                       {"L40", 181},
                                       {"NVIDIA L4", 121},
                                       {"V100", 125},
                                       {"Tesla T4", 65}}};

/// Whether `text` contains the name, and no digit continues it: an A1000 is not an A100.
bool names(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = text.substr(at + name.size());
  return rest.empty() || rest.front() < '0' || rest.front() > '9';
}

}  // namespace

std::optional<double> peak_of(std::string_view gpu) {
  constexpr double kTera = 1e12;
  if (gpu.find(" MIG ") != std::string_view::npos) return {};
  for (const Peak& peak : kPeaks)
    if (names(gpu, peak.name)) return peak.tflops * kTera;
  return {};
}

double flops_per_token(std::uint64_t parameters) { return 6 * static_cast<double>(parameters); }

}  // namespace seqpoint::measuring
