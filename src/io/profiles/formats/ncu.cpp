// Nsight Compute's CSV (`ncu --csv`), one row per metric (--page details) or per kernel (--page raw). Columns are found
// by name: their set depends on the version and on --nvtx.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <map>

#include "core/profile/timeline.hpp"
#include "io/profiles/engine/metric_columns.hpp"
#include "io/profiles/engine/ncu_numbers.hpp"
#include "io/profiles/engine/report_table.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/decimal.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

constexpr auto kNcuHint = "export with LC_ALL=C ncu --csv --print-units base";

/// Whether a line begins with a column ID and contains "Kernel Name".
bool is_ncu_header(std::string_view line) {
  line = text::trim(line);
  return (line.starts_with("\"ID\",") || line.starts_with("ID,")) && line.find("Kernel Name") != std::string_view::npos;
}

bool is_ncu(const ProfileProbe& probe) { return engine::find_header(probe.head, is_ncu_header).has_value(); }

/// One launch with its measurements.
struct LaunchRecord {
  std::string kernel, ranges;
  std::uint64_t line = 0;
  std::map<std::string, double> metrics;  ///< in base units
  std::optional<std::int64_t> ns;
};

/// The names of the open NVTX ranges in a cell, outermost first. A range is written as `"<default domain>:iter
/// 42:none:none:none:none:none:none"`, after its number.
std::vector<std::string> range_names(std::string_view cell) {
  constexpr int kFieldsBehindName = 6;
  std::vector<std::string> names;
  for (std::size_t open = cell.find('"'); open != std::string_view::npos;) {
    const std::size_t close = cell.find('"', open + 1);
    if (close == std::string_view::npos) break;
    std::string_view item = cell.substr(open + 1, close - open - 1);
    item.remove_prefix(std::min(item.size(), item.find(':') + 1));  // the domain
    for (int i = 0; i < kFieldsBehindName && item.rfind(':') != std::string_view::npos; ++i)
      item = item.substr(0, item.rfind(':'));
    names.emplace_back(item);
    open = cell.find('"', close + 1);
  }
  return names;
}

/// Whether a metric adds up over kernels; other metrics are means, weighted by the kernel's time.
bool is_sum(std::string_view metric) { return metric.ends_with(".sum"); }

bool is_duration(std::string_view metric) {
  return metric == "gpu__time_duration.sum" || metric.ends_with(": Duration");
}

class NcuReader {
 public:
  explicit NcuReader(ProfileInput& input) : input_(input), metrics_(profile_) {
    profile_.source = input.name();
    profile_.format = kNcu.name;
  }

  profile::StepProfile read() {
    const auto place = engine::find_header(input_.text(), is_ncu_header);
    if (!place) throw InputError({input_.name()}, "has no header that begins with \"ID\"", "export with ncu --csv");
    numbers_ = engine::NcuNumbers(value_cells(engine::ReportTable(input_.name(), place->text, place->line)));
    engine::ReportTable table(input_.name(), place->text, place->line);
    table.find("metricname") ? read_long(table) : read_wide(table);
    if (std::string note = table.passed_over(); !note.empty()) profile_.notes.push_back(std::move(note));
    add_steps();
    metrics_.finish();
    for (const std::string& metric : profile_.metrics)
      if (!is_sum(metric)) profile_.means.push_back(metric);
    if (profile_.steps.empty())
      throw InputError({input_.name()}, "holds no kernel", "profile a range in which kernels are launched");
    profile_.notes.push_back(input_.name() +
                             ": Nsight Compute serialises kernels, flushes caches and fixes clocks; compare these "
                             "durations with each other only");
    if (without_duration_ > 0)
      profile_.notes.push_back(fmt::format("{}: {} not measured (n/a); profile again: sums lack them", input_.name(),
                                           counted(without_duration_, "duration")));
    if (!input_.text().ends_with('\n'))
      profile_.notes.push_back(input_.name() + ": the last line has no line end; check that the file is whole");
    if (numbers_.european())
      profile_.notes.push_back(input_.name() +
                               ": numbers have a decimal comma; check one of them in `seqpoint inspect`");
    return std::move(profile_);
  }

 private:
  /// Every cell with a measurement: together they show the separators of the file.
  static std::vector<std::string> value_cells(engine::ReportTable table) {
    const auto value = table.find("metricvalue");
    const std::size_t first = first_metric(table);
    std::vector<std::string> cells;
    if (value) table.require_no_more_than(*value);
    while (table.next_of_only_table())
      for (std::size_t c = value ? *value : first; c < (value ? *value + 1 : table.columns().size()); ++c)
        cells.push_back(table.text(c));
    return cells;
  }
  /// The first column of metrics in the wide form, in which metrics follow the compute capability; the number of
  /// columns if there is no such column.
  static std::size_t first_metric(const engine::ReportTable& table) {
    return table.find("cc") ? *table.find("cc") + 1 : table.columns().size();
  }

  /// The record of the launch that the current row is of, by process and ID; a new one if it is the first row.
  LaunchRecord& launch(const engine::ReportTable& table) {
    const auto process = table.find("processid");
    const std::pair<std::string, std::string> key{process ? table.text(*process) : "", table.text(table.require("id"))};
    const auto [at, is_new] = by_id_.try_emplace(key, launches_.size());
    if (!is_new) return launches_[at->second];
    LaunchRecord record;
    record.kernel = table.text(table.require("kernelname"));
    record.line = table.line();
    for (const std::string& column : table.columns())
      if (column.find("Push/Pop_Range:") != std::string::npos)
        record.ranges = table.text(static_cast<std::size_t>(&column - table.columns().data()));
    launches_.push_back(std::move(record));
    return launches_.back();
  }

