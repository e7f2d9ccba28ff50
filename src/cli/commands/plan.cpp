#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "cli/commands/command.hpp"
#include "cli/commands/plan_contents.hpp"
#include "cli/commands/tell_findings.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/plan_inputs.hpp"
#include "cli/progress.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::cli::commands {
namespace {

struct PlanRequest {
  std::string seqpoints;
  PlannedPaths paths;                                ///< without manifests the plan has none
  std::string folder;                                ///< empty only with dry_run
  std::string command;                               ///< for the scripts
  std::vector<std::string> build_texts;              ///< NAME=CMD
  std::vector<io::artifacts::Build> builds;          ///< of these
  std::optional<std::uint64_t> repeats;              ///< of each point; nothing: as the selection advises
  std::optional<std::uint64_t> warmup;               ///< batches before the points; nothing: select::usual_warmup()
  std::optional<std::uint64_t> sessions;             ///< nothing: as the selection says
  std::optional<std::uint64_t> chunk;                ///< points a task; nothing: all of one size
  std::string calibration, statistic = "runtime_s";  ///< a trace to estimate times from, empty: none; its column
  bool preflight = false, dry_run = false, force = false;
  OptionsInForce options;
};

constexpr std::uint64_t kMostRepeats = 1'000'000;

/// An option's value that is a number, or auto, which is nothing.
Value count_or_auto(const std::string& name, std::uint64_t least, std::optional<std::uint64_t>& to) {
  const auto take = [name, least, &to](const std::string& text) {
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool is_count = error == std::errc() && end == text.data() + text.size();
    if (text != "auto" && (!is_count || count < least || count > kMostRepeats))
      throw UsageError(fmt::format("{} must be auto, or {} to {}, and not '{}'", name, least, kMostRepeats, text));
    to = text == "auto" ? std::nullopt : std::optional(count);
  };
  return converted("N|auto", take, "auto");
}

OptionRows rows_of(PlanRequest& o) {
  return {required({"seqpoints", text_to(o.seqpoints, "SEQPOINTS"),
                    "SeqPoints, as `seqpoint select` wrote them; - is standard input"}),
          {"manifest", list_to(o.paths.manifests, "MANIFEST"), "The manifests that they were selected from"},
          {"--tgt", list_to(o.paths.targets, "FILE"), "the target sides, if they have moved since the selection"},
          {"--order", path_to(o.paths.order), "the order of --sampler recorded, if it has moved since the selection"},
          {"-o,--output", path_to(o.folder, "DIR"), "write the plan into this folder, which must be new or empty",
           kOutputGroup},
          {"--sessions", count_to(o.sessions, 1, select::kMostSessions),
           "processes that measure, each every point, a profile each [as the selection says, 2 where it does not]"},
          {"--warmup", count_or_auto("--warmup", 0, o.warmup),
           "batches of varied shapes that a process runs before the first point; auto: a tenth of what it runs. Each "
           "point warms up once more, right before its first measurement"},
          {"--preflight", flag_to(o.preflight),
           "run the largest batches first, without measuring them: what does not fit into memory fails at once"},
          {"--repeats", count_or_auto("--repeats", 1, o.repeats),
           "how often each point is measured in all processes together, at other iterations of its signature while "
           "there are some; auto: as the selection advises"},
          {"--chunk", count_to(o.chunk, 1), "points a task of the job array, which is a process [all of a batch size]"},
          {"--command", text_to(o.command, "CMD"),
           "what run.sh, slurm.sh and kubernetes.yaml run, for bash; run.sh says which variables it sees"},
          {"--build", list_to(o.build_texts, "NAME=CMD"),
           "write ab.sh, which measures the builds in turn by their commands, in as many processes each, and projects; "
           "two or more, the baseline first"},
          {"--force", flag_to(o.force), "plan although a manifest has changed since the selection"},
          {"--dry-run", flag_to(o.dry_run), "write nothing: print what would be written", kOutputGroup},
          needing({"--calibration", text_to(o.calibration, "TRACE"),
                   "with --dry-run: estimate times from this trace of a run that was timed", kOutputGroup},
                  {{"dry-run", "it tells how long the plan would take"}}),
          {"--stat", text_to(o.statistic, "COLUMN"), "column of that trace", kOutputGroup}};
}

io::artifacts::Build parse_build(const std::string& text) {
  const std::size_t at = text.find('=');
  io::artifacts::Build build{text.substr(0, at), at == std::string::npos ? "" : text.substr(at + 1)};
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  if (build.command.empty() || build.name.empty() || build.name.front() == '-' ||
      !std::ranges::all_of(build.name, plain))
    throw UsageError(
        fmt::format("--build takes a name of letters, digits, ., _ and -, and a command, and not '{}'", text),
        "--build old='python train.py' --build new='python new/train.py'");
  return build;
}

/// The builds that are compared. Each has a name of its own.
std::vector<io::artifacts::Build> parse_builds(const PlanRequest& o) {
  std::vector<io::artifacts::Build> builds;
  for (const std::string& text : o.build_texts) {
    builds.push_back(parse_build(text));
    const auto same = [&](const io::artifacts::Build& other) { return other.name == builds.back().name; };
    if (std::ranges::count_if(builds, same) > 1)
      throw UsageError(fmt::format("--build {} is there twice", builds.back().name), "give each build its own name");
  }
  if (builds.size() == 1) throw UsageError("--build compares: there is one build", "--build old=CMD --build new=CMD");
  if (!builds.empty() && o.seqpoints == "-")
    throw UsageError("--build writes a script that reads the SeqPoints again: they cannot be standard input",
                     "give a file");
  return builds;
}

PlanRequest request_of(PlanRequest o, const GivenOptions& given) {
  if (o.folder.empty() && !o.dry_run)
    throw UsageError("-o is missing: the folder that the plan goes to", "-o plan; --dry-run writes nothing");
  if (o.paths.manifests.empty() && !o.paths.targets.empty())
    throw UsageError("--tgt has no use without a manifest",
                     "the first file is what `seqpoint select` wrote: plan points.json MANIFEST --tgt FILE");
  if (o.paths.manifests.empty() && !o.paths.order.empty())
    throw UsageError("--order has no use without a manifest", "the points have the rows of their batches");
  if (o.preflight && o.paths.manifests.empty())
    throw UsageError("--preflight looks for the largest batches of the run", "name the manifests of the selection");
  o.builds = parse_builds(o);
  o.options = options_in_force(given);
  return o;
}

// --- reading and computing -----------------------------------------------------------------------------------------

struct PlanInputs {
  io::artifacts::SeqpointsFile source;
  std::optional<PlannedRun> run;             ///< nothing: no manifest was named
  std::optional<select::ExpectedCost> cost;  ///< of an iteration; nothing: no calibration was named
};

/// Costs of signatures, by a run that was measured.
select::ExpectedCost read_cost(const PlanRequest& request, const trace::RunSummary& run, Console& console) {
  const io::artifacts::TraceFile file =
      load_measured_trace(request.calibration, trace::properties_of(run.kind).layout, console);
  const trace::Statistic* const statistic = file.trace.find_statistic(request.statistic);
  if (statistic == nullptr)
    throw InputError({request.calibration}, fmt::format("has no column '{}'", request.statistic),
                     "name one that was measured with --stat");
  tell_findings(file.trace, statistic, request.calibration, console);
  tell_other_lengths(file.trace, request.calibration, run, console);
  select::ExpectedCost cost = during(
      console, "fitting", [&] { return select::ExpectedCost(file.trace, statistic->values, request.calibration); });
  cost.require_same_signature_kind(run);
  return cost;
}

PlanInputs read_inputs(const PlanRequest& request, Console& console) {
  PlanInputs inputs{io::artifacts::read_plan_source(open_shown(request.seqpoints, console)), {}, {}};
  for (const std::string& note : inputs.source.notes) console.note(note);
  if (!request.paths.manifests.empty()) {
    inputs.run = load_planned_run(inputs.source, request.paths, request.force, console);
    if (request.force)  // the manifest may have changed, and with it what the batches hold
      for (select::Point& point : inputs.source.selection.points)
        if (point.run == 0) point.samples.clear();
  }
  if (!request.calibration.empty()) inputs.cost = read_cost(request, inputs.source.selection.run, console);
  return inputs;
}

std::uint64_t sessions_of(const PlanRequest& request, const select::Selection& selection) {
  const auto advised = selection.method.repeats ? selection.method.repeats->sessions : std::nullopt;
  return request.sessions.value_or(advised.value_or(select::kUsualSessions));
}

/// Every process measures every point.
std::vector<std::uint64_t> repeats_of(const PlanRequest& request, const select::Selection& selection) {
  const std::uint64_t sessions = sessions_of(request, selection);
  std::vector<std::uint64_t> repeats;
  for (const select::Point& point : selection.points)
    repeats.push_back(std::max(request.repeats.value_or(point.repeats), sessions));
  return repeats;
}

/// Batches to warm up with, as many as the process with the most measurements needs.
std::vector<select::PlannedBatch> warmup_of(const PlanRequest& request, const PlanInputs& inputs,
                                            const std::vector<select::PlannedBatch>& of_points,
                                            const std::vector<std::uint64_t>& repeats) {
  const select::Selection& selection = inputs.source.selection;
  const std::uint64_t sessions = sessions_of(request, selection);
  std::uint64_t executions = repeats.size();  // each point's own warm-up
  for (const std::uint64_t of_point : repeats) executions += (of_point + sessions - 1) / sessions;
  const std::uint64_t count = request.warmup.value_or(select::usual_warmup(executions));
  if (count == 0) return {};
  if (!inputs.run) return select::warmup_batches(selection);
  const DatasetOptions& options = inputs.run->options;
  return select::warmup_batches(selection.run, of_points, count, inputs.run->dataset.lengths, options.batching,
                                options.signature);
}

select::Plan plan_of(const PlanRequest& request, const PlanInputs& inputs, const Console& console) {
  const select::Selection& selection = inputs.source.selection;
  const std::vector<std::uint64_t> repeats = repeats_of(request, selection);
  std::vector<select::PlannedBatch> batches = during(console, "finding samples", [&] {
    if (!inputs.run) return select::batches_of_points(selection, repeats);
    const DatasetOptions& options = inputs.run->options;
    return select::find_batches(selection, repeats, inputs.run->dataset.lengths, options.batching, options.signature,
                                request.seqpoints);
  });
  select::PlanParams params{.warmup = request.warmup,
                            .repeats = repeats,
                            .sessions = sessions_of(request, selection),
                            .points_per_task = request.chunk.value_or(UINT64_MAX)};
  params.warmup_batches =
      during(console, "finding warm-up", [&] { return warmup_of(request, inputs, batches, repeats); });
  if (request.preflight)
    params.preflight = during(console, "finding the largest batches", [&] {
      const DatasetOptions& options = inputs.run->options;
      return select::preflight_batches(inputs.run->dataset.lengths, options.batching, options.signature);
    });
  return select::make_plan(std::move(batches), params);
}

/// The path from the root. Where the working folder is gone, the path as it is if `any` will do.
std::string absolute_path(const std::string& path, bool any) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error).lexically_normal();
  if (error && any) return path;
  if (error) throw OutputError(path, error.value());
  return absolute.string();
}

