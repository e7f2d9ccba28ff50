#include "io/artifacts/files.hpp"
#include "io/artifacts/json.hpp"
#include "io/artifacts/schemas.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// The weight of the step's point; 0 for warm-up, which represents no iteration.
select::Weight weight_of(const select::BatchExecution& step, const PlanDocument& document) {
  return step.warmup ? select::Weight{} : document.selection.points[step.point].weight;
}

/// An execution without its index and process. A preflight step has no point; "first", rank_ends and heaviest_rank are
/// left out if they do not apply.
Json step_json(const select::BatchExecution& step, const PlanDocument& document) {
  const select::RunBatch& batch = document.plan.batches[step.batch];
  Json json = Json::object();
  if (step.preflight)
    json["preflight"] = true;
  else
    json.update({{"point", step.point}, {"id", document.selection.points[step.point].id}});
  json.update({{"iteration", batch.iteration}, {"warmup", step.warmup}});
  if (step.first) json["first"] = true;
  json["repeat"] = step.repeat;
  add_key(json, trace::PartialShape::of(document.selection.run.kind, batch.shape));
  json["rows"] = batch.rows;
  if (!batch.ranks.ends.empty()) json["rank_ends"] = batch.ranks.ends;
  if (batch.ranks.heaviest) json["heaviest_rank"] = *batch.ranks.heaviest;
  json["weight"] = weight_of(step, document).iterations();
  return json;
}

Json steps_json(const PlanDocument& document) {
  Json steps = Json::array();
  for (std::size_t process = 0; process < document.plan.processes.size(); ++process)
    for (const select::BatchExecution& step : document.plan.processes[process]) {
      Json json{{"index", steps.size()}, {"process", process}};
      json.update(step_json(step, document));
      steps.push_back(std::move(json));
    }
  return steps;
}

/// The dataset rows of a batch, blanks between them and a bar between ranks: "5 17|33 2".
std::string rows_of_ranks(const select::RunBatch& batch) {
  std::string text;
  std::size_t begin = 0;
  const std::vector<std::size_t> ends = batch.ranks.ends.empty() ? std::vector{batch.rows.size()} : batch.ranks.ends;
  for (std::size_t r = 0; r < ends.size(); begin = ends[r++]) {
    if (r > 0) text += '|';
    for (std::size_t i = begin; i < ends[r]; ++i) text += (i > begin ? " " : "") + std::to_string(batch.rows[i]);
  }
  return text;
}

/// The cells of an execution from point to rows, separated by tabs. Point, iteration and repeat are empty for warm-up.
std::string step_text(const select::BatchExecution& step, const PlanDocument& document) {
  const select::RunBatch& batch = document.plan.batches[step.batch];
  std::string text = (step.warmup ? "" : document.selection.points[step.point].id) + '\t';
  text += (step.warmup ? "" : std::to_string(batch.iteration)) + '\t';
  text += text_of(document.selection.run.kind, batch.shape, "=", " ") + '\t';  // a step name that `project` parses
  text += text::shortest(weight_of(step, document).iterations()) + '\t';
  return text + (step.warmup ? "" : std::to_string(step.repeat)) + '\t' + rows_of_ranks(batch);
}

}  // namespace

std::string plan_json(const PlanDocument& document, const Provenance& provenance) {
  Json json{{"schema", schema_name("plan")},
            {"selection", document.selection.digest},
            {"processes", document.plan.processes.size()},
            {"world_size", std::max<std::size_t>(document.plan.batches.front().ranks.ends.size(), 1)}};
  if (document.selection.counted_first) json["counts_first"] = true;
  json["steps"] = steps_json(document);
  json["provenance"] = provenance_json(provenance);
  return json_text(json);
}

std::string plan_rows(const PlanDocument& document) {
  std::string text = "index\tpoint\titeration\tsignature\tweight\trepeat\trows\tselection\tprocess\n";
  std::size_t index = 0;
  for (std::size_t process = 0; process < document.plan.processes.size(); ++process)
    for (const select::BatchExecution& step : document.plan.processes[process])
      text += std::to_string(index++) + '\t' + step_text(step, document) + '\t' + document.selection.digest + '\t' +
              std::to_string(process) + '\n';
  return text;
}

}  // namespace seqpoint::io::artifacts
