#include "core/findings/rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/findings.hpp"
#include "core/findings/checks.hpp"
#include "core/numbers.hpp"
#include "core/project/time_parts.hpp"

namespace seqpoint::findings {
namespace {

/// Neighbours on either side: enough for a median, and few enough to have nearly one size.
constexpr std::size_t kNeighbours = 4;

/// The times of a run's iterations. Each kind of finding is reported once, at the first iteration that shows it;
/// outliers at the worst.
class RunTimes {
 public:
  RunTimes(const trace::Trace& run, const trace::Metric& times, const std::string& source)
      : run_(run), times_(times), source_(source) {
    for (std::size_t i = 0; i < times.values.size(); ++i)
      if (std::isfinite(times.values[i])) measured_.push_back(static_cast<std::uint32_t>(i));
  }

  /// All findings. Only times without an impossible one are searched for outliers
  /// and a trend; units are always compared.
  std::vector<Finding> examine() {
    if (measured_.empty()) return {};
    examine_zeros();
    if (value(measured_.front()) > kFirstDate) {
      add(kDate, measured_.front(), {{"value", value(measured_.front())}});
    } else if (!all_equal()) {
      examine_copies();
      examine_growth();
    }
    if (found_.empty()) {  // an impossible time is not also reported as an outlier
      examine_strays();
      examine_order();
    }
    for (Finding& finding : findings_about_units(run_, times_, source_)) found_.push_back(std::move(finding));
    return std::move(found_);
  }

 private:
  double value(std::size_t i) const { return times_.values[i]; }
  /// Padded tokens of the iteration at position i.
  double size(std::size_t i) const { return static_cast<double>(run_.shapes[i].padded_tokens()); }

  Finding& add(const FindingKind& kind, std::size_t i, Figures figures = {}) {
    return found_.emplace_back(Finding{
        kind, {source_, 0, times_.name}, std::move(figures), "iteration " + std::to_string(run_.iteration_number(i))});
  }

  /// Times of 0 that are no rounding: one finding, at the first.
  void examine_zeros() {
    const auto zero = [&](std::size_t i) { return value(i) == 0; };
    const auto first = std::ranges::find_if(measured_, zero);
    if (first == measured_.end()) return;
    std::vector<double> values, sizes;
    for (const std::size_t i : measured_) {
      values.push_back(value(i));
      sizes.push_back(size(i));
    }
    if (rounds_to_zero(values, sizes)) return;
    const auto count = static_cast<std::uint64_t>(std::ranges::count_if(measured_, zero));
    add(kZero, *first, {{"count", count}, {"all", measured_.size()}});
  }

  /// Whether kManyRows times or more are all equal. Adds a finding, unless they are 0 or, at one length, have few
  /// digits: a coarse clock gives equal times there.
  bool all_equal() {
    const std::size_t first = measured_.front();
    const auto other_size = [&](std::size_t i) { return size(i) != size(first); };
    if (measured_.size() < kManyRows ||
        !std::ranges::all_of(measured_, [&](std::size_t i) { return value(i) == value(first); }))
      return false;
    const bool sizes = std::ranges::any_of(measured_, other_size);
    if (value(first) != 0 && (sizes || has_fine_digits(value(first))))
      add(sizes ? kAllEqual : kAllEqualAtALength, first, {{"all", measured_.size()}});
    return true;
  }

  /// Reports a column that equals the times in every measured iteration, of which there are kManyRows or more. `of`:
  /// its value at a position.
  template <class Of>
  void compare(std::string_view column, const Of& of) {
    if (measured_.size() >= kManyRows &&
        std::ranges::all_of(measured_, [&](std::size_t i) { return of(i) == value(i); }))
      add(kCopiedColumn, measured_.front(), {{"column", std::string(column)}});
  }

  /// Times that equal a dimension, the iteration or another metric.
  void examine_copies() {
    for (const trace::Dimension d : trace::dimensions_of(run_.kind))
      compare(trace::name_of(d), [&](std::size_t i) { return static_cast<double>(run_.shapes[i][d]); });
    compare("iteration", [&](std::size_t i) { return static_cast<double>(run_.iteration_number(i)); });
    bool behind = false;
    std::vector<std::string> names;
    for (const trace::Metric& metric : run_.metrics) names.push_back(metric.name);
    for (const trace::Metric& other : run_.metrics) {
      if (project::is_phase(other.name, names)) continue;  // all of the time, if nothing was waited for
      if (behind || !trace::is_time_metric(other.name))    // of two identical time columns the first reports the second
        if (other.name != times_.name) compare(other.name, [&](std::size_t i) { return other.values[i]; });
      behind = behind || other.name == times_.name;
    }
  }

