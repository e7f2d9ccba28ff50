// Checks that a selection does not contradict itself. What the file's schema rules out is not looked at again.
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>

#include "core/select/select.hpp"
#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select {
namespace {

/// The shortest text that reads back as the same number.
std::string text_of(const Weight& weight) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), weight.iterations());
  return {text.data(), written.ptr};
}

/// Each check names the wrong key of the output file.
class SelectionCheck {
 public:
  SelectionCheck(const Selection& selection, const std::string& source)
      : selection_(selection),
        points_(selection.points),
        run_(selection.run),
        repeats_(selection.method.repeats),
        source_(source) {}

  void run() const {
    require_unique_ids();
    require_complete_run();
    require_complete_weight();
    require_unique_iterations();
    const ByLength lengths = shapes_by_length(run_);
    for (std::size_t p = 0; p < points_.size(); ++p)
      require_valid_point(points_[p], lengths, "points[" + std::to_string(p) + "]");
    require_valid_batches(selection_.warmup, lengths, "warmup");
    require_valid_batches(selection_.largest, lengths, "largest");
    require_right_measurements();
  }

 private:
  using ByLength = std::multimap<std::uint64_t, const trace::ShapeCount*>;

  /// Throws an InputError at this key of the file.
  [[noreturn]] void refuse(const std::string& key, const std::string& problem) const {
    throw InputError({source_, 0, key}, problem, "make the file anew with `seqpoint select`");
  }

  /// The run's phases ascend, and the counts of its histogram add up to the iterations.
  void require_complete_run() const {
    if (std::adjacent_find(run_.phases.begin(), run_.phases.end(), std::greater_equal<>()) != run_.phases.end())
      refuse("run.phases", "is not ascending");
    std::uint64_t sum = 0;
    for (const trace::ShapeCount& entry : run_.histogram) sum += entry.count;
    if (sum != run_.iterations)
      refuse("run.histogram", "the counts add up to " + std::to_string(sum) + ", but run.iterations is " +
                                  std::to_string(run_.iterations));
  }

  void require_unique_ids() const {
    std::vector<std::string> ids;
    for (const Point& point : points_) ids.push_back(point.id);
    std::sort(ids.begin(), ids.end());
    const auto twice = std::adjacent_find(ids.begin(), ids.end());
    if (twice != ids.end()) refuse("points", "two points have the id '" + *twice + "'");
  }

  void require_complete_weight() const {
    Weight sum;
    for (const Point& point : points_) sum.millionths += point.weight.millionths;
    if (sum.millionths != static_cast<std::int64_t>(run_.iterations) * Weight::kUnit)
      refuse("points",
             "the weights add up to " + text_of(sum) + ", but run.iterations is " + std::to_string(run_.iterations));
  }

  /// An iteration of a run has one shape, and so one point.
  void require_unique_iterations() const {
    std::map<std::uint64_t, std::size_t> listed;
    for (std::size_t p = 0; p < points_.size(); ++p)
      for (const std::uint64_t iteration : points_[p].iterations)
        if (const auto [at, is_new] = listed.emplace(iteration, p); !is_new)
          refuse("points[" + std::to_string(p) + "].iterations",
                 "iteration " + std::to_string(iteration) + " stands at " + points_[at->second].id + " already");
  }

  /// If repeats were advised: those of the points suffice for the processes, and add up to the measurements.
  void require_right_measurements() const {
    if (!repeats_) return;
    require_enough_repeats();
    std::uint64_t sum = 0;
    for (const Point& point : points_) sum += point.repeats;
    if (sum != repeats_->measurements)
      refuse("method.repeats.measurements", "is " + std::to_string(repeats_->measurements) +
                                                ", but the repeats of the points add up to " + std::to_string(sum));
  }

  /// Every process measures every point.
  void require_enough_repeats() const {
    const std::uint64_t processes = repeats_->processes.value_or(1);
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (points_[p].repeats < processes)
        refuse("points[" + std::to_string(p) + "].repeats",
               "is " + std::to_string(points_[p].repeats) + ", fewer than the processes of " +
                   "method.repeats.processes, " + std::to_string(processes));
  }

