// Times at the points that are impossible for an iteration, and others that are very unlikely.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/findings.hpp"
#include "core/findings/checks.hpp"
#include "core/findings/rules.hpp"
#include "core/numbers.hpp"
#include "core/profile/readings.hpp"
#include "core/project/time_parts.hpp"

namespace seqpoint::findings {
namespace {

/// Between two points: one of them may have a cost that the other lacks, in addition to the difference of sizes.
constexpr double kImpossiblePoint = 30;

/// The rank of each value among all, from 0; equal ones have the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto less = std::ranges::count_if(values, [&](double other) { return other < value; }),
               equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(less) + static_cast<double>(equal - 1) / 2);
  }
  return ranks;
}

/// Spearman's rank correlation; 0 if all values of one of the two are equal.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> of_a = ranks_of(a), of_b = ranks_of(b);
  const double scale = deviation_of(of_a) * deviation_of(of_b), middle = mean(of_a);
  if (scale == 0) return 0;
  double products = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i) products += (of_a[i] - middle) * (of_b[i] - middle);
  return products / static_cast<double>(of_a.size() - 1) / scale;
}

class TimeColumn {
 public:
  /// `readings`: by file and row.
  TimeColumn(std::string name, std::vector<profile::RowReading> readings, const select::Selection& selection,
             std::vector<Finding>& found)
      : name_(std::move(name)), readings_(std::move(readings)), selection_(selection), found_(found) {
    for (const select::Point& point : selection.points)  // a cost grows with padded tokens
      sizes_.push_back(static_cast<double>(point.shape.padded_tokens()));
  }

  /// Adds all findings of the column. Only a column without impossible times is searched for outliers.
  void examine() {
    const std::size_t before = found_.size();
    examine_zeros();
    examine_equal();
    for (auto first = readings_.begin(); first != readings_.end();) {
      const auto end = std::find_if(first, readings_.end(),
                                    [&](const profile::RowReading& reading) { return reading.file != first->file; });
      examine_file({first, end});
      first = end;
    }
    if (found_.size() > before) return;  // an impossible time is not also reported as an outlier
    const std::map<std::size_t, Repeats> points = by_point();
    examine_first_of_points();
    examine_repeats(points);
    examine_points(points);
    examine_order();
  }

 private:
  /// Adds a finding at a row of this column.
  Finding& add(const FindingKind& kind, const profile::RowReading& at, Figures figures = {}) {
    const std::string& name = at.file->subject(*at.row).name;
    const std::string step = name.empty() ? "" : "step \"" + name + '"';
    return found_.emplace_back(Finding{kind, {at.file->source, at.row->line, name_}, std::move(figures), step});
  }

  /// Times of 0 that are no rounding: one finding, at the first.
  void examine_zeros() {
    const auto zero = [](const profile::RowReading& reading) { return reading.value == 0; };
    const auto first = std::find_if(readings_.begin(), readings_.end(), zero);
    if (first == readings_.end()) return;
    std::vector<double> values, sizes;
    for (const profile::RowReading& reading : readings_) {
      values.push_back(reading.value);
      sizes.push_back(sizes_[reading.point]);
    }
    if (rounds_to_zero(values, sizes)) return;
    const auto all = static_cast<std::uint64_t>(std::count_if(readings_.begin(), readings_.end(), zero));
    add(kZero, *first, {{"count", all}, {"all", readings_.size()}});
  }

  /// Three or more times that are all equal, and not 0, although points have different sizes.
  void examine_equal() {
    constexpr std::size_t kFewest = 3;
    const profile::RowReading& first = readings_.front();
    if (readings_.size() < kFewest || first.value == 0) return;
    const auto equal = [&](const profile::RowReading& reading) { return reading.value == first.value; };
    const auto other_size = [&](const profile::RowReading& reading) {
      return sizes_[reading.point] != sizes_[first.point];
    };
    if (std::all_of(readings_.begin(), readings_.end(), equal) &&
        std::any_of(readings_.begin(), readings_.end(), other_size))
      add(kAllEqual, first, {{"all", readings_.size()}});
  }

  /// The rows of one file: a date, else a copied column or a clock.
  void examine_file(std::span<const profile::RowReading> readings) {
    if (readings.front().value > kFirstDate) {
      add(kDate, readings.front(), {{"value", readings.front().value}});
    } else {
      examine_copies(readings);
      examine_growth(readings);
    }
  }

