// Numbers that jobs log by the step: TensorBoard's events, Lightning's metrics.csv (CSVLogger), the log_history of
// Hugging Face's trainer_state.json. Names as in Megatron-LM (training.py), verl (metric_utils.py), NeMo
// (exp_manager.py) and Lightning (callbacks/throughput_monitor.py).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "io/json/document.hpp"
#include "io/json/json_scan.hpp"
#include "io/profiles/engine/event_file.hpp"
#include "io/profiles/engine/iteration_log.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/csv_table.hpp"
#include "io/text/decimal.hpp"
#include "io/text/tf_record.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::formats {
namespace {

namespace json = io::json;
using engine::LogClock;
using engine::LogLine;
using io::json::Json;

/// A series of seconds, by its name.
struct Series {
  std::string_view name;
  LogClock clock;
  std::uint64_t first;  ///< the step that the run's first iteration has
};

/// The first that is there is read.
constexpr std::array kSeries{
    Series{"iteration-time", LogClock::mean, 1},               // Megatron-LM
    Series{"perf/time_per_step", LogClock::iteration, 1},      // verl
    Series{"train_step_timing in s", LogClock::iteration, 0},  // NeMo
    Series{"train|time", LogClock::since_start, 0},            // Lightning's ThroughputMonitor
    Series{"train/time", LogClock::since_start, 0},            // the same in TensorBoard
};

const Series* series_among(const auto& has) {
  const auto at = std::ranges::find_if(kSeries, has, &Series::name);
  return at == kSeries.end() ? nullptr : &*at;
}

/// Collects the lines of a series, and what is to be said of the file.
class SeriesLog {
 public:
  SeriesLog(const ProfileInput& input, const ProfileReader& reader) {
    profile_.source = input.name();
    profile_.format = reader.name;
    profile_.counts_optimiser_steps = true;
    profile_.of_log = true;
  }

  void note(const std::string& text) { profile_.notes.push_back(profile_.source + ": " + text); }

  void add(std::uint64_t line, std::uint64_t step, std::uint64_t first, double seconds) {
    constexpr double kLongest = 4e9;  // as parse_ns() has it
    const bool good = step >= first && step <= UINT32_MAX && seconds >= 0 && seconds < kLongest;
    if (!good) return ++bad_, void();
    lines_.push_back({.line = line, .number = step - first, .ns = std::llround(seconds * 1e9)});
  }

  profile::StepProfile finish(LogClock clock) {
    engine::add_steps(lines_, clock, false, profile_);
    if (bad_ > 0) note(counted(bad_, "value") + " left out: no time, or of no step");
    return std::move(profile_);
  }

 private:
  profile::StepProfile profile_;
  std::vector<LogLine> lines_;
  std::uint64_t bad_ = 0;
};

// --- TensorBoard

bool is_validation(std::string_view tag) {
  return tag.starts_with("eval") || tag.starts_with("val") || tag.starts_with("test");
}

/// The series of training with the most values: its events are the log's clock.
std::string_view busiest_tag(const std::vector<engine::Scalar>& scalars) {
  std::map<std::string_view, std::uint64_t> counts;
  for (const engine::Scalar& scalar : scalars)
    if (!is_validation(scalar.tag)) ++counts[scalar.tag];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& tag) { return tag.second; });
  return most == counts.end() ? std::string_view() : most->first;
}

/// Whether steps are counted from 0 or 1: the first that is logged is the first itself, or the last of the first
/// interval.
std::uint64_t first_step(const std::vector<const engine::Scalar*>& series) {
  if (series.size() < 2 || series[0]->step == 0 || series[1]->step <= series[0]->step) return 0;
  return series[0]->step % (series[1]->step - series[0]->step) == 0 ? 1 : 0;
}

profile::StepProfile read_tensorboard(ProfileInput& input) {
  const engine::EventFile file = engine::read_events(input.text());
  SeriesLog log(input, kTensorBoard);
  const Series* const known = series_among([&](std::string_view name) {
    return std::ranges::find(file.scalars, name, &engine::Scalar::tag) != file.scalars.end();
  });
  const std::string_view tag = known != nullptr ? known->name : busiest_tag(file.scalars);
  std::vector<const engine::Scalar*> series;
  for (const engine::Scalar& scalar : file.scalars)
    if (scalar.tag == tag) series.push_back(&scalar);
  const std::uint64_t first = known != nullptr ? known->first : first_step(series);
  for (const engine::Scalar* const scalar : series)
    log.add(0, scalar->step, first, known != nullptr ? scalar->value : scalar->wall_time);
  if (series.empty())
    log.note("holds no scalar of training");
  else if (known == nullptr)
    log.note(fmt::format("has no times of steps; the clock of '{}' tells them, steps from {}", tag, first));
  if (file.damaged > 0) log.note(counted(file.damaged, "event") + " damaged, left out");
  if (file.cut)
    log.note(fmt::format("ends inside an event, behind {}: was it cut?", counted(file.events, "whole one")));
  return log.finish(known != nullptr ? known->clock : LogClock::since_start);
}

