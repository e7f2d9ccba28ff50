// Whether measurements are what they are called.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "cli/commands/doubts.hpp"
#include "cli/commands/project.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/profile/plausibility.hpp"

namespace seqpoint::cli::commands {
namespace {

/// Whether the result says which configuration is better.
bool compares(const ProjectRequest& request) {
  return (request.max_regression && request.against.empty()) || !request.params.baseline.empty();
}

std::string name_of(const io::manifests::InputRecord& file, const io::manifests::InputRecord& other) {
  return file.path == other.path ? "given again" : "the same as " + other.path;
}

/// Files of one configuration that are one.
void add_repeated_files(const Configuration& c, std::vector<std::string>& doubts) {
  for (std::size_t f = 0; f < c.records.size(); ++f)
    for (std::size_t other = 0; other < f; ++other)
      if (c.records[f].digest == c.records[other].digest) {
        doubts.push_back(fmt::format("{}: {} is {}: its measurements count twice", c.name, c.records[f].path,
                                     name_of(c.records[f], c.records[other])));
        break;
      }
}

/// A file of one that is a file of the other, too.
std::optional<Problem> shared_file(const Configuration& here, const Configuration& there) {
  for (const io::manifests::InputRecord& file : here.records)
    for (const io::manifests::InputRecord& other : there.records)
      if (file.digest == other.digest)
        return Problem{{file.path},
                       file.path == other.path
                           ? fmt::format("is given for {} and for {}: is it a copy?", there.name, here.name)
                           : fmt::format("is given for {}, and the same as {}, which is given for {}: is it a copy?",
                                         here.name, other.path, there.name)};
  return std::nullopt;
}

/// Configurations that are one, or have a file in common: what they are compared for is 1 whatever was built.
void add_same_configuration(const ProjectInputs& inputs, const Measured& measured, std::size_t c,
                            const ProjectRequest& request, std::vector<std::string>& doubts) {
  for (std::size_t other = 0; other < c; ++other) {
    const Configuration &here = inputs.configurations[c], &there = inputs.configurations[other];
    std::optional<Problem> problem = shared_file(here, there);
    if (profile::same_times(measured.configurations[c].measurements, measured.configurations[other].measurements))
      problem = {{here.records.front().path},
                 fmt::format("{} has the same times as {} ({}), to the last digit: is it a copy?", here.name,
                             there.name, there.records.front().path)};
    if (!problem) continue;
    if (compares(request))
      throw InputError(problem->where, problem->text, "give each --profile the measurements of its own");
    return doubts.push_back(problem->message());
  }
}

/// Of the configuration that the others are compared with.
std::size_t base_of(const Measured& measured, const ProjectRequest& request) {
  const auto found =
      std::ranges::find(measured.configurations, request.params.baseline, &project::NamedMeasurements::name);
  return found == measured.configurations.end() ? 0 : static_cast<std::size_t>(found - measured.configurations.begin());
}

/// `gated`: what another unit makes faster would pass the gate, whatever was built.
void add_other_units(const Measured& measured, std::size_t c, std::size_t base, bool gated,
                     std::vector<std::string>& doubts) {
  const auto &other = measured.configurations[c], &first = measured.configurations[base];
  const double ratio = profile::time_ratio(other.measurements, first.measurements);
  if (profile::factor_of(ratio) < profile::kOtherUnit) return;
  std::string text = fmt::format("its times differ from those of {} by a factor of {:.3g}: are both in the same unit?",
                                 first.name, profile::factor_of(ratio));
  if (gated && ratio < 1)
    throw InputError({other.name}, std::move(text), "correct the one that is wrong: --max-regression would pass it");
  doubts.push_back(fmt::format("{}: {}", other.name, text));
}

/// A row that goes by its iteration, which the run has not.
void add_iterations_beyond(const MatchedTables& matched, const select::Selection& selection, const std::string& name,
                           std::vector<std::string>& doubts) {
  std::uint64_t iterations = selection.run.iterations;
  for (const select::FurtherRun& further : selection.further) iterations = std::max(iterations, further.run.iterations);
  for (const profile::ProfileTable& table : matched.tables)
    for (const profile::ProfileRow& row : table.rows)
      if (row.identity.point.empty() && row.identity.iteration && *row.identity.iteration >= iterations)
        return doubts.push_back(fmt::format(
            "{}: {}", name,
            Problem{{table.source, row.line, "iteration"},
                    fmt::format("is {}, and the run's go from 0 to {}: are they counted from 1, or of another run?",
                                *row.identity.iteration, iterations - 1)}
                .message()));
}

/// Where all rows say it.
std::set<std::string> values_of(const MatchedTables& matched, std::string profile::Origin::*label) {
  std::set<std::string> values;
  for (const profile::ProfileTable& table : matched.tables)
    for (const profile::ProfileRow& row : table.rows) values.insert(row.origin.*label);
  return values.contains("") ? std::set<std::string>() : values;
}

/// A gate is about a build; on two machines it is about those.
void add_other_machine(const Measured& measured, std::size_t c, std::size_t base, std::vector<std::string>& doubts) {
  const std::string &name = measured.configurations[c].name, &first = measured.configurations[base].name;
  for (const auto label : {&profile::Origin::host, &profile::Origin::device}) {
    const std::set<std::string> here = values_of(measured.tables[c], label),
                                there = values_of(measured.tables[base], label);
    if (here.empty() || there.empty() || here == there) continue;
    return doubts.push_back(
        fmt::format("{} was measured on {}, {} on {}: the gate is about the machines as well as about what was built",
                    name, fmt::join(here, ", "), first, fmt::join(there, ", ")));
  }
}

}  // namespace

std::vector<std::string> doubts_of(const ProjectInputs& inputs, const Measured& measured,
                                   const ProjectRequest& request) {
  std::vector<std::string> doubts;
  const std::size_t base = base_of(measured, request);
  for (std::size_t c = 0; c < inputs.configurations.size(); ++c) {
    const Configuration& configuration = inputs.configurations[c];
    const profile::Measurements& measurements = measured.configurations[c].measurements;
    const std::size_t before = doubts.size();
    add_repeated_files(configuration, doubts);
    if (doubts.size() == before && profile::all_repeated(measurements))
      doubts.push_back(fmt::format(
          "{}: all times stand there twice or more, the same to the last digit: was a file or its rows copied?",
          configuration.name));
    add_iterations_beyond(measured.tables[c], inputs.selection, configuration.name, doubts);
    add_same_configuration(inputs, measured, c, request, doubts);
    const bool gated = request.max_regression && request.against.empty();
    if (c != base) add_other_units(measured, c, base, gated, doubts);
    if (c != base && gated) add_other_machine(measured, c, base, doubts);
    const std::string gate = request.max_regression ? "--max-regression" : "";
    for (const auto& found : {measured.tables[c].origin_doubts,
                              profile::doubts_about(measurements, measured.tables[c].tables, inputs.selection)})
      for (std::string& line : lines_of(configuration.name, found, gate)) doubts.push_back(std::move(line));
  }
  return doubts;
}

}  // namespace seqpoint::cli::commands
