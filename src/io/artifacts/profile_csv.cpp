#include <algorithm>
#include <array>

#include "io/text/csv_table.hpp"
#include "seqpoint/io/artifacts/artifacts.hpp"

namespace seqpoint::io::artifacts {
namespace {

profile::ProfileTable::Key key_of(const text::CsvTable& table, const std::string& source) {
  if (table.find("point")) return profile::ProfileTable::Key::point;
  if (table.find("src_len")) return profile::ProfileTable::Key::signature;
  if (table.find("iteration")) return profile::ProfileTable::Key::iteration;
  if (table.find("tokens")) return profile::ProfileTable::Key::signature;
  throw InputError({source, 1}, "no column says which point a row measures",
                   "add a column 'point' (sp1, sp2, ...), 'src_len' (and 'tgt_len', 'batch_size'), 'tokens' (and "
                   "'sq_tokens'), or 'iteration'");
}

/// What the columns beside the key say of a row; a cell that is not a number counts as absent.
void read_possible_keys(const text::CsvTable& table, profile::StepIdentity& identity) {
  if (const auto column = table.find("iteration")) identity.iteration = table.optional_integer(*column, UINT64_MAX);
  if (const auto column = table.find("phase")) identity.phase = table.optional_integer(*column, UINT64_MAX);
  for (const trace::Dimension d : trace::kDimensions)
    if (const auto column = table.find(trace::name_of(d)))
      identity.key[d] = table.optional_integer(*column, trace::largest_value(d));
}

/// Columns of text about a row that are neither key nor measurement.
bool is_remark(std::string_view column) {
  return column == "warmup" || column == "config" || column == "repeat" || column == "phase";
}

/// A time in another unit than seconds becomes one: `latency_ms`, `runtime (us)`. A time without a unit is refused.
double seconds_scale(std::string& metric, const std::string& source) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}, {"s", 1}}};
  for (const std::string_view time : {"runtime", "time", "duration", "latency"}) {
    if (!metric.starts_with(time)) continue;
    const std::string rest = metric.substr(time.size());
    if (rest.empty())
      throw InputError({source, 1, metric}, "has no unit",
                       "name the column " + metric + "_s, " + metric + "_ms, " + metric + "_us or " + metric + "_ns");
    for (const auto& [unit, per_second] : kUnits) {
      if (rest != "_" + std::string(unit) && rest != " (" + std::string(unit) + ")") continue;
      metric = std::string(time) + "_s";
      return per_second;
    }
  }
  return 1;
}

/// Throws InputError where two columns are the same time in different units.
void require_one_of_each(const std::vector<std::string>& metrics, const std::string& source) {
  for (std::size_t m = 1; m < metrics.size(); ++m)
    if (std::find(metrics.begin(), metrics.begin() + static_cast<std::ptrdiff_t>(m), metrics[m]) !=
        metrics.begin() + static_cast<std::ptrdiff_t>(m))
      throw InputError({source, 1, metrics[m]}, "stands there in two units", "keep one of the columns");
}

/// Of the selections that the rows are of, each once.
void record_selection(const text::CsvTable& table, profile::ProfileTable& profile) {
  const auto column = table.find("selection");
  if (!column) return;
  const std::string digest(text::trim(text::unquoted(table.field(*column))));
  const auto is_same = [&](const auto& known) { return known.first == digest; };
  if (!digest.empty() && std::none_of(profile.selections.begin(), profile.selections.end(), is_same))
    profile.selections.emplace_back(digest, table.line());
}

profile::ProfileRow read_row(text::CsvTable& table, profile::ProfileTable::Key key) {
  profile::ProfileRow row;
  row.line = table.line();
  if (const auto column = table.find("warmup")) row.warmup = table.integer(*column, 1) == 1;
  profile::StepIdentity& identity = row.identity;
  if (key == profile::ProfileTable::Key::point)
    identity.point = text::trim(text::unquoted(table.field(*table.find("point"))));
  read_possible_keys(table, identity);
  if (key == profile::ProfileTable::Key::iteration) identity.iteration = table.integer(*table.find("iteration"));
  if (key != profile::ProfileTable::Key::signature) return row;
  for (const trace::Dimension d : trace::dimensions_of(trace::SignatureKind::padded_pair))
    if (const auto column = table.find(trace::name_of(d)))
      identity.key[d] = table.integer(*column, trace::largest_value(d));
  return row;
}

}  // namespace

ProfileFile read_profile(stream::Input input) {
  ProfileFile file;
  profile::ProfileTable& profile = file.table;
  profile.source = input.name();
  text::CsvTable table(input);
  profile.key = key_of(table, input.name());
  for (const trace::Dimension d : trace::kDimensions)
    if (table.find(trace::name_of(d))) profile.dimensions.insert(d);
  profile.has_iteration = table.find("iteration").has_value();
  text::StatisticColumns statistics(table);
  while (table.next()) {
    profile.rows.push_back(read_row(table, profile.key));
    record_selection(table, profile);
    statistics.add_row(table);
  }
  const std::vector<trace::Statistic> metrics = statistics.finish(table, input.name(), file.notes);
  table.problems().throw_if_any(
      "correct the profile, or leave the rows out: a point that is missing only costs coverage");
  if (profile.rows.empty())
    throw InputError({input.name()}, "has a header but no measurements", "check how it was made");
  if (metrics.empty())
    throw InputError({input.name(), 1}, "has no column of measurements", "add one, such as 'runtime_s'");
  for (const trace::Statistic& metric : metrics) {
    if (is_remark(metric.name)) continue;
    profile.metrics.push_back(metric.name);
    const double per_second = seconds_scale(profile.metrics.back(), input.name());
    for (std::size_t r = 0; r < profile.rows.size(); ++r)
      profile.rows[r].values.push_back(metric.values[r] / per_second);
  }
  require_one_of_each(profile.metrics, input.name());
  if (table.unterminated())
    file.notes.push_back(input.name() + ": the last line has no line end; it was read, but was the file cut short?");
  file.record = {.path = input.name(),
                 .format = "csv",
                 .fields = "",
                 .unit = "",
                 .digest = input.digest(),
                 .rows = profile.rows.size()};
  return file;
}

}  // namespace seqpoint::io::artifacts