  /// Three or more times that all equal another column of their rows: a metric, a dimension or the iteration. Only in
  /// tables: a profiler may report the same value twice.
  void examine_copies(std::span<const profile::RowReading> readings) {
    constexpr std::size_t kFewest = 3;
    const profile::ProfileTable& file = *readings.front().file;
    const auto same = [&](const profile::RowReading& reading) { return reading.value == readings.front().value; };
    if (file.key == profile::ProfileTable::Key::per_row || readings.size() < kFewest) return;
    const bool all_equal = std::all_of(readings.begin(), readings.end(), same);  // then only a length distinguishes
                                                                                 // rows
    const std::size_t own = file.find(name_).value();
    const auto compare = [&](std::string_view other,
                             const std::function<std::optional<double>(const profile::ProfileRow&)>& of) {
      if (other != name_ &&
          std::ranges::all_of(readings, [&](const profile::RowReading& r) { return of(*r.row) == r.value; }))
        add(kCopiedColumn, readings.front(), {{"column", std::string(other)}});
    };
    for (std::size_t m = 0; m < file.metrics.size(); ++m) {
      if (project::is_phase(file.metrics[m], file.metrics)) continue;  // all of the time, if nothing was waited for
      if (!all_equal && (m > own || !trace::is_time_metric(file.metrics[m])))  // of two identical time columns the
                                                                               // first reports the second
        compare(file.metrics[m], [&](const profile::ProfileRow& row) { return std::optional(file.value(row, m)); });
    }
    for (const trace::Dimension d : trace::kDimensions)
      compare(trace::name_of(d),
              [&](const profile::ProfileRow& row) { return std::optional<double>(file.subject(row).key[d]); });
    if (!all_equal)
      compare("iteration", [](const profile::ProfileRow& row) {
        return std::optional<double>(std::optional<std::uint64_t>(row.iteration));
      });
  }

