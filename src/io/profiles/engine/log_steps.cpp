// Determines how many steps a line's time covers, and joins the lines of one step.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/findings.hpp"
#include "io/profiles/engine/log_lines.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

constexpr double kNsOfASecond = 1e9;

/// A line of a rank, compared with the rank's step before.
struct Place {
  std::uint64_t done;          ///< number of the run's steps done after the line
  std::uint64_t attempt;       ///< how often the rank's steps began again
  bool is_first;               ///< of its rank and attempt
  std::int64_t begin_ns = 0;   ///< last clock of the step before
  std::uint64_t distance = 0;  ///< number of steps since the step before, for a first line until the next one; 0: no
                               ///< other line
};

/// By the position of a first line, the number of steps until the next one.
using FirstDistances = std::map<std::size_t, std::uint64_t>;

/// The lines of each rank in attempts. All lines are taken twice, because a first line needs the distance of the next.
class Attempts {
 public:
  /// `known`: distances() of the first time.
  Attempts(const StepNumbers& numbers, bool clock, profile::StepProfile& profile, FirstDistances known = {})
      : numbers_(numbers), clock_(clock), profile_(profile), distances_(std::move(known)) {}

  /// The place of the file's next line; nothing for another line of a clock's step. Throws InputError for a restart
  /// from the first step.
  std::optional<Place> take(const LogLine& line) {
    const std::uint64_t done = numbers_.done(line);
    const std::size_t position = position_++;
    if (position == 0) first_done_ = done;
    const auto [at, is_first] = ranks_.try_emplace(line.rank);
    Rank& rank = at->second;
    if (!is_first && done == rank.last.done) return again(line, rank);
    Place place{.done = done, .attempt = rank.last.attempt, .is_first = is_first || done < rank.last.done};
    if (!is_first && place.is_first) place.attempt = begin_again(line, done, rank);
    if (!place.is_first) {
      place.begin_ns = rank.last_ns;
      place.distance = done - rank.last.done;
      if (rank.last.is_first) distances_[rank.position] = place.distance;
    }
    rank = {place, position, line.step, line.ns};
    if (const auto known = distances_.find(position); known != distances_.end()) place.distance = known->second;
    return place;
  }

  /// Adds the notes about restarts and about time between lines of one step.
  void tell() const {
    if (between_s_ > 0)
      profile_.notes.push_back(
          fmt::format("{}: {:.4g} s between lines of one step are in no step's time; check what ran then",
                      profile_.source, between_s_));
    if (restarts_ == 0) return;
    profile_.facts.emplace_back("restarts", static_cast<std::int64_t>(restarts_));
    profile_.notes.push_back(
        fmt::format("{}:{}: step {} follows {}: the job began again{}; what ran twice is there twice", profile_.source,
                    restart_.line, restart_.step, before_restart_,
                    restarts_ > 1 ? fmt::format(", {} times in all", restarts_) : ""));
  }

  /// Number of ranks.
  std::size_t ranks() const { return ranks_.size(); }
  const FirstDistances& distances() const { return distances_; }

 private:
  struct Rank {
    Place last{.done = 0, .attempt = 0, .is_first = true};  ///< of the first line of its last step
    std::size_t position = 0;                               ///< of that line
    std::uint32_t step = 0;                                 ///< of that line, as written
    std::int64_t last_ns = 0;                               ///< the clock of its last line
  };

  /// Another line of the rank's last step. The clock's time between the two (an evaluation, say) belongs to no step.
  std::optional<Place> again(const LogLine& line, Rank& rank) {
    if (!clock_) return rank.last;
    if (line.ns > rank.last_ns) between_s_ += static_cast<double>(line.ns - rank.last_ns) / kNsOfASecond;
    rank.last_ns = line.ns;
    return std::nullopt;
  }

  /// The attempt of a line whose step is earlier than the rank's last step. Throws InputError for a restart from the
  /// first step, which means epochs that are numbered separately, another run or another rank.
  std::uint64_t begin_again(const LogLine& line, std::uint64_t done, const Rank& rank) {
    if (done <= first_done_ && first_done_ <= std::max<std::uint64_t>(rank.last.distance, 1))
      throw InputError({profile_.source, line.line, "step"},
                       fmt::format("{} follows {}, as of several epochs, ranks or runs", line.step, rank.step),
                       "add a group 'epoch' or 'rank' to the pattern, or give the log of one run");
    if (rank.last.attempt == restarts_ && restarts_++ == 0) {
      restart_ = line;
      before_restart_ = rank.step;
    }
    return rank.last.attempt + 1;
  }

  const StepNumbers& numbers_;
  bool clock_;
  profile::StepProfile& profile_;
  FirstDistances distances_;
  std::size_t position_ = 0;  ///< of the next line
  std::uint64_t first_done_ = 0;
  std::map<std::uint32_t, Rank> ranks_;
  std::uint64_t restarts_ = 0;
  LogLine restart_{};                 ///< first line of the first attempt after a restart
  std::uint32_t before_restart_ = 0;  ///< the step before it, as written
  double between_s_ = 0;
};