Contents contents_of(const PlanRequest& request, const PlanInputs& inputs, const select::Plan& plan) {
  const std::optional<PlannedRun>& run = inputs.run;
  Contents contents = run ? make_manifests(*run, plan) : Contents{};
  contents.tasks.resize(plan.tasks.size());
  const std::string folder = absolute_path(request.dry_run ? "." : request.folder, request.dry_run);
  const io::artifacts::PlanDocument document{.selection = inputs.source.selection,
                                             .plan = plan,
                                             .format = contents.format,
                                             .whole = contents.whole,
                                             .tasks = contents.tasks,
                                             .command = request.command,
                                             .folder = folder,
                                             .points = absolute_path(request.seqpoints, request.builds.empty()),
                                             .builds = request.builds};
  std::vector<io::manifests::InputRecord> records{inputs.source.record};
  if (run) records.insert(records.end(), run->dataset.inputs.begin(), run->dataset.inputs.end());
  contents.files.push_back({"plan.tsv", io::artifacts::plan_tsv(document)});
  contents.files.push_back({"run.sh", io::artifacts::run_script(document), true});
  if (!request.builds.empty()) contents.files.push_back({"ab.sh", io::artifacts::comparison_script(document), true});
  contents.files.push_back({"slurm.sh", io::artifacts::slurm_script(document), true});
  contents.files.push_back({"kubernetes.yaml", io::artifacts::kubernetes_job(document)});
  contents.files.push_back(
      {"plan.json", io::artifacts::plan_json(document, {.options = request.options, .inputs = records})});
  return contents;
}

