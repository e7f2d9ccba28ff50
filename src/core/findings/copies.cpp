// Measurements compared with others: copied, or in another unit.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "core/findings.hpp"
#include "core/findings/checks.hpp"
#include "core/findings/rules.hpp"
#include "core/numbers.hpp"

namespace seqpoint::findings {
namespace {

/// By point: the repeats of a time, ascending.
using Times = std::vector<std::vector<double>>;

/// The repeats of the first time metric by point, ascending; empty if there is none.
Times times_of(const profile::Measurements& measured) {
  const auto metric = std::ranges::find_if(measured.metrics, trace::is_time_metric);
  if (metric == measured.metrics.end()) return {};
  Times times;
  for (const auto& repeats : measured.readings[static_cast<std::size_t>(metric - measured.metrics.begin())])
    std::ranges::sort(times.emplace_back(profile::values_of(repeats)));
  return times;
}

/// Whether any time has enough digits not to repeat by chance (has_fine_digits()).
bool any_is_fine(const Times& times) {
  return std::ranges::any_of(times, [](const std::vector<double>& repeats) {
    return std::ranges::any_of(repeats, [](double value) { return has_fine_digits(value); });
  });
}

/// The rank, name of the point or step, shape, iteration and time of a row; the time in a precision that survives a
/// change of the unit.
using TimedRow =
    std::tuple<std::optional<std::uint64_t>, std::string, trace::PartialShape, std::optional<std::uint64_t>, float>;

/// Single times of four digits are sometimes equal by chance; three in a row are not.
constexpr std::size_t kInARow = 3;
using Window = std::array<TimedRow, kInARow>;

/// A sample of a file that is large enough to recognise a copy.
constexpr std::size_t kMaxCompared = 10'000;

/// Every three consecutive rows whose times are all has_fine_digits().
std::vector<Window> windows_of(const std::vector<TimedRow>& rows) {
  const auto is_fine_row = [](const TimedRow& row) { return has_fine_digits(std::get<float>(row)); };
  std::vector<Window> windows;
  for (std::size_t i = 0; i + kInARow <= rows.size(); ++i)
    if (std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(i),
                    rows.begin() + static_cast<std::ptrdiff_t>(i + kInARow), is_fine_row))
      windows.push_back({rows[i], rows[i + 1], rows[i + 2]});
  return windows;
}

/// The first kMaxCompared rows without warm-up whose trace::main_time() is above 0; empty if there is none.
std::vector<TimedRow> timed_rows(const profile::ProfileTable& file) {
  const std::optional<std::size_t> column = trace::main_time(file.metrics);
  std::vector<TimedRow> rows;
  if (!column) return rows;
  for (const profile::ProfileRow& row : file.rows)
    if (const double time = file.value(row, *column); !row.warmup && time > 0 && rows.size() < kMaxCompared) {
      const profile::RowSubject& subject = file.subject(row);
      rows.emplace_back(file.origin(row).rank, subject.point, subject.key, row.iteration, static_cast<float>(time));
    }
  return rows;
}

/// The first times of the steps without stubs, in nanoseconds: up to two per step, of the host and of the GPU.
std::vector<TimedRow> timed_rows(const profile::StepProfile& file) {
  std::vector<TimedRow> rows;
  for (const profile::ProfiledStep& step : file.steps)
    for (const auto& time : {step.host_ns, step.gpu_span_ns})
      if (time && !step.stub && rows.size() < kMaxCompared)
        rows.emplace_back(file.rank, step.key, trace::PartialShape{}, std::nullopt, static_cast<float>(*time));
  return rows;
}

/// Reports files that repeat windows of earlier files, or their own: one finding for each pair of files.
template <class File>
std::vector<Finding> copies_among(std::span<const File> files) {
  std::map<Window, std::size_t> known;
  std::vector<Finding> found;
  std::vector<std::size_t> windows_in;  // by file
  for (std::size_t f = 0; f < files.size(); ++f) {
    const std::vector<TimedRow> rows = timed_rows(files[f]);
    const std::vector<Window> windows = windows_of(rows);
    windows_in.push_back(windows.size());
    std::map<std::size_t, std::uint64_t> again;  // by file
    for (const Window& window : windows) {
      const auto [at, is_new] = known.try_emplace(window, f);
      if (!is_new) ++again[at->second];
    }
    for (const auto& [other, count] : again) {
      // A short file counts as copied if all of its windows recur; repetition within a file needs several.
      const std::size_t enough = other == f ? kInARow : std::min({kInARow, windows_in[f], windows_in[other]});
      // A copied file makes up at least a third of the rows, even next to two parts of the file's own.
      if (count < enough || 3 * (count + kInARow - 1) < rows.size()) continue;
      found.push_back({.kind = other == f ? kRowsRepeated : kRowsTwice,
                       .place = {files[f].source},
                       .figures = {{"count", count + kInARow - 1}, {"other", files[other].source}}});
    }
  }
  return found;
}

}  // namespace

std::vector<Finding> findings_about_copies(std::span<const profile::ProfileTable> files) { return copies_among(files); }
std::vector<Finding> findings_about_copies(std::span<const profile::StepProfile> files) { return copies_among(files); }

bool has_fine_digits(double time) {
  std::string text = fmt::format("{:e}", time);
  text.resize(text.find('e'));
  text.resize(text.find_last_not_of('0') + 1);
  return std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; }) >= 4;
}

bool all_repeated(const profile::Measurements& measured) {
  const Times times = times_of(measured);
  const auto repeated = [](const std::vector<double>& ascending) {
    return std::ranges::all_of(ascending, [&](const double& value) {
      const auto at = &value - ascending.data();
      return (at > 0 && ascending[at - 1] == value) || (at + 1 < std::ssize(ascending) && ascending[at + 1] == value);
    });
  };
  return any_is_fine(times) && std::ranges::all_of(times, repeated);
}

bool same_times(const profile::Measurements& a, const profile::Measurements& b) {
  const Times times = times_of(a);
  return any_is_fine(times) && times == times_of(b);
}

double time_ratio(const profile::Measurements& a, const profile::Measurements& b) {
  const Times ours = times_of(a), theirs = times_of(b);
  std::vector<double> ratios;
  for (std::size_t p = 0; p < std::min(ours.size(), theirs.size()); ++p)
    if (!ours[p].empty() && !theirs[p].empty() && median(ours[p]) > 0 && median(theirs[p]) > 0)
      ratios.push_back(median(ours[p]) / median(theirs[p]));
  return ratios.empty() ? 1 : median(ratios);
}

}  // namespace seqpoint::findings
