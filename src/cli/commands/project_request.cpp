#include "cli/commands/project.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

#include "cli/options/shared_options.hpp"
#include "io/text/command_words.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::commands {
namespace {

constexpr std::array<Word<ByWhat>, 4> kByWhat{{{"phase", {}},
                                               {"kernel", project::BreakdownBy::kernel},
                                               {"operator", project::BreakdownBy::host_operator},
                                               {"category", project::BreakdownBy::category}}};

project::MetricKind parse_kind(const std::string& name) {
  if (const auto kind = value_of(project::kMetricKinds, name)) return *kind;
  refuse_word("--aggregate", name, row_names(project::kMetricKinds));
}

/// The rate `NAME=A/B`: the ratio of the totals of metrics A and B. Throws UsageError for another form.
project::RateSpec parse_rate(const std::string& text) {
  const auto [name, ratio] = split_assignment(text, "--rate", "NAME=A/B");
  const auto slash = ratio.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == ratio.size())
    throw UsageError(fmt::format("--rate: '{}' is not of the form NAME=A/B", text),
                     "for example --rate ipc=instructions/cycles");
  return {name, ratio.substr(0, slash), ratio.substr(slash + 1)};
}

/// Whether --metric was given once, as "all".
bool is_every_metric(const std::vector<std::string>& metrics) { return metrics == std::vector<std::string>{"all"}; }

project::ProjectParams params_of(const ProjectOptions& o) {
  project::ProjectParams params = o.request.params;
  params.confidence = confidence_of(o.confidence);
  params.epoch_overhead_s = o.overhead.value_or(0);
  for (const std::string& kind : o.aggregate) {
    const auto [column, name] = split_assignment(kind, "--aggregate", "COLUMN=total|rate|max");
    params.aggregate[column] = parse_kind(name);
  }
  for (const std::string& rate : o.rates) params.rates.push_back(parse_rate(rate));
  if (is_every_metric(params.metrics)) params.metrics.clear();
  params.time_parts = o.by && !*o.by;
  if (o.flops_per_token) params.work = {.flops_per_token = *o.flops_per_token, .peak_flops = o.peak_flops.value()};
  return params;
}

/// Throws UsageError if --max-regression has nothing to compare with: one configuration, and no --against.
void require_gates_with_a_use(const ProjectRequest& o) {
  if (o.max_regression && o.against.empty() && o.configurations.size() == 1)
    throw UsageError(
        fmt::format("--max-regression: there is nothing to compare {} with", o.configurations.front().first),
        "give a second --profile NAME=FILE, or an earlier projection: --against FILE");
}

/// All input files except --categories; empty strings for files that were not given.
std::vector<std::string> files_of(const ProjectRequest& o) {
  std::vector<std::string> files{o.seqpoints, o.against, o.reading.map};
  files.push_back(o.onto);
  for (const NamedFile& run : o.truths) files.push_back(run.path);
  for (const auto& [name, paths] : o.configurations) files.insert(files.end(), paths.begin(), paths.end());
  return files;
}

/// The traces of --truth. One without a name belongs to the only configuration. Throws UsageError for an unknown or
/// repeated configuration.
std::vector<NamedFile> truths_of(const std::vector<std::string>& texts, const Configurations& configurations) {
  std::vector<NamedFile> truths;
  for (const std::string& text : texts) {
    NamedFile truth{configurations.front().first, text};
    if (configurations.size() > 1 || text.find('=') != std::string::npos)
      std::tie(truth.name, truth.path) = split_assignment(text, "--truth", "NAME=LOG");
    if (std::ranges::none_of(configurations, [&](const auto& c) { return c.first == truth.name; }))
      throw UsageError(fmt::format("--truth {}: unknown build '{}'", text, truth.name),
                       "one of the names given with --profile NAME=FILE");
    if (std::ranges::find(truths, truth.name, &NamedFile::name) != truths.end())
      throw UsageError(fmt::format("--truth: two epochs are of '{}'", truth.name), "give one for each build");
    truths.push_back(std::move(truth));
  }
  return truths;
}

/// Groups --profile NAME=FILE by name, in the order in which names first appear.
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

void declare_figures(CLI::App& app, ProjectOptions& o) {
  ProjectRequest& request = o.request;
  OptionGroup usual(app), rare(app, "More");
  usual.text("seqpoints", request.seqpoints, "SEQPOINTS", "points that `seqpoint select` wrote; - is standard input")
      ->required();
  usual.list("profiles", o.files, "PROFILE", "Measurements of one build, named by the common part of the file names");
  usual.list("--profile", o.profiles, "NAME=FILE",
             "measurements of a build or machine; repeat for other builds or more files");
  usual.text("--baseline", request.params.baseline, "NAME", "compare with this build [the first]");
  usual.list("--metric", request.params.metrics, "COLUMN",
             "project this metric; repeatable; all: every cost [runtime_s, else every cost]");
  rare.list("--aggregate", o.aggregate, "COLUMN=KIND", "how a metric adds up: total, rate or max [total]; repeatable");
  rare.list("--rate", o.rates, "NAME=A/B", "a ratio of two totals; repeatable");
  rare.share("--confidence", o.confidence, "confidence of the intervals [95%]");
  rare.flag("--median", request.params.median, "use medians of repeats instead of means");
  CLI::Option* const onto = usual.path(
      "--for", request.onto, "predict another run of the same model: its batch list or points.json", "BATCHES");
  usual
      .list("--truth", o.truths, "NAME=LOG",
            "a timed epoch of build NAME: compare its totals with the projection; repeatable")
      ->excludes(onto);
  usual.flag("--explain", request.explain,
             "explain each interval's width, find measurements that do not fit, and advise the next ones");
  rare.seconds("--epoch-overhead", o.overhead, "seconds of each epoch outside its batches: validation, checkpoints");
  CLI::Option* const flops =
      rare.positive("--flops-per-token", o.flops_per_token,
                    "operations of the model for a token, forward and backward: also show MFU; with --peak-flops");
  rare.positive("--peak-flops", o.peak_flops, "peak FLOP/s of a device; each rank has one")->needs(flops);
  flops->needs("--peak-flops");
  rare.share("--between-processes", request.params.between_processes,
             "usual difference between processes [0.25% if the device is busy for 80% of a batch, 4% if less, 2% "
             "without one]");
  rare.seconds("--cold-start-cost", request.params.cold_start_s,
               "extra seconds when a shape runs for the first time [as measured]");
}

