#include "process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace seqpoint::bench {
namespace {

void become(const Contestant& contestant, int out) {
  const std::string& input = contestant.stdin_file;
  const int in = ::open(input.empty() ? "/dev/null" : input.c_str(), O_RDONLY);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : contestant.words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

/// What comes through a pipe: all of it where it is short, else its end.
std::string output(int from) {
  std::string line, whole(1 << 16, '\0');
  for (;;) {
    const ssize_t got = ::read(from, whole.data(), whole.size());
    if (got <= 0) break;
    line.append(whole, 0, static_cast<std::size_t>(got));
    if (line.size() > (1U << 20U)) line.erase(0, line.size() - 256);
  }
  while (line.ends_with('\n')) line.pop_back();
  return line;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double wall_of(const Contestant& contestant, const Usage& usage) {
  return contestant.tells_seconds && usage.told >= 0 ? usage.told : usage.wall;
}

std::vector<double> walls(const Contestant& contestant) {
  std::vector<double> all;
  for (const Usage& usage : contestant.runs) all.push_back(wall_of(contestant, usage));
  return all;
}

}  // namespace

double Contestant::best_wall() const {
  const std::vector<double> all = walls(*this);
  return *std::min_element(all.begin(), all.end());
}
double Contestant::median_wall() const { return median(walls(*this)); }
double Contestant::best_peak() const {
  double least = runs.front().peak_bytes;
  for (const Usage& usage : runs) least = std::min(least, usage.peak_bytes);
  return least;
}

Usage run(const Contestant& contestant) {
  int channel[2];
  if (::pipe(channel) != 0) std::abort();
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) become(contestant, channel[1]);
  ::close(channel[1]);
  const std::string said = output(channel[0]);
  ::close(channel[0]);
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  Usage usage;
  usage.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  usage.cpu = seconds(used.ru_utime) + seconds(used.ru_stime);
  usage.peak_bytes = static_cast<double>(used.ru_maxrss) * 1024;
  usage.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  if (contestant.tells_seconds) usage.told = std::strtod(said.substr(said.rfind('\n') + 1).c_str(), nullptr);
  usage.first_line = said.substr(0, said.find('\n'));
  return usage;
}

bool is_there(const std::vector<std::string>& words) { return run({"", words, "", false}).status == 0; }

void race(std::vector<Contestant>& contestants, int rounds) {
  for (int round = 0; round <= rounds; ++round)
    for (Contestant& contestant : contestants) {
      const Usage usage = run(contestant);
      if (round > 0) contestant.runs.push_back(usage);
    }
}

}  // namespace seqpoint::bench
