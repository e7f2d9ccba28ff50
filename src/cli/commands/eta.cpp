#include "seqpoint/eta/eta.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <optional>

#include "cli/commands/command.hpp"
#include "cli/options/dataset_inputs.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/progress.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/views/eta.hpp"
#include "seqpoint/select/point_key.hpp"
#include "seqpoint/select/repeats.hpp"

namespace seqpoint::cli::commands {
namespace {

struct EtaRequest {
  std::string trace, log, statistic;
  std::uint64_t warmup = 0;
  trace::BatchLayout layout = trace::BatchLayout::padded;
  double confidence = 0;
  ExportPaths exports;
  OptionsInForce options;
};

struct EtaOptions {
  EtaRequest request;
  std::optional<double> confidence;
};

OptionRows rows_of(EtaOptions& o) {
  EtaRequest& request = o.request;
  return joined(
      {{required({"trace", text_to(request.trace, "TRACE"), "The whole run, as `seqpoint scan` wrote it"}),
        required({"--log", path_to(request.log), "the iterations that are done, with their times; also a trace"}),
        {"--stat", text_to(request.statistic, "COLUMN"),
         "the column of times in the log [runtime_s, else the first column of times]"},
        {"--warmup", count_to(request.warmup), "leave out the times of the log's first N rows"},
        {"--confidence", share_to(o.confidence), "of the interval [95%]"},
        signature_row(request.layout)},
       export_rows(request.exports)});
}

EtaRequest request_of(EtaOptions o, const GivenOptions& given) {
  EtaRequest request = std::move(o.request);
  request.confidence = confidence_of(o.confidence);
  const std::vector<std::string> files{request.trace, request.log};
  require_one_standard_input(files);
  require_valid(request.exports, files);
  request.options = options_in_force(given);
  return request;
}

const trace::Statistic& times_of(const EtaRequest& request, const trace::Trace& log) {
  const trace::Statistic* const found =
      request.statistic.empty() ? log.time_statistic() : log.find_statistic(request.statistic);
  if (found != nullptr && trace::is_time_metric(found->name)) return *found;
  throw InputError({request.log, 0, request.statistic},
                   request.statistic.empty() ? "has no column of times" : "is no column of times in seconds",
                   "a column whose name ends in _s, such as runtime_s");
}

[[noreturn]] void refuse_row(
    const EtaRequest& request, std::uint64_t number, const std::string& problem,
    const char* hint = "TRACE is the run that is logged: the same manifest, sampler, seed, epoch and batch size") {
  throw InputError({request.log}, fmt::format("iteration {} {}", number, problem), hint);
}

/// Where the log's row is in the run. Of several ranks the run has the one with the most work, the log its own.
std::size_t place_of(const EtaRequest& request, const trace::Trace& run, const trace::Trace& log, std::size_t row) {
  const std::uint64_t number = log.iteration_number(row);
  const std::size_t at = run.row_of(number);
  if (at >= run.size() || run.iteration_number(at) != number) refuse_row(request, number, "is not in " + request.trace);
  const auto text = [](const trace::Trace& of, std::size_t i) {
    return select::text_of(select::full_key(of.kind(), of.signature(i)), " ", ", ");
  };
  if (run.ranks == 1 && run.signature(at) != log.signature(row))
    refuse_row(request, number, fmt::format("has {}, but {} has {}", text(log, row), request.trace, text(run, at)));
  return at;
}

/// Of the run's first iterations, up to the last that was logged.
std::vector<double> seconds_so_far(const EtaRequest& request, const trace::Trace& run, const trace::Trace& log) {
  const trace::Statistic& times = times_of(request, log);
  std::vector<double> seconds;
  std::uint64_t timed = 0;
  for (std::size_t row = 0; row < log.size(); ++row) {
    const std::size_t at = place_of(request, run, log, row);
    seconds.resize(std::max(seconds.size(), at + 1), std::numeric_limits<double>::quiet_NaN());
    if (row < request.warmup || std::isnan(times.values[row])) continue;
    if (!(times.values[row] > 0))
      refuse_row(request, log.iteration_number(row), "has a time that is not above 0",
                 "leave the cell empty, or leave out the row");
    seconds[at] = times.values[row];
    ++timed;
  }
  if (timed < 2)
    throw InputError({request.log, 0, times.name}, fmt::format("has {}", counted(timed, "time")),
                     "two iterations at the least");
  return seconds;
}

Exit run(EtaRequest request, Console& console) {
  Exports exports(request.exports);
  const io::artifacts::TraceFile whole = load_measured_trace(request.trace, request.layout, console);
  const io::artifacts::TraceFile log = load_measured_trace(request.log, request.layout, console);
  const std::vector<double> seconds = seconds_so_far(request, whole.trace, log.trace);
  const eta::TimeLeft left =
      during(console, "projecting", [&] { return eta::time_left(whole.trace, seconds, request.confidence); });
  if (left.stretch && left.stretch->is_off()) console.warn(io::views::message_of(left, *left.stretch));
  exports.write({.json = io::artifacts::eta_json(left, request.confidence,
                                                 {.options = request.options, .inputs = {whole.record, log.record}}),
                 .rows = io::views::eta_rows(left),
                 .table = io::views::eta_table(left, request.confidence),
                 .text = io::views::eta_text(left, request.confidence)},
                console);
  return kDone;
}

}  // namespace

CommandSpec eta_command() {
  return command_of<EtaOptions, EtaRequest>(
      "eta", "How much longer a run that has begun will take",
      "Examples:\n"
      "  seqpoint scan train.jsonl --sampler pytorch --batch-size 32 --seed 1 -o run.csv\n"
      "  seqpoint eta run.csv --log epoch0.csv\n"
      "  seqpoint eta run.csv --log epoch0.csv --warmup 3 --json",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
