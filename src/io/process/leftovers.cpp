#include "io/process/leftovers.hpp"

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace seqpoint::io::process {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenSignals = std::chrono::milliseconds(20);
constexpr auto kUntilKilled = std::chrono::seconds(1), kUntilGivenUp = std::chrono::seconds(10);

bool has_entry(const std::filesystem::path& process, const std::string& entry) {
  std::ifstream file(process / "environ", std::ios::binary);
  const std::string entries = std::string(1, '\0') + std::string{std::istreambuf_iterator<char>(file), {}};
  return entries.find(std::string(1, '\0') + entry + std::string(1, '\0')) != std::string::npos;
}

/// The other processes with that entry. An ended one that nobody has waited for has no entries.
std::vector<pid_t> processes_with(const std::string& entry) {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size()) continue;
    if (pid != ::getpid() && has_entry(at->path(), entry)) found.push_back(pid);
  }
  return found;
}

}  // namespace

void end_processes_with(const std::string& entry) {
  const auto begun = Clock::now();
  for (std::vector<pid_t> left = processes_with(entry); !left.empty(); left = processes_with(entry)) {
    const auto waited = Clock::now() - begun;
    if (waited > kUntilGivenUp) return;
    for (const pid_t pid : left) ::kill(pid, waited > kUntilKilled ? SIGKILL : SIGTERM);
    std::this_thread::sleep_for(kBetweenSignals);
  }
}

}  // namespace seqpoint::io::process
