#include "io/artifacts/breakdown_json.hpp"

namespace seqpoint::io::artifacts {

Json breakdown_json(const project::Breakdown& breakdown) {
  Json configurations = Json::array();
  for (const project::ConfigurationBreakdown& c : breakdown.configurations) {
    Json rows = Json::array();
    for (const project::BreakdownRow& row : c.rows)
      rows.push_back({{"name", row.name},
                      {"seconds", derived(row.seconds)},
                      {"share", derived(row.share)},
                      {"calls", derived(row.count)},
                      {"change", row.change ? derived(*row.change) : Json(nullptr)}});
    configurations.push_back({{"name", c.name},
                              {"seconds", derived(c.seconds)},
                              {"coverage", derived(c.coverage)},
                              {"rows", std::move(rows)}});
  }
  return {{"by", project::name_of(breakdown.by)},
          {"time_source", breakdown.kernels ? "gpu-sum" : "host"},
          {"configurations", std::move(configurations)}};
}

}  // namespace seqpoint::io::artifacts
