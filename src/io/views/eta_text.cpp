#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "io/views/cells.hpp"
#include "io/views/eta_text.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::views {
namespace {

/// "12.3 s (11.9 s to 12.8 s)": the expected time and its interval.
std::string with_range(const eta::Expected& expected) {
  return fmt::format("{} ({} to {})", duration_text(expected.seconds), duration_text(expected.interval.low),
                     duration_text(expected.interval.high));
}

/// Rows of a label and a text: "done", "left", "of it" if shapes with a known cold-start cost are still to come, and
/// "last N" if there is a stretch. `confidence`: of the interval of "left", which is printed.
std::vector<std::vector<std::string>> eta_figures(const eta::TimeLeft& left, double confidence) {
  std::vector<std::vector<std::string>> figures{
      {"done", fmt::format("{} of {}, {} of the work, {}in {}", left.done, counted(left.done + left.left, "iteration"),
                           percent_text(left.work_done),
                           left.timed < left.done ? fmt::format("{} of them timed, ", left.timed) : "",
                           duration_text(left.seconds_done))},
      {"left", left.left == 0 ? "nothing"
                              : fmt::format("{}, {} confidence", with_range(left.expected),
                                            full_precision(100 * confidence) + " %")}};
  if (const auto& first = left.expected.first_seen; first && first->left > 0)
    figures.push_back(
        {"of it", fmt::format("{}: {} still new, each {} more at first, by the median of {} that came again",
                              duration_text(first->seconds_each * static_cast<double>(first->left)),
                              counted(first->left, "shape"), duration_text(first->seconds_each), first->compared)});
  if (const auto& stretch = left.stretch)
    figures.push_back({fmt::format("last {}", stretch->iterations),
                       fmt::format("{}; expected from earlier iterations: {}", duration_text(stretch->seconds),
                                   with_range(stretch->expected))});
  return figures;
}

}  // namespace

std::string eta_text(const eta::TimeLeft& left, double confidence) {
  return as_text({.rows = eta_figures(left, confidence), .left_columns = 2});
}

TextTable eta_table(const eta::TimeLeft& left, double confidence) {
  TextTable table{.rows = eta_figures(left, confidence), .left_columns = 2};
  table.rows.insert(table.rows.begin(), {"", "time"});
  return table;
}

DataTable eta_rows(const eta::TimeLeft& left) {
  return {{"figure", "value"},
          {{"iterations_done", left.done},
           {"iterations_timed", left.timed},
           {"iterations_left", left.left},
           {"work_done", left.work_done},
           {"seconds_done", left.seconds_done},
           {"seconds_left", left.expected.seconds},
           {"seconds_left_low", left.expected.interval.low},
           {"seconds_left_high", left.expected.interval.high}}};
}

std::string message_of(const eta::TimeLeft& left, const eta::Stretch& stretch) {
  const double change = stretch.seconds / stretch.expected.seconds - 1;
  // The remaining time is predicted from all iterations, including the stretch.
  const double usual = (left.seconds_done - stretch.seconds + stretch.expected.seconds) / left.seconds_done;
  return fmt::format("the last {} ran {} {} than predicted; if that continues, {} are left",
                     counted(stretch.iterations, "iteration"), percent_text(std::abs(change), 2),
                     change > 0 ? "slower" : "faster", duration_text(left.expected.seconds * usual * (1 + change)));
}

}  // namespace seqpoint::io::views
