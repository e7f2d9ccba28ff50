// Runs to project onto: what is told of each, and several of them in their order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/commands/project.hpp"
#include "cli/progress.hpp"

namespace seqpoint::cli::commands {
namespace {

double per_epoch(std::uint64_t total, const trace::RunSummary& run) {
  return static_cast<double>(total) / static_cast<double>(run.epochs);
}

/// Runs of other data are faster by it.
void tell_amounts(const std::vector<project::Candidate>& runs, Console& console) {
  const auto samples = [](const project::Candidate& c) { return per_epoch(c.target.run.samples, c.target.run); };
  const auto tokens = [](const project::Candidate& c) {
    return per_epoch(c.target.run.tokens.value_or(0), c.target.run);
  };
  const auto tell = [&](const char* what, const auto& amount) {
    const auto [least, most] = std::ranges::minmax_element(runs, {}, amount);
    if (amount(*least) == amount(*most)) return false;
    console.note(
        fmt::format("an epoch of {} has {:.12g} {}, one of {} has {:.12g}: samples/s and tokens/s compare them",
                    least->name, amount(*least), what, most->name, amount(*most)));
    return true;
  };
  const bool known = std::ranges::all_of(runs, [](const auto& c) { return c.target.run.tokens.has_value(); });
  if (!known || !tell("tokens", tokens)) tell("samples", samples);
}

void tell_same_files(const std::vector<project::Candidate>& runs, Console& console) {
  for (auto run = runs.begin(); run != runs.end(); ++run) {
    const auto other =
        std::find_if(runs.begin(), run, [&](const auto& before) { return before.target.digest == run->target.digest; });
    if (other != run) console.warn(fmt::format("{} and {} are the same file, byte for byte", other->name, run->name));
  }
}

void tell_overheads(const project::Ranking& ranking, Console& console) {
  if (ranking.per_epoch_s > 0)
    console.note(fmt::format("overheads: {} s for each epoch", io::views::number_text(ranking.per_epoch_s)));
}

void tell(const ProjectInputs& inputs, const project::Ranking& ranking, Console& console) {
  for (const std::string& note : inputs.onto_notes) console.warn(note);
  for (const project::Candidate& candidate : ranking.candidates) tell_target(candidate, console);
  tell_same_files(ranking.candidates, console);
  tell_amounts(ranking.candidates, console);
  tell_overheads(ranking, console);
  if (std::ranges::any_of(ranking.candidates, [](const auto& c) { return c.target.run.ranks > 1; }))
    console.note("communication between ranks is not in these times");
  for (const std::string& note : ranking.notes) console.warn(note);
  for (const project::ConfigurationRanking& configuration : ranking.configurations) {
    if (!configuration.missing_points.empty())
      console.warn(missing_text(configuration.name, configuration.missing_points, configuration.coverage));
    std::set<std::string> reasons;
    for (const project::RankedRun& run : configuration.runs)
      if (!run.interval && !run.interval_note.empty() && reasons.insert(run.interval_note).second)
        console.warn(fmt::format("{}: no interval: {}", configuration.name, run.interval_note));
  }
}

}  // namespace

std::string missing_text(const std::string& name, const std::vector<std::string>& missing, double coverage) {
  return fmt::format("{}: not measured: {}; predicted from the other points, coverage {} %", name,
                     fmt::join(missing, ", "), io::views::number_text(100 * coverage, 4));
}

Exit tell_partial(const std::string& name, const std::string& partial, bool allowed, Console& console) {
  if (partial.empty()) return kDone;
  const std::string text = fmt::format("{}: {}", name, partial);
  allowed ? console.warn(text)
          : console.error(text, "measure what is missing; --allow-partial takes the figures as they are");
  return allowed ? kDone : kGateFailed;
}

void tell_target(const project::Candidate& candidate, Console& console) {
  const auto& [source, digest, run, share, distance, work, selected] = candidate.target;
  const bool named = candidate.name != std::filesystem::path(source).filename();
  console.note(fmt::format("projected onto {}{}: {}", named ? candidate.name + "=" : "", source,
                           counted(run.iterations, "iteration")));
  if (share > 0 && !selected)
    console.warn(fmt::format(
        "extrapolated: {} % of the iterations of {} lie outside the measured lengths and batch sizes, by up to {} % of "
        "their range",
        io::views::number_text(100 * share, 3), named ? candidate.name : source,
        io::views::number_text(100 * distance, 3)));
}

std::vector<project::Candidate> runs_of_points(const ProjectInputs& inputs) {
  const io::manifests::InputRecord& points = inputs.records.front();
  std::vector<project::Candidate> runs{
      {inputs.first_run, {.source = points.path, .digest = points.digest, .run = inputs.selection.run}}};
  for (const auto& [name, source, digest, run, weights, expected] : inputs.selection.further)
    runs.push_back({name, {.source = source, .digest = digest, .run = run}});
  return runs;
}

Exit rank_runs(const ProjectRequest& request, const ProjectInputs& inputs, const Measured& measured, Exports& exports,
               Console& console) {
  const project::Ranking ranking = during(console, "projecting", [&] {
    return project::rank(inputs.selection, inputs.onto, measured.configurations, request.params);
  });
  tell(inputs, measured, console);
  tell(inputs, ranking, console);
  exports.write({.json = io::artifacts::ranking_json(ranking, inputs.selection,
                                                     {.options = request.options, .inputs = inputs.records}),
                 .rows = io::views::ranking_rows(ranking),
                 .table = io::views::ranking_table(ranking)},
                console);
  Exit status = kDone;
  for (const project::ConfigurationRanking& configuration : ranking.configurations)
    status = std::max(status, tell_partial(configuration.name, configuration.partial, request.allow_partial, console));
  return status;
}

}  // namespace seqpoint::cli::commands