void declare_parts(CLI::App& app, ProjectOptions& o) {
  ProjectRequest& request = o.request;
  add_profile_options(app, request.reading);
  OptionGroup usual(app), rare(app, "More");
  rare.word("--time-source", request.time_source, "KIND", profile::kTimeKinds,
            "time to use from profilers' files: host, gpu-busy, gpu-sum or gpu-span [the first there is]");
  CLI::Option* const by =
      usual.word("--by", o.by, "WHAT", kByWhat, "break time down by phase, kernel, operator or category");
  by->excludes(app.get_option("--for"));
  rare.path("--categories", request.categories,
            "categories instead of the built-in ones: a CSV of category,pattern (regular expressions)")
      ->needs(by);
}

void declare_gates(CLI::App& app, ProjectRequest& request) {
  OptionGroup usual(app), rare(app, "More");
  rare.flag("--allow-partial", request.allow_partial, "exit 0 even if the measurements are insufficient");
  usual.share("--require-weight", request.require_weight,
              "exit 1 if the measured points stand for less than PERCENT of the run");
  CLI::Option* const max_regression = usual.share("--max-regression", request.max_regression,
                                                  "exit 1 if a total is estimated more than PERCENT above the "
                                                  "baseline's or --against's, and its one-sided 95 % "
                                                  "bound is above 0");
  usual.text("--against", request.against, "PROJECTION", "compare with this earlier projection; - is standard input")
      ->needs(max_regression);
  rare.word("--on-inconclusive", request.inconclusive_fails, "VERDICT", kInconclusiveFails,
            "verdict if the comparison is inconclusive: fail or pass [pass]")
      ->needs(max_regression);
}

/// "v1" for v1-a.csv and v1-b.csv: the common beginning of the file names, without endings and the separators after it.
/// "measured" if there is none.
std::string shared_name(const std::vector<std::string>& files) {
  std::string name = std::filesystem::path(files.front()).stem();
  for (const std::string& file : files) {
    const std::string other = std::filesystem::path(file).stem();
    name.resize(static_cast<std::size_t>(std::ranges::mismatch(name, other).in1 - name.begin()));
  }
  while (!name.empty() && std::string_view("-_. ").find(name.back()) != std::string_view::npos) name.pop_back();
  return name.empty() || name == "-" ? "measured" : name;
}

}  // namespace

void declare(CLI::App& app, ProjectOptions& o) {
  declare_figures(app, o);
  declare_parts(app, o);
  declare_gates(app, o.request);
  add_output(app, o.request.exports, kAllFormats);
  add_ci(app, o.request.ci);
}

ProjectRequest request_of(ProjectOptions o, const CLI::App& app) {
  if (o.files.empty() && o.profiles.empty()) {
    const std::string &only = o.request.seqpoints, word = io::text::shell_words(std::vector{only});
    throw UsageError("measurements are missing: " + only + " is taken as the SeqPoints",
                     only.ends_with(".csv") ? "seqpoint project points.json " + word
                                            : "seqpoint project " + word + " v1.csv, or --profile NAME=FILE");
  }
  if (!o.files.empty() && !o.profiles.empty())
    throw UsageError("some files are given without a name, others with --profile",
                     fmt::format("--profile {}={}", shared_name(o.files), o.files.front()));
  if (!o.request.categories.empty() && o.by.value_or(ByWhat()) != project::BreakdownBy::category)
    throw UsageError("--categories changes nothing without --by category");
  project::ProjectParams params = params_of(o);
  ProjectRequest request = std::move(o.request);
  request.only_time = request.params.metrics.empty();
  request.params = std::move(params);
  request.by = o.by.value_or(ByWhat());
  request.configurations =
      o.files.empty() ? configurations_of(o.profiles) : Configurations{{shared_name(o.files), o.files}};
  request.truths = truths_of(o.truths, request.configurations);
  std::vector<std::string> names;
  for (const auto& [name, paths] : request.configurations) names.push_back(name);
  project::require_valid(request.params, names);
  std::vector<std::string> files = files_of(request);
  refuse_several_standard_inputs(files);
  require_gates_with_a_use(request);
  files.push_back(request.categories);
  require_valid(request.exports, files);
  request.options = options_in_force(app);
  return request;
}

}  // namespace seqpoint::cli::commands
