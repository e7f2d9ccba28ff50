#include "cli/job/run_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/job/hooked_start.hpp"
#include "cli/job/run_stages.hpp"
#include "cli/job/run_text.hpp"
#include "core/measuring/joined_builds.hpp"

namespace seqpoint::cli::job {

using io::artifacts::JobStart;

std::string repetition_of(const std::string& profile) {
  return std::filesystem::path(profile).stem().string() + ".anew.csv";
}

const project::ConfigurationProjection& Outcome::of(const Member& member) const {
  return *std::ranges::find(projection.configurations, member.build.name, &project::ConfigurationProjection::name);
}

RunState::RunState(const RunRequest& asked, RunFolder& to, Console& user) : request(asked), folder(to), console(user) {
  const Verbosity said = user.verbosity();
  stages.configure({.quiet = said == Verbosity::silent    ? 2
                             : said == Verbosity::verbose ? 0
                                                          : 1,
                    .verbose = said == Verbosity::verbose});
  silent.configure({.quiet = 2});
  std::vector<std::string> names;
  for (const io::artifacts::Build& build : asked.job.builds) {
    members.push_back({build});
    names.push_back(build.name);
  }
  const auto wording = [names](std::string text) { return with_process_names(std::move(text), names); };
  console.set_wording(wording);
  stages.set_wording(wording);
}

// --- files ---------------------------------------------------------------------------------------------------------

std::string RunState::named(const Member& member, const char* file) const {
  return (members.size() == 1 ? "" : member.build.name + "-") + file;
}

std::string RunState::plan_of(const Member& member) const {
  for (const std::string& name : {named(member, "plan.json"), std::string("plan.json")})
    if (folder.record.files.contains(name)) return folder.path(name);
  return "";
}

std::string RunState::profile_name(const Member& member, std::uint64_t process) const {
  return way == measuring::Way::points ? fmt::format("{}-{}.csv", member.build.name, process)
                                       : fmt::format("epoch-{}-of-{}.csv", process, member.build.name);
}

std::vector<std::string> RunState::profiles_of(const Member& member, std::uint64_t process) const {
  const std::string name = profile_name(member, process);
  std::vector<std::string> names{name, repetition_of(name)};
  std::erase_if(names, [&](const std::string& file) { return !folder.has(file); });
  return names;
}

const JobStart* RunState::start_of(const std::string& output) const {
  const auto found = std::ranges::find(folder.record.starts, output, &JobStart::output);
  return found == folder.record.starts.end() ? nullptr : &*found;
}

double RunState::alone_s(const JobStart& start) const {
  const JobStart* const order = start.after_order ? start_of("order.csv") : nullptr;
  return start.seconds + (order == nullptr ? 0 : order->ready_s);
}

double RunState::dearest_s(const Member& member) const {
  double most = 0;
  for (std::uint64_t process = 1; process <= member.processes; ++process)
    if (const JobStart* const start = start_of(profile_name(member, process))) most = std::max(most, alone_s(*start));
  return most;
}

double RunState::seconds_of_start() const {
  double seconds = 0, starts = 0;
  for (const JobStart& start : folder.record.starts) {
    if (start.process == 0) continue;
    seconds += alone_s(start);
    ++starts;
  }
  return starts > 0 ? seconds / starts : 0;
}

// --- projections ---------------------------------------------------------------------------------------------------

std::optional<double> RunState::other_draws(const Member& member) const {
  const auto is_another = [&](const JobStart& start) {
    return start.another_draw && (shared || start.build == member.build.name);
  };
  if (!request.job.order.empty() || std::ranges::none_of(folder.record.starts, is_another)) return {};
  const JobStart* const order = start_of(named(member, "order.csv"));
  return order == nullptr ? 0 : order->draws;
}

Outcome RunState::project() {
  std::vector<Configurations> asked(shared ? 1 : members.size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::vector<std::string> files;
    for (std::uint64_t process = 1; process <= members[m].processes; ++process)
      for (const std::string& profile : profiles_of(members[m], process))
        for (const std::string& file : folder.with_ranks(profile)) files.push_back(folder.path(file));
    if (!files.empty()) asked[shared ? 0 : m].emplace_back(members[m].build.name, std::move(files));
  }
  Outcome outcome;
  for (std::size_t m = 0; m < asked.size(); ++m) {
    if (asked[m].empty()) continue;
    ProjectRequest projecting =
        job::projecting(request, members[m].points, std::move(asked[m]), truths, measuring::kConfidence);
    projecting.params.rounds = rounds();
    projecting.params.other_draws = other_draws(members[m]);
    projecting.reading.whole_runs = way == measuring::Way::epochs;
    outcome.parts.push_back(project_files(std::move(projecting), silent));
  }
  conclude(outcome);
  return outcome;
}

std::map<std::string, std::uint64_t> RunState::rounds() const {
  std::map<std::string, std::uint64_t> found;
  for (const Member& member : members)
    for (std::uint64_t process = 1; process <= member.processes; ++process)
      if (const std::vector<std::string> profiles = profiles_of(member, process); !profiles.empty())
        found[folder.path(profiles.back())] = process;
  return found;
}

void RunState::set_alpha(Outcome& outcome, double alpha) {
  const double confidence = 1 - (alpha > 0 ? alpha : measuring::kAlpha);
  for (Projected& part : outcome.parts)
    if (part.request.params.confidence != confidence) project_again(part, confidence, silent);
  outcome.alpha = alpha;
  conclude(outcome);
}

void RunState::compare_by(Projected& part, std::span<const measuring::Duet> duets) const {
  measuring::set_ratio(part.projection, measuring::kMetric, measuring::RatioOfDuets(duets));
  if (!request.limit.max_regression) return;
  part.gates.checks = project::check_regressions(part.projection, *request.limit.max_regression);
  measuring::add_advice(part.gates.checks, duets.size());
}

void RunState::conclude(Outcome& outcome) const {
  std::vector<project::Projection> projections;
  for (Projected& part : outcome.parts) {
    for (project::ConfigurationProjection& c : part.projection.configurations) {
      leave_out_untrained(part, c);
      const Member& member = *std::ranges::find(members, c.name, [](const Member& m) { return m.build.name; });
      if (const auto work = work_of(member); work && c.throughput)
        c.throughput->mfu = project::utilisation(*c.throughput, *work, ranks_of(member));
    }
    outcome.duets = duets_of(*this, part);
    if (!outcome.duets.empty()) compare_by(part, outcome.duets);
    projections.push_back(part.projection);
  }
  outcome.projection = measuring::joined(projections);
  outcome.gates = outcome.parts.front().gates;
  if (!shared && request.limit.max_regression)
    outcome.gates = {.checks = project::check_regressions(outcome.projection, *request.limit.max_regression),
                     .inconclusive_fails = request.limit.inconclusive_fails.value_or(false)};
  add_where(outcome.gates, outcome.projection);
  if (outcome.alpha == 0)
    outcome.gates =
        measuring::without_verdicts(outcome.gates, "earlier looks have used up the chance of a wrong verdict, 5 %");
}

std::uint64_t RunState::ranks_of(const Member& member) const {
  // A whole epoch is recorded by one rank.
  const std::uint64_t files = folder.with_ranks(profile_name(member, member.processes)).size();
  return std::max(files, member.epoch.ranks);
}

std::optional<project::ModelWork> RunState::work_of(const Member& member) const {
  const JobStart* const start = start_of(profile_name(member, member.processes));
  if (start == nullptr) return {};
  std::optional<double> peak = request.peak_flops;
  if (!peak && start->machine && !start->machine->gpus.empty())
    peak = measuring::peak_of(start->machine->gpus.front().name);
  const double flops = request.flops_per_token.value_or(measuring::flops_per_token(start->parameters));
  if (!peak || flops == 0) return {};
  return project::ModelWork{.flops_per_token = flops, .peak_flops = *peak};
}

std::map<std::string, project::Stretch> RunState::stretches() const {
  std::map<std::string, project::Stretch> found;
  for (const Member& member : members) {
    for (std::uint64_t process = 1; process <= member.processes; ++process)
      for (const std::string& profile : profiles_of(member, process)) {
        const JobStart* const start = start_of(profile);
        if (start != nullptr && start->stretch) found.emplace(io::artifacts::stretch_of(profile), *start->stretch);
      }
  }
  return found;
}

}  // namespace seqpoint::cli::job
