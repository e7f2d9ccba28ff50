// A text log whose lines the user describes by a regular expression.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "io/profiles/engine/log_lines.hpp"
#include "io/profiles/engine/log_numbers.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

using engine::LogLine;

/// Why a line that matches is left out.
enum class Fault : std::uint8_t { mixed, no_step, no_time, negative, beyond, no_length };
constexpr std::array<std::string_view, 6> kFaults{"a time behind the beginnings of two lines may be of either",
                                                  "the step is no whole number",
                                                  "the time is none",
                                                  "the time is negative, as where a clock is set back",
                                                  "the step is beyond the total",
                                                  "tokens, the length or the total are no whole number"};

/// Whether a minus sign is before a number and outside of its group: "time=-3.2" with 'time=-?(?<time>[0-9.]+)'.
bool lacks_sign(std::string_view line, std::string_view number) {
  if (number.empty() || number.data() == line.data()) return false;
  const auto at = static_cast<std::size_t>(number.data() - line.data());
  return line[at - 1] == '-' && (at == 1 || std::isalnum(static_cast<unsigned char>(line[at - 2])) == 0);
}

class DescribedLogReader {
 public:
  DescribedLogReader(ProfileInput& input, const LogPattern& pattern)
      : input_(input), pattern_(pattern), matcher_(pattern) {
    profile_.source = input.name();
    profile_.format = kDescribedLog.name;
    profile_.of_log = true;
    profile_.log_unit = pattern.unit();
  }

  profile::StepProfile read(std::optional<std::uint64_t> per) {
    read_blocks();
    leave_out_mixed();
    report_faults();
    if (lines_.empty()) refuse();
    const engine::StepNumbers numbers = engine::number_lines(lines_, pattern_, profile_, input_.report());
    engine::add_steps(std::move(lines_), numbers, pattern_, per, profile_, input_.report());
    return std::move(profile_);
  }

 private:
  static constexpr std::string_view kLineEnds = "\r\n";

  /// The end of the last whole line, or state of a progress bar; 0 if there is none.
  static std::size_t after_last_end(std::string_view text) {
    const std::size_t last = text.find_last_of(kLineEnds);
    return last == std::string_view::npos ? 0 : last + 1;
  }

  /// Reads all lines and carriage-return states: progress bars write their states in one line, separated by carriage
  /// returns. A last state without an end may lack digits and is left out.
  void read_blocks() {
    stream::BlockReader blocks(input_.stream(), after_last_end);
    for (stream::Block block; blocks.next(block);) {
      std::string_view text = block.bytes;
      for (std::size_t end = 0; (end = text.find_first_of(kLineEnds)) != std::string_view::npos;) {
        read_line(text.substr(0, end));
        if (text[end] == '\n') ++line_;
        text.remove_prefix(end + 1);
      }
      if (!text::trim(text).empty())
        profile_.notes.push_back(fmt::format(
            "{}:{}: the last line has no end and is not used; the file may still be written", input_.name(), line_));
    }
  }

  /// Adds every match in a line, or the reason why the match is left out.
  void read_line(std::string_view text) {
    for (const LogMatch& match : matcher_.matches(text))
      if (lacks_sign(text, match.text(text, LogField::time)))
        add_fault(Fault::negative, line_);
      else if (const std::optional<Fault> fault = add(text, match))
        add_fault(*fault, line_);
      else if (match.is_mixed)
        mixed_.push_back(lines_.size() - 1);
  }

  /// Adds the numbers of a match. Returns the reason if the match has to be left out instead.
  std::optional<Fault> add(std::string_view text, const LogMatch& match) {
    LogLine line{.line = static_cast<std::uint32_t>(line_), .rank = rank_of(match.text(text, LogField::rank))};
    const auto step = engine::log_whole(match.text(text, LogField::step));
    if (!step) return Fault::no_step;
    line.step = *step;
    const auto clock = time_in(text, match);
    if (!clock) return Fault::no_time;
    if (clock->ns < 0) return Fault::negative;
    line.ns = clock->ns;
    line.whole_seconds = clock->whole_seconds;
    if (!set(line, text, match)) return Fault::no_length;
    if (line.of > 0 && line.step > line.of) return Fault::beyond;
    lines_.push_back(line);
    return std::nullopt;
  }

