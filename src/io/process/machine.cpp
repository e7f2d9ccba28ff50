#include "io/process/machine.hpp"

#include <fmt/core.h>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "core/numbers.hpp"
#include "io/process/job.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::process {
namespace {

/// Bits of clocks_throttle_reasons.active (nvml.h, nvmlClocksEventReasons). Idle clocks, clocks that an application
/// set, and those of a display are no disturbance.
constexpr std::array<std::pair<std::uint64_t, const char*>, 6> kReasons{{{0x4, "power cap"},
                                                                         {0x8, "hardware slowdown"},
                                                                         {0x10, "sync boost"},
                                                                         {0x20, "temperature"},
                                                                         {0x40, "temperature"},
                                                                         {0x80, "power brake"}}};

std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    found.push_back(text::trim(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  found.push_back(text::trim(text));
  return found;
}

std::vector<std::string> reasons_in(std::string_view mask) {
  std::uint64_t bits = 0;
  if (mask.starts_with("0x")) std::from_chars(mask.data() + 2, mask.data() + mask.size(), bits, 16);
  std::vector<std::string> found;
  for (const auto& [bit, name] : kReasons)
    if ((bits & bit) != 0 && std::ranges::find(found, name) == found.end()) found.emplace_back(name);
  return found;
}

/// The GPUs that the job sees, as an option of nvidia-smi; empty: all. Other characters than those of indices and UUIDs
/// are not passed to a shell.
std::string visible_gpus() {
  const char* const set = getenv("CUDA_VISIBLE_DEVICES");
  const std::string_view ids = set == nullptr ? "" : set;
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ',' || c == '-';
  };
  return ids.empty() || !std::ranges::all_of(ids, is_plain) ? "" : fmt::format(" -i {}", ids);
}

/// The output of nvidia-smi; empty if it fails.
std::string answer_of(const std::string& query) {
  const std::string command =
      fmt::format("timeout 5 nvidia-smi{} {} --format=csv,noheader,nounits 2>/dev/null", visible_gpus(), query);
  FILE* const pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> piece{};
  while (const std::size_t count = fread(piece.data(), 1, piece.size(), pipe)) text.append(piece.data(), count);
  return pclose(pipe) == 0 ? text : "";
}

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 0;
}

std::string text_of(const Gpu& gpu) {
  std::string text = gpu.name;
  if (gpu.clock_mhz) text += fmt::format(", {} MHz", grouped(static_cast<std::uint64_t>(std::llround(*gpu.clock_mhz))));
  if (gpu.power_limit_w && gpu.power_limit_w < gpu.default_power_limit_w)
    text += fmt::format(", limited to {:.0f} of {:.0f} W", *gpu.power_limit_w, *gpu.default_power_limit_w);
  for (const std::string& reason : gpu.slowed_by) text += ", slowed by " + reason;
  return text;
}

}  // namespace

std::vector<Gpu> gpus_of(std::string_view csv) {
  const std::size_t fields = pieces(kGpuFields, ',').size();
  std::vector<Gpu> gpus;
  for (const std::string_view line : pieces(csv, '\n'))
    if (const auto cells = pieces(line, ','); cells.size() == fields)
      gpus.push_back({.name = std::string(cells[0]),
                      .clock_mhz = number_in<double>(cells[1]),
                      .power_limit_w = number_in<double>(cells[2]),
                      .default_power_limit_w = number_in<double>(cells[3]),
                      .slowed_by = reasons_in(cells[4])});
  return gpus;
}

Machine look_at_machine() {
  Machine machine;
  machine.cores = usable_cores();
  machine.all_cores = static_cast<unsigned>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  if (double load = 0; getloadavg(&load, 1) == 1) machine.load = load;
  if (path_of_program("nvidia-smi").empty()) return machine;
  machine.gpus = gpus_of(answer_of(fmt::format("--query-gpu={}", kGpuFields)));
  const std::string programs = answer_of("--query-compute-apps=pid");
  machine.programs_on_gpus = static_cast<std::uint64_t>(std::ranges::count_if(
      pieces(programs, '\n'), [](std::string_view line) { return number_in<double>(line).has_value(); }));
  return machine;
}

std::string text_of(const Machine& machine) {
  std::string text = counted(machine.cores, "core");
  if (machine.load) text += fmt::format(", load {:.2g}", *machine.load);
  for (const Gpu& gpu : machine.gpus) text += "; " + text_of(gpu);
  if (machine.gpus.empty()) return text;
  return text + (machine.programs_on_gpus == 0 ? ", nothing else on it"
                                               : ", " + counted(machine.programs_on_gpus, "other program") + " on it");
}

}  // namespace seqpoint::io::process
