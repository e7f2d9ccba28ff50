#include "seqpoint/forecast.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "cli/commands/command.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/dataset_options.hpp"
#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "core/project/timed_run.hpp"
#include "io/views/forecast_text.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/measure.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::cli::commands {
namespace {

/// More shapes than anybody compiles; the work grows with them.
constexpr std::uint64_t kMostBuckets = 256;

struct ForecastRequest {
  DatasetOptions dataset;
  std::optional<std::uint64_t> buckets;
  std::string profile;                 ///< empty: bounds by tokens alone
  std::optional<double> compile_cost;  ///< seconds
  std::optional<double> memory;        ///< bytes; the profile is then of memory, not of times
  bool by_time() const { return !profile.empty() && !memory; }
  bool bounds_by_time() const { return by_time() && (buckets || compile_cost); }
  ExportPaths exports;
  GivenOptions given;
};

constexpr auto kNothingPadded = "nothing is padded: leave one of them out";

double bytes_of(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
      {{"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}};
  for (const auto& [unit, bytes] : kUnits) {
    if (!text.ends_with(unit)) continue;
    double number = 0;
    const char* const end = text.data() + text.size() - unit.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && rest == end && number > 0 && std::isfinite(number)) return number * bytes;
  }
  throw UsageError("--memory: '" + text + "' is not a size", "a number with its unit, such as 80GiB, 24GB or 512MiB");
}

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
                {{"profile", "timed iterations: the cost of padding is weighed against that of compilation"}}),
        needing(excluding({"--memory", converted("SIZE", [&o](const std::string& text) { o.memory = bytes_of(text); }),
                           "memory of a device, such as 80GiB, with --buckets and a --profile that has peak_bytes of "
                           "batches of several sizes: the largest batch of each bucket"},
                          {{"compile-cost", "--memory goes by peak_bytes, --compile-cost by times"}}),
                {{"buckets", "--buckets N says how many lengths a batch size is wanted for"}})},
       export_rows(o.exports)});
}

ForecastRequest request_of(ForecastRequest o, const GivenOptions& given) {
  o.given = given;
  o.dataset.read.keep_seconds = o.buckets || !o.profile.empty();
  require_valid(o.dataset, o.exports.files(), Batching::unless_trace);
  if (o.memory && o.profile.empty())
    throw UsageError("--memory changes nothing without --profile", "a trace of a few batches with a column peak_bytes");
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

/// What the column is that the profile is read for.
const trace::Statistic* measured_column(const trace::Trace& profile, const ForecastRequest& request) {
  if (!request.memory) return profile.time_statistic();
  const auto of_memory = [](const trace::Statistic& s) {
    return s.name.ends_with("bytes") && profile::role_of_column(s.name) == profile::MetricRole::maximum;
  };
  const auto found = std::ranges::find_if(profile.statistics, of_memory);
  return found == profile.statistics.end() ? nullptr : &*found;
}

/// What was measured, as points: times, or of each signature the most memory. More signatures than are fitted together
/// are thinned out evenly.
project::TimedRun measured_run_of(const ForecastRequest& request, std::vector<io::manifests::InputRecord>& inputs,
                                  Console& console) {
  const std::size_t most_points = request.memory ? 200 : 1000;  // predicted from many times, or fitted once
  const auto [timed, record, notes, order] =
      load_measured_trace(request.profile, request.dataset.signature.layout, console);
  inputs.push_back(record);
  const trace::Statistic* const column = measured_column(timed, request);
  if (column == nullptr && request.memory)
    throw InputError({request.profile}, "has no column of bytes of memory in use", "peak_bytes, by that name");
  if (column == nullptr)
    throw InputError({request.profile}, "has no column of times", "a column whose name ends in _s, such as runtime_s");
  const trace::RunSummary all = trace::summarise(timed);
  std::set<trace::Signature> kept;
  const std::size_t signatures = all.histogram.size(), most = std::min(signatures, most_points);
  for (std::size_t i = 0; i < most; ++i) kept.insert(all.histogram[i * signatures / most].signature);
  if (most < signatures)
    console.note(fmt::format("{}: {} of {} signatures are fitted", request.profile, most, signatures));
  trace::Trace fitted;
  fitted.kind = timed.kind;
  std::vector<double> values;
  std::map<trace::Signature, std::size_t> place_of;  // in `values`
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const double value = column->values[i];
    if (std::isnan(value) || !kept.contains(timed.signatures[i])) continue;
    if (!(value > 0))
      throw InputError({request.profile, 0, column->name},
                       fmt::format("is not above 0 in iteration {}", timed.iteration_number(i)),
                       "leave the cell empty, or leave out the row");
    const auto [place, is_new] = place_of.try_emplace(timed.signatures[i], values.size());
    if (request.memory && !is_new) {
      values[place->second] = std::max(values[place->second], value);
      continue;
    }
    fitted.signatures.push_back(timed.signatures[i]);
    values.push_back(value);
  }
  project::TimedRun run = project::timed_run(fitted, values, "profile");
  run.measured.measurements.metrics = {column->name};
  if (run.selection.points.size() < 2)
    throw InputError({request.profile, 0, column->name}, "has values of fewer than two signatures",
                     "several lengths show what longer ones cost");
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
  return project::rank(timed.selection, ways, std::span(&timed.measured, 1), {}, compile_s);
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
  return project::rank(timed.selection, ways, std::span(&timed.measured, 1), {});
}

