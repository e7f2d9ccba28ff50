// What jobs print of their iterations, a table of regular expressions. Formats as in: MLPerf's GNMT (NVIDIA,
// training_results_v0.6, seq2seq/train/trainer.py); fairseq (progress_bar.py); Megatron-LM (training.py: training_log),
// also of its forks; NeMo (nemo/lightning/pytorch/callbacks, nemo/utils/exp_manager.py); DeepSpeed (runtime/pipe/
// engine.py); verl (utils/tracking.py, trainer/ppo/metric_utils.py); LLaMA-Factory (train/callbacks.py).
#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/regular_expression.hpp"
#include "io/profiles/engine/iteration_log.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/decimal.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

using engine::LogClock;
using engine::LogLine;

/// Lines of one program. Groups of the pattern: `number`, and perhaps `epoch` and `of` (numbers begin again in each
/// epoch, which has so many), `time`, `unit` (s unless said), `rate` (tokens per second of that time).
struct LineKind {
  std::string_view program;
  std::string_view marker;  ///< stands in every line that the pattern is for
  const char* pattern;
  LogClock clock;
  std::uint64_t first = 1;        ///< the number of a run's first iteration
  std::uint64_t first_epoch = 0;  ///< and of its first epoch
  bool optimiser_steps = true;    ///< that numbers count; else batches
};

