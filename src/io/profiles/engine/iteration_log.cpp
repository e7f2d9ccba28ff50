#include "io/profiles/engine/iteration_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

using profile::IterationSpan;

/// A line, and the one before it of the same rank and attempt; null where it is the first.
struct Place {
  const LogLine *line, *before;
  std::uint64_t attempt;  ///< how often the rank's iterations began again
};

class IterationLog {
 public:
  IterationLog(LogClock clock, bool whole_seconds, profile::StepProfile& profile)
      : clock_(clock), whole_seconds_(whole_seconds), profile_(profile) {}

  void add(const std::vector<LogLine>& lines) {
    const std::vector<Place> places = in_attempts(lines);
    for (const Place& place : places)
      if (place.before != nullptr) stride_ = std::min(stride_, place.line->number - place.before->number);
    for (const Place& place : places) add_step(place);
    profile_.facts.emplace_back("iteration_lines", static_cast<std::int64_t>(lines.size()));
    tell();
  }

 private:
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
    if (clock_ == LogClock::mean && stride_ == UINT64_MAX && number > 0) return std::nullopt;
    std::uint64_t count = place.before != nullptr ? number - place.before->number : number + 1;
    if (clock_ == LogClock::mean) count = std::min(count, stride_);  // lines may be lost
    return IterationSpan{number - count + 1, number};
  }

  void add_step(const Place& place) {
    const std::optional<IterationSpan> span = span_of(place);
    if (!span) return;
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
    if (clock_ == LogClock::mean && profile_.steps.empty())
      profile_.notes.push_back(source + ": a single line does not say how many iterations its mean is of: left out");
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
  std::uint64_t stride_ = UINT64_MAX;  ///< iterations between two lines, the fewest
  std::size_t ranks_ = 0, merged_ = 0;
  std::vector<std::pair<const LogLine*, const LogLine*>> restarts_;       ///< first lines, and those before them
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> steps_;  ///< by attempt and last iteration
};

}  // namespace

void add_steps(const std::vector<LogLine>& lines, LogClock clock, bool whole_seconds, profile::StepProfile& profile) {
  profile.of_log = true;
  IterationLog(clock, whole_seconds, profile).add(lines);
}

}  // namespace seqpoint::io::profiles::engine