  /// The position of a rank in the list of all.
  std::uint32_t rank_of(std::string_view name) {
    const auto known = ranks_.find(name);
    if (known != ranks_.end()) return known->second;
    return ranks_.emplace(name, static_cast<std::uint32_t>(ranks_.size())).first->second;
  }

  /// The clock or the time of a match; nothing if there is none, or the time is too long.
  std::optional<engine::LogClock> time_in(std::string_view text, const LogMatch& match) const {
    if (pattern_.has(LogField::clock)) return engine::log_clock(match.text(text, LogField::clock), match.unit);
    const auto ns = engine::log_time_ns(match.text(text, LogField::time), match.unit);
    return ns && *ns <= text::kLongestNs ? std::optional(engine::LogClock{*ns, false}) : std::nullopt;
  }

  /// Sets the whole numbers in addition to the step; an empty field is missing. False if one is invalid.
  static bool set(LogLine& line, std::string_view text, const LogMatch& match) {
    const auto read = [&](LogField field, auto& to) {
      const std::string_view number = match.text(text, field);
      const auto value = engine::log_whole(number);
      if (value) to = *value;
      return value || number.empty();
    };
    return read(LogField::of, line.of) && read(LogField::epoch, line.epoch) && read(LogField::tokens, line.tokens) &&
           read(LogField::seqlen, line.seqlen);
  }

  /// Counts a match that is left out.
  void add_fault(Fault fault, std::uint64_t line) {
    auto& [count, first] = faults_[static_cast<std::size_t>(fault)];
    if (count++ == 0) first = line;
  }

  /// Leaves out lines whose time may be of another line, unless they are most: the pattern itself then matches from
  /// more than one place.
  void leave_out_mixed() {
    if (2 * mixed_.size() > lines_.size()) return;
    for (const std::size_t at : mixed_) add_fault(Fault::mixed, lines_[at].line);
    std::size_t kept = 0;
    auto mixed = mixed_.begin();
    for (std::size_t at = 0; at < lines_.size(); ++at)
      if (mixed != mixed_.end() && *mixed == at)
        ++mixed;
      else
        lines_[kept++] = lines_[at];
    lines_.resize(kept);
  }

  /// Adds a note for each reason for which matches were left out.
  void report_faults() {
    for (std::size_t f = 0; f < kFaults.size(); ++f)
      if (const auto [count, first] = faults_[f]; count > 0)
        profile_.notes.push_back(fmt::format("{}:{}: {}; {} left out", input_.name(), first, kFaults[f],
                                             count == 1 ? "this line is" : fmt::format("{} such lines are", count)));
  }

  /// Throws InputError: no line can be used.
  [[noreturn]] void refuse() const {
    const bool matched = std::ranges::any_of(faults_, [](const auto& fault) { return fault.first > 0; });
    throw InputError({input_.name()},
                     matched ? "no line that the pattern matches can be used: " + profile_.notes.back()
                             : fmt::format("none of its {} matches the pattern", counted(line_ - 1, "line")),
                     "docs/profiles.md has patterns for the logs of many programs");
  }

  ProfileInput& input_;
  const LogPattern& pattern_;
  LogMatcher matcher_;
  profile::StepProfile profile_;
  engine::LogLines lines_;
  std::map<std::string, std::uint32_t, std::less<>> ranks_;                       ///< positions by name
  std::vector<std::size_t> mixed_;                                                ///< positions in lines_
  std::array<std::pair<std::uint64_t, std::uint64_t>, kFaults.size()> faults_{};  ///< number, and line of the first
  std::uint64_t line_ = 1;
};

profile::StepProfile read_described_log(ProfileInput& input) {
  if (input.log() == nullptr)
    throw UsageError("--format log: nothing says what its lines mean",
                     "describe them: --match 'step (?<step>[0-9]+).*time (?<time>[0-9.]+)'; docs/profiles.md");
  return DescribedLogReader(input, *input.log()).read(input.per());
}

bool is_never_recognised(const ProfileProbe&) { return false; }

}  // namespace

const ProfileReader kDescribedLog{
    .name = "log",
    .summary = "what a job prints, its lines described by --match with groups step and time, or step and clock",
    .example = R"(--match 'iteration +(?<step1>\d+)/ *(?<of>\d+) .*iteration \(ms\): (?<time_ms>[\d.]+)' --per 10)",
    .recognises = is_never_recognised,
    .read = read_described_log,
};

}  // namespace seqpoint::io::profiles::formats
