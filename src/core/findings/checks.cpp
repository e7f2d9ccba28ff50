#include "core/findings/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/findings.hpp"
#include "core/findings/rules.hpp"
#include "core/numbers.hpp"
#include "core/profile/readings.hpp"
#include "core/select/cost_model.hpp"

namespace seqpoint::findings {
namespace {

using Found = std::vector<Finding>;

const profile::Measurements& measurements_of(const JoinedFiles& all, std::size_t c) {
  return all.configurations[c].named->measurements;
}

void append(Found& to, Found more) { std::ranges::move(more, std::back_inserter(to)); }

/// Finds duplicate files within a configuration; if there are none, and no duplicate rows were reported, also times
/// that all occur twice or more.
void repeated_files(const JoinedFiles& all, std::size_t c, Found& found) {
  const std::vector<MeasuredFile>& files = all.configurations[c].files;
  for (auto file = files.begin(); file != files.end(); ++file) {
    const auto other = std::find_if(files.begin(), file, [&](const auto& of) { return of.digest == file->digest; });
    if (other != file)
      found.push_back({.kind = file->path == other->path ? kFileTwice : kFileCopied,
                       .place = {file->path},
                       .figures = {{"other", other->path}}});
  }
  const auto repeats = [](const Finding& of) { return of.is(kRowsTwice) || of.is(kRowsRepeated); };
  if (found.empty() && std::ranges::none_of(all.configurations[c].of_files, repeats) &&
      all_repeated(measurements_of(all, c)))
    found.push_back({.kind = kTimesTwice, .place = {files.size() == 1 ? files.front().path : ""}});
}

/// A file none of whose rows is a measurement of a point, unless all of its rows are warm-up.
void files_without_points(const JoinedFiles& all, std::size_t c, Found& found) {
  const std::span<const profile::ProfileTable> tables = all.configurations[c].tables;
  std::set<std::size_t> with_points;
  for (const auto& rows : measurements_of(all, c).source_rows)
    for (const auto& [table, row] : rows) with_points.insert(table);
  for (std::size_t t = 0; t < tables.size(); ++t)
    if (!with_points.contains(t) && !std::ranges::all_of(tables[t].rows, &profile::ProfileRow::warmup))
      found.push_back(
          {.kind = kNoRowAtAPoint, .place = {tables[t].source}, .figures = {{"count", tables[t].rows.size()}}});
}

/// Whether the run's iterations are numbered from 0, as far as its points show: a trace may have numbers of its own.
bool is_numbered_from_zero(const select::Selection& selection) {
  return std::ranges::all_of(selection.points, [&](const select::Point& point) {
    return std::ranges::all_of(point.iterations, [&](std::uint64_t i) { return i < selection.run.iterations; });
  });
}

/// The first row, without warm-up, that names an iteration which the run does not have.
void iterations_beyond(const JoinedFiles& all, std::size_t c, Found& found) {
  const std::uint64_t iterations = all.selection->run.iterations;
  if (!is_numbered_from_zero(*all.selection)) return;
  for (const profile::ProfileTable& table : all.configurations[c].tables)
    for (const profile::ProfileRow& row : table.rows)
      if (!row.warmup && row.iteration && *row.iteration >= iterations)
        return found.push_back({.kind = kIterationBeyond,
                                .place = {table.source, row.line, "iteration"},
                                .figures = {{"iteration", *row.iteration}, {"last", iterations - 1}}});
}

/// Whether the iterations of a file are 0, 1, 2, ... or 1, 2, 3, ...: the file counts its own rows.
bool counts_its_rows(const profile::ProfileTable& table) {
  if (table.rows.empty() || table.rows.front().iteration.value_or(2) > 1) return false;
  std::uint64_t next = *table.rows.front().iteration;
  return std::ranges::all_of(table.rows, [&](const profile::ProfileRow& row) { return row.iteration == next++; });
}

/// A file whose measured rows name points and iterations, but mostly no iterations of their points. Only points that
/// list all of their iterations can tell. Where most rows agree, profile::RowConsistency refuses the others.
void iterations_of_no_point(const JoinedFiles& all, std::size_t c, Found& found) {
  std::map<std::string_view, const select::Point*> known;
  for (const select::Point& point : all.selection->points)
    if (profile::lists_all_iterations(point, all.selection->run)) known.emplace(point.id, &point);
  for (const profile::ProfileTable& table : all.configurations[c].tables) {
    const profile::ProfileRow* first = nullptr;
    std::size_t others = 0, own = 0;
    for (const profile::ProfileRow& row : table.rows) {
      const auto point = known.find(table.subject(row).point);
      if (row.warmup || !row.iteration || point == known.end()) continue;
      const bool is_own =
          std::ranges::find(point->second->iterations, *row.iteration) != point->second->iterations.end();
      ++(is_own ? own : others);
      if (!is_own && first == nullptr) first = &row;
    }
    if (others <= own || others < 2 || counts_its_rows(table)) continue;
    found.push_back({.kind = kIterationsOfNoPoint,
                     .place = {table.source, first->line, "iteration"},
                     .figures = {{"count", others},
                                 {"all", others + own},
                                 {"iteration", *first->iteration},
                                 {"point", std::string(table.subject(*first).point)}}});
  }
}

/// The path of the configuration's first file; "" if it has no files.
std::string first_path(const Joined& joined) { return joined.files.empty() ? "" : joined.files.front().path; }

/// A configuration that equals an earlier one, or shares a file with it: their ratio is 1 whatever was built. At most
/// one finding.
void same_configuration(const JoinedFiles& all, std::size_t c, Found& found) {
  const Joined& here = all.configurations[c];
  for (std::size_t t = 0; t < c; ++t) {
    const Joined& there = all.configurations[t];
    const auto add = [&](const FindingKind& kind, const std::string& file, const std::string& other_file) {
      found.push_back({.kind = kind,
                       .place = {file},
                       .figures = {{"metric", "times"}, {"other", there.named->name}, {"other_file", other_file}}});
    };
    if (same_times(measurements_of(all, c), measurements_of(all, t)))
      return add(kSameTimes, first_path(here), first_path(there));
    for (const MeasuredFile& file : here.files)
      for (const MeasuredFile& other : there.files)
        if (file.digest == other.digest)
          return add(file.path == other.path ? kSharedFile : kSharedCopy, file.path, other.path);
  }
}

/// Times that are kUnitFactor times those of the baseline or more, or as much less: a different unit looks like a
/// speedup, and would pass a gate. Severe if the configuration looks faster.
void other_unit(const JoinedFiles& all, std::size_t c, Found& found) {
  if (c == all.baseline) return;
  const double ratio = time_ratio(measurements_of(all, c), measurements_of(all, all.baseline));
  if (factor_of(ratio) < kUnitFactor) return;
  Finding& finding = found.emplace_back(
      Finding{.kind = kOtherUnit,
              .figures = {{"other", all.configurations[all.baseline].named->name}, {"factor", factor_of(ratio)}}});
  finding.severe = ratio < 1;
}

/// The different hosts or devices that the rows name; empty if some row names none.
std::set<std::string> values_of(std::span<const profile::ProfileTable> tables, std::string profile::Origin::*label) {
  std::set<std::string> values;
  for (const profile::ProfileTable& table : tables)
    for (const profile::ProfileRow& row : table.rows) values.insert(table.origin(row).*label);
  return values.contains("") ? std::set<std::string>() : values;
}

/// Reports hosts, else devices, that are not the baseline's. Only for a gate: it compares builds, but on two machines
/// it would compare the machines.
void other_machine(const JoinedFiles& all, std::size_t c, Found& found) {
  if (c == all.baseline || !all.compares_builds) return;
  const Joined& base = all.configurations[all.baseline];
  for (const auto label : {&profile::Origin::host, &profile::Origin::device}) {
    const std::set<std::string> here = values_of(all.configurations[c].tables, label),
                                there = values_of(base.tables, label);
    if (here.empty() || there.empty() || here == there) continue;
    return found.push_back({.kind = kOtherMachine,
                            .figures = {{"value", fmt::format("{}", fmt::join(here, ", "))},
                                        {"other", base.named->name},
                                        {"other_value", fmt::format("{}", fmt::join(there, ", "))}}});
  }
}

/// Adds findings_about_files(), which the caller has.
void of_files(const JoinedFiles& all, std::size_t c, Found& found) { append(found, all.configurations[c].of_files); }

/// Adds findings_about_times().
void times_at_points(const JoinedFiles& all, std::size_t c, Found& found) {
  append(found, findings_about_times(measurements_of(all, c), all.configurations[c].tables, *all.selection));
}

/// The time that is projected first; "" if there is none.
std::string main_time_of(const profile::Measurements& measured) {
  const std::optional<std::size_t> time = trace::main_time(measured.metrics);
  return time ? measured.metrics[*time] : "";
}

/// The shape that rows measure: of the point that they name, else the only shape of the run, else their key if it is
/// complete; nothing: not known.
std::optional<trace::Shape> shape_of(const profile::RowSubject& subject, const select::Selection& selection) {
  const auto& points = selection.points;
  const auto point = std::ranges::find(points, subject.point, &select::Point::id);
  if (point != points.end()) return point->shape;
  const auto& histogram = selection.run.histogram;
  return histogram.size() == 1 ? histogram.front().shape : subject.key.whole(selection.run.kind);
}

/// The measurements of a process in the order of time, and the line of the first.
struct ProcessTimes {
  std::uint64_t line = 0;
  std::vector<OrderedTime> times;
};

/// The times in a column of a table by process: of all rows with a known shape, without warm-up.
std::map<profile::Origin, ProcessTimes> times_by_process(const profile::ProfileTable& table, std::size_t column,
                                                         const select::Selection& selection) {
  std::vector<std::optional<trace::Shape>> subject_shapes;
  for (const profile::RowSubject& subject : table.subjects) subject_shapes.push_back(shape_of(subject, selection));
  std::map<profile::Origin, ProcessTimes> processes;
  std::map<trace::Shape, std::size_t> shapes;
  for (const profile::ProfileRow& row : table.rows) {
    const std::optional<trace::Shape>& shape = subject_shapes[row.subject];
    const double time = table.value(row, column);
    if (row.warmup || !(time > 0) || !shape) continue;
    ProcessTimes& process = processes.try_emplace(table.origin(row), ProcessTimes{row.line, {}}).first->second;
    process.times.push_back(
        {shapes.try_emplace(*shape, shapes.size()).first->second, select::shape_size(*shape), time});
  }
  return processes;
}

/// The first process whose cost grows or falls (trend_of()) by the main time, at its first row.
void drift(const JoinedFiles& all, std::size_t c, Found& found) {
  const std::string metric = main_time_of(measurements_of(all, c));
  for (const profile::ProfileTable& table : all.configurations[c].tables) {
    const std::optional<std::size_t> column = table.find(metric);
    if (!column) continue;
    for (const auto& [origin, process] : times_by_process(table, *column, *all.selection))
      if (const auto trend = trend_of(process.times))
        return found.push_back(finding_about(*trend, {table.source, process.line, metric}));
  }
}

/// The median of the main times above 0, by file and point.
std::map<const profile::ProfileTable*, std::map<std::size_t, double>> medians_by_file(const JoinedFiles& all,
                                                                                      std::size_t c) {
  std::map<const profile::ProfileTable*, std::map<std::size_t, std::vector<double>>> times;
  const profile::Measurements& measured = measurements_of(all, c);
  for (const profile::RowReading& reading :
       profile::readings_of(main_time_of(measured), measured, all.configurations[c].tables))
    if (reading.value > 0) times[reading.file][reading.point].push_back(reading.value);
  std::map<const profile::ProfileTable*, std::map<std::size_t, double>> medians;
  for (const auto& [file, of_points] : times)
    for (const auto& [point, values] : of_points) medians[file][point] = median(values);
  return medians;
}

/// Files of one configuration whose times at the same points differ from the first file's by kUnitFactor or more.
/// Within a point this does not show: if half of the repeats have either unit, they cannot show which is wrong.
void other_unit_of_a_file(const JoinedFiles& all, std::size_t c, Found& found) {
  const auto medians = medians_by_file(all, c);
  if (medians.empty()) return;
  const auto& [first, here] = *medians.begin();  // tables are in one array, in the order of the files
  for (const auto& [file, there] : medians) {
    std::vector<double> ratios;
    for (const auto& [point, time] : there)
      if (const auto same = here.find(point); same != here.end()) ratios.push_back(time / same->second);
    const double factor = ratios.empty() ? 1 : factor_of(median(ratios));
    if (factor >= kUnitFactor)
      found.push_back({.kind = kOtherUnitOfAFile,
                       .place = {file->source},
                       .figures = {{"other", first->source}, {"factor", factor}}});
  }
}

/// The order of the main time's measurements: first ones that are slow, or times that grow from each to the next.
/// Nothing of a time that another finding is about.
void order_of_times(const JoinedFiles& all, std::size_t c, Found& found) {
  const profile::Measurements& measured = measurements_of(all, c);
  const std::string metric = main_time_of(measured);
  if (std::ranges::any_of(found, [&](const Finding& of) { return of.place.field == metric; })) return;
  const std::vector<profile::RowReading> readings =
      profile::readings_of(metric, measured, all.configurations[c].tables);
  if (auto slow = slow_start_of(readings, metric)) return found.push_back(std::move(*slow));
  if (auto growth = steady_growth_of(readings, metric)) found.push_back(std::move(*growth));
}

/// A check of the configuration at that position, which adds to the findings.
using Check = void (*)(const JoinedFiles&, std::size_t, Found&);

constexpr auto kChecks = std::to_array<Check>({repeated_files, files_without_points, iterations_beyond,
                                               iterations_of_no_point, same_configuration, other_unit, other_machine,
                                               of_files, times_at_points, other_unit_of_a_file, drift, order_of_times});

}  // namespace

std::vector<Finding> check(const JoinedFiles& all) {
  Found findings;
  for (std::size_t c = 0; c < all.configurations.size(); ++c) {
    Found found;
    for (const Check check_one : kChecks) check_one(all, c, found);
    for (Finding& finding : found) finding.subject = all.configurations[c].named->name;
    append(findings, std::move(found));
  }
  return findings;
}

std::vector<Finding> findings_about_files(std::span<const profile::ProfileTable> files,
                                          const std::string& configuration,
                                          std::span<const std::string> configurations) {
  Found found = findings_about_origin(files, configuration, configurations);
  append(found, findings_about_copies(files));
  append(found, findings_about_units(files));
  return found;
}

// --- Reasons not to use an earlier projection as a gate's reference

namespace {

/// Whether two figures are equal in 11 digits: figures in files have 12.
bool same_figure(double a, double b) { return std::abs(a - b) <= 1e-11 * std::abs(b); }

/// Whether a metric of the same name has the same repeats at the same points. False for no points, and if all values
/// are so coarse that this may be chance.
bool same_measurements(const project::MeasuredMetric& a, const project::MeasuredMetric& b) {
  const auto same = [](const project::PointMeasurement& x, const project::PointMeasurement& y) {
    return x.id == y.id && x.repeats == y.repeats && same_figure(x.value, y.value) && same_figure(x.least, y.least) &&
           same_figure(x.most, y.most);
  };
  return a.name == b.name && !a.points.empty() && std::ranges::equal(a.points, b.points, same) &&
         std::ranges::any_of(a.points, has_fine_digits, &project::PointMeasurement::value);
}

/// Whether any time metric has the same measurements in both.
bool same_times(const project::ConfigurationProjection& a, const project::ConfigurationProjection& b) {
  return std::ranges::any_of(a.measured, [&](const project::MeasuredMetric& metric) {
    const auto same = [&](const project::MeasuredMetric& other) { return same_measurements(metric, other); };
    return trace::is_time_metric(metric.name) && std::ranges::any_of(b.measured, same);
  });
}

std::string ids_or_none(const std::vector<std::string>& ids) {
  return ids.empty() ? "none" : fmt::format("{}", fmt::join(ids, ", "));
}

}  // namespace

std::vector<Finding> findings_about_reference(const project::Projection& now, const project::Reference& reference) {
  std::vector<Finding> found;
  for (const project::ConfigurationProjection& c : now.configurations)
    for (const project::ConfigurationProjection& then : reference.projection.configurations) {
      if (then.name != c.name) continue;
      if (same_times(c, then))
        found.push_back({.kind = kSameMeasurements, .place = {reference.name}, .subject = c.name});
      if (c.missing_points != then.missing_points)
        found.push_back(
            {.kind = kOtherPointsThanBefore,
             .place = {reference.name},
             .figures = {{"now", ids_or_none(c.missing_points)}, {"then", ids_or_none(then.missing_points)}},
             .subject = c.name});
      for (const project::MetricProjection& metric : c.metrics) {
        const project::MetricProjection* const other = project::find_metric(then, metric.name);
        if (other == nullptr || !project::is_total_time(*other)) continue;
        if (metric.value == 0 || other->value == 0) continue;
        const double factor = factor_of(metric.value / other->value);
        if (factor >= kUnitFactor)
          found.push_back({.kind = kOtherUnitThanBefore,
                           .place = {reference.name},
                           .figures = {{"metric", metric.name}, {"factor", factor}},
                           .subject = c.name,
                           .severe = metric.value < other->value});
      }
    }
  return found;
}

}  // namespace seqpoint::findings
