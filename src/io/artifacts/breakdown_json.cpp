#include <nlohmann/json.hpp>

#include "io/artifacts/breakdown_json.hpp"

namespace seqpoint::io::artifacts {

Json breakdown_json(const project::Breakdown& breakdown) {
  Json configurations = Json::array();
  for (const project::ConfigurationBreakdown& c : breakdown.configurations) {
    Json rows = Json::array();
    for (const project::BreakdownRow& row : c.rows)
      rows.push_back({{"name", row.name},
                      {"seconds", rounded_json(row.seconds)},
                      {"share", rounded_json(row.share)},
                      {"calls", rounded_json(row.count)},
                      {"change", row.change ? rounded_json(*row.change) : Json(nullptr)}});
    configurations.push_back({{"name", c.name},
                              {"seconds", rounded_json(c.seconds)},
                              {"coverage", rounded_json(c.coverage)},
                              {"rows", std::move(rows)}});
  }
  return {{"by", project::name_of(breakdown.by)},
          {"time_source", breakdown.kernels ? "gpu-sum" : "host"},
          {"configurations", std::move(configurations)}};
}

}  // namespace seqpoint::io::artifacts