/// What the places of all lines show about the steps that a time covers.
class Intervals {
 public:
  /// `per`: as for add_steps(); 0: not given.
  explicit Intervals(std::uint64_t per) : per_(per) {}

  void take(const Place& place) {
    const std::pair step(place.attempt, place.done);
    in_order_ = in_order_ && last_ < step;
    last_ = step;
    if (place.is_first) return;
    latest_[count_ % latest_.size()] = place.distance;
    if (place.distance < per_) ++nearer_;
    if (++count_ >= latest_.size()) longest_ = std::max(longest_, std::ranges::min(latest_));
  }

  /// The number of steps from line to line, where it is largest in the log; 1 if there is a line per step, 0 if it is
  /// not known. Lost lines make single distances longer, so the smallest of three consecutive distances counts.
  std::uint64_t longest() const {
    if (count_ == 0 || count_ >= latest_.size()) return longest_;
    return *std::min_element(latest_.begin(), latest_.begin() + static_cast<std::ptrdiff_t>(count_));
  }
  std::uint64_t distances() const { return count_; }  ///< between lines
  std::uint64_t nearer() const { return nearer_; }    ///< those of them that are below `per`
  bool in_order() const { return in_order_; }         ///< each line is of a later step than all before

 private:
  std::uint64_t per_, count_ = 0, nearer_ = 0, longest_ = 0;
  std::array<std::uint64_t, 3> latest_{};
  std::pair<std::uint64_t, std::uint64_t> last_{};  ///< attempt and step; no line has step 0
  bool in_order_ = true;
};

/// Throws InputError if lines are epochs and `per` is not given.
void require_per_of_epochs(const LogLine& first, std::optional<std::uint64_t> per, const std::string& source) {
  if (!per)
    throw InputError({source, first.line}, "lines are epochs: is a time of a whole one, or the mean of its steps?",
                     "say `per` 1 for a whole epoch, `per` N for the mean of its N steps");
}

/// Throws InputError if `per` is needed and not given, or contradicts the lines: it is larger than most distances
/// between them, or than the step of the only one. A time may be of its step alone or the mean since the previous line:
/// a line does not show which. `done`: number of steps done after the first line.
void require_per(const Intervals& intervals, const LogLine& first, std::uint64_t done, std::optional<std::uint64_t> per,
                 const std::string& source) {
  const std::uint64_t interval = intervals.longest(), apart = intervals.distances(), nearer = intervals.nearer();
  if (!per && interval > 1)
    throw InputError(
        {source, first.line},
        fmt::format("lines come every {} steps: is a time of one step, or the mean of {}?", interval, interval),
        fmt::format("say `per` {} for a mean of {}, `per` 1 for one step", interval, interval));
  if (!per && interval == 0 && done > 1)
    throw InputError({source, first.line}, "a single line does not say how many steps its time is of",
                     "say `per` N for a mean of N steps, `per` 1 for one step");
  if (!per || (apart > 0 && 2 * nearer < apart)) return;
  if (done < *per && interval < 2)
    throw InputError(
        {source, first.line, "step"},
        fmt::format("is {}, where a mean of {} steps (`per` {}) cannot end before step {}", done, *per, *per, *per),
        "say `per` N for lines that are the mean of N steps; of lines that are epochs call the group "
        "'epoch'");
  if (2 * nearer > apart)
    throw InputError(
        {source, first.line},
        fmt::format("lines come every {} steps, and `per` {} says that each is a mean of more", interval, *per),
        fmt::format("say `per` {}", interval));
}

/// A number of steps as LogStep stores it; larger ones do not occur.
std::uint32_t stored(std::uint64_t steps) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(steps, UINT32_MAX));
}

class LogSteps {
 public:
  /// `whole_seconds`: all times are differences of a clock without fractions, too coarse for single steps, which then
  /// get no identity. `in_order`: Intervals::in_order().
  LogSteps(bool clock, bool whole_seconds, bool in_order, std::uint64_t per, std::size_t ranks,
           profile::StepProfile& profile, LogReport& report)
      : clock_(clock),
        whole_seconds_(whole_seconds),
        in_order_(in_order),
        per_(per),
        ranks_(ranks),
        profile_(profile),
        report_(report) {}

  /// Adds the step of the file's next line.
  void add(const LogLine& line, const Place& place) {
    if (!has_time(line, place)) return;
    const std::uint64_t count = count_of(place);
    report_.steps.push_back({.ns = ns_of(line, place),
                             .last = place.done - 1,
                             .count = stored(count),
                             .repeats = stored(of_epochs() && !clock_ ? per_ : count),
                             .line = line.line,
                             .tokens = line.tokens,
                             .seqlen = line.seqlen,
                             .is_one = count == 1 && !whole_seconds_ && !of_epochs()});
    if (!in_order_) origins_.push_back({stored(place.attempt), line.rank});
  }

  /// After the last line: joins the lines of one step, and adds notes.
  void finish() {
    std::vector<std::uint32_t> ranks(in_order_ ? 0 : report_.steps.size());
    if (!in_order_) join(ranks);
    for (std::size_t s = 0; s < report_.steps.size(); ++s) note_ranks(s, in_order_ ? 1 : ranks[s]);
    tell();
  }

