#include "seqpoint/forecast/forecast.hpp"

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <set>

#include "cli/commands/command.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/views/forecast.hpp"
#include "seqpoint/project/timed_run.hpp"
#include "seqpoint/select/repeats.hpp"

namespace seqpoint::cli::commands {
namespace {

/// More shapes than anybody compiles; the work grows with them.
constexpr std::uint64_t kMostBuckets = 256;

struct ForecastRequest {
  DatasetOptions dataset;
  std::optional<std::uint64_t> buckets;
  std::string profile;                 ///< empty: bounds by tokens alone
  std::optional<double> compile_cost;  ///< seconds
  bool bounds_by_time() const { return !profile.empty() && (buckets || compile_cost); }
  ExportPaths exports;
  GivenOptions given;
};

constexpr auto kNothingPadded = "nothing is padded: leave one of them out";

OptionRows rows_of(ForecastRequest& o) {
  return joined(
      {dataset_rows(o.dataset, "Training manifests, or one trace; - is standard input"),
       {excluding({"--buckets", count_to(o.buckets, 1, kMostBuckets),
                   "the N lengths to pad up to with the least padding, as settings for frameworks, compared with "
                   "powers of two and multiples of 64"},
                  {{"signature varlen", kNothingPadded}}),
        {"--profile", path_to(o.profile),
         "timed iterations of the model, a trace with times: what several ranks wait for in time; with --buckets or "
         "--compile-cost the bounds that take the least time"},
        needing(excluding({"--compile-cost", seconds_to(o.compile_cost),
                           "cost of compiling one shape, with --profile; without --buckets it decides how many shapes "
                           "there are"},
                          {{"signature varlen", kNothingPadded}}),
                {{"profile", "timed iterations: the cost of padding is weighed against that of compilation"}})},
       export_rows(o.exports)});
}

ForecastRequest request_of(ForecastRequest o, const GivenOptions& given) {
  o.given = given;
  o.dataset.read.keep_seconds = o.buckets || !o.profile.empty();
  require_valid(o.dataset, o.exports.files(), Batching::unless_trace);
  std::vector<std::string> files = o.dataset.manifests;
  files.push_back(o.profile);
  require_one_standard_input(files);
  require_valid(o.exports, files);
  return o;
}

forecast::Forecast forecast_of(const LoadedRun& run, const ForecastRequest& request, const Console& console) {
  return during(console, "forecasting", [&] {
    std::optional<forecast::DatasetUse> use;
    if (run.lengths) use = forecast::use_of(*run.lengths, request.dataset.batching, request.dataset.signature);
    forecast::Forecast forecast = forecast::forecast(run.trace, use);
    return forecast;
  });
}

/// What was timed, as points; more signatures than are fitted together are thinned out evenly.
project::TimedRun timed_run_of(const ForecastRequest& request, std::vector<io::manifests::InputRecord>& inputs,
                               Console& console) {
  constexpr std::size_t kMostPoints = 1000;
  const auto [timed, record, notes, order] =
      load_measured_trace(request.profile, request.dataset.signature.layout, console);
  inputs.push_back(record);
  const trace::Statistic* const times = timed.time_statistic();
  if (times == nullptr)
    throw InputError({request.profile}, "has no column of times", "a column whose name ends in _s, such as runtime_s");
  const trace::RunSummary all = trace::summarise(timed);
  std::set<trace::Signature> kept;
  const std::size_t signatures = all.histogram.size(), most = std::min(signatures, kMostPoints);
  for (std::size_t i = 0; i < most; ++i) kept.insert(all.histogram[i * signatures / most].signature);
  if (most < signatures)
    console.note(fmt::format("{}: {} of {} signatures are fitted", request.profile, most, signatures));
  trace::Trace fitted;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (std::isnan(times->values[i]) || !kept.contains(timed.signature(i))) continue;
    if (!(times->values[i] > 0))
      throw InputError({request.profile},
                       fmt::format("iteration {} has a time that is not above 0", timed.iteration_number(i)),
                       "leave the cell empty, or leave out the row");
    fitted.add_signature(timed.kind(), timed.signature(i));
    seconds.push_back(times->values[i]);
  }
  project::TimedRun run = project::timed_run(fitted, seconds, "profile");
  if (run.selection.points.size() < 2)
    throw InputError({request.profile, 0, times->name}, "has times of fewer than two signatures",
                     "times of several lengths show what longer ones cost");
  return run;
}

/// The bounds that take the least time, into the forecast, and ways to bound lengths in the order of their time.
project::Ranking bound_by_time(forecast::Forecast& forecast, const LoadedRun& run, const ForecastRequest& request,
                               const project::TimedRun& timed) {
  const trace::RunSummary& batches = forecast.run;
  const auto seconds = project::predicted_seconds(timed, forecast::signatures_padded_up(batches));
  const double compile_s = request.compile_cost.value_or(0);
  const forecast::Bounds fastest = forecast::fastest_bounds(batches, seconds, compile_s, request.buckets);
  forecast.bounds = forecast::compare_bounds(batches, run.lengths ? &*run.lengths : nullptr, fastest.upper.size());
  forecast::BoundsComparison& bounds = forecast.bounds.front();
  bounds.fastest = fastest;
  std::vector<project::Candidate> ways{{"as they are", {.source = "the run", .digest = "", .run = batches}}};
  const auto add = [&](const char* name, const forecast::Bounds& way) {
    ways.push_back({name, {.source = "the run", .digest = "", .run = forecast::padded_up(batches, way.upper)}});
  };
  add("fastest", fastest);
  add("fewest tokens", bounds.best);
  add("powers of two", bounds.powers_of_two);
  add("multiples of 64", bounds.multiples_of_64);
  return project::rank(timed.selection, ways, std::span(&timed.measured, 1), {}, 0, compile_s);
}

/// The run as its ranks have it and with its samples dealt out otherwise, into the forecast, in the order of their
/// time.
project::Ranking wait_by_time(forecast::Forecast& forecast, const LoadedRun& run, const ForecastRequest& request,
                              const project::TimedRun& timed) {
  forecast.dealt = forecast::deal_to_ranks(
      *run.lengths, request.dataset.batching, request.dataset.signature, forecast.run,
      [&](const std::vector<trace::SignatureCount>& at) { return project::predicted_seconds(timed, at); });
  std::vector<project::Candidate> ways;
  for (const forecast::DealtRun& dealt : forecast.dealt)
    ways.push_back({std::string(dealt.name), {.source = "the run", .digest = "", .run = dealt.run}});
  return project::rank(timed.selection, ways, std::span(&timed.measured, 1), {}, 0, 0);
}

/// Of a trace the other ranks are not known.
bool has_ranks(const LoadedRun& run) { return run.lengths && run.trace.ranks > 1; }

void require_use_of_profile(const ForecastRequest& request, const LoadedRun& run) {
  if (request.profile.empty() || request.bounds_by_time() || has_ranks(run)) return;
  const std::string bounds = "--buckets N limits how many shapes there are, --compile-cost SECONDS says what one costs";
  if (run.is_trace())
    throw UsageError("--profile: a trace has no other ranks that could wait",
                     "give the manifest and its --world-size; of bounds " + bounds);
  throw UsageError("--profile changes nothing: one rank waits for nobody, and no bounds are asked for",
                   "--world-size N of several ranks; " + bounds);
}

void require_same_kind(const ForecastRequest& request, const trace::RunSummary& run, const trace::RunSummary& timed) {
  if (timed.kind == run.kind) return;
  const auto lengths = [](const trace::RunSummary& of) { return trace::properties_of(of.kind).lengths; };
  throw InputError({request.profile}, fmt::format("is of {}, but the run has {}", lengths(timed), lengths(run)),
                   "times have to be of the same model");
}

/// Bounds are of one length, padded, and found in bearable time.
void require_boundable(const trace::RunSummary& run) {
  constexpr std::uint64_t kMostLengths = 4000;
  if (run.kind != trace::SignatureKind::padded)
    throw UsageError("--profile bounds runs of one length", "--buckets alone bounds each side of pairs by its tokens");
  const std::uint64_t lengths = forecast::lengths_of_batches(run, trace::Dimension::src_len).size();
  if (lengths > kMostLengths)
    throw UsageError(fmt::format("--profile: {} distinct lengths are too many to bound", lengths),
                     "--pad-multiple 8 makes fewer of them");
}

void tell(const project::Ranking& ranking, Console& console) {
  for (const std::string& note : ranking.notes) console.warn(note);
  for (const project::RankedRun& way : ranking.configurations.front().runs)
    if (way.order == project::Order::unknown) {
      console.warn("no interval: " + way.interval_note);
      break;
    }
}

void tell_ranks(const forecast::Forecast& forecast, const LoadedRun& run, bool bounds, Console& console) {
  if (forecast.dealt.size() == 1)
    console.note("batches are not whole samples padded to the longest: they are not dealt out to ranks otherwise");
  if (run.is_trace() && forecast.waiting)
    console.note("a trace has no other ranks: what they wait in time is said where the manifest is read");
  if (run.trace.ranks > 1)
    console.note(fmt::format("{}communication between ranks is not in these times",
                             bounds ? "of several ranks the batches of the one with the most work are padded; " : ""));
}

Exit run(ForecastRequest request, Console& console) {
  Exports exports(request.exports);
  const LoadedRun run = load_run(request.given, request.dataset, console);
  refuse_to_overwrite_read(request.dataset, run.inputs, request.exports.files());
  require_use_of_profile(request, run);
  forecast::Forecast forecast = forecast_of(run, request, console);
  std::vector<io::manifests::InputRecord> inputs = run.inputs;
  std::optional<project::Ranking> bounds, dealing;
  if (!request.profile.empty()) {
    const project::TimedRun timed = timed_run_of(request, inputs, console);
    require_same_kind(request, forecast.run, timed.selection.run);
    if (request.bounds_by_time()) {
      require_boundable(forecast.run);
      bounds = during(console, "bounding", [&] { return bound_by_time(forecast, run, request, timed); });
    }
    if (has_ranks(run))
      dealing = during(console, "dealing out", [&] { return wait_by_time(forecast, run, request, timed); });
    for (const auto* const ranking : {&bounds, &dealing})
      if (*ranking) tell(**ranking, console);
    tell_ranks(forecast, run, bounds.has_value(), console);
  }
  if (request.buckets && !bounds)
    forecast.bounds = forecast::compare_bounds(forecast.run, run.lengths ? &*run.lengths : nullptr, *request.buckets);
  const project::Ranking *const by_bounds = bounds ? &*bounds : nullptr, *const by_dealing =
                                                                             dealing ? &*dealing : nullptr;
  const OptionsInForce options = run.is_trace() ? options_in_force(request.given, kDatasetGroups)  //
                                                : options_in_force(request.given);
  exports.write({.json = io::artifacts::forecast_json(forecast, {options, inputs}, by_bounds, by_dealing),
                 .rows = io::views::forecast_rows(forecast),
                 .table = io::views::forecast_table(forecast, by_bounds, by_dealing),
                 .text = io::views::forecast_text(forecast, by_bounds, by_dealing)},
                console);
  return kDone;
}

}  // namespace

CommandSpec forecast_command() {
  return command_of<ForecastRequest, ForecastRequest>(
      "forecast", "What the batches show before anything runs",
      "Examples:\n"
      "  seqpoint forecast train.jsonl --sampler pytorch --batch-size 32 --seed 1\n"
      "  seqpoint forecast train.csv --sampler lhotse-bucketing --max-duration 200 --world-size 8 -o forecast.json\n"
      "  seqpoint forecast train.csv --sampler lhotse-bucketing --max-duration 200 --buckets 8\n"
      "  seqpoint forecast train.jsonl --sampler pytorch --batch-size 32 --profile timed.csv --compile-cost 20\n"
      "  seqpoint forecast train.jsonl --sampler pytorch-distributed --batch-size 32 --world-size 8 --profile "
      "timed.csv\n"
      "  seqpoint forecast run.csv",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
