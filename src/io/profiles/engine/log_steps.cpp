// Determines how many steps a line's time covers, and joins the lines of one step.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/findings.hpp"
#include "io/profiles/engine/log_lines.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

constexpr double kNsOfASecond = 1e9;

/// A line with the previous one of the same rank and attempt.
struct Place {
  const LogLine* line;
  const LogLine* before;       ///< null for the first
  std::uint64_t attempt;       ///< how often the rank's steps began again
  std::int64_t begin_ns = 0;   ///< last clock of the step before
  std::uint64_t distance = 0;  ///< number of steps since the previous line, for a first line until the next one; 0: no
                               ///< other line
};

/// The lines of each rank in attempts, in the order of the file.
class Attempts {
 public:
  Attempts(bool clock, profile::StepProfile& profile) : clock_(clock), profile_(profile) {}

  /// The lines in order, each with the previous line of its rank and attempt. Adds notes about restarts and about time
  /// between lines of one step. Throws InputError for a restart from the first step.
  std::vector<Place> places(const std::vector<LogLine>& lines) {
    first_ = &lines.front();
    places_.reserve(lines.size());
    for (const LogLine& line : lines) add(line);
    tell();
    return std::move(places_);
  }
  /// Number of ranks.
  std::size_t ranks() const { return ranks_.size(); }

 private:
  struct Rank {
    std::size_t place;     ///< position of its last step
    std::int64_t last_ns;  ///< the clock of its last line
  };

  /// Adds the next line of the file.
  void add(const LogLine& line) {
    const auto [at, is_first] = ranks_.try_emplace(line.rank, Rank{places_.size(), line.ns});
    if (is_first) {
      places_.push_back({&line, nullptr, 0});
      return;
    }
    Rank& rank = at->second;
    const Place last = places_[rank.place];
    if (line.done == last.line->done) return add_again(line, rank);
    Place place{&line, last.line, last.attempt, rank.last_ns, line.done - last.line->done};
    if (line.done < last.line->done) place = begin_again(line, last);
    if (last.distance == 0 && place.before != nullptr) places_[rank.place].distance = place.distance;
    rank = {places_.size(), line.ns};
    places_.push_back(place);
  }

  /// Adds another line of the rank's last step. The clock's time between the two (an evaluation, say) belongs to no
  /// step.
  void add_again(const LogLine& line, Rank& rank) {
    if (!clock_) {
      places_.push_back(places_[rank.place]);
      places_.back().line = &line;
      return;
    }
    if (line.ns > rank.last_ns) between_s_ += static_cast<double>(line.ns - rank.last_ns) / kNsOfASecond;
    rank.last_ns = line.ns;
  }

  /// The place of a line whose step is earlier than the rank's last step: the first line of another attempt. Throws
  /// InputError for a restart from the first step, which means epochs that are numbered separately, another run or
  /// another rank.
  Place begin_again(const LogLine& line, const Place& last) {
    if (line.done <= first_->done && first_->done <= std::max<std::uint64_t>(last.distance, 1))
      throw InputError({profile_.source, line.line, "step"},
                       fmt::format("{} follows {}, as of several epochs, ranks or runs", line.step, last.line->step),
                       "add a group 'epoch' or 'rank' to the pattern, or give the log of one run");
    if (last.attempt == restarts_.size()) restarts_.emplace_back(&line, last.line);
    return {&line, nullptr, last.attempt + 1};
  }

  /// Adds the notes about restarts and about time between lines of one step.
  void tell() const {
    if (between_s_ > 0)
      profile_.notes.push_back(
          fmt::format("{}: {:.4g} s between lines of one step are in no step's time; check what ran then",
                      profile_.source, between_s_));
    if (restarts_.empty()) return;
    const auto [line, before] = restarts_.front();
    profile_.facts.emplace_back("restarts", static_cast<std::int64_t>(restarts_.size()));
    profile_.notes.push_back(fmt::format(
        "{}:{}: step {} follows {}: the job began again{}; what ran twice is there twice", profile_.source, line->line,
        line->step, before->step, restarts_.size() > 1 ? fmt::format(", {} times in all", restarts_.size()) : ""));
  }

  bool clock_;
  profile::StepProfile& profile_;
  const LogLine* first_ = nullptr;
  std::vector<Place> places_;
  std::map<std::uint32_t, Rank> ranks_;
  std::vector<std::pair<const LogLine*, const LogLine*>> restarts_;  ///< first lines of attempts, and the lines before
                                                                     ///< them
  double between_s_ = 0;
};

