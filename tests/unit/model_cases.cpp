#include "unit/model_cases.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace seqpoint::testing {
namespace {

using Json = nlohmann::json;

Eigen::VectorXd vector_of(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

IntervalCase interval_of(const Json& json) {
  IntervalCase one{.name = json.at("name"), .costs = vector_of(json.at("e")), .processes = {}, .ln_t = {}};
  one.squares = json.at("within");
  one.degrees = json.at("degrees");
  if (!json.at("processes").is_null()) one.processes = json.at("processes").get<std::vector<double>>();
  one.own = json.at("own");
  one.other = json.at("other");
  one.sides = json.at("sides");
  if (json.value("where", "") == "device") one.between = select::kDeviceBound;
  one.confidence = json.at("conf");
  one.half_width = json.at("half_width");
  one.ln_s = json.at("ln_s");
  one.ln_g = json.at("ln_g");
  if (json.contains("ln_t")) one.ln_t = json.at("ln_t").get<double>();
  return one;
}

PointSetCase set_of(const Json& json) {
  PointSetCase set;
  set.groups = json.at("groups").get<std::vector<std::size_t>>();
  set.exact = json.at("exact");
  set.covariance = json.at("C").get<std::vector<std::vector<double>>>();
  set.disturbance = json.at("D").get<std::vector<double>>();
  set.any_weights = vector_of(json.at("any_weights"));
  set.interval_weights = vector_of(json.at("interval_weights"));
  set.squared_error = json.at("V");
  if (json.contains("weights")) set.weights = vector_of(json.at("weights"));
  if (json.contains("weights")) set.least_squared_error = json.at("least_V");
  set.misfit = json.at("misfit");
  set.noise = json.at("noise");
  set.missed = json.at("missed");
  set.expected_error = json.at("expected_error");
  set.expected_noise = json.at("expected_noise");
  set.representation = json.at("representation");
  for (const Json& one : json.at("intervals")) set.intervals.push_back(interval_of(one));
  set.other_counts = json.at("other_counts").get<std::vector<std::uint64_t>>();
  set.prediction = vector_of(json.at("prediction").at("weights"));
  set.prior_share = json.at("prediction").at("prior_share");
  set.prediction_variance = json.at("prediction").at("variance");
  return set;
}

}  // namespace

std::vector<ModelCase> model_cases() {
  std::ifstream file(std::string(SEQPOINT_SOURCE_DIR) + "/tests/vectors/cost_model.json");
  std::vector<ModelCase> cases;
  const Json all = Json::parse(file);
  for (const Json& json : all.at("cases")) {
    const bool paired = json.at("paired");
    ModelCase one{
        json.at("name"), trace::kind_of(trace::BatchLayout::padded, paired), json.at("batch_sizes_vary"), {}, {}};
    for (std::size_t g = 0; g < json.at("signatures").size(); ++g) {
      const auto part = json.at("signatures")[g].get<std::vector<std::uint32_t>>();
      one.histogram.push_back({{part[0], paired ? part[1] : 0, part.back()}, json.at("counts")[g]});
    }
    for (const Json& set : json.at("sets")) one.sets.push_back(set_of(set));
    cases.push_back(std::move(one));
  }
  if (cases.empty()) throw std::runtime_error("no cases in cost_model.json");
  return cases;
}

}  // namespace seqpoint::testing
