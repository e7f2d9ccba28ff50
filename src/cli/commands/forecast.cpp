#include "seqpoint/forecast/forecast.hpp"

#include <optional>

#include "cli/commands/command.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/views/forecast.hpp"

namespace seqpoint::cli::commands {
namespace {

/// More shapes than anybody compiles; the work grows with them.
constexpr std::uint64_t kMostBuckets = 256;

struct ForecastRequest {
  DatasetOptions dataset;
  std::optional<std::uint64_t> buckets;
  ExportPaths exports;
  GivenOptions given;
};

OptionRows rows_of(ForecastRequest& o) {
  return joined({dataset_rows(o.dataset, "Training manifests, or one trace; - is standard input"),
                 {{"--buckets", count_to(o.buckets, 1, kMostBuckets),
                   "the K lengths to pad up to that pad least, as settings of frameworks, beside powers of two and "
                   "multiples of 64"}},
                 export_rows(o.exports)});
}

ForecastRequest request_of(ForecastRequest o, const GivenOptions& given) {
  o.given = given;
  o.dataset.read.keep_seconds = o.buckets.has_value();
  if (o.buckets && o.dataset.signature.layout == trace::BatchLayout::varlen)
    throw UsageError("--buckets has no use with --signature varlen: nothing is padded", "leave one of them out");
  require_valid(o.dataset, o.exports.files(), Batching::unless_trace);
  require_valid(o.exports, o.dataset.manifests);
  return o;
}

forecast::Forecast forecast_of(const LoadedRun& run, const ForecastRequest& request, const Console& console) {
  return during(console, "forecasting", [&] {
    std::optional<forecast::DatasetUse> use;
    if (run.lengths) use = forecast::use_of(*run.lengths, request.dataset.batching, request.dataset.signature);
    forecast::Forecast forecast = forecast::forecast(run.trace, use);
    if (request.buckets)
      forecast.bounds = forecast::compare_bounds(forecast.run, run.lengths ? &*run.lengths : nullptr, *request.buckets);
    return forecast;
  });
}

Exit run(ForecastRequest request, Console& console) {
  Exports exports(request.exports);
  const LoadedRun run = load_run(request.given, request.dataset, console);
  refuse_to_overwrite_read(request.dataset, run.inputs, request.exports.files());
  const forecast::Forecast forecast = forecast_of(run, request, console);
  const OptionsInForce options = run.is_trace() ? options_in_force(request.given, kDatasetGroups)  //
                                                : options_in_force(request.given);
  exports.write({.json = io::artifacts::forecast_json(forecast, {options, run.inputs}),
                 .rows = io::views::forecast_rows(forecast),
                 .table = io::views::forecast_table(forecast),
                 .text = io::views::forecast_text(forecast)},
                console);
  return kDone;
}

}  // namespace

CommandSpec forecast_command() {
  return command_of<ForecastRequest, ForecastRequest>(
      "forecast", "What the batches tell before anything runs",
      "Examples:\n"
      "  seqpoint forecast train.jsonl --sampler pytorch --batch-size 32 --seed 1\n"
      "  seqpoint forecast train.csv --sampler lhotse-bucketing --max-duration 200 --world-size 8 -o forecast.json\n"
      "  seqpoint forecast train.csv --sampler lhotse-bucketing --max-duration 200 --buckets 8\n"
      "  seqpoint forecast run.csv",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