/// The number of steps from line to line, where it is largest in the log; 1 if there is a line per step, 0 if it is not
/// known. Lost lines make single distances longer, so the smallest of three consecutive distances counts.
std::uint64_t longest_interval(const std::vector<Place>& places) {
  constexpr std::size_t kEnough = 3;
  std::vector<std::uint64_t> distances;
  for (const Place& place : places)
    if (place.before != nullptr) distances.push_back(place.distance);
  if (distances.empty()) return 0;
  std::uint64_t longest = 0;
  const std::size_t width = std::min(kEnough, distances.size());
  for (std::size_t d = 0; d + width <= distances.size(); ++d)
    longest = std::max(longest, *std::min_element(distances.begin() + static_cast<std::ptrdiff_t>(d),
                                                  distances.begin() + static_cast<std::ptrdiff_t>(d + width)));
  return longest;
}

/// Throws InputError if lines are epochs and `per` is not given.
void require_per_of_epochs(const LogLine& first, std::optional<std::uint64_t> per, const std::string& source) {
  if (!per)
    throw InputError({source, first.line}, "lines are epochs: is a time of a whole one, or the mean of its steps?",
                     "say `per` 1 for a whole epoch, `per` N for the mean of its N steps");
}

/// Throws InputError if `per` is needed and not given, or contradicts the lines: it is larger than most distances
/// between them, or than the step of the only one. A time may be of its step alone or the mean since the previous line:
/// a line does not show which.
void require_per(const std::vector<Place>& places, std::optional<std::uint64_t> per, const std::string& source) {
  const std::uint64_t interval = longest_interval(places);
  const LogLine& first = *places.front().line;
  if (!per && interval > 1)
    throw InputError(
        {source, first.line},
        fmt::format("lines come every {} steps: is a time of one step, or the mean of {}?", interval, interval),
        fmt::format("say `per` {} for a mean of {}, `per` 1 for one step", interval, interval));
  if (!per && interval == 0 && first.done > 1)
    throw InputError({source, first.line}, "a single line does not say how many steps its time is of",
                     "say `per` N for a mean of N steps, `per` 1 for one step");
  const auto apart = std::ranges::count_if(places, [](const Place& p) { return p.before != nullptr; });
  const auto nearer = std::ranges::count_if(
      places, [&](const Place& p) { return p.before != nullptr && p.distance < per.value_or(0); });
  if (!per || (apart > 0 && 2 * nearer < apart)) return;
  if (first.done < *per && interval < 2)
    throw InputError({source, first.line, "step"},
                     fmt::format("is {}, where a mean of {} steps (`per` {}) cannot end before step {}", first.done,
                                 *per, *per, *per),
                     "say `per` N for lines that are the mean of N steps; of lines that are epochs call the group "
                     "'epoch'");
  if (2 * nearer > apart)
    throw InputError(
        {source, first.line},
        fmt::format("lines come every {} steps, and `per` {} says that each is a mean of more", interval, *per),
        fmt::format("say `per` {}", interval));
}

class LogSteps {
 public:
  /// `whole_seconds`: all times are differences of a clock without fractions, too coarse for single steps, which then
  /// get no identity.
  LogSteps(bool clock, bool whole_seconds, std::uint64_t per, std::size_t ranks, profile::StepProfile& profile,
           LogReport& report)
      : clock_(clock), whole_seconds_(whole_seconds), per_(per), ranks_(ranks), profile_(profile), report_(report) {}