// --- telling -------------------------------------------------------------------------------------------------------

bool advises_none(const select::Selection& selection) {
  return !selection.method.repeats && std::all_of(selection.points.begin(), selection.points.end(),
                                                  [](const select::Point& point) { return point.repeats == 1; });
}

std::uint64_t least_advised(const select::Selection& selection) {
  return std::ranges::min_element(selection.points, {}, &select::Point::repeats)->repeats;
}

std::uint64_t advised_measurements(const select::Selection& selection) {
  std::uint64_t measurements = 0;
  for (const select::Point& point : selection.points) measurements += point.repeats;
  return measurements;
}

std::uint64_t preflight_steps(const select::PlanTask& task) {
  return static_cast<std::uint64_t>(std::ranges::count_if(task.executions, &select::BatchExecution::preflight));
}

void tell_batches(const PlannedRun& run, const select::Plan& plan, Console& console) {
  const bool run_by_tasks = preflight_steps(plan.tasks.front()) > 0;
  if (const std::uint64_t steps = preflight_steps(plan.whole); steps > 0)
    console.note(fmt::format(
        "preflight: {} first, as large as any of the run{}", counted(steps, "step"),
        run_by_tasks ? "" : "; run.sh does not run them, only a job that takes its steps from plan.json does"));
  if (!select::batch_size_of(plan.whole, plan.batches))
    console.note(fmt::format("batches differ in size: run.sh runs {} of one size each, a process a task",
                             counted(plan.tasks.size(), "task")));
  const bool by_rule = std::any_of(plan.batches.begin(), plan.batches.end(),
                                   [](const select::PlannedBatch& b) { return !b.padded_to_longest; });
  if (by_rule)
    console.warn(
        fmt::format("--sampler {} does not simply pad its batches to the longest sample: the small manifest holds the "
                    "samples, their lengths on the device are up to the job's own batching",
                    run.options.batching.sampler));
}