  static ByLength shapes_by_length(const trace::RunSummary& run) {
    ByLength found;
    for (const trace::ShapeCount& entry : run.histogram) found.emplace(entry.shape.length(), &entry);
    return found;
  }

  /// How many iterations of a run measure a point.
  static std::uint64_t occurrences_of(const Point& point, const ByLength& shapes) {
    std::uint64_t occurrences = 0;
    const auto [begin, end] = shapes.equal_range(point.shape.length());
    for (auto entry = begin; entry != end; ++entry)
      if (point.matches(entry->second->shape)) occurrences += entry->second->count;
    return occurrences;
  }

  static bool has(const ByLength& shapes, const trace::Shape& shape) {
    const auto [begin, end] = shapes.equal_range(shape.length());
    return std::any_of(begin, end, [&](const auto& entry) { return entry.second->shape == shape; });
  }

  /// Checks one point, at `key` of the file; `run`: the histogram. The run may use any iteration numbers, so only
  /// phases determine their position.
  void require_valid_point(const Point& point, const ByLength& run, const std::string& key) const {
    const std::uint64_t occurrences = occurrences_of(point, run);
    if (!has(run, point.shape)) refuse(key, "matches no shape of run.histogram");
    if (point.length_group && *point.length_group != point.shape.length())
      refuse(key + ".length_group", "is not the length of the point's shape");
    if (point.iterations.size() > occurrences)
      refuse(key + ".iterations", "has " + std::to_string(point.iterations.size()) + ", but run.histogram has " +
                                      std::to_string(occurrences) + " of its shape");
    require_valid_rows(point, key);
    for (const std::uint64_t iteration : point.iterations)
      if (!run_.phases.empty() && trace::phase_of(run_, iteration) != point.phase)
        refuse(key + ".iterations", "iteration " + std::to_string(iteration) + " is not in the point's phase");
  }

  /// Rows, if known, cover every iteration, and ranks cover every list of rows.
  void require_valid_rows(const Point& point, const std::string& key) const {
    if (!point.samples.empty() && point.samples.size() != point.iterations.size())
      refuse(key + ".samples", "are not as many as the iterations");
    if (!point.ranks.empty() && point.ranks.size() != point.samples.size())
      refuse(key + ".rank_ends", "are not as many as the samples");
    for (std::size_t i = 0; i < point.ranks.size(); ++i)
      require_valid_ranks(point.ranks[i], point.samples[i].size(), key + ".rank_ends");
  }

  /// Throws InputError at `key` unless ends ascend (equal ones are ranks without rows), the last one is the number of
  /// rows, and the rank with the most work, if known, exists. Without ends nothing is checked.
  void require_valid_ranks(const RankRows& ranks, std::size_t rows, const std::string& key) const {
    if (ranks.ends.empty()) return;
    if (!std::ranges::is_sorted(ranks.ends) || ranks.ends.back() != rows)
      refuse(key, "do not cut the samples into one part for each rank");
    if (ranks.heaviest && *ranks.heaviest >= ranks.ends.size()) refuse(key, "has fewer ranks than the heaviest one");
  }

  void require_valid_batches(const std::vector<RunBatch>& batches, const ByLength& run, const std::string& key) const {
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const std::string at = key + "[" + std::to_string(b) + "]";
      if (!has(run, batches[b].shape)) refuse(at, "matches no shape of run.histogram");
      require_valid_ranks(batches[b].ranks, batches[b].rows.size(), at + ".rank_ends");
    }
  }

  const Selection& selection_;
  const std::vector<Point>& points_;
  const trace::RunSummary& run_;
  const std::optional<RepeatsRecord>& repeats_;
  const std::string& source_;
};

}  // namespace

void require_valid(const Selection& selection, const std::string& source) { SelectionCheck(selection, source).run(); }

}  // namespace seqpoint::select