/// Whether there are other ranks, and they are known: those of a trace are not.
bool has_ranks(const LoadedRun& run) { return run.lengths && run.trace.ranks > 1; }

void require_use_of_profile(const ForecastRequest& request, const LoadedRun& run) {
  if (!request.by_time() || request.bounds_by_time() || has_ranks(run)) return;
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
                   "both have to be of the same model");
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

/// The largest batch of each bucket of samples, into the forecast.
void add_largest_batches(forecast::Forecast& forecast, const LoadedRun& run, const ForecastRequest& request,
                         const project::TimedRun& peaks, Console& console) {
  if (run.is_trace() || run.lengths->paired())
    throw UsageError("--memory: buckets are of samples of one length", "give a manifest, without --tgt");
  const std::uint64_t multiple = request.dataset.signature.pad_multiple;
  forecast::BoundsComparison& samples = forecast.bounds.back();
  std::vector<std::uint64_t> lengths;
  for (const std::uint64_t bound : samples.best.upper) lengths.push_back((bound + multiple - 1) / multiple * multiple);
  samples.largest = project::largest_batches(peaks, lengths, *request.memory, run.lengths->size());
  if (std::ranges::any_of(samples.largest, [](const auto& batch) { return batch.beyond > 0; }))
    console.warn("some batches are beyond all that were measured: measure one of them before you rely on it");
  console.note("what the allocator loses to fragmentation is not in these batches' memory");
}

void tell(const project::Ranking& ranking, Console& console) {
  for (const std::string& note : ranking.notes) console.warn(note);
  for (const project::RankedRun& way : ranking.configurations.front().runs)
    if (way.order == project::Order::unknown) {
      console.warn("no interval: " + way.interval_note);
      break;
    }
}

void tell_ranks(const forecast::Forecast& forecast, const LoadedRun& run, Console& console) {
  if (forecast.dealt.size() == 1)
    console.note("batches are not whole samples padded to the longest: they are not dealt out to ranks otherwise");
  if (run.is_trace() && forecast.waiting)
    console.note("a trace has no other ranks: what they wait in time is said where the manifest is read");
  if (run.trace.ranks > 1) console.note("communication between ranks is not in these times");
}

Exit run(ForecastRequest request, Console& console) {
  Exports exports(request.exports);
  const LoadedRun run = load_run(request.given, request.dataset, console);
  refuse_to_overwrite_read(request.dataset, run.inputs, request.exports.files());
  require_use_of_profile(request, run);
  forecast::Forecast forecast = forecast_of(run, request, console);
  std::vector<io::manifests::InputRecord> inputs = run.inputs;
  std::optional<project::Ranking> bounds, dealing;
  std::optional<project::TimedRun> measured;
  if (!request.profile.empty()) {
    measured = measured_run_of(request, inputs, console);
    require_same_kind(request, forecast.run, measured->selection.run);
  }
  if (request.by_time()) {
    if (request.bounds_by_time()) {
      require_boundable(forecast.run);
      bounds = during(console, "bounding", [&] { return bound_by_time(forecast, run, request, *measured); });
    }
    if (has_ranks(run))
      dealing = during(console, "dealing out", [&] { return wait_by_time(forecast, run, request, *measured); });
    for (const auto* const ranking : {&bounds, &dealing})
      if (*ranking) tell(**ranking, console);
    tell_ranks(forecast, run, console);
  }
  if (request.buckets && !bounds)
    forecast.bounds = forecast::compare_bounds(forecast.run, run.lengths ? &*run.lengths : nullptr, *request.buckets);
  if (run.trace.ranks > 1 && (request.buckets || bounds))
    console.warn(
        "bounds of batches are of the rank with the most padded tokens in each iteration: others may have batches that "
        "are longer than the last bound, and what these are padded by is not counted");
  if (request.memory) add_largest_batches(forecast, run, request, *measured, console);
  const project::Ranking *const by_bounds = bounds ? &*bounds : nullptr, *const by_dealing =
                                                                             dealing ? &*dealing : nullptr;
  const OptionsInForce options = run.is_trace() ? options_in_force(request.given, kDatasetGroups)  //
                                                : options_in_force(request.given);
  exports.write({.json = io::artifacts::forecast_json(forecast, {options, inputs}, by_bounds, by_dealing),
                 .rows = io::views::forecast_rows(forecast, by_bounds, by_dealing),
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
      "  seqpoint forecast train.jsonl --batch-size 32 --buckets 8 --profile peaks.csv --memory 80GiB\n"
      "  seqpoint forecast run.csv",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
