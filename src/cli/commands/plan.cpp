#include <algorithm>
#include <filesystem>

#include "cli/commands/command.hpp"
#include "cli/options/plan_inputs.hpp"
#include "cli/progress.hpp"
#include "cli/options/shared_options.hpp"
#include "seqpoint/repeats.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli {
namespace {

struct PlanOptions {
  std::string seqpoints;
  std::vector<std::string> manifests, targets;
  std::string folder, command, repeats = "1";
  std::uint64_t warmup = 1, chunk = 1;
  std::string calibration, statistic = "runtime_s";
  bool dry_run = false, force = false;
};

constexpr std::uint64_t kMostRepeats = 1'000'000;

std::vector<std::uint64_t> repeats_of(const PlanOptions& o, const PlanSource& source, Console& console) {
  const std::vector<Point>& points = source.selection.points;
  if (o.repeats != "auto") {
    OptionValues given;
    given.set("repeats", o.repeats);
    const std::uint64_t repeats = *given.count("repeats");
    if (repeats == 0 || repeats > kMostRepeats) throw UsageError("--repeats must be auto, or 1 to " + std::to_string(kMostRepeats));
    return std::vector<std::uint64_t>(points.size(), repeats);
  }
  std::vector<std::uint64_t> repeats;
  for (const Point& point : points) repeats.push_back(point.repeats);
  if (!source.selection.method.repeats && std::count(repeats.begin(), repeats.end(), 1) == std::ssize(repeats))
    console.note("--repeats auto: the selection advises none, so every point runs once");
  return repeats;
}

void require_valid(const PlanOptions& o) {
  if (o.folder.empty() && !o.dry_run) throw UsageError("-o is missing: the folder that the plan goes to", "-o plan; --dry-run writes nothing");
  if (o.manifests.empty() && !o.targets.empty()) throw UsageError("--tgt has no use without a manifest");
  if (!o.calibration.empty() && !o.dry_run) throw UsageError("--calibration tells how long the plan would take: it goes with --dry-run");
}

/// What is written: everything but plan.json, which comes last.
struct Contents {
  std::vector<NewFile> files;
  std::vector<NewLink> links;
  TaskFiles whole;
  std::vector<TaskFiles> tasks;
  std::string format;
  std::size_t lost_paths = 0;
  std::string lost_path;  ///< one of them
};

TaskFiles add_excerpt(const ManifestRecords& records, const std::string& name, const PlanTask& task, const Plan& plan, const Dataset& dataset,
                      Contents& contents) {
  std::vector<RowOrigin> rows;
  for (const std::uint32_t row : rows_in_order(task, plan.batches)) rows.push_back(dataset.origins[row]);
  Excerpt made = records.excerpt(name, rows);
  for (NewFile& file : made.files) contents.files.push_back(std::move(file));
  for (NewLink& link : made.links) {
    const bool there = std::any_of(contents.links.begin(), contents.links.end(), [&](const NewLink& known) { return known.name == link.name; });
    if (!there) contents.links.push_back(std::move(link));
  }
  contents.lost_paths = std::max(contents.lost_paths, made.lost_paths.size());
  if (!made.lost_paths.empty()) contents.lost_path = made.lost_paths.front();
  return {made.manifest, made.target_manifest};
}

/// The manifests: of the whole plan, and of every task where there are several.
Contents make_manifests(const PlannedRun& run, const Plan& plan) {
  std::vector<RowOrigin> wanted;
  for (const PlannedBatch& batch : plan.batches)
    for (const std::uint32_t row : batch.rows) wanted.push_back(run.dataset.origins[row]);
  const ManifestRecords records(run.manifests, run.targets, run.options.read, wanted);
  Contents contents;
  contents.format = records.format();
  contents.whole = add_excerpt(records, "manifest", plan.whole, plan, run.dataset, contents);
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    contents.tasks.push_back(plan.tasks.size() == 1 ? contents.whole
                                                    : add_excerpt(records, task_name(t), plan.tasks[t], plan, run.dataset, contents));
  return contents;
}

void tell_limits(const Contents& contents, const Plan& plan, const std::optional<PlannedRun>& run, Console& console) {
  if (contents.lost_paths > 0)
    console.warn(counted(contents.lost_paths, "path") + " in the small manifest cannot be found from its folder, such as " + contents.lost_path +
                 ": plan into a folder beside the manifest, or give a manifest with absolute paths");
  if (!run) return;
  if (!batch_size_of(plan.whole, plan.batches))
    console.note("the points' batches differ in size: run.sh runs " + counted(plan.tasks.size(), "task") + " of one size each, a process a task");
  const bool by_rule = std::any_of(plan.batches.begin(), plan.batches.end(), [](const PlannedBatch& b) { return !b.padded_to_longest; });
  if (by_rule)
    console.warn("--sampler " + run->options.batching.sampler + " does not simply pad its batches to the longest sample: the small manifest holds "
                 "the samples, their lengths on the device are up to the job's own batching");
}

// --- how long it takes ----------------------------------------------------------------------------------------------------

/// Costs of signatures, by a run that was measured.
ExpectedCost expected_cost(const PlanOptions& o, const RunSummary& run, Console& console) {
  const TraceFile file = load_measured_trace(o.calibration, run.varlen ? SignatureKind::varlen : SignatureKind::padded, console);
  const Statistic* const statistic = file.trace.find_statistic(o.statistic);
  if (statistic == nullptr)
    throw InputError({o.calibration}, "has no column '" + o.statistic + "'", "name one that was measured with --stat");
  ExpectedCost cost = during(console, "fitting", [&] { return ExpectedCost(file.trace, statistic->values, o.calibration); });
  cost.require_like(run);
  return cost;
}

double time_of(const PlanTask& task, const Plan& plan, const ExpectedCost& cost, const RunSummary& run) {
  double time = 0;
  for (const PlanStep& step : task.steps) time += cost(usual_signature(plan.batches[step.batch].signature, run).signature);
  return time;
}

std::string times_text(const PlanOptions& o, const Plan& plan, const Selection& selection, Console& console) {
  const ExpectedCost cost = expected_cost(o, selection.run, console);
  double longest = 0, tasks = 0;
  for (const PlanTask& task : plan.tasks) {
    const double time = time_of(task, plan, cost, selection.run);
    longest = std::max(longest, time);
    tasks += time;
  }
  const double serial = time_of(plan.whole, plan, cost, selection.run), run = cost.total(selection.run.histogram);
  const auto line = [&](const std::string& what, double time) {
    return what + ": " + duration_text(time) + ", 1/" + number_text(run / time, 3) + " of the whole run\n";
  };
  return line("in one process", serial) + line("tasks one after the other", tasks) + line("tasks at once", longest) + "the whole run: " + duration_text(run) +
         " (" + o.statistic + " of " + o.calibration + ", or a fit to it; without starting the job)\n";
}

std::size_t points_of(const Plan& plan) { return plan.batches.back().point + 1; }

std::string listing(const Contents& contents, const Plan& plan) {
  std::string text;
  for (const NewFile& file : contents.files) text += file.name + "  " + std::to_string(file.bytes.size()) + " bytes\n";
  for (const NewLink& link : contents.links) text += link.name + " -> " + link.target + "\n";
  return text + counted(points_of(plan), "point") + ", " + counted(plan.whole.steps.size(), "step") + ", " + counted(plan.tasks.size(), "task") + "\n";
}

void print_listing(const std::string& text) {
  Output out("-");
  out.write(text);
  out.commit();
}

// --- the command ------------------------------------------------------------------------------------------------------------

void write_plan(NewFolder& folder, const Contents& contents, const Plan& plan, const std::optional<PlannedRun>& run, Console& console) {
  for (const NewLink& link : contents.links) folder.add(link);
  for (const NewFile& file : contents.files) folder.add(file);
  if (run) {
    const ProgressLine line(console, {"checking", "", {}});
    require_same_lengths(*run, folder.path(), contents.whole, rows_in_order(plan.whole, plan.batches));
    for (std::size_t t = 0; t < plan.tasks.size(); ++t)
      require_same_lengths(*run, folder.path(), contents.tasks[t], rows_in_order(plan.tasks[t], plan.batches));
  }
  folder.keep();
  console.note(folder.path() + ": " + counted(points_of(plan), "point") + " in " + counted(plan.whole.steps.size(), "step") + ", " +
               counted(plan.tasks.size(), "task"));
}

Contents contents_of(const PlanOptions& o, const PlanSource& source, const Plan& plan, const std::optional<PlannedRun>& run,
                     const CLI::App& command) {
  Contents contents = run ? make_manifests(*run, plan) : Contents{};
  contents.tasks.resize(plan.tasks.size());
  const PlanDocument document{source.selection, plan, contents.format, contents.whole, contents.tasks, o.command,
                              std::filesystem::absolute(o.dry_run ? "." : o.folder).lexically_normal().string()};
  std::vector<InputRecord> inputs{source.record};
  if (run) inputs.insert(inputs.end(), run->dataset.inputs.begin(), run->dataset.inputs.end());
  contents.files.push_back({"plan.tsv", plan_tsv(document)});
  contents.files.push_back({"run.sh", run_script(document), true});
  contents.files.push_back({"slurm.sh", slurm_script(document), true});
  contents.files.push_back({"plan.json", plan_json(document, {options_in_force(command), inputs})});
  return contents;
}

Exit run_plan(const PlanOptions& o, const CLI::App& command, Console& console) {
  require_valid(o);
  std::optional<NewFolder> folder;  // known at once if it cannot be made
  if (!o.dry_run) folder.emplace(o.folder);
  const PlanSource source = read_plan_source(open_shown(o.seqpoints, console));
  std::optional<PlannedRun> run;
  if (!o.manifests.empty()) run = load_planned_run(source, o.manifests, o.targets, o.force, console);
  const std::vector<std::uint64_t> repeats = repeats_of(o, source, console);
  std::vector<PlannedBatch> batches = during(console, "finding samples", [&] {
    return run ? find_batches(source.selection, repeats, run->dataset.lengths, run->options.batching, run->options.signature, o.seqpoints)
               : batches_of_points(source.selection, repeats);
  });
  const Plan plan = make_plan(std::move(batches), {o.warmup, repeats, o.chunk});
  const Contents contents = during(console, "copying samples", [&] { return contents_of(o, source, plan, run, command); });
  tell_limits(contents, plan, run, console);
  if (!run) console.note("no manifest was named, so none is made: name the one of the selection to get one of the planned samples");
  if (folder)
    write_plan(*folder, contents, plan, run, console);
  else
    print_listing(listing(contents, plan) + (o.calibration.empty() ? "" : times_text(o, plan, source.selection, console)));
  return kDone;
}

}  // namespace

