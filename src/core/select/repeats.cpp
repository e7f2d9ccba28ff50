// Points, and how often each is to be measured.
#include "seqpoint/select/repeats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/averages.hpp"
#include "core/select/measurement_plan.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select {
namespace {

/// Three significant digits, rounded up: a budget of that many seconds is enough.
std::string rounded_up(double amount) {
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(amount))), 0, 12);
  const double scale = std::pow(10, digits);
  return fmt::format("{:.{}f}", std::ceil(amount * scale * (1 - 1e-9)) / scale, digits);
}

[[noreturn]] void refuse_budget(const ProfilingBudget& budget, const BuyingLimits& limits,
                                const std::vector<MeasurablePoint>& points) {
  PlanPrice once(limits.sessions, limits.of_warmup);
  for (const MeasurablePoint& point : points) once.add_point(point.price);
  const std::string price = budget.seconds ? rounded_up(once.total()) + "s" : fmt::format("{:.0f}", once.total());
  throw ParameterError(
      "budget",
      "does not buy one measurement of " +
          (points.size() == 1 ? "a single point" : "each of the " + counted(points.size(), "point")) +
          (limits.sessions > 1 ? fmt::format(" in each of {} processes", limits.sessions) : "") +
          ", which with warm-up takes " + price + (budget.seconds ? "" : " executions"),
      fmt::format(
          "`budget` {} or more{}{}", price, points.size() > 1 ? ", or fewer `points`" : "",
          limits.sessions > 1 ? ", or 1 for `sessions`, which does not show by how much processes differ" : ""));
}

/// Of a point that is measured at this signature; `price`: null: 1.
MeasurablePoint measurable_point(const Point& point, const trace::Signature& at, const ExpectedCost* price) {
  return {.cost_share = point.weight.iterations() * signature_size(at),
          .price = price != nullptr ? (*price)(at) : 1,
          .distinct_iterations = point.iterations.size()};
}

/// Of points that are measured at these signatures, under the one model by which `project` states intervals.
ExpectedError expected_error_of(const Selection& selection, const std::vector<trace::Signature>& at,
                                const ModelConstants& constants) {
  GroupIndices groups;
  std::vector<std::uint64_t> repeats;
  Eigen::VectorXd weights(at.size());
  for (const Point& point : selection.points) {
    const std::size_t p = groups.size();
    const auto group = std::ranges::lower_bound(selection.run.histogram, at[p], {}, &trace::SignatureCount::signature);
    groups.push_back(static_cast<std::size_t>(group - selection.run.histogram.begin()));
    repeats.push_back(point.repeats);
    weights[p] = point.weight.iterations() / static_cast<double>(selection.run.iterations);
  }
  return expected_error(CostModel(selection.run, constants), groups, weights, repeats);
}

/// Of running the plan of points that are measured at these signatures.
double cost_of(const Selection& selection, const std::vector<trace::Signature>& at, std::uint64_t sessions,
               const auto& of_signature, double of_run) {
  PlanPrice cost(sessions, of_run / static_cast<double>(selection.run.iterations));
  for (std::size_t p = 0; p < at.size(); ++p) {
    const double price = of_signature(at[p]);
    cost.add_point(price);
    for (std::uint64_t r = sessions; r < selection.points[p].repeats; ++r) cost.add_repeat(r, price);
  }
  return cost.total();
}

PlanCost plan_cost(const Selection& selection, const std::vector<trace::Signature>& at, std::uint64_t sessions,
                   const ExpectedCost* seconds) {
  const trace::RunSummary& run = selection.run;
  const auto one = [](const trace::Signature&) { return 1.0; };
  const auto tokens = [](const trace::Signature& x) { return static_cast<double>(x.padded_tokens()); };
  PlanCost cost;
  cost.executions =
      static_cast<std::uint64_t>(cost_of(selection, at, sessions, one, static_cast<double>(run.iterations)));
  cost.tokens = static_cast<std::uint64_t>(
      std::round(cost_of(selection, at, sessions, tokens, static_cast<double>(run.padded_tokens))));
  if (seconds != nullptr) cost.seconds = cost_of(selection, at, sessions, *seconds, seconds->total(run.histogram));
  return cost;
}

