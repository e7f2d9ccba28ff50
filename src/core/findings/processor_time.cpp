#include "core/findings/rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "core/findings.hpp"
#include "core/numbers.hpp"
#include "core/profile/readings.hpp"

namespace seqpoint::findings {
namespace {

constexpr double kLevel = 0.001;
constexpr double kFactor = 2;

/// The wall clock's time of one iteration, and the processor's.
using TimePair = std::array<double, 2>;
constexpr std::size_t kWall = 0, kProcessor = 1;

struct Logs {
  std::size_t point = 0, process = 0;
  TimePair values{};
};

/// The cpu_s of a reading's row; nothing if the file lacks the column.
std::optional<double> processor_time_of(const profile::RowReading& reading) {
  const std::optional<std::size_t> column = reading.file->find("cpu_s");
  return column ? std::optional(reading.file->value(*reading.row, *column)) : std::nullopt;
}

/// The logarithms of both times for every row that has both above 0 and is not of a GPU.
std::vector<Logs> logs_of(const std::vector<profile::RowReading>& readings) {
  const std::vector<std::size_t> processes = profile::processes_of(readings);
  std::vector<Logs> logs;
  for (std::size_t r = 0; r < readings.size(); ++r) {
    const profile::RowReading& reading = readings[r];
    const profile::Origin& origin = reading.file->origin(*reading.row);
    const std::optional<double> processor = processor_time_of(reading);
    if (!processor || !(*processor > 0) || !(reading.value > 0)) continue;
    if (!origin.device.empty() && origin.device != "cpu") continue;
    logs.push_back({reading.point, processes[r], {std::log(reading.value), std::log(*processor)}});
  }
  return logs;
}

/// Subtracts the means of points, or of processes, from both times. Returns the number of points or processes.
double take_out_means(std::vector<Logs>& logs, std::size_t Logs::*of) {
  std::map<std::size_t, std::array<double, 3>> sums;
  for (const Logs& one : logs) {
    std::array<double, 3>& sum = sums[one.*of];
    sum = {sum[kWall] + one.values[kWall], sum[kProcessor] + one.values[kProcessor], sum[2] + 1};
  }
  for (Logs& one : logs)
    for (const std::size_t time : {kWall, kProcessor}) one.values[time] -= sums[one.*of][time] / sums[one.*of][2];
  return static_cast<double>(sums.size());
}

struct Scatter {
  TimePair squares{};
  double degrees = 0;  ///< degrees of freedom

  /// The standard deviation of a time, in percent.
  double percent(std::size_t time) const { return 100 * std::sqrt(squares[time] / degrees); }
  /// Whether this time is clearly noisier: kFactor times the standard deviation of the other, with a significant F
  /// test. False if the other has no noise at all: such a column is not a measurement.
  bool is_mostly_of(std::size_t time) const {
    const double own = squares[time], other = squares[1 - time];
    return degrees >= 1 && other > 0 && own >= kFactor * kFactor * other &&
           f_tail(own / other, degrees, degrees) < kLevel / 2;
  }
};

/// Noise of a point's repeats within a process, in total and by point.
class Scatters {
 public:
  explicit Scatters(std::vector<Logs> logs) {
    const double points = take_out_means(logs, &Logs::point), processes = take_out_means(logs, &Logs::process);
    all_.degrees = 1 - processes - points;
    for (const Logs& one : logs) add(one);
    for (auto& [point, own] : by_point_) --own.degrees;
  }

  const Scatter& all() const { return all_; }
  /// Whether this time is clearly noisier, also without the point that contributes most to its noise.
  bool are_mostly_of(std::size_t time) const {
    return all_.is_mostly_of(time) && without_largest(time).is_mostly_of(time);
  }

 private:
  void add(const Logs& one) {
    for (Scatter* const to : {&all_, &by_point_[one.point]}) {
      for (const std::size_t time : {kWall, kProcessor}) to->squares[time] += one.values[time] * one.values[time];
      ++to->degrees;
    }
  }

  /// The noise of all points but the one with the largest noise of this time.
  Scatter without_largest(std::size_t time) const {
    const auto squares = [time](const auto& entry) { return entry.second.squares[time]; };
    const Scatter& largest = std::ranges::max_element(by_point_, {}, squares)->second;
    return {{all_.squares[kWall] - largest.squares[kWall], all_.squares[kProcessor] - largest.squares[kProcessor]},
            all_.degrees - largest.degrees};
  }

  Scatter all_;
  std::map<std::size_t, Scatter> by_point_;
};

}  // namespace

std::optional<Finding> finding_about_processor_time(const profile::Measurements& measured,
                                                    std::span<const profile::ProfileTable> files) {
  const std::vector<profile::RowReading> readings = profile::readings_of("runtime_s", measured, files);
  std::vector<Logs> logs = logs_of(readings);
  if (logs.empty()) return std::nullopt;
  const Scatters scatters(std::move(logs));
  const bool waits = scatters.are_mostly_of(kWall);
  if (!waits && !scatters.are_mostly_of(kProcessor)) return std::nullopt;
  return Finding{waits ? kWaiting : kBusyWaiting,
                 {readings.front().file->source, 0, "runtime_s"},
                 {{"wall", scatters.all().percent(kWall)}, {"processor", scatters.all().percent(kProcessor)}}};
}

}  // namespace seqpoint::findings