  /// Adds a step for each attempt and last iteration that places have, in the order of their first lines, and notes.
  void add(const std::vector<Place>& places) {
    std::vector<const Place*> all;
    all.reserve(places.size());
    for (const Place& place : places)
      if (has_time(place)) all.push_back(&place);
    const auto step = [](const Place* place) { return std::pair(place->attempt, place->line->done); };
    std::ranges::stable_sort(all, {}, step);
    std::vector<std::span<const Place* const>> steps;
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && step(all[end]) == step(all[begin])) ++end;
      steps.push_back(std::span(all).subspan(begin, end - begin));
    }
    std::ranges::sort(steps, {}, [](const auto& of_step) { return of_step.front(); });
    report_.steps.reserve(steps.size());
    for (const std::span<const Place* const> of_step : steps) add(of_step);
    tell();
  }

 private:
  bool of_epochs() const { return profile_.log_unit == profile::LogUnit::epoch; }
  /// The number of steps that a line's time covers; 0: the first line of a clock.
  std::uint64_t count_of(const Place& place) const {
    if (clock_) return place.before != nullptr ? place.distance : 0;
    if (of_epochs()) return 1;
    return std::min({per_, place.line->done, place.distance > 0 ? place.distance : per_});
  }

  /// The time of a place's step.
  std::int64_t ns_of(const Place& place) const {
    return clock_ ? (place.line->ns - place.begin_ns) / static_cast<std::int64_t>(count_of(place)) : place.line->ns;
  }

  /// Whether a place covers a step with a time. A time that is negative or too long is counted.
  bool has_time(const Place& place) {
    if (count_of(place) == 0) return false;
    if (const std::int64_t ns = ns_of(place); ns >= 0 && ns <= text::kLongestNs) return true;
    if (set_back_++ == 0) first_set_back_ = place.line->line;
    return false;
  }

  static std::size_t number_of_ranks(std::span<const Place* const> places) {
    if (places.size() == 1) return 1;
    std::set<std::uint32_t> ranks;
    for (const Place* place : places) ranks.insert(place->line->rank);
    return ranks.size();
  }

  /// Adds a step with the time of its slowest line, which also says its length. Counts further lines of a rank, and
  /// steps that lack ranks; not the last one, which other ranks may still be writing.
  void add(std::span<const Place* const> places) {
    const std::size_t ranks = number_of_ranks(places);
    repeated_ += places.size() - ranks;
    count_missing_ranks();
    lacks_ranks_ = ranks < ranks_;
    const Place& slowest = **std::ranges::max_element(places, {}, [this](const Place* place) { return ns_of(*place); });
    const std::uint64_t count = count_of(*places.front()), done = places.front()->line->done;
    LogStep step{.line = places.front()->line->line,
                 .ns = ns_of(slowest),
                 .iterations = {done - count, done - 1},
                 .repeats = of_epochs() && !clock_ ? per_ : count};
    if (count == 1 && !whole_seconds_ && !of_epochs()) {
      step.is_one = true;
      step.tokens = slowest.line->tokens;
      step.seqlen = slowest.line->seqlen;
    }
    report_.steps.push_back(step);
  }

  /// Counts the last step if it lacks ranks.
  void count_missing_ranks() {
    if (report_.steps.empty() || !lacks_ranks_) return;
    if (missing_++ == 0) first_missing_ = report_.steps.size() - 1;
  }

  /// Adds a finding if steps lack lines of some ranks.
  void tell_missing_ranks() {
    if (missing_ == 0) return;
    const profile::ProfiledStep first = step_of(profile_, report_.steps[first_missing_]);
    report_.findings.push_back({.kind = findings::kRanksMissing,
                                .place = {profile_.source, first.line},
                                .figures = {{"count", missing_}, {"all", report_.steps.size()}, {"ranks", ranks_}},
                                .part = first.key});
  }

  /// Adds notes and remarks about how the lines became steps.
  void tell() {
    tell_missing_ranks();
    const std::string& source = profile_.source;
    if (repeated_ > 0)
      profile_.notes.push_back(fmt::format(
          "{}: {} of a step that already has one; give a group 'rank', or one job's log: the slowest counts", source,
          counted(repeated_, "more line")));
    if (ranks_ > 1)
      report_.remarks.push_back(fmt::format("{}: lines of {} ranks: the slowest rank counts", source, ranks_));
    if (set_back_ > 0)
      profile_.notes.push_back(
          fmt::format("{}:{}: the clock goes back or jumps, {} left out; let the group 'clock' match the date, too",
                      source, first_set_back_, counted(set_back_, "step")));
    if (clock_ && !report_.steps.empty())
      report_.remarks.push_back(
          fmt::format("{}: times are differences of a clock{}: they contain validation and "
                      "checkpoints",
                      source, whole_seconds_ ? " of whole seconds" : ""));
  }

  bool clock_, whole_seconds_;
  std::uint64_t per_;
  std::size_t ranks_;
  profile::StepProfile& profile_;
  LogReport& report_;
  std::uint64_t repeated_ = 0, set_back_ = 0, first_set_back_ = 0, missing_ = 0;
  std::size_t first_missing_ = 0;  ///< position of the first step that lacks ranks
  bool lacks_ranks_ = false;       ///< the last step does
};

}  // namespace

void add_steps(const std::vector<LogLine>& lines, const LogPattern& pattern, std::optional<std::uint64_t> per,
               profile::StepProfile& profile, LogReport& report) {
  const bool clock = pattern.has(LogField::clock);
  Attempts attempts(clock, profile);
  const std::vector<Place> places = attempts.places(lines);
  if (!clock && profile.log_unit == profile::LogUnit::epoch)
    require_per_of_epochs(*places.front().line, per, profile.source);
  else if (!clock)
    require_per(places, per, profile.source);
  const bool whole_seconds = clock && std::ranges::all_of(lines, &LogLine::whole_seconds);
  LogSteps(clock, whole_seconds, per.value_or(1), attempts.ranks(), profile, report).add(places);
  report.of_clock = clock;
  profile.facts.emplace_back("iteration_lines", static_cast<std::int64_t>(lines.size()));
}

}  // namespace seqpoint::io::profiles::engine
