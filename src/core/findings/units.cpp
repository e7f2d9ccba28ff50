// Times compared with the other columns of their rows, to find a wrong unit.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "core/findings.hpp"
#include "core/findings/checks.hpp"
#include "core/findings/rules.hpp"

namespace seqpoint::findings {
namespace {

/// Fewer rows cannot show a pattern.
constexpr std::size_t kMinRows = 3;

/// No machine has more cores that one process keeps busy in every iteration.
constexpr double kMaxCores = 256;

/// Seconds, minutes, hours, and thousands of them.
constexpr std::array kUnits{60.0, 1e3, 3600.0, 6e4, 1e6, 3.6e6, 1e9};

/// Columns of a file, by row.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  bool has_known_units = false;  ///< our own recorder wrote them, in seconds
};

/// The 10 %, 50 % and 90 % quantiles of the ratio of two columns; all 0 if too few rows have both.
struct Ratio {
  double low = 0, middle = 0, high = 0;

  /// Whether the two columns are proportional within such a factor.
  bool is_within(double factor) const { return low > 0 && high <= factor * low; }
};

/// The quantiles of a / b, row by row, where it is finite and above 0; all 0 for fewer than kMinRows.
Ratio ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio) || !(ratio > 0); });
  if (ratios.size() < kMinRows) return {};
  std::ranges::sort(ratios);
  const std::size_t last = ratios.size() - 1;
  return {ratios[last / 10], ratios[last / 2], ratios[last - last / 10]};
}

/// Whether the column is the time of a large part of every iteration.
bool is_work(std::string_view name) {
  constexpr std::array kNames{"gpu_s",     "device_s", "kernel_s",  "kernels_s", "cuda_s",
                              "compute_s", "train_s",  "forward_s", "fwd_s",     "backward_s",
                              "bwd_s",     "model_s",  "fw_s",      "bw_s",      "optimizer_s"};
  return std::ranges::find(kNames, name) != kNames.end();
}

/// The resolution of a column: the largest power of ten, from 1 to a nanosecond, that divides all values.
double last_digit(const std::vector<double>& values) {
  constexpr int kMaxDigits = 9;
  const auto is_multiple = [](double value, double digits) {
    const double scaled = value * digits;
    return !std::isfinite(scaled) || std::abs(scaled - std::round(scaled)) <= 1e-6 * std::max(1.0, std::abs(scaled));
  };
  for (int n = 0; n < kMaxDigits; ++n) {
    const double digits = std::pow(10, n);
    if (std::ranges::all_of(values, [&](double value) { return is_multiple(value, digits); })) return 1 / digits;
  }
  return std::pow(10, -kMaxDigits);
}

/// Whether `large` is `small` in a unit that is `factor` times larger, except for truncated digits and 0.5 %, in at
/// least kMinRows rows with as many different values. Rows without both above 0 do not count.
bool is_in_unit(const std::vector<double>& small, const std::vector<double>& large, double factor) {
  constexpr double kRounding = 0.005;
  const double digit = last_digit(large);
  std::size_t rows = 0;
  std::set<double> distinct;
  for (std::size_t i = 0; i < small.size(); ++i) {
    if (!(small[i] > 0 && large[i] > 0)) continue;
    if (std::abs(small[i] / factor - large[i]) > digit / 2 + kRounding * large[i]) return false;
    ++rows;
    distinct.insert(large[i]);
  }
  return rows >= kMinRows && distinct.size() >= kMinRows;
}

/// Compares time columns with the other columns of a file, up to the first finding.
class UnitCheck {
 public:
  UnitCheck(const Columns& columns, Where place, std::vector<Finding>& found)
      : columns_(columns), place_(std::move(place)), found_(found) {}

  /// Compares a time column with every other column in order. Does nothing after a finding.
  void examine(std::size_t times) {
    for (std::size_t other = 0; other < columns_.names.size(); ++other)
      if (other != times && found_.empty()) examine(times, other);
  }

 private:
  void examine(std::size_t times, std::size_t other) {
    const std::string& name = columns_.names[other];
    if (name == "cpu_s")
      beside_processor_time(times, other);
    else if (trace::is_time_metric(name))
      is_work(name) && !columns_.has_known_units ? beside_work(times, other) : beside_time(times, other);
  }

