// Reports of `nsys stats --format csv`: one or several, one after the other, with other lines before them.
#include <fmt/core.h>

#include <cmath>

#include "io/profiles/engine/report_table.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/decimal.hpp"
#include "io/text/input_head.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

bool is_nsys_header(std::string_view line) {
  line = text::trim(line);
  if (line.starts_with("Row#,")) line.remove_prefix(5);
  if (line.starts_with('"')) line.remove_prefix(1);
  return line.starts_with("Time") && line.find("Total Time") != std::string_view::npos &&
         line.find(',') != std::string_view::npos;
}

bool is_nsys_stats(const ProfileProbe& probe) { return engine::find_header(probe.head, is_nsys_header).has_value(); }

/// A column of times, whose unit is in its name; before 2022 there was none, and it was ns.
struct TimeColumn {
  std::size_t index = 0;
  text::DecimalUnit unit = text::DecimalUnit::ns;
};

std::optional<TimeColumn> time_column(const engine::ReportTable& table, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto plain = table.find(name)) return TimeColumn{*plain, text::DecimalUnit::ns};
    for (const std::string_view unit : {"ns", "us", "ms", "s"})
      if (const auto found = table.find(fmt::format("{}({})", name, unit)))
        return TimeColumn{*found, *text::decimal_unit(unit)};
  }
  return std::nullopt;
}

/// Whether commas are between groups of three digits: a decimal comma is not.
bool has_thousands_alone(std::string_view number) {
  constexpr std::size_t kGroup = 3;
  for (std::size_t comma = number.find(','); comma != std::string_view::npos; comma = number.find(',', comma + 1)) {
    const std::size_t end = std::min(number.find_first_not_of("0123456789", comma + 1), number.size());
    if (end - comma - 1 != kGroup || number.rfind('.', comma) != std::string_view::npos) return false;
  }
  return true;
}

std::int64_t time_at(const engine::ReportTable& table, const TimeColumn& column) {
  std::string text = table.text(column.index);
  const bool good = has_thousands_alone(text);  // which only a quoted field can hold
  std::erase(text, ',');
  const auto ns = good ? text::parse_duration_ns(text::trim(text), column.unit) : std::nullopt;
  if (!ns)
    table.fail(column.index, fmt::format("\"{}\" is no duration", table.text(column.index)),
               "export with LC_ALL=C nsys stats --format csv");
  return *ns;
}

/// What the reports of one file say.
class NsysStatsReader {
 public:
  explicit NsysStatsReader(ProfileInput& input) : input_(input) {
    profile_.source = input.name();
    profile_.format = kNsysStats.name;
  }

  profile::StepProfile read() {
    auto place = engine::find_header(input_.text(), is_nsys_header);
    while (place) {
      engine::ReportTable table(input_.name(), place->text, place->line);
      if (const auto range = table.find("range"))
        read_ranges(table, *range);
      else
        read_operations(table);
      require_whole_rows(table);
      place = engine::find_header(table.rest(), is_nsys_header, table.rest_line());
    }
    finish();
    return std::move(profile_);
  }

 private:
  /// Between reports there are blank lines and titles: a line that begins with a number was meant as a row.
  static void require_whole_rows(const engine::ReportTable& table) {
    const std::string_view line = text::first_line(table.rest());
    if (text::parse_number(line.substr(0, line.find(','))).fault == text::NumberFault::none) table.require_complete();
  }

  /// nvtx_sum: the median of a range's instances is its time, as one slow first instance would spoil the mean.
  void read_ranges(engine::ReportTable& table, std::size_t range) {
    const auto middle = time_column(table, {"med", "avg", "average"}), most = time_column(table, {"max", "maximum"});
    const auto instances = table.find_any({"instances", "numcalls", "calls"});
    if (!middle || !instances)
      throw InputError({input_.name(), table.line()}, "has no columns Med (or Avg) and Instances",
                       "export the report nvtx_sum");
    while (table.next()) {
      profile::ProfiledStep step;
      step.key = table.text(range);
      if (step.key.starts_with(':')) step.key.erase(0, 1);  // of the default domain
      step.line = table.line();
      step.host_ns = time_at(table, *middle);
      step.repeats = static_cast<std::uint64_t>(std::max<std::int64_t>(1, table.integer(*instances)));
      if (most && time_at(table, *most) > 2 * *step.host_ns)
        uneven_ += fmt::format("{}'{}'", uneven_.empty() ? "" : ", ", step.key);
      profile_.steps.push_back(std::move(step));
    }
  }

  /// cuda_gpu_kern_sum: all kernels of the capture, which is one step if there are no ranges. Other reports are of
  /// other things.
  void read_operations(engine::ReportTable& table) {
    const auto name = table.find("name"), instances = table.find("instances");
    const auto total = time_column(table, {"totaltime"});
    const bool kernels = name && instances && total;
    while (table.next())
      if (kernels) {
        operations_.push_back(
            {.name = table.text(*name),
             .count = static_cast<std::uint64_t>(std::max<std::int64_t>(0, table.integer(*instances))),
             .ns = time_at(table, *total)});
        operations_line_ = operations_line_ == 0 ? table.line() : operations_line_;
      }
  }

  void finish() {
    if (!operations_.empty() && profile_.steps.empty()) profile_.steps.push_back(capture_as_step());
    if (profile_.steps.empty())
      throw InputError({input_.name()}, "holds neither NVTX ranges nor kernels",
                       "export the reports nvtx_sum or cuda_gpu_kern_sum");
    if (!uneven_.empty())
      profile_.notes.push_back(
          fmt::format("{}: the slowest instance of {} took more than twice the median: the SQLite export tells which",
                      input_.name(), uneven_));
  }

  profile::ProfiledStep capture_as_step() const {
    profile::ProfiledStep step;
    step.key = input_.stem();
    step.line = operations_line_;
    step.gpu_ops = 0;
    step.gpu_sum_ns = 0;
    step.kernels = operations_;
    for (const profile::Operation& operation : operations_) {
      *step.gpu_ops += operation.count;
      *step.gpu_sum_ns += operation.ns;
    }
    step.gpu_kernels = *step.gpu_ops;
    return step;
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  std::vector<profile::Operation> operations_;
  std::uint64_t operations_line_ = 0;
  std::string uneven_;
};

profile::StepProfile read_nsys_stats(ProfileInput& input) { return NsysStatsReader(input).read(); }

}  // namespace

const ProfileReader kNsysStats{
    .name = "nsys-stats",
    .summary = "nsys stats --format csv: nvtx_sum (a range a step), cuda_gpu_kern_sum (the capture a step)",
    .example = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range",
    .recognises = is_nsys_stats,
    .read = read_nsys_stats,
    .in_logs = true,
};

}  // namespace seqpoint::io::profiles::formats
