#include "cli/commands/plan_contents.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::cli::commands {
namespace {

io::artifacts::TaskFiles add_excerpt(const io::manifests::ManifestRecords& records, const std::string& name,
                                     const select::PlanTask& task, const select::Plan& plan,
                                     const io::manifests::Dataset& dataset, Contents& contents) {
  std::vector<io::manifests::RowOrigin> rows;
  for (const std::uint32_t row : select::rows_in_order(task, plan.batches)) rows.push_back(dataset.origins[row]);
  io::manifests::Excerpt made = records.excerpt(name, rows);
  for (io::manifests::NewFile& file : made.files) contents.files.push_back(std::move(file));
  for (io::manifests::NewLink& link : made.links) {
    const bool there = std::any_of(contents.links.begin(), contents.links.end(),
                                   [&](const io::manifests::NewLink& known) { return known.name == link.name; });
    if (!there) contents.links.push_back(std::move(link));
  }
  contents.lost_paths = std::max(contents.lost_paths, made.unlinkable_paths.size());
  if (!made.unlinkable_paths.empty()) contents.lost_path = made.unlinkable_paths.front();
  return {made.manifest, made.target_manifest};
}

double time_of(const select::PlanTask& task, const select::Plan& plan, const select::ExpectedCost& cost) {
  double time = 0;
  for (const select::BatchExecution& step : task.executions) time += cost(plan.batches[step.batch].signature);
  return time;
}

}  // namespace

Contents make_manifests(const options::PlannedRun& run, const select::Plan& plan) {
  std::vector<io::manifests::RowOrigin> wanted;
  for (const select::PlannedBatch& batch : plan.batches)
    for (const std::uint32_t row : batch.rows) wanted.push_back(run.dataset.origins[row]);
  const io::manifests::ManifestRecords records(run.manifests, run.targets, run.options.read, wanted);
  Contents contents;
  contents.format = records.format();
  contents.whole = add_excerpt(records, "manifest", plan.whole, plan, run.dataset, contents);
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    contents.tasks.push_back(
        plan.tasks[t].executions == plan.whole.executions
            ? contents.whole
            : add_excerpt(records, io::artifacts::task_name(t), plan.tasks[t], plan, run.dataset, contents));
  return contents;
}

std::size_t points_of(const select::Plan& plan) { return plan.whole.points.size(); }

std::string extent_text(const select::Plan& plan) {
  const auto measured = std::ranges::count_if(plan.whole.executions, [](const auto& step) { return !step.warmup; });
  return fmt::format("{}, {} in {}, {}", counted(points_of(plan), "point"),
                     counted(static_cast<std::uint64_t>(measured), "measurement"),
                     counted(plan.whole.executions.size(), "step"), counted(plan.tasks.size(), "task"));
}

std::string listing(const Contents& contents, const select::Plan& plan) {
  std::string text;
  for (const io::manifests::NewFile& file : contents.files)
    text += fmt::format("{}  {} bytes\n", file.name, file.bytes.size());
  for (const io::manifests::NewLink& link : contents.links) text += fmt::format("{} -> {}\n", link.name, link.target);
  return text + extent_text(plan) + "\n";
}

std::string times_text(const select::Plan& plan, const select::ExpectedCost& cost, const trace::RunSummary& whole,
                       std::uint64_t accumulation, const std::string& measured) {
  double longest = 0, tasks = 0;
  for (const select::PlanTask& task : plan.tasks) {
    const double time = time_of(task, plan, cost);
    longest = std::max(longest, time);
    tasks += time;
  }
  const double serial = time_of(plan.whole, plan, cost), run = cost.total(whole.histogram);
  const auto line = [&](const std::string& what, double once) {
    const double time = static_cast<double>(accumulation) * once;
    return fmt::format("{}: {}, 1/{} of the whole run\n", what, io::views::duration_text(time),
                       io::views::number_text(run / time, 3));
  };
  return line("in one process", serial) + line("tasks one after the other", tasks) + line("tasks at once", longest) +
         fmt::format("the whole run: {} ({}, or a fit to it; without starting the job)\n",
                     io::views::duration_text(run), measured);
}

}  // namespace seqpoint::cli::commands
