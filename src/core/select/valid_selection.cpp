// What a selection says of itself has to add up.
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>

#include "core/trace/phases.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::select {
namespace {

/// The shortest text that reads back as the same number.
std::string text_of(const Weight& weight) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), weight.iterations());
  return {text.data(), written.ptr};
}

/// Each check names the key of the artefact that is to blame.
class SelectionCheck {
 public:
  SelectionCheck(const Selection& selection, const std::string& source)
      : selection_(selection),
        points_(selection.points),
        run_(selection.run),
        repeats_(selection.method.repeats),
        source_(source) {}

  void run() const {
    if (points_.empty()) refuse("points", "is empty");
    require_unique_ids();
    std::vector<ByLength> lengths;
    for (std::size_t r = 0; r <= selection_.further.size(); ++r) {
      require_complete_run(r);
      require_complete_weight(r);
      lengths.push_back(signatures_by_length(run_of(selection_, r)));
    }
    require_unique_iterations();
    for (std::size_t p = 0; p < points_.size(); ++p)
      require_valid_point(points_[p], lengths, "points[" + std::to_string(p) + "]");
    require_right_measurements();
  }

 private:
  using ByLength = std::multimap<std::uint64_t, const trace::SignatureCount*>;

  [[noreturn]] void refuse(const std::string& key, const std::string& problem) const {
    throw InputError({source_, 0, key}, problem, "make the file anew with `seqpoint select`");
  }

  /// Where a run has its keys.
  static std::string key_of_run(std::size_t r) {
    return r == 0 ? "run" : "further_runs[" + std::to_string(r - 1) + "].run";
  }

  void require_complete_run(std::size_t r) const {
    const trace::RunSummary& run = run_of(selection_, r);
    const std::string key = key_of_run(r);
    if (run.iterations == 0) refuse(key + ".iterations", "is 0");
    if (run.epochs == 0) refuse(key + ".epochs", "is 0");
    if (std::adjacent_find(run.phases.begin(), run.phases.end(), std::greater_equal<>()) != run.phases.end())
      refuse(key + ".phases", "is not ascending");
    if (!run.phases.empty() && !selection_.further.empty())
      refuse(key + ".phases", "is there, but points of several runs have no phases");
    if (run.kind != run_.kind) refuse(key + ".signature", "is not that of run.signature");
    std::uint64_t sum = 0;
    for (const trace::SignatureCount& entry : run.histogram) sum += entry.count;
    if (sum != run.iterations)
      refuse(key + ".histogram", "the counts add up to " + std::to_string(sum) + ", but " + key + ".iterations is " +
                                     std::to_string(run.iterations));
  }

  void require_unique_ids() const {
    std::vector<std::string> ids;
    for (const Point& point : points_) ids.push_back(point.id);
    std::sort(ids.begin(), ids.end());
    const auto twice = std::adjacent_find(ids.begin(), ids.end());
    if (twice != ids.end()) refuse("points", "two points have the id '" + *twice + "'");
  }

  void require_complete_weight(std::size_t r) const {
    Weight sum;
    for (std::size_t p = 0; p < points_.size(); ++p) sum.millionths += weight_of(selection_, p, r).millionths;
    const std::uint64_t iterations = run_of(selection_, r).iterations;
    if (sum.millionths != static_cast<std::int64_t>(iterations) * Weight::kUnit)
      refuse(r == 0 ? "points" : "further_runs[" + std::to_string(r - 1) + "].weights",
             "the weights add up to " + text_of(sum) + ", but " + key_of_run(r) + ".iterations is " +
                 std::to_string(iterations));
  }

  /// An iteration of a run has one signature, and so one point.
  void require_unique_iterations() const {
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> listed;
    for (std::size_t p = 0; p < points_.size(); ++p)
      for (const std::uint64_t iteration : points_[p].iterations)
        if (const auto [at, is_new] = listed.emplace(std::pair(points_[p].run, iteration), p); !is_new)
          refuse("points[" + std::to_string(p) + "].iterations",
                 "iteration " + std::to_string(iteration) + " stands at " + points_[at->second].id + " already");
  }

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
    const std::uint64_t sessions = repeats_->sessions.value_or(1);
    if (sessions == 0) refuse("method.repeats.sessions", "is 0");
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (points_[p].repeats < sessions)
        refuse("points[" + std::to_string(p) + "].repeats", "is " + std::to_string(points_[p].repeats) +
                                                                ", fewer than the processes of " +
                                                                "method.repeats.sessions, " + std::to_string(sessions));
  }

  static ByLength signatures_by_length(const trace::RunSummary& run) {
    ByLength found;
    for (const trace::SignatureCount& entry : run.histogram) found.emplace(entry.signature.length(), &entry);
    return found;
  }

  /// How many iterations of a run measure a point.
  static std::uint64_t occurrences_of(const Point& point, const ByLength& signatures) {
    std::uint64_t occurrences = 0;
    const auto [begin, end] = signatures.equal_range(point.signature.length());
    for (auto entry = begin; entry != end; ++entry)
      if (point.matches(entry->second->signature)) occurrences += entry->second->count;
    return occurrences;
  }

  static bool has(const ByLength& signatures, const trace::Signature& signature) {
    const auto [begin, end] = signatures.equal_range(signature.length());
    return std::any_of(begin, end, [&](const auto& entry) { return entry.second->signature == signature; });
  }

  /// The run may number its iterations as it likes, so only phases show where they lie.
  void require_valid_point(const Point& point, std::span<const ByLength> runs, const std::string& key) const {
    if (point.repeats == 0) refuse(key + ".repeats", "is 0");
    if (point.iterations.empty()) refuse(key + ".iterations", "is empty");
    if (point.run >= runs.size()) refuse(key + ".run", "is no run: there are " + std::to_string(runs.size()));
    const std::uint64_t occurrences = occurrences_of(point, runs[point.run]);
    const std::string histogram = key_of_run(point.run) + ".histogram";
    if (!has(runs[point.run], point.signature)) refuse(key, "matches no signature of " + histogram);
    if (point.length_group && *point.length_group != point.signature.length())
      refuse(key + ".length_group", "is not the length of the point's signature");
    if (point.iterations.size() > occurrences)
      refuse(key + ".iterations", "has " + std::to_string(point.iterations.size()) + ", but " + histogram + " has " +
                                      std::to_string(occurrences) + " of its signature");
    for (const trace::Signature& alternate : point.alternates)
      if (std::ranges::none_of(runs, [&](const ByLength& run) { return has(run, alternate); }))
        refuse(key + ".alternates", text_of(run_.kind, alternate) + " is no signature of run.histogram");
    for (const std::uint64_t iteration : point.iterations)
      if (!run_.phases.empty() && trace::phase_of(run_, iteration) != point.phase)
        refuse(key + ".iterations", "iteration " + std::to_string(iteration) + " is not in the point's phase");
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
