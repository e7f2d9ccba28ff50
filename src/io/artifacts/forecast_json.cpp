// The JSON of a forecast.

#include "io/artifacts/json.hpp"
#include "io/artifacts/schemas.hpp"
#include "io/artifacts/studies.hpp"

namespace seqpoint::io::artifacts {
namespace {

Json sum_json(const std::optional<double>& sum) { return sum ? rounded_json(*sum) : Json(nullptr); }

Json epochs_json(const forecast::Forecast& forecast) {
  Json epochs = Json::array();
  for (const forecast::EpochSteps& epoch : forecast.epochs)
    epochs.push_back({{"iterations", epoch.iterations},
                      {"optimiser_steps", epoch.optimiser_steps},
                      {"iterations_of_the_last_step", epoch.last_step}});
  return epochs;
}

Json use_json(const forecast::DatasetUse& use) {
  return {{"samples", use.samples},
          {"tokens", use.tokens},
          {"samples_left_out", use.left_out},
          {"tokens_left_out", use.tokens_left_out},
          {"samples_repeated", use.repeated},
          {"tokens_cut", use.tokens_cut},
          {"tokens_repeated", use.tokens_repeated}};
}

Json maxima_json(const forecast::Forecast& forecast) {
  Json maxima = Json::array();
  for (const auto& [measure, most, records] : forecast.maxima)
    maxima.push_back({{"measure", measure}, {"most", most}, {"iteration", records.back()}, {"records", records}});
  return maxima;
}

}  // namespace

std::string forecast_json(const forecast::Forecast& forecast, const Provenance& provenance) {
  Json json{{"schema", schema_name("forecast")},
            {"run", run_json(forecast.run)},
            {"first_seen", forecast.first_seen},
            {"epochs", epochs_json(forecast)},
            {"grad_accumulation", forecast.accumulation},
            {"sq_tokens", sum_json(forecast.sq_tokens)},
            {"padded_sq_tokens", sum_json(forecast.padded_sq_tokens)},
            {"maxima", maxima_json(forecast)}};
  if (forecast.run.rank_shapes) json["first_seen_in_any_rank"] = forecast.shapes->first_seen;
  if (forecast.waiting)
    json["waiting"] = {{"share", rounded_json(forecast.waiting->share)},
                       {"most", rounded_json(forecast.waiting->most)},
                       {"iteration", forecast.waiting->iteration}};
  if (forecast.use) json["use"] = use_json(*forecast.use);
  json["provenance"] = provenance_json(provenance);
  return json_text(json);
}

}  // namespace seqpoint::io::artifacts
