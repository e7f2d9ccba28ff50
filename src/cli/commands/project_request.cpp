#include "cli/commands/project.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/options/shared_options.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

/// Whether a check that cannot be decided fails.
constexpr std::array<Word<bool>, 2> kInconclusiveFails{{{"fail", true}, {"pass", false}}};

project::MetricKind parse_kind(const std::string& name) {
  if (const auto kind = value_of(project::kMetricKinds, name)) return *kind;
  refuse_word("--kind", name, row_names(project::kMetricKinds));
}

project::RateSpec parse_rate(const std::string& text) {
  const auto [name, ratio] = split_assignment(text, "--rate", "NAME=A/B");
  const auto slash = ratio.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == ratio.size())
    throw UsageError(fmt::format("--rate: '{}' is not of the form NAME=A/B", text),
                     "for example --rate ipc=instructions/cycles");
  return {name, ratio.substr(0, slash), ratio.substr(slash + 1)};
}

project::ProjectParams params_of(const ProjectOptions& o) {
  project::ProjectParams params = o.request.params;
  params.confidence = confidence_of(o.confidence);
  params.epoch_overhead_s = o.overhead.value_or(0);
  for (const std::string& kind : o.kinds) {
    const auto [column, name] = split_assignment(kind, "--kind", "COLUMN=total|rate|max");
    params.kinds[column] = parse_kind(name);
  }
  for (const std::string& rate : o.rates) params.rates.push_back(parse_rate(rate));
  return params;
}

/// An option that would change nothing is a mistake of the user's.
void require_gates_with_a_use(const ProjectRequest& o) {
  if (o.max_regression && o.against.empty() && o.configurations.size() == 1)
    throw UsageError(
        fmt::format("--max-regression: there is nothing to compare {} with", o.configurations.front().first),
        "give a second --profile NAME=FILE, or an earlier projection: --against FILE");
}

/// What is of a projection has no meaning in a ranking of several.
std::string given_of_one_run(const GivenOptions& given) {
  constexpr std::array kOfOneRun{"by",      "baseline",    "rate",         "require-coverage", "max-regression",
                                 "against", "export-html", "export-junit", "export-bmf",       "export-gh-benchmark",
                                 "ci",      "gpus"};
  const auto* const found = std::ranges::find_if(kOfOneRun, [&](const char* name) { return is_given(given, name); });
  return found == kOfOneRun.end() ? "" : *found;
}

OptionRows cost_rows(project::GpuTerms& terms) {
  constexpr auto kGpus = "say how many GPUs the run has: --gpus 8";
  return {{"--gpus", count_to(terms.gpus, 1), "how many GPUs the run has: says the hours of all of them, too"},
          needing({"--price", positive_to(terms.price), "of one GPU for an hour, in any currency: says the cost, too"},
                  {{"gpus", kGpus}}),
          needing({"--epochs", count_to(terms.epochs, 1), "hours and cost of N epochs, too"}, {{"gpus", kGpus}}),
          needing({"--flops-per-token", positive_to(terms.flops_per_token),
                   "of the model, forward and backward (6 for each parameter, say): says the MFU, too"},
                  {{"peak-flops", "say what one GPU can do in a second: --peak-flops 989e12"}}),
          needing({"--peak-flops", positive_to(terms.peak_flops), "FLOPs that one GPU can do in a second"},
                  {{"flops-per-token", "say what the model does for a token: --flops-per-token 6e9"}}),
          needing({"--flops-per-pair", positive_to(terms.flops_per_pair),
                   "of attention, for each pair of a sequence's tokens (12 x layers x hidden size): in the MFU, too"},
                  {{"flops-per-token", "say what the rest of the model does: --flops-per-token 6e9"}})};
}

/// The options of MFU need each other, and this.
void require_gpus(const project::GpuTerms& terms) {
  if (terms.gpus == 0 && terms.flops_per_token)
    throw UsageError("--flops-per-token changes nothing without --gpus", "say how many GPUs the run has: --gpus 8");
}

/// All that is read.
std::vector<std::string> files_of(const ProjectRequest& o) {
  std::vector<std::string> files{o.seqpoints, o.against, o.reading.map};
  for (const NamedFile& run : o.onto) files.push_back(run.path);
  for (const auto& [name, paths] : o.configurations) files.insert(files.end(), paths.begin(), paths.end());
  return files;
}

}  // namespace