bool is_tensorboard(const ProfileProbe& probe) { return text::is_event_file(probe.head); }

// --- Lightning

bool is_lightning(const ProfileProbe& probe) {
  const std::vector<std::string> header = text::header_fields(probe.head, text::dialect_of(probe.head));
  const auto has = [&](std::string_view name) { return std::ranges::find(header, name) != header.end(); };
  return has("step") && has("epoch") && std::ranges::none_of(header, text::is_key_column) && !has("sq_tokens");
}

/// Seconds of a step: a series that is known, else one column whose name ends in _s.
std::optional<Series> series_in(const text::CsvTable& table, SeriesLog& log) {
  if (const Series* const known = series_among([&](std::string_view name) { return table.find(name).has_value(); }))
    return *known;
  std::vector<std::string_view> times;
  for (const std::string& column : table.columns())
    if (trace::is_time_metric(column) && !is_validation(column)) times.push_back(column);
  for (const std::string_view name : {"step_s", "runtime_s"})
    if (std::ranges::find(times, name) != times.end()) times = {name};
  if (times.size() == 1) return Series{times.front(), LogClock::iteration, 0};
  if (times.empty())
    log.note(
        "has no column of times: log one (ThroughputMonitor, or self.log(\"step_s\", seconds)), or give "
        "TensorBoard's file of the same run, which has a clock");
  else
    log.note(fmt::format("has several columns of times, {}, and none is called step_s: which is a step's is not known",
                         fmt::join(times, ", ")));
  return std::nullopt;
}

profile::StepProfile read_lightning(ProfileInput& input) {
  stream::Input again = stream::Input::from_memory(input.name(), input.text());
  text::CsvTable table(again);
  SeriesLog log(input, kLightning);
  const std::optional<Series> series = series_in(table, log);
  const auto step = table.find("step");
  if (!step) throw InputError({input.name(), 1}, "has no column 'step'", "give Lightning's metrics.csv");
  while (series && table.next()) {
    const text::Number seconds = text::parse_number(table.field(*table.find(series->name)));
    if (seconds.fault == text::NumberFault::missing) continue;
    const bool good = seconds.fault == text::NumberFault::none;
    log.add(table.line(), table.integer(*step, UINT32_MAX), series->first, good ? seconds.value : -1);
  }
  table.problems().throw_if_any("give the file as Lightning's CSVLogger wrote it");
  return log.finish(series ? series->clock : LogClock::iteration);
}

// --- Hugging Face

bool is_trainer_state(const ProfileProbe& probe) {
  return json::first_value(probe.head).starts_with('{') &&
         probe.head.find("\"log_history\"") != std::string_view::npos &&
         probe.head.find("\"global_step\"") != std::string_view::npos;
}

profile::StepProfile read_trainer_state(ProfileInput& input) {
  constexpr auto kHint = "give the trainer_state.json of the run or of a checkpoint";
  const Json document = json::parse_document(input.name(), input.text(), kHint);
  const Json& history = json::array_at(document, "log_history", input.name(), kHint);
  SeriesLog log(input, kTrainerState);
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(history, [&](const Json& entry) { return entry.is_object() && entry.contains(name); });
  };
  const Series* const known = series_among(has);
  const std::string name(known != nullptr ? known->name : "train_runtime");
  for (const Json& entry : history) {
    if (!entry.is_object() || !entry.contains(name)) continue;
    const double step = json::number_at(entry, "step").value_or(0),
                 seconds = json::number_at(entry, name.c_str()).value_or(-1);
    const auto whole = step >= 1 && step <= UINT32_MAX ? static_cast<std::uint64_t>(step) : 0;
    log.add(0, whole, 1, known != nullptr ? seconds : seconds / std::max(step, 1.0));
  }
  if (known == nullptr)
    log.note(std::string(has(name) ? "says how long all steps took together, and not one of them"
                                   : "says of no step how long it took") +
             ": TensorBoard's file of the same run (events.out.tfevents...) has a clock");
  return log.finish(known != nullptr ? known->clock : LogClock::total);
}

}  // namespace

const ProfileReader kTensorBoard{
    .name = "tensorboard",
    .summary = "TensorBoard's events: times of steps that were logged, else the clock of what was",
    .example = "runs/.../events.out.tfevents.1700000000.host.1.0",
    .recognises = is_tensorboard,
    .read = read_tensorboard,
};

const ProfileReader kLightning{
    .name = "lightning",
    .summary = "Lightning's metrics.csv, with a column of times",
    .example = "epoch,step,train_loss,step_s\\n0,49,8.62,0.131",
    .recognises = is_lightning,
    .read = read_lightning,
};

const ProfileReader kTrainerState{
    .name = "trainer-state",
    .summary = "trainer_state.json of Hugging Face's Trainer",
    .example = R"({"global_step": 768, "log_history": [{"step": 768, "train_runtime": 5980.7, ...}], ...})",
    .recognises = is_trainer_state,
    .read = read_trainer_state,
};

}  // namespace seqpoint::io::profiles::formats