  /// Times that ascend from each iteration to the next like a clock: even if lengths do not.
  void examine_growth() {
    constexpr std::size_t kFewest = 4;
    if (measured_.size() < kFewest) return;
    std::size_t falls = 0;
    bool grown = false;
    std::map<trace::Shape, double> first;
    for (std::size_t m = 0; m < measured_.size(); ++m) {
      const std::size_t i = measured_[m];
      if (m > 0 && !(value(i) > value(measured_[m - 1]))) return;
      if (m > 0 && size(i) < size(measured_[m - 1])) ++falls;
      grown = grown || value(i) > kClockGrowth * first.emplace(run_.shapes[i], value(i)).first->second;
    }
    if (grown || (measured_.size() >= kManyRows && falls > 1)) add(kClock, measured_[1]);
  }

  /// The factor by which an iteration differs from at least half of its up to 8 neighbours in size, beyond what their
  /// sizes allow; 0 if it is below kStray. `at`: position in `by_size`.
  double stray(const std::vector<std::size_t>& by_size, std::size_t at) const {
    const std::size_t last = by_size.size() - 1, width = std::min(2 * kNeighbours, last);
    const std::size_t begin = std::min(at - std::min(at, kNeighbours), last - width);
    const double own = value(by_size[at]);
    std::size_t alike = 0;  // if these suffice, sizes are not needed
    for (std::size_t k = begin; k <= begin + width; ++k)
      if (const double other = value(by_size[k]); k != at && own < kStray * other && other < kStray * own) ++alike;
    if (2 * alike > width) return 0;
    std::vector<double> factors;
    for (std::size_t k = begin; k <= begin + width; ++k)
      if (k != at) factors.push_back(excess(own / value(by_size[k]), size(by_size[at]) / size(by_size[k])));
    const auto half = factors.begin() + static_cast<std::ptrdiff_t>((factors.size() - 1) / 2);
    std::nth_element(factors.begin(), half, factors.end());
    return *half >= kStray ? *half : 0;
  }

  /// Measured iterations by size, ascending, ties in their order; without those of size 0 or time 0.
  std::vector<std::size_t> measured_by_size() const {
    std::vector<std::pair<double, std::size_t>> sizes;
    for (const std::size_t i : measured_)
      if (size(i) > 0 && value(i) > 0) sizes.emplace_back(size(i), i);
    std::ranges::sort(sizes);
    std::vector<std::size_t> by_size;
    for (const auto& [of, i] : sizes) by_size.push_back(i);
    return by_size;
  }

  /// Times to compare in their order: a shape's first execution may take longer, so if the shape occurs again, the
  /// first is left out.
  std::vector<OrderedTime> ordered_times() const {
    std::map<trace::Shape, std::size_t> counts, shapes;
    for (const std::size_t i : measured_) ++counts[run_.shapes[i]];
    std::vector<OrderedTime> times;
    for (const std::size_t i : measured_) {
      const auto [shape, is_new] = shapes.try_emplace(run_.shapes[i], shapes.size());
      if (value(i) > 0 && size(i) > 0 && !(is_new && counts[run_.shapes[i]] > 1))
        times.push_back({shape->second, size(i), value(i)});
    }
    return times;
  }

  /// Reports a trend of the costs.
  void examine_order() {
    if (const std::optional<Trend> trend = trend_of(ordered_times()))
      found_.push_back(finding_about(*trend, {source_, 0, times_.name}));
  }