/// What is said where profiling a few iterations is hardly cheaper than all of them.
void note_high_cost(Selection& selection, const ExpectedCost* seconds) {
  const PlanCost& cost = selection.method.repeats->cost;
  const trace::RunSummary& run = selection.run;
  const bool in_tokens = cost.tokens > 0 && run.padded_tokens > 0;
  const double share = in_tokens ? static_cast<double>(cost.tokens) / static_cast<double>(run.padded_tokens)
                                 : static_cast<double>(cost.executions) / static_cast<double>(run.iterations);
  if (!(share > 0.5)) return;
  const double all = seconds != nullptr ? seconds->total(run.histogram) : 0;
  selection.notes.push_back(fmt::format(
      "the plan runs {:.0f} % of the run's {}: measuring the whole run in one process takes {}{}, and leaves no error "
      "of selection; fewer `points`{} or a larger `max_error` make the plan cheaper",
      100 * share, in_tokens ? "padded tokens" : "iterations", counted(run.iterations, "execution"),
      seconds != nullptr ? fmt::format(" and about {}s", rounded_up(all)) : "",
      selection.method.repeats->sessions > 1 ? ", 1 for `sessions`" : ""));
}

void advise_repeats(Selection& selection, const trace::Trace& run, const SelectParams& params,
                    const RepeatParams& repeats) {
  const ExpectedCost* const seconds = repeats.iteration_seconds ? &*repeats.iteration_seconds : nullptr;
  const bool priced = repeats.budget && repeats.budget->seconds;
  std::vector<trace::Signature> at;  // of the iteration of each point that is profiled first
  std::vector<MeasurablePoint> points;
  for (const Point& point : selection.points) {
    at.push_back(run.signature(run.row_of(point.iterations.front())));
    points.push_back(measurable_point(point, at.back(), priced ? seconds : nullptr));
  }
  BuyingLimits limits{.sessions = repeats.sessions};
  if (priced)
    limits.of_warmup = seconds->total(selection.run.histogram) / static_cast<double>(selection.run.iterations);
  if (repeats.budget) limits.budget = repeats.budget->amount;
  if (!repeats.budget)
    limits.measurements =
        selection.method.measurements > 0 ? selection.method.measurements : kUsualRepeats * points.size();
  const auto each = allocate_measurements(params.model, points, limits);
  if (!each) refuse_budget(*repeats.budget, limits, points);
  RepeatsRecord& record = selection.method.repeats.emplace();
  record.sessions = repeats.sessions;
  for (std::size_t p = 0; p < each->size(); ++p) {
    selection.points[p].repeats = (*each)[p];
    record.measurements += (*each)[p];
  }
  record.cost = plan_cost(selection, at, repeats.sessions, seconds);
  record.expected = expected_error_of(selection, at, params.model);
  note_high_cost(selection, seconds);
}

/// The same parameters with the budget and the processes; its price is per iteration where seconds are not known.
SelectParams with_budget(SelectParams params, const RepeatParams& repeats) {
  const bool priced = repeats.budget && repeats.budget->seconds && repeats.iteration_seconds;
  params.sessions = repeats.sessions;
  if (repeats.budget) params.budget = {repeats.budget->amount, priced ? &*repeats.iteration_seconds : nullptr};
  return params;
}

}  // namespace

