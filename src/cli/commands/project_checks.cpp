// Whether measurements are what they are called.
#include <fmt/core.h>

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

/// Configurations that are one: what they are compared for is 1 whatever was built.
void add_same_configuration(const ProjectInputs& inputs, const Measured& measured, std::size_t c,
                            const ProjectRequest& request, std::vector<std::string>& doubts) {
  for (std::size_t other = 0; other < c; ++other) {
    if (!profile::same_times(measured.configurations[c].measurements, measured.configurations[other].measurements))
      continue;
    const Configuration &here = inputs.configurations[c], &there = inputs.configurations[other];
    const std::string text = fmt::format("{} has the same times as {} ({}), to the last digit: is it a copy?",
                                         here.name, there.name, there.records.front().path);
    if (compares(request))
      throw InputError({here.records.front().path}, text, "give each --profile the measurements of its own");
    doubts.push_back(fmt::format("{}: {}", here.records.front().path, text));
    return;
  }
}

void add_other_units(const Measured& measured, std::size_t c, std::vector<std::string>& doubts) {
  const auto& first = measured.configurations.front();
  const auto& other = measured.configurations[c];
  const double factor = profile::factor_of(profile::time_ratio(other.measurements, first.measurements));
  if (factor < profile::kOtherUnit) return;
  doubts.push_back(
      fmt::format("{}: its times differ from those of {} by a factor of {:.3g}: are both in the same unit?", other.name,
                  first.name, factor));
}

}  // namespace

std::vector<std::string> doubts_of(const ProjectInputs& inputs, const Measured& measured,
                                   const ProjectRequest& request) {
  std::vector<std::string> doubts;
  for (std::size_t c = 0; c < inputs.configurations.size(); ++c) {
    const Configuration& configuration = inputs.configurations[c];
    const profile::Measurements& measurements = measured.configurations[c].measurements;
    const std::size_t before = doubts.size();
    add_repeated_files(configuration, doubts);
    if (doubts.size() == before && profile::all_repeated(measurements))
      doubts.push_back(fmt::format(
          "{}: all times stand there twice or more, the same to the last digit: was a file or its rows copied?",
          configuration.name));
    add_same_configuration(inputs, measured, c, request, doubts);
    if (c > 0) add_other_units(measured, c, doubts);
    const std::string gate = request.max_regression ? "--max-regression" : "";
    for (const auto& found : {measured.tables[c].origin_doubts,
                              profile::doubts_about(measurements, measured.tables[c].tables, inputs.selection)})
      for (std::string& line : lines_of(configuration.name, found, gate)) doubts.push_back(std::move(line));
  }
  return doubts;
}

}  // namespace seqpoint::cli::commands
