// Whether measurements are what they are called.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/commands/project.hpp"
#include "core/findings.hpp"
#include "core/profile/trace_times.hpp"
#include "io/views/diagnosis_text.hpp"

namespace seqpoint::cli::commands {
namespace {

/// Files of one configuration that are one.
void add_repeated_files(const Configuration& c, std::vector<Finding>& found) {
  for (auto file = c.records.begin(); file != c.records.end(); ++file) {
    const auto other = std::find_if(c.records.begin(), file, [&](const auto& o) { return o.digest == file->digest; });
    if (other != file)
      found.push_back({.kind = file->path == other->path ? findings::kFileTwice : findings::kFileCopied,
                       .place = {file->path},
                       .figures = {{"other", other->path}}});
  }
}

/// Configurations that are one, or have a file in common: what they are compared for is 1 whatever was built.
void add_same_configuration(const ProjectInputs& inputs, const Measured& measured, std::size_t c,
                            std::vector<Finding>& found) {
  const Configuration& here = inputs.configurations[c];
  for (std::size_t t = 0; t < c; ++t) {
    const Configuration& there = inputs.configurations[t];
    const auto add = [&](const FindingKind& kind, const std::string& file, const std::string& other_file) {
      found.push_back({.kind = kind,
                       .place = {file},
                       .figures = {{"metric", "times"}, {"other", there.name}, {"other_file", other_file}}});
    };
    if (profile::same_times(measured.configurations[c].measurements, measured.configurations[t].measurements))
      return add(findings::kSameTimes, here.records.front().path, there.records.front().path);
    for (const io::manifests::InputRecord& file : here.records)
      for (const io::manifests::InputRecord& other : there.records)
        if (file.digest == other.digest)
          return add(file.path == other.path ? findings::kSharedFile : findings::kSharedCopy, file.path, other.path);
  }
}

/// The position of the configuration that the others are compared with.
std::size_t base_of(const Measured& measured, const ProjectRequest& request) {
  const auto found =
      std::ranges::find(measured.configurations, request.params.baseline, &project::NamedMeasurements::name);
  return found == measured.configurations.end() ? 0 : static_cast<std::size_t>(found - measured.configurations.begin());
}

/// What another unit makes faster would pass a gate, whatever was built.
void add_other_units(const Measured& measured, std::size_t c, std::size_t base, std::vector<Finding>& found) {
  const auto &other = measured.configurations[c], &first = measured.configurations[base];
  const double ratio = profile::time_ratio(other.measurements, first.measurements);
  if (profile::factor_of(ratio) >= profile::kOtherUnit)
    found.push_back({.kind = findings::kOtherUnit,
                     .figures = {{"other", first.name}, {"factor", profile::factor_of(ratio)}},
                     .severe = ratio < 1});
}

/// A row that goes by its iteration, which the run has not.
void add_iterations_beyond(const MatchedTables& matched, const select::Selection& selection,
                           std::vector<Finding>& found) {
  std::uint64_t iterations = selection.run.iterations;
  for (const select::FurtherRun& further : selection.further) iterations = std::max(iterations, further.run.iterations);
  for (const profile::ProfileTable& table : matched.tables)
    for (const profile::ProfileRow& row : table.rows)
      if (row.identity.point.empty() && row.identity.iteration && *row.identity.iteration >= iterations)
        return found.push_back({.kind = findings::kIterationBeyond,
                                .place = {table.source, row.line, "iteration"},
                                .figures = {{"iteration", *row.identity.iteration}, {"last", iterations - 1}}});
}

/// A file that tells nothing, beside others of its configuration that do.
void add_files_without_points(const MatchedTables& matched, const profile::Measurements& measured,
                              std::vector<Finding>& found) {
  std::set<std::size_t> with_points;
  for (const auto& rows : measured.source_rows)
    for (const auto& [table, row] : rows) with_points.insert(table);
  for (std::size_t t = 0; t < matched.tables.size(); ++t) {
    const std::vector<profile::ProfileRow>& rows = matched.tables[t].rows;
    if (!with_points.contains(t) && !std::ranges::all_of(rows, &profile::ProfileRow::warmup))
      found.push_back(
          {.kind = findings::kNoRowAtAPoint, .place = {matched.tables[t].source}, .figures = {{"count", rows.size()}}});
  }
}

/// Where all rows say it.
std::set<std::string> values_of(const MatchedTables& matched, std::string profile::Origin::*label) {
  std::set<std::string> values;
  for (const profile::ProfileTable& table : matched.tables)
    for (const profile::ProfileRow& row : table.rows) values.insert(row.origin.*label);
  return values.contains("") ? std::set<std::string>() : values;
}

/// A gate is about a build; on two machines it is about those.
void add_other_machine(const Measured& measured, std::size_t c, std::size_t base, std::vector<Finding>& found) {
  for (const auto label : {&profile::Origin::host, &profile::Origin::device}) {
    const std::set<std::string> here = values_of(measured.tables[c], label),
                                there = values_of(measured.tables[base], label);
    if (here.empty() || there.empty() || here == there) continue;
    return found.push_back({.kind = findings::kOtherMachine,
                            .figures = {{"value", fmt::format("{}", fmt::join(here, ", "))},
                                        {"other", measured.configurations[base].name},
                                        {"other_value", fmt::format("{}", fmt::join(there, ", "))}}});
  }
}

}  // namespace

void require_not_decisive(const Finding& finding, const ProjectRequest& request) {
  const auto is = [&](const FindingKind& kind) { return finding.is(kind); };
  const bool copy = is(findings::kSharedFile) || is(findings::kSharedCopy) || is(findings::kSameTimes),
             gated = request.max_regression && request.against.empty(),
             decisive = copy                       ? gated || !request.params.baseline.empty()
                        : is(findings::kOtherUnit) ? gated
                                                   : request.max_regression.has_value();
  if (finding.severe && decisive)
    throw InputError({io::views::problem_of(finding)}, 0,
                     copy                       ? "give each --profile the measurements of its own"
                     : is(findings::kOtherUnit) ? "correct the one that is wrong: --max-regression would pass it"
                                                : "correct it or leave it out: --max-regression would depend on it");
}

std::vector<Finding> findings_of(const ProjectInputs& inputs, const Measured& measured, const ProjectRequest& request) {
  std::vector<Finding> all;
  const std::size_t base = base_of(measured, request);
  for (std::size_t c = 0; c < inputs.configurations.size(); ++c) {
    const profile::Measurements& measurements = measured.configurations[c].measurements;
    std::vector<Finding> found;
    add_repeated_files(inputs.configurations[c], found);
    if (found.empty() && profile::all_repeated(measurements)) found.push_back({findings::kTimesTwice});
    add_files_without_points(measured.tables[c], measurements, found);
    add_iterations_beyond(measured.tables[c], inputs.selection, found);
    add_same_configuration(inputs, measured, c, found);
    if (c != base) add_other_units(measured, c, base, found);
    if (c != base && request.max_regression && request.against.empty()) add_other_machine(measured, c, base, found);
    for (const auto& more : {measured.tables[c].origin_findings,
                             profile::findings_about(measurements, measured.tables[c].tables, inputs.selection)})
      found.insert(found.end(), more.begin(), more.end());
    for (Finding& finding : found) {
      finding.subject = inputs.configurations[c].name;
      require_not_decisive(finding, request);
      all.push_back(std::move(finding));
    }
  }
  return all;
}

}  // namespace seqpoint::cli::commands
