#include "core/project/costs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "seqpoint/error.hpp"

namespace seqpoint::project {

struct CostBasis {
  const Projection& projection;
  const ConfigurationProjection& configuration;
  const GpuTerms& terms;
  const MetricProjection& time;
};

namespace {

const MetricProjection* time_of(const ConfigurationProjection& c) {
  return c.throughput ? find_metric(c, c.throughput->time_metric) : nullptr;
}

CostFigure scaled(const MetricProjection& time, double factor) {
  CostFigure figure{.value = factor * time.value};
  if (time.interval) figure.interval = Interval{factor * time.interval->low, factor * time.interval->high};
  return figure;
}

/// So many times the run one after the other: squares of half-widths add up in a time.
MetricProjection repeated(MetricProjection time, double times) {
  const double value = times * time.value;
  if (time.interval)
    time.interval =
        Interval{value - times * (time.value - time.interval->low), value + times * (time.interval->high - time.value)};
  time.value = value;
  return time;
}

/// The less time, the more utilisation. A time may reach down to 0, where there is no upper end.
CostFigure utilisation(const MetricProjection& time, double seconds_at_peak) {
  CostFigure figure{.value = seconds_at_peak / time.value};
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
  double pairs = 0;
  for (const auto& [signature, count] : run.histogram) pairs += static_cast<double>(count) * pairs_in(signature);
  const auto tokens = static_cast<double>(run.padded_tokens_of_rank());
  return tokens > 0 ? pairs * static_cast<double>(run.padded_tokens) / tokens : 0;
}

double gpu_hours_per_second(const CostBasis& of) {
  constexpr double kSecondsPerHour = 3600;
  return static_cast<double>(of.terms.gpus) / kSecondsPerHour;
}

MetricProjection time_of_epochs(const CostBasis& of) {
  return repeated(of.time, static_cast<double>(*of.terms.epochs) / static_cast<double>(of.terms.run_epochs));
}

using Figure = std::optional<CostFigure>;

Figure gpu_hours(const CostBasis& of) { return scaled(of.time, gpu_hours_per_second(of)); }

Figure price(const CostBasis& of) {
  return of.terms.price ? Figure(scaled(of.time, gpu_hours_per_second(of) * *of.terms.price)) : std::nullopt;
}

Figure gpu_hours_of_epochs(const CostBasis& of) {
  return of.terms.epochs ? Figure(scaled(time_of_epochs(of), gpu_hours_per_second(of))) : std::nullopt;
}

Figure price_of_epochs(const CostBasis& of) {
  if (!of.terms.epochs || !of.terms.price) return std::nullopt;
  return scaled(time_of_epochs(of), gpu_hours_per_second(of) * *of.terms.price);
}

Figure mfu(const CostBasis& of) {
  if (!of.terms.flops_per_token || !(of.time.value > 0)) return std::nullopt;
  return utilisation(of.time, seconds_at_peak(of.terms));
}

constexpr std::array kColumns{CostColumn{"gpu_hours", "GPU hours", gpu_hours}, CostColumn{"cost", "cost", price},
                              CostColumn{"gpu_hours_of_epochs", "epochs' hours", gpu_hours_of_epochs},
                              CostColumn{"cost_of_epochs", "epochs' cost", price_of_epochs},
                              CostColumn{"mfu", "MFU", mfu, true}};

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
  if (terms.flops_per_pair && run.padded_tokens != run.padded_tokens_of_rank())  // SeqPoints do not say how many ranks
    projection.notes.emplace_back(
        "pairs of several ranks are an estimate: the others are taken to have as many for each token as the rank with "
        "the "
        "most work");
  for (const ConfigurationProjection& c : projection.configurations)
    if (const MetricProjection* const time = time_of(c); time != nullptr && seconds_at_peak(terms) > time->value)
      projection.notes.push_back(
          fmt::format("{}: the model's FLOPs are more than {} can do in that time: is `flops_per_token` of one token, "
                      "and `peak_flops` of one GPU?",
                      c.name, counted(terms.gpus, "GPU")));
}

std::span<const CostColumn> cost_columns() { return kColumns; }

std::vector<CostFigure> costs_of(const Projection& projection, const ConfigurationProjection& c) {
  const MetricProjection* const time = time_of(c);
  if (!projection.gpu_terms || time == nullptr) return {};
  std::vector<CostFigure> figures;
  for (const CostColumn& column : kColumns)
    if (auto figure = column.of({projection, c, *projection.gpu_terms, *time})) {
      figure->column = &column;
      figures.push_back(*figure);
    }
  return figures;
}

}  // namespace seqpoint::project
