#include "io/profiles/engine/iteration_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

using profile::IterationSpan;

/// A line, and the one before it of the same rank and attempt; null where it is the first.
struct Place {
  const LogLine *line, *before;
  std::uint64_t attempt;       ///< how often the rank's iterations began again
  std::uint64_t interval = 0;  ///< iterations from line to line there; 0: not known

  /// Iterations since the line before, or since the run's first.
  std::uint64_t distance() const { return before != nullptr ? line->number - before->number : line->number + 1; }
};

class IterationLog {
 public:
  IterationLog(LogClock clock, bool whole_seconds, profile::StepProfile& profile)
      : clock_(clock), whole_seconds_(whole_seconds), profile_(profile) {}

  void add(const std::vector<LogLine>& lines) {
    std::vector<Place> places = in_attempts(lines);
    set_intervals(places);
    for (const Place& place : places) add_step(place);
    profile_.facts.emplace_back("iteration_lines", static_cast<std::int64_t>(lines.size()));
    tell();
  }

 private:
  /// For each line the least distance of those up to it, and at least of the first three: fewer may all have lost lines
  /// in them. Empty: there are fewer.
  static std::vector<std::uint64_t> least_up_to(std::span<const std::uint64_t> distances) {
    constexpr std::size_t kEnough = 3;
    std::vector<std::uint64_t> least;
    std::uint64_t now = UINT64_MAX;
    for (std::size_t l = 0, known = 0; l < distances.size(); ++l) {
      now = distances[l] > 0 ? std::min(now, distances[l]) : now;
      known += distances[l] > 0 ? 1 : 0;
      if (known >= kEnough) least.resize(l + 1, now);
    }
    return least;
  }

  /// Lines may be lost, so that the least distance between two is the interval; but a job that goes on may log at
  /// another. So it is the least up to a line or from it on, whichever is more.
  static void set_intervals(std::vector<Place>& places) {
    std::vector<std::uint64_t> distances;  // 0: none
    for (const Place& place : places) distances.push_back(place.before != nullptr ? place.distance() : 0);
    std::uint64_t all = UINT64_MAX;
    for (const std::uint64_t distance : distances) all = distance > 0 ? std::min(all, distance) : all;
    if (all == UINT64_MAX) return;
    const std::vector<std::uint64_t> up_to = least_up_to(distances);
    std::ranges::reverse(distances);
    std::vector<std::uint64_t> from = least_up_to(distances);
    std::ranges::reverse(from);
    std::uint64_t next = all;  // of the next line that has one before it: a first line's own distance is none
    for (std::size_t p = places.size(); p-- > 0;) {
      if (places[p].before != nullptr) next = up_to.empty() ? all : std::max(up_to[p], from[p]);
      places[p].interval = next;
    }
  }

  bool begins_again(const LogLine& line, const LogLine& before) const {
    return line.number < before.number || (clock_ == LogClock::since_start && line.ns < before.ns);
  }

  /// A line that repeats the number of the one before it is of the same iterations; what a clock says there is later.
  std::vector<Place> in_attempts(const std::vector<LogLine>& lines) {
    std::map<std::optional<std::uint64_t>, Place> last;
    std::vector<Place> places;
    for (const LogLine& line : lines) {
      const auto [at, is_first] = last.try_emplace(line.rank, Place{&line, nullptr, 0});
      Place& place = at->second;
      if (!is_first && begins_again(line, *place.line)) {
        if (place.attempt == restarts_.size()) restarts_.emplace_back(&line, place.line);
        place = {&line, nullptr, place.attempt + 1};
      } else if (!is_first && line.number > place.line->number) {
        place = {&line, place.line, place.attempt};
      } else if (!is_first && clock_ == LogClock::since_start) {
        continue;
      }
      places.push_back({&line, place.before, place.attempt});
    }
    ranks_ = last.size();
    return places;
  }