ExpectedCost::ExpectedCost(const trace::Trace& measured, std::span<const double> values, const std::string& source)
    : smallest_measured_(std::numeric_limits<double>::infinity()), source_(source) {
  std::map<trace::Signature, std::vector<double>> found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    found[measured.signature(i)].push_back(values[i]);
    smallest_measured_ = std::min(smallest_measured_, values[i]);
  }
  if (found.empty())
    throw InputError({source}, "holds no iteration that was measured", "give a trace of a run that was measured");
  std::vector<trace::SignatureCount> histogram;
  Eigen::VectorXd costs(found.size());
  for (const auto& [signature, of_signature] : found) {
    costs[histogram.size()] = means_[signature] = mean(of_signature);
    histogram.push_back({signature, of_signature.size()});
  }
  model_ = std::make_shared<const CostModel>(histogram, measured.kind());
  const ModelSignatures& rows = model_->signatures();
  const Eigen::VectorXd shares =
      weighted_least_squares(rows.free_functions, costs, rows.counts.array().sqrt() / rows.relative_size.array());
  coefficients_.assign(shares.begin(), shares.end());
}

double ExpectedCost::operator()(const trace::Signature& signature) const {
  if (const auto known = means_.find(signature); known != means_.end()) return known->second;
  const trace::SignatureCount one{signature, 1};
  const FunctionValues functions = model_->signatures_of(std::span(&one, 1)).free_functions;
  return std::max(functions.row(0).dot(Eigen::Map<const Eigen::RowVectorXd>(coefficients_.data(), functions.size())),
                  smallest_measured_);
}

double ExpectedCost::total(std::span<const trace::SignatureCount> histogram) const {
  double sum = 0;
  for (const trace::SignatureCount& entry : histogram)
    sum += static_cast<double>(entry.count) * (*this)(entry.signature);
  return sum;
}

void ExpectedCost::require_same_signature_kind(const trace::RunSummary& run) const {
  if (model_->kind() == run.kind) return;
  throw InputError({source_},
                   fmt::format("is of iterations with {}, which those of the run do not have",
                               trace::properties_of(model_->kind()).lengths),
                   "`calibration` takes a trace with the same columns of lengths as the run");
}

ExpectedCost expected_seconds(const trace::Trace& measured, const std::string& source) {
  const trace::Statistic* const found = measured.time_statistic();
  if (found == nullptr)
    throw InputError({source, 1}, "has no column of seconds, such as runtime_s",
                     "`calibration` takes a trace of iterations that were timed");
  for (std::size_t i = 0; i < found->values.size(); ++i)
    if (!(found->values[i] > 0))
      throw InputError({source, 0, found->name},
                       "iteration " + std::to_string(measured.iteration_number(i)) + " has no time above zero",
                       "every iteration of `calibration` needs its seconds; leave out those that were not timed");
  return ExpectedCost(measured, found->values, source);
}

void require_valid(const SelectParams& params, const RepeatParams& repeats, bool calibrated) {
  require_valid(with_budget(params, repeats));
  if (repeats.budget && repeats.budget->seconds && !calibrated)
    throw ParameterError(
        "budget", "in time needs to know what an iteration takes",
        "`calibration` TRACE, of a run of the same model that was timed; or a budget in iterations: `budget` 24");
}

std::vector<std::uint64_t> allocate_repeats(const Selection& selection, std::uint64_t measurements) {
  std::vector<MeasurablePoint> points;
  for (const Point& point : selection.points)
    points.push_back(measurable_point(point, most_frequent_signature(point.key, selection.run).signature, nullptr));
  return allocate_measurements({}, points, {.measurements = measurements}).value();
}

Selection select_with_repeats(const trace::Trace& run, const SelectParams& params, const RepeatParams& repeats,
                              std::string_view source) {
  require_valid(params, repeats, repeats.iteration_seconds.has_value());
  if (repeats.iteration_seconds) repeats.iteration_seconds->require_same_signature_kind(trace::summarise(run));
  Selection selection = select(run, with_budget(params, repeats), source);
  advise_repeats(selection, run, params, repeats);
  return selection;
}

}  // namespace seqpoint::select
