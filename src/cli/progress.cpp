#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "seqpoint/io/views.hpp"

namespace seqpoint::cli {
namespace {

constexpr auto kSilence = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr std::string_view kWipe = "\r\x1b[K";  // to the line's beginning, and everything from there on away

/// Whether a line of ours is on the terminal; a signal handler looks at it.
std::atomic<bool> on_terminal{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// The terminal may be gone; nobody would miss the line then.
void write_error_stream(std::string_view text) noexcept {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

std::size_t columns_of_terminal() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

/// 812 MB, 3.2 k: three digits and a prefix for powers of 1000.
std::string amount_text(double amount, const std::string& unit) {
  constexpr std::array kPrefixes{"", "k", "M", "G", "T"};
  constexpr double kStep = 1000;
  std::size_t prefix = 0;
  for (; amount >= kStep && prefix + 1 < kPrefixes.size(); ++prefix) amount /= kStep;
  const bool symbol = unit.size() == 1;  // of a unit that takes prefixes itself
  return number_text(amount, 3) + " " + kPrefixes.at(prefix) + (symbol || prefix == 0 ? "" : " ") + unit;
}

/// 0:03, 1:02:03
std::string clock_text(double seconds) {
  constexpr std::uint64_t kMinute = 60, kHour = 3600;
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  const auto two = [](std::uint64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const std::string rest = two(whole % kMinute);
  if (whole < kHour) return std::to_string(whole / kMinute) + ":" + rest;
  return std::to_string(whole / kHour) + ":" + two(whole % kHour / kMinute) + ":" + rest;
}

}  // namespace

std::string progress_text(const Work& work, std::uint64_t done, double seconds, std::size_t columns) {
  const auto count = static_cast<double>(done);
  const double rate = seconds > 0 ? count / seconds : 0;
  std::string text = work.what + "  ";
  if (work.total && *work.total > 0) {
    const double share = std::min(1.0, count / static_cast<double>(*work.total));
    text += std::to_string(static_cast<int>(100 * share)) + " %  " + amount_text(rate, work.unit) + "/s";
    if (rate > 0) text += "  " + clock_text((1 - share) * static_cast<double>(*work.total) / rate) + " left";
  } else {
    text += amount_text(count, work.unit) + "  " + amount_text(rate, work.unit) + "/s";
  }
  // Text of ours alone, so a byte is a column. The last column stays free: some terminals go on to the next line behind it.
  return text.substr(0, columns > 0 ? columns - 1 : 0);
}

ProgressLine::ProgressLine(const Console& console, Work work)
    : work_(std::move(work)), enabled_(console.shows_progress()), begun_(Clock::now()), next_(begun_ + kSilence) {}

ProgressLine::~ProgressLine() { wipe_progress(); }

void ProgressLine::at(std::uint64_t done) {
  done_ = done;
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  on_terminal = true;  // first: a signal may come between the two
  write_error_stream(std::string(kWipe) + progress_text(work_, done_, seconds, columns_of_terminal()));
}

void wipe_progress() noexcept {
  if (on_terminal.exchange(false)) write_error_stream(kWipe);
}

void show_reading(Input& input, const std::shared_ptr<ProgressLine>& line) {
  input.observe([line, before = std::uint64_t{0}](std::uint64_t position) mutable {
    // A file of which only the beginning is looked at may be read again from there.
    if (position > before) line->advance(position - before);
    before = std::max(before, position);
  });
}

void show_reading(std::span<Input* const> inputs, const Console& console) {
  std::optional<std::uint64_t> total = 0;
  for (const Input* const input : inputs) {
    const std::optional<std::uint64_t> size = input->stored_size();
    total = total && size ? std::optional(*total + *size) : std::nullopt;
  }
  const auto line = std::make_shared<ProgressLine>(console, Work{"reading", "B", total});
  for (Input* const input : inputs) show_reading(*input, line);
}

}  // namespace seqpoint::cli