Configurations configurations_of(const std::vector<std::string>& profiles) {
  Configurations all;
  for (const std::string& profile : profiles) {
    const auto [name, path] = split_assignment(profile, "--profile", "NAME=FILE");
    const auto same = [&name = name](const auto& entry) { return entry.first == name; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(all.end(), {name, {}});
    found->second.push_back(path);
  }
  return all;
}

void require_no_ranking(const ProjectRequest& o, std::size_t runs) {
  if (runs < 2 || o.of_one_run.empty()) return;
  throw UsageError(fmt::format("--{} is of one run, and {} {}", o.of_one_run,
                               o.onto.empty() ? "these points are of" : "--onto names", runs),
                   o.of_one_run == "by" ? "leave it out, or select points of one run"
                                        : "leave it out, or project onto one run at a time");
}

OptionRows rows_of(ProjectOptions& o) {
  ProjectRequest& request = o.request;
  return joined(
      {{required({"seqpoints", text_to(request.seqpoints, "SEQPOINTS"),
                  "What `seqpoint select` wrote; - is standard input"}),
        required({"--profile", list_to(o.profiles, "NAME=FILE"),
                  "measurements of a configuration; repeatable: for other configurations, or for more files of one"}),
        {"--baseline", text_to(request.params.baseline, "NAME"),
         "the configuration that speedups are relative to [the first]"},
        {"--stat", list_to(request.params.statistics, "COLUMN"), "project this metric only; repeatable [all]"},
        {"--kind", list_to(o.kinds, "COLUMN=KIND"), "how a metric adds up: total, rate or max [total]; repeatable"},
        {"--rate", list_to(o.rates, "NAME=A/B"), "a ratio of two totals; repeatable"},
        {"--confidence", share_to(o.confidence), "confidence of the intervals [95%]"},
        {"--robust", flag_to(request.params.robust), "the median of a point's repeats instead of their mean"},
        {"--onto", list_to(o.onto, "TRACE"),
         "project another run of the same model: its trace, or SeqPoints; reads its costs off a curve through the "
         "points; repeatable: several runs are ranked; NAME=TRACE names one"},
        {"--overhead", seconds_to(o.overhead), "what every epoch costs beside its iterations: validation, checkpoints"},
        {"--between-processes", share_to(request.params.between_processes),
         "by how much processes usually differ [0.25% where the device is busy for 80% of a step, else 2%]"},
        {"--cold-start-cost", seconds_to(request.params.cold_start_s),
         "what a shape takes more when a process runs it for the first time [as measured]"}},
       cost_rows(request.gpu_terms),
       profile_rows(request.reading),
       {{"--time-source", word_to(request.time_source, "KIND", profile::kTimeKinds),
         "what runtime_s is in profilers' files: host, gpu-busy, gpu-sum or gpu-span [the first they have]"},
        excluding({"--by", word_to(request.by, "WHAT", project::kBreakdowns),
                   "where the time goes: by kernel, operator or category"},
                  {{"onto", "a break-down is of the run that the points were chosen from"}}),
        needing({"--categories", path_to(request.categories),
                 "other categories than the built-in ones: a CSV of category,pattern (regular expressions)"},
                {{"by category", "add --by category"}}),
        {"--allow-partial", flag_to(request.allow_partial),
         "exit with 0, not 1, also where the measured points stand for less than half of the run, or give no interval"},
        {"--require-coverage", share_to(request.require_coverage),
         "exit with 1 if the measured points stand for less than P of the run"},
        {"--max-regression", share_to(request.max_regression),
         "exit with 1 if a total is more than P above that of the baseline or of --against"},
        needing({"--against", text_to(request.against, "PROJECTION"),
                 "what --max-regression compares with: an earlier projection; - is standard input"},
                {{"max-regression", "say how much slower is too slow: --max-regression 5%"}}),
        needing({"--on-inconclusive", word_to(request.inconclusive_fails, "VERDICT", kInconclusiveFails),
                 "verdict if the comparison is inconclusive: fail or pass [pass]"},
                {{"max-regression"}})},
       export_rows(request.exports),
       {page_export_row(request.exports)},
       ci_export_rows(request.exports),
       {ci_row(request.ci)}});
}

ProjectRequest request_of(ProjectOptions o, const GivenOptions& given) {
  project::ProjectParams params = params_of(o);
  ProjectRequest request = std::move(o.request);
  request.params = std::move(params);
  request.configurations = configurations_of(o.profiles);
  request.onto = named_files(o.onto, "--onto", "a run is ranked once");
  request.of_one_run = given_of_one_run(given);
  require_no_ranking(request, request.onto.size());
  std::vector<std::string> names;
  for (const auto& [name, paths] : request.configurations) names.push_back(name);
  project::require_valid(request.params, names);
  std::vector<std::string> files = files_of(request);
  require_one_standard_input(files);
  require_gates_with_a_use(request);
  require_gpus(request.gpu_terms);
  files.push_back(request.categories);
  require_valid(request.exports, files);
  request.options = options_in_force(given);
  return request;
}

}  // namespace seqpoint::cli::commands