void add_plan(CLI::App& command, Action& chosen) {
  auto o = std::make_shared<PlanOptions>();
  command.add_option("seqpoints", o->seqpoints, "SeqPoints, as `seqpoint select` wrote them; - is standard input")->required()->type_name("SEQPOINTS");
  command.add_option("manifest", o->manifests, "The manifests that they were selected from")->type_name("MANIFEST");
  command.add_option("--tgt", o->targets, "the target sides, where they are elsewhere than at the selection")->type_name("FILE")->allow_extra_args(false);
  command.add_option("-o,--output", o->folder, "write the plan into this folder, which must be new or empty")->type_name("DIR")->group(kOutputGroup);
  add_count(command, "--warmup", o->warmup, "batches of the largest point first, not to be measured", {0, kMostRepeats});
  add_text(command, "--repeats", o->repeats, "how often each point is measured, at other iterations of its signature while there are some; auto: as the selection advises", "N|auto")->capture_default_str();
  add_count(command, "--chunk", o->chunk, "points a task of the job array", {1});
  add_text(command, "--command", o->command, "what run.sh and slurm.sh run, for bash; run.sh says which variables it sees", "CMD");
  command.add_flag("--force", o->force, "plan although a manifest has changed since the selection");
  command.add_flag("--dry-run", o->dry_run, "write nothing: print what would be written")->group(kOutputGroup);
  add_text(command, "--calibration", o->calibration, "with --dry-run: estimate times from this trace of a run that was timed", "TRACE")->group(kOutputGroup);
  add_text(command, "--stat", o->statistic, "column of that trace", "COLUMN")->capture_default_str()->group(kOutputGroup);
  command.footer("Examples:\n"
                 "  seqpoint plan points.json train.jsonl -o plan --command 'python train.py --manifest \"$SEQPOINT_MANIFEST\"'\n"
                 "  seqpoint plan points.json train.en -o plan --repeats 3 --chunk 4 && sbatch plan/slurm.sh\n"
                 "  seqpoint plan points.json train.jsonl --dry-run --calibration calibration.csv");
  command.callback([o, &command, &chosen] { chosen = [o, &command](Console& console) { return run_plan(*o, command, console); }; });
}

}  // namespace seqpoint::cli