  /// Reports outliers at the worst of them, with their number; severe if it is off by kImpossible or more.
  void examine_strays() {
    const std::vector<std::size_t> by_size = measured_by_size();
    if (by_size.size() <= kNeighbours) return;
    std::size_t worst = 0;
    std::uint64_t strays = 0;
    double most = 0;
    for (std::size_t k = 0; k < by_size.size(); ++k) {
      const double factor = stray(by_size, k);
      strays += factor > 0 ? 1 : 0;
      if (factor > most) worst = by_size[k];
      most = std::max(most, factor);
    }
    if (strays == 0) return;
    add(strays > 1 ? kStrayIterations : kStrayIteration, worst,
        {{"value", value(worst)}, {"factor", most}, {"count", strays}})
        .severe = most >= kImpossible;
  }

  const trace::Trace& run_;
  const trace::Metric& times_;
  const std::string& source_;
  std::vector<std::uint32_t> measured_;  ///< positions in the run
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> findings_about(const trace::Trace& run, const trace::Metric& times, const std::string& source) {
  if (!trace::is_time_metric(times.name)) return {};
  return RunTimes(run, times, source).examine();
}

bool rounds_to_zero(std::span<const double> times, std::span<const double> sizes) {
  constexpr double kFinest = 1e-9;
  double least = std::numeric_limits<double>::infinity();
  std::set<double> with_zero;  // sizes
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] > 0) least = std::min(least, times[i]);
    if (times[i] == 0) with_zero.insert(sizes[i]);
  }
  // The tick is a power of ten: `least` itself, or no time is a single tick.
  const double tick = std::pow(10, std::round(std::log10(least)));
  if (!(tick >= kFinest) || !std::isfinite(tick) || std::round(least / tick) != 1) return false;
  std::size_t single = 0, longer = 0;  // times of a size that also has 0, in ticks
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double ticks = times[i] / tick;
    if (std::abs(ticks - std::round(ticks)) >= 1e-6) return false;
    if (times[i] > 0 && with_zero.contains(sizes[i])) ++(std::round(ticks) == 1 ? single : longer);
  }
  return longer == 0 || longer < single;
}

namespace {

/// Whether two runs have the same times, in order and to the last digit. False if clocks are so coarse that this may be
/// chance.
bool same_times(const trace::Metric& a, const trace::Metric& b) {
  const auto equal = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return std::ranges::equal(a.values, b.values, equal) &&
         std::ranges::any_of(a.values, [](double time) { return has_fine_digits(time); });
}

/// The median over iterations, by position, of the ratio of the first run's time to the second's, if both are above 0;
/// 1 if none can be compared.
double time_ratio(const trace::Metric& a, const trace::Metric& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.values.size(), b.values.size()); ++i)
    if (a.values[i] > 0 && b.values[i] > 0) ratios.push_back(a.values[i] / b.values[i]);
  return ratios.empty() ? 1 : median(std::move(ratios));
}

/// That run `r` has the same times as an earlier one, or else apparently another unit than the first.
std::vector<Finding> findings_beside(std::span<const trace::NamedTrace> runs, std::size_t r,
                                     const trace::Metric& times) {
  const trace::NamedTrace& here = runs[r];
  for (const trace::NamedTrace& other : runs.first(r)) {
    const trace::Metric* const others = other.trace.find_metric(times.name);
    if (others == nullptr || !same_times(times, *others)) continue;
    return {{.kind = kSameTimes,
             .place = {here.source},
             .figures = {{"metric", times.name}, {"other", other.name}, {"other_file", other.source}},
             .subject = here.name}};
  }
  const trace::Metric* const first = r == 0 ? nullptr : runs.front().trace.find_metric(times.name);
  const double factor = first == nullptr ? 1 : factor_of(time_ratio(times, *first));
  if (factor < kUnitFactor) return {};
  return {{.kind = kTraceInOtherUnit,
           .place = {here.source},
           .figures = {{"metric", times.name}, {"other", runs.front().name}, {"factor", factor}},
           .subject = here.name}};
}

}  // namespace

std::vector<Finding> findings_about(std::span<const trace::NamedTrace> runs, std::size_t r, const std::string& metric) {
  const trace::NamedTrace& run = runs[r];
  const trace::Metric* const times = trace::is_time_metric(metric) ? run.trace.find_metric(metric) : nullptr;
  if (times == nullptr) return {};
  std::vector<Finding> found = findings_beside(runs, r, *times);
  for (Finding& finding : findings_about(run.trace, *times, run.source)) {
    finding.subject = run.name;
    found.push_back(std::move(finding));
  }
  return found;
}

}  // namespace seqpoint::findings