  /// Adds a finding about column `times`, with the factor or its inverse, whichever is above 1.
  void add(const FindingKind& kind, std::size_t times, std::size_t other, double factor) {
    Where place = place_;
    place.field = columns_.names[times];
    found_.push_back({.kind = kind,
                      .place = std::move(place),
                      .figures = {{"column", columns_.names[other]}, {"factor", std::max(factor, 1 / factor)}}});
  }

  /// Finds a time in another unit than cpu_s. Either it is at least kUnitFactor times cpu_s in a nearly constant ratio:
  /// a training job keeps the processor busier, or busy for a share that varies with length (in our recorder's files:
  /// kMostlyWaiting). Or it is runtime_s, and would need kMaxCores or more.
  void beside_processor_time(std::size_t wall, std::size_t processor) {
    const Ratio ratio = ratio_of(columns_.values[wall], columns_.values[processor]);
    constexpr double kTogether = 2;
    if (ratio.low >= kUnitFactor && ratio.is_within(kTogether))
      add(columns_.has_known_units ? kMostlyWaiting : kLongerThanProcessor, wall, processor, ratio.middle);
    else if (columns_.names[wall] == "runtime_s" && ratio.high > 0 && ratio.high * kMaxCores <= 1)  // others are parts
      add(kShorterThanProcessor, wall, processor, ratio.middle);
  }

  /// Compares a time with a column of work that is a part of every iteration: such work takes more than 1/300 of an
  /// iteration. If that holds, compares them as beside_time().
  void beside_work(std::size_t times, std::size_t work) {
    constexpr double kPartsOfAnIteration = 300;
    const Ratio ratio = ratio_of(columns_.values[times], columns_.values[work]);
    if (ratio.low >= kPartsOfAnIteration)
      add(kLongerThanProcessor, times, work, ratio.middle);
    else
      beside_time(times, work);
  }

  /// Finds the same time in two units, one of kUnits apart, in either direction.
  void beside_time(std::size_t times, std::size_t other) {
    const std::vector<double>&own = columns_.values[times], &others = columns_.values[other];
    for (const double unit : kUnits)
      if (is_in_unit(own, others, unit) || is_in_unit(others, own, unit))
        return add(kSameTimeInOtherUnit, times, other, unit);
  }

  const Columns& columns_;
  Where place_;
  std::vector<Finding>& found_;
};

/// The metrics of a file, without warm-up rows.
Columns columns_of(const profile::ProfileTable& file) {
  Columns columns{.names = file.metrics,
                  .values = std::vector<std::vector<double>>(file.metrics.size()),
                  .has_known_units = !file.selections.empty()};
  for (const profile::ProfileRow& row : file.rows)
    for (std::size_t m = 0; m < file.metrics.size() && !row.warmup; ++m)
      columns.values[m].push_back(file.value(row, m));
  return columns;
}

}  // namespace

std::vector<Finding> findings_about_units(std::span<const profile::ProfileTable> files) {
  std::vector<Finding> all;
  for (const profile::ProfileTable& file : files) {
    const Columns columns = columns_of(file);
    if (file.rows.empty() || columns.values.empty() || columns.values.front().empty()) continue;
    std::vector<Finding> found;
    UnitCheck check(columns, {file.source, 0, {}}, found);
    for (std::size_t m = 0; m < columns.names.size(); ++m)
      if (trace::is_time_metric(columns.names[m]) && columns.names[m] != "cpu_s") check.examine(m);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::vector<Finding> findings_about_units(const trace::Trace& run, const trace::Metric& times,
                                          const std::string& source) {
  Columns columns;
  std::size_t at = 0;
  for (const trace::Metric& metric : run.metrics) {
    if (metric.name == times.name) continue;
    columns.names.push_back(metric.name);
    columns.values.push_back(metric.values);
  }
  at = columns.names.size();
  columns.names.push_back(times.name);
  columns.values.push_back(times.values);
  std::vector<Finding> found;
  if (times.name != "cpu_s" && !times.values.empty()) UnitCheck(columns, {source, 0, {}}, found).examine(at);
  return found;
}

}  // namespace seqpoint::findings
