#include "cli/job/run_stages.hpp"

#include <algorithm>

#include "core/enum_names.hpp"
#include "io/artifacts/files.hpp"
#include "io/text/number.hpp"

namespace seqpoint::cli::job {
namespace {

using io::artifacts::JobRequest;

/// The options of `select` that are in force, as the command records them.
OptionsInForce options_of(const SelectRequest& request, const JobRequest& job) {
  OptionsInForce options{{"method", {request.params.method}}};
  if (job.points) options.push_back({"points", {std::to_string(*job.points)}});
  if (job.max_error) options.push_back({"max-error", {io::text::shortest(*job.max_error)}});
  if (job.budget) options.push_back({"budget", {std::to_string(*job.budget)}});
  options.push_back({"processes", {std::to_string(request.repeats.processes)}});
  return options;
}

/// The options of `project` that are in force, as the command records them.
OptionsInForce options_of(const ProjectRequest& request) {
  const auto assigned = [](const std::string& name, const std::string& path) { return name + "=" + path; };
  std::vector<std::string> profiles, truths;
  for (const auto& [name, files] : request.configurations)
    for (const std::string& file : files) profiles.push_back(assigned(name, file));
  for (const NamedFile& truth : request.truths) truths.push_back(assigned(truth.name, truth.path));
  OptionsInForce options{{"profile", std::move(profiles)}, {"metric", request.params.metrics}};
  if (!truths.empty()) options.push_back({"truth", std::move(truths)});
  options.push_back({"skip", {"0"}});
  if (!request.max_regression) return options;
  options.push_back({"max-regression", {io::text::shortest(*request.max_regression)}});
  options.push_back({"on-inconclusive", {std::string(name_in(kInconclusiveFails, request.inconclusive_fails))}});
  return options;
}

}  // namespace

SelectRequest selecting(const JobRequest& job, const std::string& order) {
  SelectRequest request;
  request.dataset.manifests = {order};
  request.params.points = job.points;
  request.params.max_error = job.max_error;
  request.repeats.compares_cost = false;  // `run` itself compares prices, and takes the cheaper way
  if (job.budget) request.repeats.budget = {.amount = static_cast<double>(*job.budget)};
  return request;
}

std::string points_of(const JobRequest& job, const std::string& order, Console& console) {
  const SelectRequest request = selecting(job, order);
  const Selected selected = select_points(request, console);
  for (const std::string& note : selected.selection.notes) console.warn(note);
  return io::artifacts::seqpoints_json(selected.selection, {options_of(request, job), selected.run.inputs});
}

std::string further_points_of(const JobRequest& job, const std::string& order, const select::Selection& measured,
                              const select::CountedFirst& first, Console& console) {
  const SelectRequest request = selecting(job, order);
  const Selected selected = further_points(request, measured, first, console);
  return io::artifacts::seqpoints_json(selected.selection, {options_of(request, job), selected.run.inputs});
}

std::string plan_of(const std::string& points, std::uint64_t processes) {
  io::artifacts::SeqpointsFile source = io::artifacts::read_seqpoints(io::stream::Input::open(points));
  const std::uint64_t chosen_for = source.selection.method.repeats->processes.value_or(processes);
  for (select::Point& point : source.selection.points)  // each process measures as often as one of those
    point.repeats = (point.repeats * processes + chosen_for - 1) / chosen_for;
  const select::Plan plan = select::make_plan(source.selection, {.processes = processes});
  const OptionsInForce options{{"processes", {std::to_string(processes)}}, {"warmup", {"auto"}}, {"repeats", {"auto"}}};
  return io::artifacts::plan_json({source.selection, plan}, {.options = options, .inputs = {source.record}});
}

ProjectRequest projecting(const RunRequest& request, const std::string& points, Configurations profiles,
                          const std::vector<NamedFile>& truths, double confidence) {
  ProjectRequest projecting;
  projecting.seqpoints = points;
  projecting.configurations = std::move(profiles);
  for (const NamedFile& truth : truths)
    if (std::ranges::find(projecting.configurations, truth.name, &Configurations::value_type::first) !=
        projecting.configurations.end())
      projecting.truths.push_back(truth);
  projecting.params.metrics = {std::string(measuring::kMetric)};
  projecting.params.confidence = confidence;
  projecting.params.time_parts = true;
  projecting.is_of_run = true;
  if (projecting.configurations.size() > 1) {
    projecting.max_regression = request.limit.max_regression;
    projecting.inconclusive_fails = request.limit.inconclusive_fails.value_or(false);
  }
  projecting.options = options_of(projecting);
  return projecting;
}

}  // namespace seqpoint::cli::job
