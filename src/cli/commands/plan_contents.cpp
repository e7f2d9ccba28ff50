#include "cli/commands/plan_contents.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "seqpoint/error.hpp"
#include "seqpoint/select/plan.hpp"

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

}  // namespace

Contents make_manifests(const options::PlannedRun& run, const select::Plan& plan) {
  std::vector<io::manifests::RowOrigin> wanted;
  for (const select::PlannedBatch& batch : plan.batches)
    for (const std::uint32_t row : batch.rows) wanted.push_back(run.dataset.origins[row]);
  const io::manifests::ManifestRecords records(run.manifests, run.targets, run.options.read, wanted);
  Contents contents;
  contents.format = records.format();
  contents.whole = add_excerpt(records, "manifest", plan.single_process, plan, run.dataset, contents);
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    contents.tasks.push_back(plan.tasks.size() == 1 ? contents.whole
                                                    : add_excerpt(records, io::artifacts::task_name(t), plan.tasks[t],
                                                                  plan, run.dataset, contents));
  return contents;
}

std::size_t points_of(const select::Plan& plan) { return plan.batches.back().point + 1; }

std::string listing(const Contents& contents, const select::Plan& plan) {
  std::string text;
  for (const io::manifests::NewFile& file : contents.files)
    text += fmt::format("{}  {} bytes\n", file.name, file.bytes.size());
  for (const io::manifests::NewLink& link : contents.links) text += fmt::format("{} -> {}\n", link.name, link.target);
  return text + fmt::format("{}, {}, {}\n", counted(points_of(plan), "point"),
                            counted(plan.single_process.executions.size(), "step"), counted(plan.tasks.size(), "task"));
}

}  // namespace seqpoint::cli::commands
