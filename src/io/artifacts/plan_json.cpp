
#include "io/artifacts/json.hpp"
#include "io/artifacts/plan_folder.hpp"
#include "io/text/shortest_number.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// Warm-up stands for no iteration.
select::Weight weight_of(const select::BatchExecution& step, const PlanDocument& document) {
  return step.warmup ? select::Weight{} : document.selection.points[step.point].weight;
}

Json step_json(const select::BatchExecution& step, const PlanDocument& document) {
  const select::PlannedBatch& batch = document.plan.batches[step.batch];
  Json json = Json::object();
  if (step.preflight)
    json["preflight"] = true;
  else
    json.update({{"point", step.point}, {"id", document.selection.points[step.point].id}});
  json.update({{"iteration", batch.iteration}, {"warmup", step.warmup}});
  if (!document.selection.further.empty()) json["run"] = batch.run;
  if (step.first) json["first"] = true;
  json["repeat"] = step.repeat;
  add_key(json, trace::PartialSignature::of(document.selection.run.kind, batch.signature));
  json["rows"] = batch.rows;
  if (batch.rank_ends.size() > 1) {
    json["rank_ends"] = batch.rank_ends;
    json["heaviest_rank"] = batch.heaviest_rank;
  }
  json["weight"] = weight_of(step, document).iterations();
  return json;
}

Json steps_json(const PlanDocument& document) {
  Json steps = Json::array();
  for (const select::PlanTask& session : document.plan.sessions)
    for (const select::BatchExecution& step : session.executions) {
      Json json{{"index", steps.size()}, {"session", session.session}};
      json.update(step_json(step, document));
      steps.push_back(std::move(json));
    }
  return steps;
}

void add_files(Json& json, const TaskFiles& files) {
  if (!files.manifest.empty()) json["manifest"] = files.manifest;
  if (!files.target.empty()) json["tgt_manifest"] = files.target;
}

Json batch_size_json(const select::PlanTask& task, const PlanDocument& document) {
  const auto size = select::batch_size_of(task, document.plan.batches);
  return size ? Json(*size) : Json(nullptr);
}

Json tasks_json(const PlanDocument& document) {
  Json tasks = Json::array();
  for (std::size_t t = 0; t < document.plan.tasks.size(); ++t) {
    const select::PlanTask& task = document.plan.tasks[t];
    Json ids = Json::array();
    for (const std::size_t point : task.points) ids.push_back(document.selection.points[point].id);
    Json json{{"index", t},
              {"session", task.session},
              {"points", std::move(ids)},
              {"steps", task.executions.size()},
              {"loader_batch_size", batch_size_json(task, document)}};
    add_files(json, document.tasks[t]);
    tasks.push_back(std::move(json));
  }
  return tasks;
}

std::string rows_text(const select::PlannedBatch& batch) {
  std::string text;
  std::size_t begin = 0;
  const std::vector<std::size_t> ends = batch.rank_ends.empty() ? std::vector{batch.rows.size()} : batch.rank_ends;
  for (std::size_t r = 0; r < ends.size(); begin = ends[r++]) {
    if (r > 0) text += '|';
    for (std::size_t i = begin; i < ends[r]; ++i) text += (i > begin ? " " : "") + std::to_string(batch.rows[i]);
  }
  return text;
}

/// The cells that say what the step is.
std::string tsv_step(const select::BatchExecution& step, const PlanDocument& document) {
  const select::PlannedBatch& batch = document.plan.batches[step.batch];
  std::string text = (step.warmup ? "" : document.selection.points[step.point].id) + '\t';
  text += (step.warmup ? "" : std::to_string(batch.iteration)) + '\t';
  text += text_of(document.selection.run.kind, batch.signature, "=", " ") +
          '\t';  // what `project` understands as the name of a step
  text += text::shortest(weight_of(step, document).iterations()) + '\t';
  return text + (step.warmup ? "" : std::to_string(step.repeat)) + '\t' + rows_text(batch);
}

}  // namespace

std::string plan_json(const PlanDocument& document, const Provenance& provenance) {
  Json json{{"schema", schema_name("plan")}, {"selection", document.selection.digest}};
  if (!document.format.empty()) json["format"] = document.format;
  add_files(json, document.whole);
  json["loader_batch_size"] = batch_size_json(document.plan.whole, document);
  json["sessions"] = document.plan.sessions.size();
  json["world_size"] = std::max<std::size_t>(document.plan.batches.front().rank_ends.size(), 1);
  json["steps"] = steps_json(document);
  json["tasks"] = tasks_json(document);
  json["provenance"] = provenance_json(provenance);
  return json_text(json);
}

std::string plan_tsv(const PlanDocument& document) {
  std::string text = "index\tpoint\titeration\tsignature\tweight\trepeat\trows\tselection\tsession\n";
  std::size_t index = 0;
  for (const select::PlanTask& session : document.plan.sessions)
    for (const select::BatchExecution& step : session.executions)
      text += std::to_string(index++) + '\t' + tsv_step(step, document) + '\t' + document.selection.digest + '\t' +
              std::to_string(session.session) + '\n';
  return text;
}

}  // namespace seqpoint::io::artifacts
