// SeqPoints as a plan needs them: with their samples, and how the batches of their run are made again.
#include <nlohmann/json.hpp>

#include "io/artifacts/json.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/artifacts/plan_folder.hpp"

namespace seqpoint::io::artifacts {
namespace {

constexpr std::uint64_t kMostRows = 0xFFFFFFFFU;

std::vector<std::vector<std::uint32_t>> read_samples(const JsonReader& reader, const Json& point,
                                                     const std::string& path) {
  std::vector<std::vector<std::uint32_t>> samples;
  if (!point.contains("samples")) return samples;
  for (const Json& batch : reader.array(point, "samples", path)) {
    if (!batch.is_array()) reader.fail(path + "samples", "is not a list of lists");
    std::vector<std::uint32_t>& rows = samples.emplace_back();
    for (const Json& row : batch)
      rows.push_back(static_cast<std::uint32_t>(reader.integer_value(row, path + "samples", kMostRows)));
  }
  if (samples.size() != reader.array(point, "iterations", path).size())
    reader.fail(path + "samples", "are not as many as the iterations");
  return samples;
}

}  // namespace

bool PlanSource::from_trace() const { return provenance.inputs.front().format == "trace"; }

PlanSource read_plan_source(stream::Input input) {
  const std::string name = input.name(), text = input.read_all();
  SeqpointsFile file = read_seqpoints(stream::Input::from_memory(name, text));
  file.record.digest = input.digest();
  const JsonReader reader(name, text);
  PlanSource source{std::move(file.selection), std::move(file.record), read_provenance(reader), std::move(file.notes)};
  if (source.provenance.inputs.empty()) reader.fail("provenance.inputs", "is empty");
  const Json& points = reader.array(reader.root(), "points", "");
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::string path = "points[" + std::to_string(p) + "].";
    source.selection.points[p].samples = read_samples(reader, points[p], path);
  }
  return source;
}

}  // namespace seqpoint::io::artifacts