  /// Nothing: no line before it, or none at all, says how many iterations it is of.
  std::optional<IterationSpan> span_of(const Place& place) const {
    const std::uint64_t number = place.line->number;
    if (clock_ == LogClock::iteration) return IterationSpan{number, number};
    if (clock_ == LogClock::total) return IterationSpan{0, number};
    if (clock_ == LogClock::since_start && place.before == nullptr) return std::nullopt;
    const std::uint64_t count = clock_ == LogClock::mean ? logging_interval(place) : place.distance();
    if (count == 0) return std::nullopt;
    return IterationSpan{number - count + 1, number};
  }

  /// How many iterations a line is the mean of; 0: it does not tell.
  static std::uint64_t logging_interval(const Place& place) {
    const std::uint64_t distance = place.distance();
    return place.interval > 0 ? std::min(distance, place.interval) : distance == 1 ? 1 : 0;
  }

  void add_step(const Place& place) {
    const std::optional<IterationSpan> span = span_of(place);
    if (!span) return ++without_span_, void();
    const std::uint64_t count = span->last - span->first + 1;
    const std::int64_t ns = clock_ == LogClock::since_start
                                ? (place.line->ns - place.before->ns) / static_cast<std::int64_t>(count)
                                : place.line->ns;
    const auto [at, is_new] = steps_.try_emplace({place.attempt, span->last}, profile_.steps.size());
    if (!is_new) {
      profile::ProfiledStep& known = profile_.steps[at->second];
      known.host_ns = std::max(*known.host_ns, ns);
      ++merged_;
      return;
    }
    profile::ProfiledStep step;
    step.line = place.line->line;
    step.host_ns = ns;
    step.repeats = count;
    step.iterations = *span;
    step.key = fmt::format("iterations {} to {}", span->first, span->last);
    if (count == 1 && !whole_seconds_) {
      step.key = fmt::format("iteration {}", span->last);
      step.identity.iteration = span->last;
      step.identity.key.tokens = place.line->tokens;
    }
    profile_.steps.push_back(std::move(step));
  }

  void tell() {
    const std::string& source = profile_.source;
    if (!restarts_.empty()) {
      const auto [line, before] = restarts_.front();
      profile_.facts.emplace_back("restarts", static_cast<std::int64_t>(restarts_.size()));
      profile_.notes.push_back(
          fmt::format("{}{}: iteration {} follows {}: the job began again{}, and what ran twice is there twice", source,
                      line->line > 0 ? ":" + std::to_string(line->line) : "", line->number, before->number,
                      restarts_.size() > 1 ? fmt::format(", {} times in all", restarts_.size()) : ""));
    }
    if (clock_ == LogClock::mean && without_span_ > 0)
      profile_.notes.push_back(
          fmt::format("{}: {} left out: a single line does not say how many iterations its mean is of", source,
                      counted(without_span_, "line")));
    if (ranks_ <= 1 && merged_ > 0)
      profile_.notes.push_back(fmt::format("{}: {} of an iteration that has one: the slowest counts", source,
                                           counted(merged_, "more line")));
    if (ranks_ > 1)
      profile_.notes.push_back(
          fmt::format("{}: lines of {} ranks: an iteration is as long as the slowest rank's", source, ranks_));
    if (clock_ == LogClock::since_start && !profile_.steps.empty())
      profile_.notes.push_back(source +
                               ": times are differences of a clock: what ran between two lines (validation, "
                               "checkpoints) is in them, and what ran before the first line is not");
  }

  LogClock clock_;
  bool whole_seconds_;
  profile::StepProfile& profile_;
  std::size_t ranks_ = 0, merged_ = 0, without_span_ = 0;
  std::vector<std::pair<const LogLine*, const LogLine*>> restarts_;       ///< first lines, and those before them
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> steps_;  ///< by attempt and last iteration
};

}  // namespace

void add_steps(const std::vector<LogLine>& lines, LogClock clock, bool whole_seconds, profile::StepProfile& profile) {
  profile.of_log = true;
  IterationLog(clock, whole_seconds, profile).add(lines);
}

}  // namespace seqpoint::io::profiles::engine