void tell_repeats(const PlanRequest& request, const select::Selection& selection, Console& console) {
  const std::uint64_t sessions = sessions_of(request, selection);
  if (!request.repeats && advises_none(selection))
    console.note("--repeats auto: the selection advises none, so every point is measured once in each process");
  const std::uint64_t least = request.repeats.value_or(least_advised(selection));
  if (least < sessions && !advises_none(selection))
    console.note(
        fmt::format("each of {} processes measures every point, so none is measured less than {} times: "
                    "--sessions N says how many processes",
                    sessions, sessions));
  const std::uint64_t advised = advised_measurements(selection), points = selection.points.size();
  if (request.repeats && *request.repeats * points < advised)
    console.note(fmt::format("{} a point; the selection advises {} in all (--repeats auto)",
                             counted(std::max(*request.repeats, sessions), "measurement"),
                             counted(advised, "measurement")));
}

/// Padded tokens of all that the plan runs.
std::uint64_t planned_tokens(const select::Plan& plan) {
  std::uint64_t tokens = 0;
  for (const select::BatchExecution& step : plan.whole.executions)
    tokens += plan.batches[step.batch].signature.padded_tokens();
  return tokens;
}

/// How often each batch of a plan is run in a row.
std::uint64_t accumulation_of(const select::Selection& selection) {
  return selection.method.repeats ? selection.method.repeats->accumulation : 1;
}

