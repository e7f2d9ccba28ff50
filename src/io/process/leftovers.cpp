// Processes that outlived the program that started them.
#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "io/process/job.hpp"

namespace seqpoint::io::process {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenSignals = std::chrono::milliseconds(20);
constexpr auto kUntilKilled = std::chrono::seconds(1), kUntilGivenUp = std::chrono::seconds(10);

/// Variables in which schedulers number their jobs: Slurm, PBS, LSF, Grid Engine.
constexpr std::array<const char*, 4> kJobNumbers{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"};

/// The environment of a process, with a zero before each entry and at the end.
std::string entries_of(const std::filesystem::path& process) {
  std::ifstream file(process / "environ", std::ios::binary);
  return std::string(1, '\0') + std::string{std::istreambuf_iterator<char>(file), {}};
}

bool has_entry(const std::string& entries, const std::string& entry) {
  return entries.find(std::string(1, '\0') + entry + std::string(1, '\0')) != std::string::npos;
}

/// Whether a scheduler has started the process in another job than this program: then it outlives what submitted it.
bool is_of_another_job(const std::string& entries) {
  return std::ranges::any_of(kJobNumbers, [&](const char* name) {
    const char* const own = std::getenv(name);
    const bool has_any = entries.find(fmt::format("{}{}=", '\0', name)) != std::string::npos;
    return has_any && (own == nullptr || !has_entry(entries, fmt::format("{}={}", name, own)));
  });
}

/// The other processes with that entry. An ended one that nobody has waited for has no entries.
std::vector<pid_t> processes_with(const std::string& entry) {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size()) continue;
    if (pid == ::getpid()) continue;
    const std::string entries = entries_of(at->path());
    if (has_entry(entries, entry) && !is_of_another_job(entries)) found.push_back(pid);
  }
  return found;
}

}  // namespace

std::vector<pid_t> end_processes_with(const std::string& entry) {
  const auto begun = Clock::now();
  std::vector<pid_t> left = processes_with(entry);
  for (; !left.empty(); left = processes_with(entry)) {
    const auto waited = Clock::now() - begun;
    if (waited > kUntilGivenUp) break;
    for (const pid_t pid : left) ::kill(pid, waited > kUntilKilled ? SIGKILL : SIGTERM);
    std::this_thread::sleep_for(kBetweenSignals);
  }
  return left;
}

}  // namespace seqpoint::io::process