  /// Times that ascend from row to row like a clock: even if lengths do not, and not in a single jump, which would be
  /// one outlier, nor by the factor of a row in another unit.
  void examine_growth(std::span<const profile::RowReading> readings) {
    const std::size_t fewest = selection_.points.size() == 1 ? 3 : 4;  // rows of one point should be alike
    if (readings.size() < fewest) return;
    std::size_t falls = 0;
    bool grown = false;
    double leap = 0;
    for (std::size_t i = 1; i < readings.size(); ++i) leap = std::max(leap, readings[i].value - readings[i - 1].value);
    std::map<std::size_t, double> first;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const double least = first.emplace(readings[i].point, readings[i].value).first->second;
      grown = grown || readings[i].value - leap > kClockGrowth * least;
      if (i == 0) continue;
      const double before = readings[i - 1].value;
      if (!(readings[i].value > before) || readings[i].value > kImpossible * before) return;
      falls += sizes_[readings[i].point] < sizes_[readings[i - 1].point] ? 1 : 0;
    }
    const bool many = readings.size() >= kManyRows && falls > 1;
    if (many || grown) add(kClock, readings[1]);
  }

  struct Repeats {
    double median;
    bool agree;  ///< more than half of three or more are within kRare of it: of two halves either may be wrong
  };
  std::map<std::size_t, Repeats> by_point() const {
    std::map<std::size_t, std::vector<double>> values;
    for (const profile::RowReading& reading : readings_) values[reading.point].push_back(reading.value);
    std::map<std::size_t, Repeats> repeats;
    for (const auto& [point, own] : values) {
      const double usual = median(own);
      const auto near = std::ranges::count_if(own, [&](double value) { return factor_of(value / usual) < kRare; });
      repeats.emplace(point, Repeats{usual, own.size() >= 3 && 2 * near > std::ssize(own)});
    }
    return repeats;
  }

  /// The number of a point's measurements, the longest of them and the second longest.
  struct Longest {
    std::size_t count = 0;
    double first = 0, second = 0;
  };
  std::map<std::size_t, Longest> longest_by_point() const {
    std::map<std::size_t, Longest> longest;
    for (const profile::RowReading& reading : readings_) {
      Longest& of = longest[reading.point];
      ++of.count;
      of.second = std::max(of.second, std::min(of.first, reading.value));
      of.first = std::max(of.first, reading.value);
    }
    return longest;
  }

  /// The first measurement of each process, if it is the longest of four or more of its point, and at least
  /// kRare times the second longest.
  void examine_first() {
    constexpr std::size_t kFewest = 4;
    const std::map<std::size_t, Longest> longest = longest_by_point();
    const std::vector<std::size_t> processes = profile::processes_of(readings_);
    std::size_t next = 0;  // processes are numbered in the order of their first readings
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      if (processes[i] != next) continue;
      ++next;
      const profile::RowReading& reading = readings_[i];
      const Longest& of = longest.at(reading.point);
      if (of.count < kFewest || reading.value < of.first || reading.value < kRare * of.second) continue;
      slow_first_.insert(&reading);
      add(kSlowFirst, reading,
          {{"value", reading.value},
           {"factor", reading.value / of.second},
           {"count", static_cast<std::uint64_t>(of.count - 1)},
           {"point", selection_.points[reading.point].id}});
    }
  }

  /// A finding if the first time of at least two points, and of half of those measured again, is kStray times their
  /// longest later one in the process, as where every shape is compiled at its first execution. Otherwise
  /// examine_first().
  void examine_first_of_points() {
    using OfProcess = std::pair<std::size_t, std::size_t>;  // process, point
    const std::vector<std::size_t> processes = profile::processes_of(readings_);
    std::map<OfProcess, const profile::RowReading*> first;
    std::map<OfProcess, std::vector<double>> later;
    std::set<std::size_t> again, slow;  // points measured again, and those of them whose first time is slow
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      const OfProcess of{processes[i], readings_[i].point};
      if (first.emplace(of, &readings_[i]).second) continue;
      later[of].push_back(readings_[i].value);
      again.insert(of.second);
    }
    const profile::RowReading* shown = nullptr;
    double factor = 0;
    for (const auto& [of, others] : later) {
      const double longest = *std::ranges::max_element(others);
      if (!(first.at(of)->value > kStray * longest)) continue;
      slow.insert(of.second);
      slow_first_.insert(first.at(of));
      if (shown == nullptr) {
        shown = first.at(of);
        factor = shown->value / longest;
      }
    }
    if (slow.size() < 2 || 2 * slow.size() < again.size()) {
      slow_first_.clear();
      return examine_first();
    }
    add(kSlowFirstOfShapes, *shown,
        {{"value", shown->value},
         {"factor", factor},
         {"point", selection_.points[shown->point].id},
         {"count", static_cast<std::uint64_t>(slow.size())},
         {"all", static_cast<std::uint64_t>(again.size())}});
  }

  /// Measurements that are off the median of their point by kRare or more, if its repeats agree; severe from
  /// kImpossible on. Slow first measurements are not reported again.
  void examine_repeats(const std::map<std::size_t, Repeats>& points) {
    for (const profile::RowReading& reading : readings_) {
      const auto [usual, agree] = points.at(reading.point);
      if (!agree || !(usual > 0 && reading.value > 0)) continue;  // of zeros there is a finding of its own
      const double factor = factor_of(reading.value / usual);
      if (factor < kRare || slow_first_.contains(&reading)) continue;
      const std::string& point = selection_.points[reading.point].id;
      add(kStrayRepeat, reading, {{"value", reading.value}, {"factor", factor}, {"point", point}, {"median", usual}})
          .severe = factor >= kImpossible;
    }
  }

  /// Points whose median is off by kImpossiblePoint or more from the range that at least half of the other points'
  /// medians and sizes allow. Several that are off by kUnits or more are one finding: no pause of a machine hits
  /// several points.
  void examine_points(const std::map<std::size_t, Repeats>& points) {
    constexpr double kUnits = 300;  // units differ by 1,000 or more, and predictions by a small factor
    std::map<std::size_t, double> far = far_points(points);
    std::vector<double> in_other_unit;
    for (const auto& [p, factor] : far)
      if (factor >= kUnits) in_other_unit.push_back(factor);
    if (in_other_unit.size() > 1) {
      const auto first = std::ranges::find_if(far, [](const auto& of) { return of.second >= kUnits; });
      add(kTimesInTwoUnits, farthest_of(first->first, points),
          {{"count", static_cast<std::uint64_t>(in_other_unit.size())}, {"factor", median(in_other_unit)}});
      std::erase_if(far, [](const auto& of) { return of.second >= kUnits; });
    }
    for (const auto& [p, factor] : far) {
      const profile::RowReading& farthest = farthest_of(p, points);
      add(kStrayPoint, farthest, {{"point", selection_.points[p].id}, {"value", farthest.value}, {"factor", factor}});
    }
  }

  /// By point, the factor by which at least half of the others confirm that it is off, if that is kImpossiblePoint or
  /// more.
  std::map<std::size_t, double> far_points(const std::map<std::size_t, Repeats>& points) const {
    std::map<std::size_t, double> far;
    for (const auto& [p, repeats] : points) {
      std::vector<double> factors;
      for (const auto& [q, others] : points)
        if (q != p && sizes_[p] > 0 && sizes_[q] > 0)
          factors.push_back(excess(repeats.median / others.median, sizes_[p] / sizes_[q]));
      if (factors.empty()) continue;
      std::ranges::sort(factors);
      const double factor = factors[(factors.size() - 1) / 2];
      if (factor >= kImpossiblePoint) far.emplace(p, factor);
    }
    return far;
  }

  /// The reading of a stray point that is farthest from the median of the other points' medians.
  const profile::RowReading& farthest_of(std::size_t point, const std::map<std::size_t, Repeats>& points) const {
    std::vector<double> others;
    for (const auto& [q, repeats] : points)
      if (q != point) others.push_back(repeats.median);
    const double usual = median(others);
    const profile::RowReading* farthest = nullptr;
    for (const profile::RowReading& reading : readings_) {
      if (reading.point != point) continue;
      if (farthest == nullptr || factor_of(reading.value / usual) > factor_of(farthest->value / usual))
        farthest = &reading;
    }
    return *farthest;
  }

  /// A finding if times differ from point to point by more than the noise of a measurement, but not as sizes do
  /// (docs/method.md). Only for four points or more whose sizes differ by half. Not for tables of the companion, which
  /// writes lengths and times together, nor for CPU time, which is noise where a batch mostly waits.
  void examine_order() {
    constexpr std::size_t kFewest = 4;
    constexpr double kSizeRange = 1.5, kLeastCorrelation = 0.3, kLeastNoise = 0.06;
    if (name_ == "cpu_s" || !readings_.front().file->selections.empty()) return;
    std::map<std::size_t, std::vector<double>> by_point;
    for (const profile::RowReading& reading : readings_) by_point[reading.point].push_back(reading.value);
    std::vector<double> times, sizes;
    double squares = 0, degrees = 0;
    for (const auto& [point, values] : by_point) {
      const double usual = mean(values);
      if (!(usual > 0)) return;
      times.push_back(usual);
      sizes.push_back(sizes_[point]);
      for (const double value : values) squares += std::pow(value / usual - 1, 2);
      degrees += static_cast<double>(values.size()) - 1;
    }
    if (times.size() < kFewest || std::ranges::max(sizes) < kSizeRange * std::ranges::min(sizes)) return;
    const double noise = std::max(kLeastNoise, degrees > 0 ? std::sqrt(squares / degrees) : 0);
    const double spread = deviation_of(times) / mean(times), correlation = rank_correlation(sizes, times);
    const double beyond_noise = 1 + 4 / std::sqrt(static_cast<double>(times.size()));
    if (correlation >= kLeastCorrelation || spread <= beyond_noise * noise) return;
    add(kTimesOfOtherLengths, readings_.front(),
        {{"count", static_cast<std::uint64_t>(times.size())}, {"spread", 100 * spread}, {"correlation", correlation}});
  }

  std::string name_;
  std::vector<profile::RowReading> readings_;  ///< at least one
  const select::Selection& selection_;
  std::vector<Finding>& found_;
  std::vector<double> sizes_;                          ///< by point
  std::set<const profile::RowReading*> slow_first_{};  ///< slow first measurements, in readings_
};

}  // namespace

std::vector<Finding> findings_about_times(const profile::Measurements& measured,
                                          std::span<const profile::ProfileTable> files,
                                          const select::Selection& selection) {
  std::vector<Finding> found;
  for (const std::string& metric : measured.metrics) {
    if (!trace::is_time_metric(metric) || project::is_phase(metric, measured.metrics)) continue;
    std::vector<profile::RowReading> readings = profile::readings_of(metric, measured, files);
    if (!readings.empty()) TimeColumn(metric, std::move(readings), selection, found).examine();
  }
  return found;
}

}  // namespace seqpoint::findings
