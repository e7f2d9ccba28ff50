#include "cli/progress.hpp"

#include <fmt/core.h>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <forward_list>
#include <system_error>

#include "cli/terminal.hpp"
#include "io/views/tables.hpp"

namespace seqpoint::cli {
namespace {

constexpr auto kStartDelay = std::chrono::milliseconds(1000);
constexpr auto kRefreshInterval = std::chrono::milliseconds(100);
constexpr std::size_t kUsualColumns = 80;       // of a terminal that does not know them
constexpr std::string_view kWipe = "\r\x1b[K";  // carriage return, and erase to the end of the line

/// A thread shows the line, other threads print messages, and a signal may come at any time: they take turns. The
/// handler, which cannot wait for a mutex, excludes all others by `closed`. Signals do not reach the thread that may be
/// `writing`.
std::mutex turn;
enum class Line { absent, there, writing, closed };
std::atomic<Line> line_state{Line::absent};
static_assert(std::atomic<Line>::is_always_lock_free);
/// Time of the last message, or of the program's start. Its reader holds `turn`.
std::chrono::steady_clock::time_point last_word = std::chrono::steady_clock::now();

/// Errors are ignored: the terminal may be gone.
void write_error_stream(std::string_view text) noexcept {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

/// Removes the line from the terminal, if it is there. The caller holds `turn`.
void wipe() {
  Line there = Line::there;
  if (line_state != there) return;
  write_error_stream(kWipe);  // first, because a signal may come between the two
  line_state.compare_exchange_strong(there, Line::absent);
}

/// The time until one second after the last message, at least one refresh interval. The second does not restart with
/// each task, so several short tasks also show a line.
std::chrono::milliseconds until_silent_for_long() {
  const std::lock_guard lock(turn);
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(last_word + kStartDelay - std::chrono::steady_clock::now());
  return std::max(left, kRefreshInterval);
}

/// Writes the line in place of the previous one. Does nothing after end_progress().
void write_line(const std::string& text) {
  const std::lock_guard lock(turn);
  Line before = line_state;
  do {
    if (before == Line::closed) return;
  } while (!line_state.compare_exchange_weak(before, Line::writing));
  write_error_stream(std::string(kWipe) + text);
  line_state = Line::there;
}

/// "812 MB", "3.2 k samples": three significant digits and a prefix for powers of 1000. A unit of one letter follows
/// its prefix directly.
std::string amount_text(double amount, const std::string& unit) {
  constexpr std::array kPrefixes{"", "k", "M", "G", "T"};
  constexpr double kStep = 1000;
  std::size_t prefix = 0;
  for (; amount >= kStep && prefix + 1 < kPrefixes.size(); ++prefix) amount /= kStep;
  const bool symbol = unit.size() == 1;  // unit that takes prefixes itself
  return io::views::number_text(amount, 3) + " " + kPrefixes.at(prefix) + (symbol || prefix == 0 ? "" : " ") + unit;
}

/// "0:03", "1:02:03": minutes or hours first; seconds are rounded up.
std::string clock_text(double seconds) {
  constexpr std::uint64_t kMinute = 60, kHour = 3600;
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  const auto two = [](std::uint64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const std::string rest = two(whole % kMinute);
  if (whole < kHour) return fmt::format("{}:{}", whole / kMinute, rest);
  return fmt::format("{}:{}:{}", whole / kHour, two(whole % kHour / kMinute), rest);
}

/// Adds the bytes that are read from an input to a line, which several inputs may share. Bytes that are read a second
/// time do not count.
void show_on(const std::shared_ptr<ProgressLine>& line, io::stream::Input& input) {
  input.observe([line, before = std::uint64_t{0}](std::uint64_t position) mutable {
    // After a look at its beginning, a file may be read again from there.
    if (position > before) line->advance(position - before);
    before = std::max(before, position);
  });
}

std::forward_list<std::string> kept_words;  // all of them: a handler may be reading any
std::atomic<const std::string*> latest_words{nullptr};
static_assert(std::atomic<const std::string*>::is_always_lock_free);

}  // namespace

std::string progress_text(const Work& work, std::uint64_t done, double seconds, std::size_t columns) {
  const auto count = static_cast<double>(done);
  const double rate = seconds > 0 ? count / seconds : 0;
  std::string text = work.what + "  ";
  if (work.unit.empty() || (work.total && done >= *work.total)) {
    text += "for " + clock_text(std::floor(seconds));
  } else if (work.total) {
    const double share = count / static_cast<double>(*work.total);
    text += fmt::format("{} %  {}/s", static_cast<int>(100 * share), amount_text(rate, work.unit));
    if (rate > 0) text += fmt::format("  {} left", clock_text((1 - share) * static_cast<double>(*work.total) / rate));
  } else {
    text += fmt::format("{}  {}/s", amount_text(count, work.unit), amount_text(rate, work.unit));
  }
  // ASCII only, so a byte is a column. The last column stays free: some terminals wrap after it.
  return text.substr(0, columns > 0 ? columns - 1 : 0);
}

ProgressLine::ProgressLine(const Console& console, Work work)
    : work_(std::move(work)), begun_(std::chrono::steady_clock::now()) {
  if (!console.shows_progress()) return;
  sigset_t all, before;  // a new thread inherits the signals that are blocked here
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    shows_ = std::thread([this] { show_until_ended(); });
  } catch (const std::system_error&) {  // no more threads: shows nothing
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressLine::~ProgressLine() {
  if (!shows_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_one();
  shows_.join();
  const std::lock_guard lock(turn);
  wipe();
}

void ProgressLine::show_until_ended() {
  const auto first = until_silent_for_long();
  std::unique_lock lock(mutex_);
  for (auto wait = first; !end_.wait_for(lock, wait, [this] { return ended_; }); wait = kRefreshInterval) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    write_line(progress_text(work_, done_, seconds, columns_of_terminal(STDERR_FILENO).value_or(kUsualColumns)));
  }
}

ProgressPause::ProgressPause() : lock_(turn) {
  wipe();
  last_word = std::chrono::steady_clock::now();
}

void end_progress() noexcept {
  Line was = line_state;
  do {
    if (was == Line::writing) was = Line::there;  // it soon will be
  } while (!line_state.compare_exchange_weak(was, Line::closed));
  if (was == Line::there) write_error_stream(kWipe);
}

io::stream::Input open_shown(const std::string& path, const Console& console) {
  io::stream::Input input = io::stream::Input::open(path);
  show_reading(std::array{&input}, console);
  return input;
}

void show_reading(std::span<io::stream::Input* const> inputs, const Console& console) {
  std::optional<std::uint64_t> total = 0;
  for (const io::stream::Input* const input : inputs) {
    const std::optional<std::uint64_t> size = input->stored_size();
    total = total && size ? std::optional(*total + *size) : std::nullopt;
  }
  const auto line = std::make_shared<ProgressLine>(console, Work{"reading", "B", total});
  for (io::stream::Input* const input : inputs) show_on(line, *input);
}

void set_last_words(std::string text) {
  kept_words.push_front(std::move(text));
  latest_words = &kept_words.front();
}

void print_last_words() noexcept {
  const std::string* const text = latest_words;
  if (text != nullptr && ::write(STDERR_FILENO, text->data(), text->size()) < 0) return;
}

}  // namespace seqpoint::cli