/// All that is run, beside the run.
void tell_cost(const select::Plan& plan, const select::Selection& selection, Console& console) {
  const trace::RunSummary& run = selection.run;
  const std::uint64_t times = accumulation_of(selection), tokens = run.padded_tokens_of_rank();
  const auto share = [&](std::uint64_t part, std::uint64_t whole) {
    return io::views::number_text(100 * static_cast<double>(times * part) / static_cast<double>(whole), 3);
  };
  const std::uint64_t executions = plan.whole.executions.size();
  const auto measured =
      static_cast<std::uint64_t>(std::ranges::count(plan.whole.executions, false, &select::BatchExecution::warmup));
  if (times > 1)
    console.note(
        fmt::format("each batch is run {} times in a row, as the job accumulates gradients over so many: "
                    "docs/accumulation.md",
                    times));
  console.note(fmt::format(
      "in all {}, {} of them measured: as many as {} % of the run's iterations{}",
      counted(times * executions, "execution"), times * measured, share(executions, run.iterations),
      tokens > 0 ? fmt::format(", with {} % of its padded tokens", share(planned_tokens(plan), tokens)) : ""));
  std::uint64_t of_tasks = 0;
  for (const select::PlanTask& task : plan.tasks) of_tasks += task.executions.size();
  if (of_tasks != executions)
    console.note(
        fmt::format("run.sh, slurm.sh and kubernetes.yaml run {}: each of {} is a process, with warm-up of its own",
                    counted(times * of_tasks, "execution"), counted(plan.tasks.size(), "task")));
}

void tell(const PlanRequest& request, const PlanInputs& inputs, const select::Plan& plan, const Contents& contents,
          Console& console) {
  tell_repeats(request, inputs.source.selection, console);
  tell_cost(plan, inputs.source.selection, console);
  if (contents.lost_paths > 0)
    console.warn(
        fmt::format("{} in the small manifest cannot be found from its folder, such as {}: plan into a folder beside "
                    "the manifest, or give a manifest with absolute paths",
                    counted(contents.lost_paths, "path"), contents.lost_path));
  if (inputs.run) return tell_batches(*inputs.run, plan, console);
  const bool own = select::warmup_batches(inputs.source.selection).empty();
  console.note(
      fmt::format("no manifest was named, so the plan has none{}: name that of the selection to get a small manifest "
                  "of the planned samples",
                  own ? ", and warms up with the points' own shapes" : ""));
}

// --- the command ---------------------------------------------------------------------------------------------------

void write_plan(io::artifacts::NewFolder& folder, const Contents& contents, const select::Plan& plan,
                const std::optional<PlannedRun>& run, Console& console) {
  for (const io::manifests::NewLink& link : contents.links) folder.add(link);
  for (const io::manifests::NewFile& file : contents.files) folder.add(file);
  if (run) {
    const ProgressLine line(console, {"checking", "", {}});
    require_same_lengths(*run, folder.path(), contents.whole, select::rows_in_order(plan.whole, plan.batches));
    for (std::size_t t = 0; t < plan.tasks.size(); ++t)
      require_same_lengths(*run, folder.path(), contents.tasks[t], select::rows_in_order(plan.tasks[t], plan.batches));
  }
  folder.commit();
  console.note(fmt::format("{}: {}", folder.path(), extent_text(plan)));
}

Exit run(PlanRequest request, Console& console) {
  std::optional<io::artifacts::NewFolder> folder;  // known at once if it cannot be made
  if (!request.dry_run) folder.emplace(request.folder);
  const PlanInputs inputs = read_inputs(request, console);
  const select::Plan plan = plan_of(request, inputs, console);
  const Contents contents = during(console, "copying samples", [&] { return contents_of(request, inputs, plan); });
  tell(request, inputs, plan, contents, console);
  if (folder)
    write_plan(*folder, contents, plan, inputs.run, console);
  else
    write_text("-",
               listing(contents, plan) + (inputs.cost ? times_text(plan, *inputs.cost, inputs.source.selection.run,
                                                                   accumulation_of(inputs.source.selection),
                                                                   request.statistic + " of " + request.calibration)
                                                      : ""));
  return kDone;
}

}  // namespace

CommandSpec plan_command() {
  return command_of<PlanRequest, PlanRequest>(
      "plan", "What to run in order to profile the SeqPoints: a small manifest, job scripts",
      "Examples:\n"
      "  seqpoint plan points.json train.jsonl -o plan --command 'python train.py --manifest \"$SEQPOINT_MANIFEST\"'\n"
      "  seqpoint plan points.json train.en -o plan --sessions 3 && sbatch plan/slurm.sh\n"
      "  seqpoint plan points.json train.jsonl -o ab --build old='old/train.sh' --build new='new/train.sh' && "
      "ab/ab.sh\n"
      "  seqpoint plan points.json train.jsonl --dry-run --calibration calibration.csv",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
