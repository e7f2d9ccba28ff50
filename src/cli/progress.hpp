/// \file
/// How far a long piece of work is: one line on the terminal, which is gone when the work is done.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "cli/console.hpp"
#include "io/files.hpp"

namespace seqpoint::cli {

/// What is counted.
struct Work {
  std::string what;                    ///< "reading"
  std::string unit;                    ///< of what is counted: "B", "samples"; empty: nothing is
  std::optional<std::uint64_t> total;  ///< nothing where nobody knows
};

/// "reading  45 %  812 MB/s  0:03 left", at most `columns` wide; without a total what was done instead of share and
/// time left. Where nothing is counted, and once all was, how long it goes on: "choosing points  for 0:03".
std::string progress_text(const Work&, std::uint64_t done, double seconds, std::size_t columns);

/// Shows nothing in the first second of silence, and itself ten times a second after it, by a thread of its own: work
/// may go on for long without a word. One at a time; `advance` and `at` are for one thread.
class ProgressLine {
 public:
  ProgressLine(const Console&, Work);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void advance(std::uint64_t by) { at(done_ + by); }
  void at(std::uint64_t done) { done_ = done; }

 private:
  void show_until_ended();

  const Work work_;
  std::atomic<std::uint64_t> done_{0};
  const std::chrono::steady_clock::time_point begun_;
  std::mutex mutex_;  ///< of `ended_`
  std::condition_variable end_;
  bool ended_ = false;
  std::thread shows_;  ///< none where there is nobody to show it to
};

/// What `work` returns; a line says how long it goes on. Nothing may be written to the terminal meanwhile.
template <class Function>
auto during(const Console& console, std::string what, const Function& work) {
  const ProgressLine line(console, {std::move(what), "", {}});
  return work();
}

/// An input of which a line shows how far it is read. The line lives as long as the input.
io::stream::Input open_shown(const std::string& path, const Console&);
/// One line for all of these inputs, as they are read. It lives as long as they do.
void show_reading(std::span<io::stream::Input* const> inputs, const Console&);
/// The same for inputs that are opened one after the other; `total` is the size of all.
void show_reading(io::stream::Input&, const std::shared_ptr<ProgressLine>&);

/// Takes the line off the terminal, if there is one, and keeps it away, so that something else can be written there.
class ProgressPause {
 public:
  ProgressPause();

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Takes the line off the terminal for good. For a signal handler.
void end_progress() noexcept;

}  // namespace seqpoint::cli
