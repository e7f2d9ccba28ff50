/// \file
/// How far a long piece of work is: one line on the terminal, which is gone when the work is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "console.hpp"
#include "seqpoint/io/input.hpp"

namespace seqpoint::cli {

/// What is counted.
struct Work {
  std::string what;                    ///< "reading"
  std::string unit;                    ///< of what is counted: "B", "samples"
  std::optional<std::uint64_t> total;  ///< nothing where nobody knows
};

/// "reading  45 %  812 MB/s  0:03 left", at most `columns` wide; without a total what was done instead of share and time left.
std::string progress_text(const Work&, std::uint64_t done, double seconds, std::size_t columns);

/// Shows nothing in the first second, and at most ten times a second after it. Used by one thread.
class ProgressLine {
 public:
  ProgressLine(const Console&, Work);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void advance(std::uint64_t by) { at(done_ + by); }
  void at(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  Work work_;
  bool enabled_;
  std::uint64_t done_ = 0;
  Clock::time_point begun_, next_;
};

/// One line for all of these inputs, as they are read. It lives as long as they do.
void show_reading(std::span<Input* const> inputs, const Console&);
/// The same for inputs that are opened one after the other; `total` is the size of all.
void show_reading(Input&, const std::shared_ptr<ProgressLine>&);

/// Takes the line off the terminal, if there is one, before something else is written there. Safe in a signal handler.
void wipe_progress() noexcept;

}  // namespace seqpoint::cli
