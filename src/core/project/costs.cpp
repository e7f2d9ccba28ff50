#include "core/project/costs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/project/first_seen.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::project {
namespace {

const MetricProjection* time_of(const ConfigurationProjection& c) {
  return c.throughput ? find_metric(c, c.throughput->time_metric) : nullptr;
}

CostFigure scaled(std::string_view name, const MetricProjection& time, double factor) {
  CostFigure figure{.name = name, .value = factor * time.value, .interval = time.interval};
  if (figure.interval) figure.interval = Interval{factor * time.interval->low, factor * time.interval->high};
  return figure;
}

/// What of a time no later epoch has again: shapes are new once.
FirstSeenCost first_seen_in(const Projection& projection, const ConfigurationProjection& c, const std::string& time) {
  const FirstSeenCost* const measured = find_first_seen(c, time);
  FirstSeenCost cost = measured == nullptr ? FirstSeenCost{} : *measured;
  if (const auto& given = projection.overheads)
    cost.seconds += given->first_seen_s * static_cast<double>(given->signatures);
  return cost;
}

/// So many times the run one after the other: squares of half-widths add up in a time, and first executions' stay.
MetricProjection repeated(MetricProjection time, double times, const FirstSeenCost& first) {
  const auto half = [&](double whole) {
    return std::hypot(times * std::sqrt(std::max(whole * whole - first.half_width * first.half_width, 0.0)),
                      first.half_width);
  };
  const double value = times * (time.value - first.seconds) + first.seconds;
  if (time.interval)
    time.interval =
        Interval{value - half(time.value - time.interval->low), value + half(time.interval->high - time.value)};
  time.value = value;
  return time;
}

/// The less time, the more utilisation. A time may reach down to 0, where there is no upper end.
CostFigure utilisation(const MetricProjection& time, double seconds_at_peak) {
  CostFigure figure{.name = "mfu", .value = seconds_at_peak / time.value, .interval = {}};
  if (time.interval && time.interval->low > 0)
    figure.interval = Interval{seconds_at_peak / time.interval->high, seconds_at_peak / time.interval->low};
  return figure;
}

/// What the run would take if its GPUs did nothing but the model's FLOPs, at their peak.
double seconds_at_peak(const GpuTerms& terms) {
  const double flops =
      static_cast<double>(terms.tokens) * *terms.flops_per_token + terms.pairs * terms.flops_per_pair.value_or(0);
  return flops / (static_cast<double>(terms.gpus) * *terms.peak_flops);
}

/// Pairs of tokens: of a source with itself, of a target with itself, and of a target with its source.
double pairs_in(const trace::Signature& signature) {
  const double source = signature.src_len, target = signature.tgt_len;
  return static_cast<double>(signature.sq_tokens) +
         signature.batch_size * (source * source + target * target + source * target);
}

/// Signatures are those of the rank with the most work: other ranks have as many pairs for each of their tokens.
double pairs_of(const trace::RunSummary& run) {
  double pairs = 0, tokens = 0;
  for (const auto& [signature, count] : run.histogram) {
    pairs += static_cast<double>(count) * pairs_in(signature);
    tokens += static_cast<double>(count) * static_cast<double>(signature.padded_tokens());
  }
  return tokens > 0 ? pairs * static_cast<double>(run.padded_tokens) / tokens : 0;
}

}  // namespace

void add_gpu_terms(Projection& projection, const trace::RunSummary& run, GpuTerms terms) {
  terms.run_epochs = run.epochs;
  terms.padded = !run.tokens;
  terms.tokens = run.tokens.value_or(run.padded_tokens);
  terms.pairs = pairs_of(run);
  projection.gpu_terms = terms;
  if (std::ranges::none_of(projection.configurations, [](const auto& c) { return time_of(c) != nullptr; }))
    throw ParameterError("gpus", ": no configuration has a total of seconds",
                         "measure a column whose name ends in _s, such as runtime_s");
  if (!terms.flops_per_token) return;
  if (terms.padded)
    projection.notes.emplace_back("MFU counts padded tokens: the run does not say how many it has without padding");
  for (const ConfigurationProjection& c : projection.configurations)
    if (const MetricProjection* const time = time_of(c); time != nullptr && seconds_at_peak(terms) > time->value)
      projection.notes.push_back(
          fmt::format("{}: the model's FLOPs are more than {} can do in that time: is `flops_per_token` of one token, "
                      "and `peak_flops` of one GPU?",
                      c.name, counted(terms.gpus, "GPU")));
}

std::vector<CostFigure> costs_of(const Projection& projection, const ConfigurationProjection& c) {
  const MetricProjection* const time = time_of(c);
  if (!projection.gpu_terms || time == nullptr) return {};
  const GpuTerms& terms = *projection.gpu_terms;
  constexpr double kSecondsPerHour = 3600;
  const double hours = static_cast<double>(terms.gpus) / kSecondsPerHour;
  std::vector<CostFigure> figures{scaled("gpu_hours", *time, hours)};
  if (terms.price) figures.push_back(scaled("cost", *time, hours * *terms.price));
  if (terms.epochs) {
    const double times = static_cast<double>(*terms.epochs) / static_cast<double>(terms.run_epochs);
    const MetricProjection all = repeated(*time, times, first_seen_in(projection, c, time->name));
    figures.push_back(scaled("gpu_hours_of_epochs", all, hours));
    if (terms.price) figures.push_back(scaled("cost_of_epochs", all, hours * *terms.price));
  }
  if (terms.flops_per_token && time->value > 0) figures.push_back(utilisation(*time, seconds_at_peak(terms)));
  return figures;
}

}  // namespace seqpoint::project
