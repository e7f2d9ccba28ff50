#include "cli/commands/run_stages.hpp"

#include <algorithm>

namespace seqpoint::cli::commands {
namespace {

/// The words in CLI11's order: the last first.
std::vector<std::string> reversed(std::vector<std::string> words) {
  std::ranges::reverse(words);
  return words;
}

/// Runs a command of this program with its words; the first is the command's name. Throws as the command.
void run_command(Command (*add)(CLI::App&), std::vector<std::string> words, Console& console) {
  CLI::App program;
  const Command command = add(program);
  program.parse(reversed(std::move(words)));
  command.run(console);
}

}  // namespace

void select_points(const RunRequest& request, const std::string& order, const std::string& points, Console& console) {
  std::vector<std::string> words{"select", order};
  words.insert(words.end(), request.selecting.begin(), request.selecting.end());
  words.insert(words.end(), {"-o", points});
  run_command(add_select, std::move(words), console);
}

void plan_processes(const std::string& points, std::uint64_t processes, const std::string& folder, Console& console) {
  run_command(add_plan, {"plan", points, "--processes", std::to_string(processes), "-o", folder}, console);
}

Projected project_profiles(const RunRequest& request, const std::string& points, const Configurations& profiles,
                           const std::vector<NamedFile>& truths, double confidence, Console& console) {
  std::vector<std::string> words{points, "--metric", std::string(seqpoint::run::kMetric)};
  for (const auto& [name, files] : profiles)
    for (const std::string& file : files) words.insert(words.end(), {"--profile", name + "=" + file});
  for (const NamedFile& truth : truths) words.insert(words.end(), {"--truth", truth.name + "=" + truth.path});
  if (profiles.size() > 1) words.insert(words.end(), request.gating.begin(), request.gating.end());
  ProjectOptions options;
  CLI::App app;
  declare(app, options);
  app.parse(reversed(std::move(words)));
  ProjectRequest projecting = request_of(std::move(options), app);
  projecting.params.confidence = confidence;
  return project_files(std::move(projecting), console);
}

}  // namespace seqpoint::cli::commands