  /// Reads one metric per row. A label of the details page gets its section's name in front.
  void read_long(engine::ReportTable& table) {
    const auto name = table.require("metricname");
    const auto unit = table.find("metricunit"), value = table.find("metricvalue"), section = table.find("sectionname");
    if (!unit || !value)
      throw InputError({input_.name(), table.line()}, "has a column Metric Name without Metric Unit and Metric Value",
                       kNcuHint);
    table.require_no_more_than(*value);  // a row without rules ends before their columns
    while (table.next_of_only_table()) {
      LaunchRecord& record = launch(table);
      const std::string metric = table.text(name);
      // Labels of the details page are repeated in each section.
      const bool label = section && metric.find("__") == std::string::npos;
      if (!metric.empty())
        measure(record, label ? fmt::format("{}: {}", table.text(*section), metric) : metric, table.text(*unit),
                table.text(*value), table, *value);
    }
  }

  /// Reads one launch per row, with a column per metric. A row without ID contains the units.
  void read_wide(engine::ReportTable& table) {
    const std::size_t first = first_metric(table);
    std::vector<std::string> units(table.columns().size());
    while (table.next_of_only_table()) {
      if (table.text(table.require("id")).empty()) {  // the line of units
        for (std::size_t c = first; c < units.size(); ++c) units[c] = table.text(c);
        continue;
      }
      LaunchRecord& record = launch(table);
      for (std::size_t c = first; c < units.size(); ++c)
        measure(record, table.columns()[c], units[c], table.text(c), table, c);
    }
  }

  /// Stores a cell: a duration in ns, any other metric in its base unit. Cells without a measurement, and text, are
  /// skipped. Throws InputError for a duration that is none.
  void measure(LaunchRecord& record, const std::string& metric, const std::string& unit, const std::string& cell,
               const engine::ReportTable& table, std::size_t column) {
    const std::optional<std::string> number = numbers_.plain(cell);
    if (!number && is_duration(metric)) ++without_duration_;
    if (!number) return;  // "n/a"
    const text::Number value = text::parse_number(*number);
    if (value.fault != text::NumberFault::none) return;  // text, such as a kernel's cache configuration
    if (!std::isfinite(value.value)) return;
    if (is_duration(metric)) {
      const auto time_unit = text::decimal_unit(unit);
      const auto ns = time_unit ? text::parse_duration_ns(*number, *time_unit) : std::nullopt;
      if (!ns) table.fail(column, fmt::format("\"{}\" {} is no duration", cell, unit), kNcuHint);
      record.ns = ns;
      return;
    }
    record.metrics[metric] = value.value * engine::unit_scale(unit);
  }

  /// Makes a step of the launches of each key_of(), in order of appearance.
  void add_steps() {
    std::map<std::string, std::vector<const LaunchRecord*>> by_key;
    std::vector<std::string> order;
    for (const LaunchRecord& record : launches_) {
      const std::string key = key_of(record);
      if (by_key[key].empty()) order.push_back(key);
      by_key[key].push_back(&record);
    }
    for (const std::string& key : order) add_step(key, by_key[key]);
  }

  /// The name of the step that a launch belongs to: the outermost of its ranges that names a step, else the innermost;
  /// the file's name if there is none.
  std::string key_of(const LaunchRecord& record) const {
    const std::vector<std::string> names = range_names(record.ranges);
    for (const std::string& name : names)
      if (input_.rules().names_step(name)) return name;
    return names.empty() ? input_.stem() : names.back();
  }

  /// Adds a step with the sums of its launches; metrics that are no sums become means, weighted by duration.
  void add_step(const std::string& key, const std::vector<const LaunchRecord*>& launches) {
    profile::ProfiledStep step;
    step.key = key;
    step.line = launches.front()->line;
    step.gpu_ops = step.gpu_kernels = launches.size();
    profile::NameTable names;
    profile::OperationSums sums;
    std::map<std::string, double> weights;
    for (const LaunchRecord* const record : launches) {
      if (record->ns) step.gpu_sum_ns = step.gpu_sum_ns.value_or(0) + *record->ns;
      sums.add(names.id(record->kernel), 1, record->ns.value_or(0));
      for (const auto& [metric, value] : record->metrics) {
        const double weight = is_sum(metric) ? 1 : static_cast<double>(record->ns.value_or(1));
        metrics_.add(step, metric, value * weight);
        if (!is_sum(metric)) weights[metric] += weight;
      }
    }
    for (const auto& [metric, weight] : weights)
      if (weight > 0) metrics_.at(step, metric) /= weight;
    step.kernels = sums.finish(names);
    profile_.steps.push_back(std::move(step));
  }

  ProfileInput& input_;
  profile::StepProfile profile_;
  engine::MetricColumns metrics_;
  engine::NcuNumbers numbers_;
  std::vector<LaunchRecord> launches_;
  std::map<std::pair<std::string, std::string>, std::size_t> by_id_;
  std::uint64_t without_duration_ = 0;
};

profile::StepProfile read_ncu(ProfileInput& input) { return NcuReader(input).read(); }

}  // namespace

const ProfileReader kNcu{
    .name = "ncu",
    .summary = "Nsight Compute: ncu --csv, long or --page raw; with --nvtx a range is a step, else the file is one",
    .example = R"("ID","Process ID",...,"Kernel Name",...,"Metric Name","Metric Unit","Metric Value")",
    .recognises = is_ncu,
    .read = read_ncu,
};

}  // namespace seqpoint::io::profiles::formats