constexpr std::array kLineKinds{
    LineKind{
        "MLPerf's GNMT", "TRAIN [",
        R"(TRAIN \[(?P<epoch>\d+)\]\[(?P<number>\d+)/(?P<of>\d+)\]\s+Time (?P<time>[\d.]+) .*?Tok/s (?P<rate>\d+) \()",
        LogClock::iteration, 0, 0, false},
    LineKind{
        "Megatron-LM", "elapsed time per iteration (",
        R"(iteration\s+(?P<number>\d+)/.*?elapsed time per iteration \((?P<unit>m?s)\):\s*(?P<time>[\d.]+)(?:/[\d.]+)?\s*\|)",
        LogClock::mean},
    LineKind{
        "NeMo", "train_step_timing in s",
        // Its bar shortens round and large numbers, as 1e+3: of which iteration it is, such a line does not tell.
        R"(global_step[:=] ?(?P<number>\d+(?:(?:\.\d+)?e\+\d+)?)[^\r]*?train_step_timing in s[:=] ?(?P<time>[\d.]+(?:e[+-]?\d+)?))",
        LogClock::iteration, 0},
    LineKind{"DeepSpeed", "iter time (s):",
             R"(steps: (?P<number>\d+) loss: .*?iter time \(s\):\s*(?P<time>[\d.]+) samples)", LogClock::mean},
    LineKind{"verl", "perf/time_per_step:",
             R"(\bstep:(?P<number>\d+) - .*?perf/time_per_step:(?:np\.float64\()?(?P<time>[\d.e+-]+))",
             LogClock::iteration},
    LineKind{"LLaMA-Factory", R"("current_steps": )",
             R"~("current_steps": (?P<number>\d+),.*?"elapsed_time": "(?P<time>[^"]+)")~", LogClock::since_start},
    LineKind{"fairseq", "num_updates=",
             R"(epoch (?P<epoch>\d+):\s+(?P<number>\d+) / (?P<of>\d+) .*?num_updates=.*?\bwall=(?P<time>[\d.]+))",
             LogClock::since_start, 1, 1},
};

/// What launchers and loggers put before a line: "3: ", "[default3]:", "[Rank 3 ".
constexpr auto kRank = R"(^(\d+): |\[(?:default|[Rr]ank ?)(\d+))";

/// Larger numbers are no iterations; their products are no overflow.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "2 days, 17:51:32", as Python writes a time span.
std::optional<std::int64_t> clock_ns(std::string_view text) {
  constexpr std::int64_t kDay = 24, kSixty = 60, kNsPerSecond = 1'000'000'000;
  static const std::unique_ptr<const RE2> pattern =
      regular_expression(R"((?:(\d{1,4}) days?, )?(\d{1,2}):(\d\d):(\d\d))");
  std::int64_t hours = 0, minutes = 0, seconds = 0;
  std::string days;
  if (!RE2::FullMatch({text.data(), text.size()}, *pattern, &days, &hours, &minutes, &seconds)) return std::nullopt;
  return (((static_cast<std::int64_t>(whole_number(days).value_or(0)) * kDay + hours) * kSixty + minutes) * kSixty +
          seconds) *
         kNsPerSecond;
}

/// The digits that a time of milliseconds has, and so its product with a rate.
std::uint64_t three_digits(std::uint64_t tokens) {
  std::uint64_t unit = 1;
  while (tokens / unit >= 1000) unit *= 10;
  return (tokens + unit / 2) / unit * unit;
}

/// The groups of a match, by name.
class Match {
 public:
  explicit Match(const LineKind& kind)
      : expression_(regular_expression(kind.pattern)),
        groups_(static_cast<std::size_t>(expression_->NumberOfCapturingGroups()) + 1) {}

  bool find(std::string_view text, std::size_t from = 0) {
    return expression_->Match({text.data(), text.size()}, from, text.size(), RE2::UNANCHORED, groups_.data(),
                              static_cast<int>(groups_.size()));
  }
  std::size_t begin(std::string_view text) const { return static_cast<std::size_t>(groups_[0].data() - text.data()); }
  std::size_t end(std::string_view text) const { return begin(text) + groups_[0].size(); }
  std::string_view operator[](const std::string& name) const {
    const auto at = expression_->NamedCapturingGroups().find(name);
    if (at == expression_->NamedCapturingGroups().end()) return {};
    const re2::StringPiece& group = groups_[static_cast<std::size_t>(at->second)];
    return {group.data(), group.size()};
  }

 private:
  std::unique_ptr<const RE2> expression_;
  std::vector<re2::StringPiece> groups_;
};

/// The line that holds a position.
std::string_view line_around(std::string_view text, std::size_t at) {
  const std::size_t before = text.rfind('\n', at), begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

/// The kind of which a whole line stands in the text; null where there is none.
const LineKind* kind_in(std::string_view text) {
  for (const LineKind& kind : kLineKinds) {
    std::size_t at = text.find(kind.marker);
    if (at == std::string_view::npos) continue;
    for (Match match(kind); at != std::string_view::npos;) {
      const std::string_view line = line_around(text, at);
      if (match.find(line)) return &kind;
      at = text.find(kind.marker, static_cast<std::size_t>(line.data() + line.size() - text.data()));
    }
  }
  return nullptr;
}

bool is_training_log(const ProfileProbe& probe) { return kind_in(probe.head) != nullptr; }

/// Iterations of an epoch.
struct Epoch {
  std::uint64_t begin, size;
};

class TrainingLogReader {
 public:
  TrainingLogReader(ProfileInput& input, const LineKind& kind) : input_(input), kind_(kind), match_(kind) {
    profile_.source = input.name();
    profile_.format = kTrainingLog.name;
    profile_.counts_optimiser_steps = kind.optimiser_steps;
  }

  profile::StepProfile read() {
    std::string_view text = input_.text();
    ends_inside_line_ = !text.empty() && text.back() != '\n';
    for (line_ = 1; !text.empty(); ++line_) {
      const std::string_view line = stream::take_line(text);
      is_last_ = text.empty();
      read_line(line);
    }
    take_line_numbers_for_what_they_are();
    engine::add_steps(lines_, kind_.clock, kind_.clock == LogClock::since_start, profile_);
    tell_epochs();
    if (bad_ > 0)
      profile_.notes.push_back(fmt::format("{}:{}: {} of {}, cut or mixed with others, left out, the first here",
                                           input_.name(), first_bad_, counted(bad_, "line"), kind_.program));
    if (kMllog.recognises({.path = input_.name(), .head = input_.text()})) add_intervals();
    return std::move(profile_);
  }

 private:
  /// Progress bars write their states behind one another, and several processes into one line.
  void read_line(std::string_view line) {
    std::size_t markers = 0, found = 0;
    for (std::size_t at = 0; (at = line.find(kind_.marker, at)) != std::string_view::npos; at += kind_.marker.size())
      ++markers;
    if (markers == 0) return;
    for (std::size_t at = 0, end = 0; match_.find(line, at); at = end) {
      end = match_.end(line);
      if (add_match(line)) ++found;
    }
    if (found == markers) return;
    if (bad_ == 0) first_bad_ = line_;
    ++bad_;
  }

  bool add_match(std::string_view line) {
    if (is_last_ && ends_inside_line_ && match_.end(line) == line.size()) return false;  // digits may be missing
    const auto number = number_of_iteration();
    const auto ns = nanoseconds();
    if (!number || !ns) return false;
    LogLine read{.line = line_, .number = *number, .ns = *ns, .rank = rank_of(line), .tokens = tokens_in(*ns)};
    // Where another iteration's line begins before the time, that may be of either.
    const std::size_t end = match_.end(line);
    if (match_.find(line, match_.begin(line) + 1) && match_.end(line) == end) return false;
    lines_.push_back(read);
    return true;
  }

  /// `grep -n` puts a number before each line, too: one that is no line's but this one's.
  void take_line_numbers_for_what_they_are() {
    std::set<std::optional<std::uint64_t>> prefixes, numbers;
    for (const LogLine& line : lines_) {
      prefixes.insert(line.rank);
      numbers.insert(line.number);
    }
    if (prefixes.size() < 2 || prefixes.size() < lines_.size() || numbers.size() < 2) return;
    for (LogLine& line : lines_) line.rank.reset();
  }

  /// MLPerf's, behind the iterations. That one of its lines is damaged says nothing of these.
  void add_intervals() try {
    profile::StepProfile intervals = kMllog.read(input_);
    std::ranges::move(intervals.steps, std::back_inserter(profile_.steps));
    std::ranges::move(intervals.notes, std::back_inserter(profile_.notes));
    std::ranges::move(intervals.facts, std::back_inserter(profile_.facts));
  } catch (const InputError& error) {
    profile_.notes.push_back("MLPerf's intervals are left out: " + error.problems().front().message());
  }

  std::optional<std::int64_t> nanoseconds() const {
    const std::string_view time = match_["time"];
    if (time.find(':') != std::string_view::npos) return clock_ns(time);
    const text::DecimalUnit unit = text::decimal_unit(match_["unit"]).value_or(text::DecimalUnit::s);
    return kind_.clock == LogClock::since_start ? text::parse_ns(time, unit) : text::parse_duration_ns(time, unit);
  }

  std::optional<std::uint64_t> number_of_iteration() {
    const auto number = whole_number(match_["number"]);
    if (!number || *number < kind_.first) return std::nullopt;
    if (match_["of"].empty()) return *number - kind_.first;
    const auto epoch = whole_number(match_["epoch"]), of = whole_number(match_["of"]);
    if (!epoch || !of || *epoch < kind_.first_epoch || *number > *of) return std::nullopt;
    return begin_of(*epoch, *of) + *number - kind_.first;
  }

  /// The run's iterations before an epoch. An epoch that the log lacks is taken to be as large as the one behind it.
  std::uint64_t begin_of(std::uint64_t epoch, std::uint64_t size) {
    const auto [at, is_new] = epochs_.try_emplace(epoch, Epoch{(epoch - kind_.first_epoch) * size, size});
    if (is_new && at != epochs_.begin()) {
      const auto& [number, before] = *std::prev(at);
      at->second.begin = before.begin + before.size + (epoch - number - 1) * size;
    }
    return at->second.begin;
  }

  void tell_epochs() {
    if (epochs_.empty()) return;
    const std::uint64_t size = epochs_.begin()->second.size;
    if (std::ranges::any_of(epochs_, [&](const auto& epoch) { return epoch.second.size != size; })) {
      profile_.notes.push_back(input_.name() + ": epochs differ in how many iterations they have");
      return;
    }
    profile_.iterations_per_epoch = size;
    profile_.facts.emplace_back("iterations_per_epoch", static_cast<std::int64_t>(size));
  }

  std::optional<std::uint64_t> tokens_in(std::int64_t ns) const {
    const auto rate = whole_number(match_["rate"]);
    if (!rate) return std::nullopt;
    constexpr double kNsPerSecond = 1e9;
    const double tokens = static_cast<double>(ns) * static_cast<double>(*rate) / kNsPerSecond;
    if (tokens < 1 || tokens > UINT32_MAX) return std::nullopt;
    return std::min<std::uint64_t>(three_digits(static_cast<std::uint64_t>(std::llround(tokens))), UINT32_MAX);
  }

  static std::optional<std::uint64_t> rank_of(std::string_view line) {
    static const std::unique_ptr<const RE2> pattern = regular_expression(kRank);
    re2::StringPiece prefix, word;
    if (!RE2::PartialMatch({line.data(), line.size()}, *pattern, &prefix, &word)) return std::nullopt;
    const re2::StringPiece& rank = prefix.empty() ? word : prefix;
    return whole_number({rank.data(), rank.size()});
  }

  ProfileInput& input_;
  const LineKind& kind_;
  Match match_;
  profile::StepProfile profile_;
  std::vector<LogLine> lines_;
  std::map<std::uint64_t, Epoch> epochs_;  ///< by their numbers
  std::uint64_t line_ = 0, bad_ = 0, first_bad_ = 0;
  bool ends_inside_line_ = false, is_last_ = false;
};

profile::StepProfile read_training_log(ProfileInput& input) {
  const LineKind* const kind = kind_in(input.text());
  if (kind == nullptr)
    throw InputError({input.name()}, "has no line of a kind that tells how long an iteration took",
                     "leave --format out: the format is told by the content");
  return TrainingLogReader(input, *kind).read();
}

}  // namespace

const ProfileReader kTrainingLog{
    .name = "log",
    .summary = "what a job prints: Megatron-LM, NeMo, DeepSpeed, verl, LLaMA-Factory, fairseq, MLPerf's GNMT",
    .example = "iteration 10/ 1000 | consumed samples: 640 | elapsed time per iteration (ms): 283.9 | ...",
    .recognises = is_training_log,
    .read = read_training_log,
    .in_logs = true,
};

}  // namespace seqpoint::io::profiles::formats
