/// \file
/// Results as tables: of text for people, of figures with all digits for programs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/forecast/forecast.hpp"
#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/report/report.hpp"
#include "core/select/select.hpp"

namespace seqpoint::io::views {

/// Passes rows one by one, each time that it is called: of a million rows none has to be kept. Null: there are none.
template <class Cells>
using RowSource = std::function<void(const std::function<void(const Cells&)>&)>;

/// A table for people, row by row. The first row is the header; all rows have equal width.
struct TextTable {
  std::vector<std::vector<std::string>> rows;     ///< UTF-8, not escaped; each output form escapes it
  std::size_t left_columns = 1;                   ///< so many columns are text, aligned left; the others are numbers
  std::vector<TextTable> below = {};              ///< other tables that follow it in text and Markdown
  RowSource<std::vector<std::string>> more = {};  ///< rows that follow `rows`
};

/// Passes the lines of as_text(), each with its end. Requires rows of equal width.
void for_each_line(const TextTable&, const std::function<void(const std::string&)>& use,
                   std::optional<std::size_t> columns = {});
/// Columns aligned, two blanks between them. A table that is wider than `columns` goes on below itself with the columns
/// that are left, and its first ones again.
std::string as_text(const TextTable&, std::optional<std::size_t> columns = {});
std::string as_markdown(const TextTable&);  ///< `|` in cells escaped

/// A cell for programs: nothing, a whole number, another number or a name. A value that is not finite becomes nothing.
class Cell {
 public:
  /// The types of a cell.
  using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

  Cell() = default;
  Cell(std::integral auto number) : value_(static_cast<std::int64_t>(number)) {}  ///< below 2^63
  Cell(double number);                                             ///< rounded to 12 digits, as in output files
  Cell(std::string_view name);                                     ///< nothing if it is empty
  Cell(const std::string& name) : Cell(std::string_view(name)) {}  ///< the same
  Cell(const char* name) : Cell(std::string_view(name)) {}         ///< the same
  /// The value, or nothing.
  template <class T>
  Cell(const std::optional<T>& value) {
    if (value) *this = Cell(*value);
  }

  /// As in JSON and CSV.
  const Value& value() const { return value_; }
  /// All digits of a number, and no more.
  std::string text() const;

 private:
  Value value_;
};

/// A table for programs: every figure with all digits.
struct DataTable {
  std::vector<std::string> columns;          ///< names of keys
  std::vector<std::vector<Cell>> rows = {};  ///< each as wide as `columns`
  std::string id = {};                       ///< on a page
  std::string caption = {};                  ///< on a page
  RowSource<std::vector<Cell>> more = {};    ///< rows that follow `rows` in CSV
};

std::string as_csv(const DataTable&);  ///< RFC 4180; names that a spreadsheet would execute begin with an apostrophe

/// A projection for people: rounded, with units. One row per metric of a configuration.
TextTable projection_table(const project::Projection&, bool with_throughput = false);
/// An evaluation for people: one row per method and number of points.
TextTable evaluation_table(const evaluate::Evaluation&);
/// The points of a selection for people: keys, weights, shares of the iterations, the iteration to profile, repeats;
/// without empty columns.
TextTable points_table(const select::Selection&);
/// The numbers of points that a method considered, with their expected errors, for people.
TextTable numbers_of_points_table(const std::vector<select::NumberOfPointsRecord>&);
/// Passes the steps of profiles one by one, each time that it is called.
using StepSource =
    std::function<void(const std::function<void(const profile::StepProfile&, const profile::ProfiledStep&)>&)>;
/// The steps of profiles for people. The source is called when the table is written.
TextTable inspection_table(StepSource);
/// A break-down for people: at most 25 rows per configuration, then one row with the sums of the others. Names are cut
/// after 60 bytes.
TextTable breakdown_table(const project::Breakdown&);
/// "under it a batch takes 1.55 times as long: seconds by operator are of profiled batches"; empty if that is not
/// known.
std::string profiler_text(const project::Breakdown&);
/// Measured totals compared with the projected ones, for people.
TextTable truth_table(std::span<const report::MeasuredTotal>);

/// A forecast on one page: one line per figure, then the largest batches.
std::string forecast_text(const forecast::Forecast&);
/// The same as tables with headers.
TextTable forecast_table(const forecast::Forecast&);
/// Every figure with all digits, one per row.
DataTable forecast_rows(const forecast::Forecast&);

/// A projection for programs: one row per metric of a configuration.
DataTable projection_rows(const project::Projection&);
/// An evaluation for programs: one row per method, number of points and configuration.
DataTable evaluation_rows(const evaluate::Evaluation&);
/// Adds the break-down to the table of projection_rows(), one row per configuration and name, in seconds: the metric of
/// a row is "category:GEMM", say. Its speedup is 1 / BreakdownRow::change, if that is above 0.
void append_breakdown_rows(DataTable& projection, const project::Breakdown&);
/// The steps of profiles for programs.
DataTable inspection_rows(StepSource);

inline constexpr std::size_t kBarColumns = 80;  ///< the usual width of a terminal

/// How bars are drawn.
enum class Bars {
  blocks,  ///< U+2588 and its eighths, in UTF-8
  plain    ///< '#'
};

/// How many batches have which padded length (without padding: how many tokens), with `points` also their positions;
/// for pairs also tgt_len, without points. No line is longer than `columns`, if these are enough for the numbers. The
/// run has at least one iteration.
std::string histograms_text(const trace::RunSummary& run, Bars bars, std::span<const select::Point> points = {},
                            std::size_t columns = kBarColumns);

/// A time: "46.94 ms", "124.4 s" (below 3 min), "42 min 17 s", "1 h 8 min", "3 d 2 h". "- s" if it is not finite; zero
/// and negative times in seconds. `digits`: of a time in a single unit.
std::string duration_text(double seconds, int digits = 4);
/// A number rounded to `digits` significant digits; digits before the decimal point are all kept (123456). With an
/// exponent below 1e-4 and from 1e9 on. "-" if it is not finite, "0" for 0.
std::string number_text(double value, int digits = 4);
/// The smallest factor that fewer_text() mentions.
inline constexpr double kFewerFrom = 1.05;
/// " (10x fewer)": `whole` divided by `part`, after a blank; empty below kFewerFrom.
std::string fewer_text(double part, double whole);
/// "44 batches instead of 446 (10x fewer)"; without the factor if it is below kFewerFrom. `noun`: the singular.
std::string reduction_text(std::uint64_t part, std::uint64_t whole, const std::string& noun);
/// A share as a percentage with `digits` significant digits: 0.125 is "12.5 %".
std::string percent_text(double share, int digits = 3);
/// A share with three significant digits, as the user typed it: "3 %", "2.5 %".
std::string typed_percent(double share);
/// A confidence in all of its digits: "95 %", "99.5 %".
std::string confidence_text(double share);
/// A share as a percentage with one decimal: "60.4 %"; "< 0.1 %" for a smaller one.
std::string tenth_percent(double share);

}  // namespace seqpoint::io::views
