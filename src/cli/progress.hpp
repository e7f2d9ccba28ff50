/// \file
/// Progress of a long task: one line on the terminal, which is removed when the task is done.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "cli/console.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::cli {

/// The counted quantity.
struct Work {
  std::string what;                    ///< "reading"
  std::string unit;                    ///< such as "B" or "samples"; empty: nothing is counted
  std::optional<std::uint64_t> total;  ///< nothing if not known
};

/// "reading  45 %  812 MB/s  0:03 left", truncated to less than `columns`. Without a total the done amount replaces the
/// share, and there is no time left. If nothing is counted, or the total is reached, the elapsed time: "choosing points
/// for 0:03". `seconds`: since the start.
std::string progress_text(const Work&, std::uint64_t done, double seconds, std::size_t columns);

/// Shows nothing in the first second of silence, then updates itself ten times a second from a thread of its own: work
/// may take long without a report. One at a time; `advance` and `at` are for one thread.
class ProgressLine {
 public:
  ProgressLine(const Console&, Work);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Adds to the done amount.
  void advance(std::uint64_t by) { at(done_ + by); }
  /// Sets the done amount, in the unit of the work.
  void at(std::uint64_t done) { done_ = done; }

 private:
  /// The thread that shows the line, until the destructor ends it.
  void show_until_ended();

  const Work work_;
  std::atomic<std::uint64_t> done_{0};
  const std::chrono::steady_clock::time_point begun_;
  std::mutex mutex_;  ///< mutex of `ended_`
  std::condition_variable end_;
  bool ended_ = false;
  std::thread shows_;  ///< none if nobody would see the line
};

/// The result of `work`; a line shows the elapsed time. Nothing may be written to the terminal meanwhile.
template <class Function>
auto during(const Console& console, std::string what, const Function& work) {
  const ProgressLine line(console, {std::move(what), "", {}});
  return work();
}

/// Opens an input as Input::open() and shows the progress of reading it. The line lives as long as the input.
io::stream::Input open_shown(const std::string& path, const Console&);
/// Shows one line for all of these inputs while they are read: stored bytes, with a total if all sizes are known. The
/// line lives as long as the inputs.
void show_reading(std::span<io::stream::Input* const> inputs, const Console&);

/// Removes the line from the terminal, if there is one, and keeps it away, so that something else can be printed.
class ProgressPause {
 public:
  ProgressPause();

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Removes the line from the terminal permanently, without waiting for other threads. For a signal handler.
void end_progress() noexcept;

/// Sets the text that the program prints if a signal ends it; a signal handler prints the latest one.
void set_last_words(std::string);
/// Writes the text to standard error. For a signal handler.
void print_last_words() noexcept;

}  // namespace seqpoint::cli