 private:
  struct Origin {
    std::uint32_t attempt, rank;
  };

  bool of_epochs() const { return profile_.log_unit == profile::LogUnit::epoch; }
  /// The number of steps that a line's time covers; 0: the first line of a clock.
  std::uint64_t count_of(const Place& place) const {
    if (clock_) return place.is_first ? 0 : place.distance;
    if (of_epochs()) return 1;
    return std::min({per_, place.done, place.distance > 0 ? place.distance : per_});
  }

  /// The time of a place's step.
  std::int64_t ns_of(const LogLine& line, const Place& place) const {
    return clock_ ? (line.ns - place.begin_ns) / static_cast<std::int64_t>(count_of(place)) : line.ns;
  }

  /// Whether a place covers a step with a time. A time that is negative or too long is counted.
  bool has_time(const LogLine& line, const Place& place) {
    if (count_of(place) == 0) return false;
    if (const std::int64_t ns = ns_of(line, place); ns >= 0 && ns <= text::kLongestNs) return true;
    if (set_back_++ == 0) first_set_back_ = line.line;
    return false;
  }

  /// Joins the steps of each attempt and last iteration, in the place of the first. `ranks`: set to the number of ranks
  /// of each step.
  void join(std::vector<std::uint32_t>& ranks) {
    std::deque<LogStep>& steps = report_.steps;
    const auto step = [&](std::uint32_t at) { return std::pair(origins_[at].attempt, steps[at].last); };
    std::vector<std::uint32_t> order(steps.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, step);
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() && step(order[end]) == step(order[begin])) ++end;
      ranks[order[begin]] = join(std::span(order).subspan(begin, end - begin));
    }
    std::size_t kept = 0;
    for (std::size_t at = 0; at < steps.size(); ++at) {
      if (ranks[at] == 0) continue;  // it is in an earlier step
      steps[kept] = steps[at];
      ranks[kept++] = ranks[at];
    }
    steps.resize(kept);
  }

  /// Gives the first of these lines the time of the slowest, which also says its length. Counts further lines of a
  /// rank. Returns the number of ranks.
  std::uint32_t join(std::span<const std::uint32_t> lines) {
    const auto ns = [this](std::uint32_t line) { return report_.steps[line].ns; };
    const LogStep& slowest = report_.steps[*std::ranges::max_element(lines, {}, ns)];
    LogStep& step = report_.steps[lines.front()];
    step.ns = slowest.ns;
    step.tokens = slowest.tokens;
    step.seqlen = slowest.seqlen;
    std::set<std::uint32_t> ranks;
    for (const std::uint32_t line : lines) ranks.insert(origins_[line].rank);
    repeated_ += lines.size() - ranks.size();
    return static_cast<std::uint32_t>(ranks.size());
  }

  /// Counts a step that lacks ranks; not the last one, which other ranks may still be writing.
  void note_ranks(std::size_t step, std::size_t ranks) {
    if (ranks == ranks_ || step + 1 == report_.steps.size()) return;
    if (missing_++ == 0) first_missing_ = step;
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

  bool clock_, whole_seconds_, in_order_;
  std::uint64_t per_;
  std::size_t ranks_;
  profile::StepProfile& profile_;
  LogReport& report_;
  std::deque<Origin> origins_;  ///< of LogReport::steps; empty if lines are in order
  std::uint64_t repeated_ = 0, set_back_ = 0, first_set_back_ = 0, missing_ = 0;
  std::size_t first_missing_ = 0;  ///< position of the first step that lacks ranks
};

}  // namespace

void add_steps(LogLines lines, const StepNumbers& numbers, const LogPattern& pattern, std::optional<std::uint64_t> per,
               profile::StepProfile& profile, LogReport& report) {
  const bool clock = pattern.has(LogField::clock);
  Attempts attempts(numbers, clock, profile);
  Intervals intervals(per.value_or(0));
  for (const LogLine& line : lines)
    if (const auto place = attempts.take(line)) intervals.take(*place);
  attempts.tell();
  const LogLine& first = lines.front();
  if (!clock && profile.log_unit == profile::LogUnit::epoch)
    require_per_of_epochs(first, per, profile.source);
  else if (!clock)
    require_per(intervals, first, numbers.done(first), per, profile.source);
  const bool whole_seconds = clock && std::ranges::all_of(lines, &LogLine::whole_seconds);
  const auto number_of_lines = static_cast<std::int64_t>(lines.size());
  LogSteps steps(clock, whole_seconds, intervals.in_order(), per.value_or(1), attempts.ranks(), profile, report);
  for (Attempts again(numbers, clock, profile, attempts.distances()); !lines.empty(); lines.pop_front())
    if (const auto place = again.take(lines.front())) steps.add(lines.front(), *place);
  steps.finish();
  report.of_clock = clock;
  profile.facts.emplace_back("iteration_lines", number_of_lines);
}

}  // namespace seqpoint::io::profiles::engine
