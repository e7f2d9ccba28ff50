// Points, and how often each is to be measured.
#include "core/select/select.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/numbers.hpp"
#include "core/select/conditioned_run.hpp"
#include "core/select/cost_model.hpp"
#include "core/select/measurement_plan.hpp"
#include "core/select/point_search.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select {
namespace {

/// Rounded up, so that a budget of that many seconds is enough: to three significant digits, or from 100 on to a whole
/// number. `amount` is above 0.
std::string rounded_up(double amount) {
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(amount))), 0, 12);
  const double scale = std::pow(10, digits);
  return fmt::format("{:.{}f}", std::ceil(amount * scale * (1 - 1e-9)) / scale, digits);
}

/// The factor on the price of a plan. With gradient accumulation, up to a quarter is added until the time of an
/// optimiser step is known: batches that ran with one are repeated. The companion limits itself to so many executions.
double price_of_steps(std::uint64_t accumulation) { return accumulation > 1 ? 1.25 : 1; }

/// Throws a ParameterError with the smallest budget that buys one measurement of every point in each process.
[[noreturn]] void refuse_budget(const ProfilingBudget& budget, const BuyingLimits& limits, double of_steps,
                                const std::vector<MeasurablePoint>& points) {
  PlanPrice once(limits.processes, limits.of_warmup);
  for (const MeasurablePoint& point : points) once.add_point(point.price, limits.processes);
  const double total = of_steps * once.total();
  const std::string price = budget.seconds ? rounded_up(total) + "s" : fmt::format("{:.0f}", std::ceil(total));
  throw ParameterError(
      "budget",
      fmt::format("is too small: {} in {} cost {}, warm-up included",
                  points.size() == 1 ? "one point" : counted(points.size(), "point"),
                  counted(limits.processes, "process"), budget.seconds ? price : price + " batches"),
      fmt::format("`budget` {} or more{}{}", price, points.size() > 1 ? ", or fewer `points`" : "",
                  limits.processes > 1 ? ", or `processes` 1 (it cannot show how much processes differ)" : ""));
}

/// The points of a selection. `price`: of one measurement; null: 1. The share of the cost is weight in iterations times
/// size, so that equal points have equal shares.
std::vector<MeasurablePoint> measurable_points(const Selection& selection, const ExpectedCost* price) {
  std::vector<MeasurablePoint> points;
  for (const Point& point : selection.points)
    points.push_back({.cost_share = point.weight.iterations() * shape_size(point.shape),
                      .price = price != nullptr ? (*price)(point.shape) : 1,
                      .distinct_iterations = point.iterations.size()});
  return points;
}

/// The cost of running a plan. `of_shape`: that of an iteration by shape; `of_run`: that of the whole run, whose mean
/// is the cost of a warm-up batch.
double cost_of(const Selection& selection, const auto& of_shape, double of_run) {
  const RepeatsRecord& record = *selection.method.repeats;
  PlanPrice cost(*record.processes, of_run / static_cast<double>(selection.run.iterations),
                 selection.counted_first.has_value());
  for (const Point& point : selection.points) cost.add_point(of_shape(point.shape), point.repeats);
  return price_of_steps(record.accumulation) * cost.total();
}

/// The same in all units. Tokens are of the rank with the most work. `seconds`: of an iteration; null: not known.
PlanCost plan_cost(const Selection& selection, const ExpectedCost* seconds) {
  const trace::RunSummary& run = selection.run;
  const auto one = [](const trace::Shape&) { return 1.0; };
  const auto tokens = [](const trace::Shape& x) { return static_cast<double>(x.padded_tokens()); };
  PlanCost cost;
  cost.executions = static_cast<std::uint64_t>(std::ceil(cost_of(selection, one, static_cast<double>(run.iterations))));
  cost.tokens = static_cast<std::uint64_t>(
      std::round(cost_of(selection, tokens, static_cast<double>(run.padded_tokens_of_rank()))));
  if (seconds != nullptr) cost.seconds = cost_of(selection, *seconds, seconds->total(run.histogram));
  return cost;
}

/// Adds a note if the plan costs more than the whole run: in padded tokens, or in executions if the run has no tokens.
void note_high_cost(Selection& selection, const ExpectedCost* seconds) {
  const PlanCost& cost = selection.method.repeats->cost;
  const trace::RunSummary& run = selection.run;
  const std::uint64_t tokens = run.padded_tokens_of_rank();
  const bool dearer = tokens > 0 ? cost.tokens > tokens : cost.executions > run.iterations;
  if (!dearer) return;
  const auto in_time = [&](double amount) { return seconds != nullptr ? " (" + rounded_up(amount) + " s)" : ""; };
  selection.notes.push_back(
      fmt::format("measuring costs more than the run: {}{} against {}{}; time two whole epochs, or use fewer "
                  "`points`{} or a larger `max_error`",
                  counted(cost.executions, "batch"), in_time(cost.seconds.value_or(0)), grouped(run.iterations),
                  in_time(seconds != nullptr ? seconds->total(run.histogram) : 0),
                  selection.method.repeats->processes > 1 ? ", `processes` 1" : ""));
}

/// Positions of the points' shapes in the model of their run.
GroupIndices groups_of_points(const Selection& selection, const CostModel& model) {
  std::vector<trace::Shape> shapes;
  for (const Point& point : selection.points) shapes.push_back(point.shape);
  return groups_of(shapes, model);
}

/// Sets Point::repeats and MethodRecord::repeats; adds a note if measuring costs more than the run. Without a budget,
/// allocates as many measurements as the method suggests, else kDefaultRepeats per point. Throws as refuse_budget().
void advise_repeats(Selection& selection, const trace::Trace& run, const SelectParams& params,
                    const RepeatParams& repeats) {
  const ExpectedCost* const seconds = repeats.iteration_seconds ? &*repeats.iteration_seconds : nullptr;
  const bool priced = repeats.budget && repeats.budget->seconds;
  const CostModel model(selection.run);  // the model from which `project` computes intervals
  const std::vector<MeasurablePoint> points = measurable_points(selection, priced ? seconds : nullptr);
  BuyingLimits limits{.processes = repeats.processes};
  if (priced)
    limits.of_warmup = seconds->total(selection.run.histogram) / static_cast<double>(selection.run.iterations);
  const std::uint64_t accumulation = trace::longest_optimiser_step(run);
  if (repeats.budget) limits.budget = repeats.budget->amount / price_of_steps(accumulation);
  if (!repeats.budget)
    limits.measurements =
        selection.method.measurements > 0 ? selection.method.measurements : kDefaultRepeats * points.size();
  const auto each = allocate_measurements({}, points, limits);
  if (!each) refuse_budget(*repeats.budget, limits, price_of_steps(accumulation), points);
  RepeatsRecord& record = selection.method.repeats.emplace();
  record.processes = repeats.processes;
  record.accumulation = accumulation;
  for (std::size_t p = 0; p < each->size(); ++p) {
    selection.points[p].repeats = (*each)[p];
    record.measurements += (*each)[p];
  }
  record.cost = plan_cost(selection, seconds);
  record.expected = expected_error(model, groups_of_points(selection, model), weight_shares(selection), *each);
  record.process_error = process_error(params.between, repeats.processes);
  record.half_width = expected_half_width(model, groups_of_points(selection, model), weight_shares(selection), *each,
                                          repeats.processes, params.between);
  if (repeats.compares_cost) note_high_cost(selection, seconds);
}

/// The parameters with the processes and the budget of `repeats`, divided by `of_steps`, for running every batch once.
/// It is priced in seconds if it is in seconds and the seconds of iterations are known; else at 1 per iteration.
SelectParams with_budget(SelectParams params, const RepeatParams& repeats, double of_steps = 1) {
  const bool priced = repeats.budget && repeats.budget->seconds && repeats.iteration_seconds;
  params.processes = repeats.processes;
  if (repeats.budget)
    params.budget = {repeats.budget->amount / of_steps, priced ? &*repeats.iteration_seconds : nullptr};
  return params;
}

/// The points as choices for a trace of so many iterations, ascending by shape. New ones of no weight are left out;
/// measured ones, the first, get the smallest there is.
std::vector<Choice> choices_of(const WeightedPoints& weighted, std::size_t measured, const CostModel& model,
                               std::size_t iterations) {
  constexpr double kLeast = 1.0 / Weight::kUnit;
  std::vector<Choice> choices;
  for (std::size_t p = 0; p < weighted.groups.size(); ++p) {
    const double weight = weighted.weights[static_cast<Eigen::Index>(p)] * static_cast<double>(iterations);
    if (p >= measured && !(weight > kLeast)) continue;
    choices.push_back(
        {.shape = model.shapes().shapes[weighted.groups[p]], .weight = std::max(weight, kLeast), .length_group = {}});
  }
  std::ranges::sort(choices, {}, &Choice::shape);
  return choices;
}

/// Points of the same shapes as in `measured` get its ids; the others go on counting.
void rename(std::vector<Point>& points, const Selection& measured) {
  std::size_t next = measured.points.size();
  for (Point& point : points) {
    const auto known = std::ranges::find(measured.points, point.shape, &Point::shape);
    point.id = known != measured.points.end() ? known->id : "sp" + std::to_string(++next);
    if (known != measured.points.end()) point.iterations = known->iterations;
  }
}

}  // namespace

void require_valid(const SelectParams& params, const RepeatParams& repeats, bool calibrated) {
  require_valid(with_budget(params, repeats));
  if (repeats.budget && repeats.budget->seconds && !calibrated)
    throw ParameterError(
        "budget", "in time needs to know what a batch takes",
        "`timings` TRACE, of a run of the same model that was timed; or a budget in batches: `budget` 24");
}

std::optional<double> expected_half_width(const Selection& selection, const BetweenProcesses& between) {
  const CostModel model(selection.run);
  std::vector<std::uint64_t> repeats;
  for (const Point& point : selection.points) repeats.push_back(point.repeats);
  return expected_half_width(model, groups_of_points(selection, model), weight_shares(selection), repeats,
                             selection.method.repeats->processes.value_or(1), between);
}

Selection with_further_points(const Selection& measured, const trace::Trace& run, std::uint64_t points) {
  const CostModel model(measured.run);
  ConditionedRun state(model);
  for (const std::size_t group : groups_of_points(measured, model)) state.add(group);
  while (state.points().size() < points) {
    const std::optional<std::size_t> best = state.best_addition();
    if (!best) break;
    state.add(*best);
  }
  const WeightedPoints weighted = WeightProblem(model, state.points()).solve();
  Selection selection =
      selection_of(run, measured.method.name, choices_of(weighted, measured.points.size(), model, run.size()));
  rename(selection.points, measured);
  selection.method.metric = measured.method.metric;
  return selection;
}

Selection with_first_executions(const Selection& measured, const trace::Trace& run, const CountedFirst& first,
                                const SelectParams& params, const RepeatParams& repeats) {
  const std::uint64_t measurements = measured.method.repeats->measurements + repeats.processes * measured.points.size();
  Selection selection = with_further_points(measured, run, measurements / repeats.processes);
  selection.counted_first = first;
  selection.method.measurements = measurements;
  RepeatParams without_budget = repeats;
  without_budget.budget.reset();
  advise_repeats(selection, run, params, without_budget);
  return selection;
}

Selection select_with_repeats(const trace::Trace& run, const SelectParams& params, const RepeatParams& repeats,
                              std::string_view source) {
  require_valid(params, repeats, repeats.iteration_seconds.has_value());
  if (repeats.iteration_seconds) repeats.iteration_seconds->require_same_shape_kind(run.kind);
  const double of_steps = price_of_steps(trace::longest_optimiser_step(run));
  Selection selection = select(run, with_budget(params, repeats, of_steps), source);
  advise_repeats(selection, run, params, repeats);
  return selection;
}

// --- The expected cost of an iteration, from a measured run

ExpectedCost::ExpectedCost(const trace::Trace& measured, std::span<const double> values, const std::string& source)
    : smallest_measured_(std::numeric_limits<double>::infinity()), source_(source) {
  std::map<trace::Shape, std::vector<double>> found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    found[measured.shapes[i]].push_back(values[i]);
    smallest_measured_ = std::min(smallest_measured_, values[i]);
  }
  if (found.empty())
    throw InputError({source}, "holds no batch that was measured", "give a batch list of a run that was measured");
  std::vector<trace::ShapeCount> histogram;
  Eigen::VectorXd costs(found.size());
  for (const auto& [shape, of_shape] : found) {
    costs[histogram.size()] = means_[shape] = mean(of_shape);
    histogram.push_back({shape, of_shape.size()});
  }
  model_ = std::make_shared<const CostModel>(histogram, measured.kind);
  const ModelShapes& rows = model_->shapes();
  const Eigen::VectorXd shares =
      weighted_least_squares(rows.free_functions, costs, rows.counts.array().sqrt() / rows.relative_size.array());
  coefficients_.assign(shares.begin(), shares.end());
}

double ExpectedCost::operator()(const trace::Shape& shape) const {
  if (const auto known = means_.find(shape); known != means_.end()) return known->second;
  const trace::ShapeCount one{shape, 1};
  const FunctionValues functions = model_->shapes_of(std::span(&one, 1)).free_functions;
  return std::max(functions.row(0).dot(Eigen::Map<const Eigen::RowVectorXd>(coefficients_.data(), functions.size())),
                  smallest_measured_);
}

double ExpectedCost::total(std::span<const trace::ShapeCount> histogram) const {
  double sum = 0;
  for (const trace::ShapeCount& entry : histogram) sum += static_cast<double>(entry.count) * (*this)(entry.shape);
  return sum;
}

void ExpectedCost::require_same_shape_kind(trace::ShapeKind of_run) const {
  if (model_->kind() == of_run) return;
  throw InputError({source_},
                   fmt::format("is of batches with {}, which those of the run do not have",
                               trace::properties_of(model_->kind()).lengths),
                   "`timings` takes a trace with the same columns of lengths as the run");
}

ExpectedCost expected_seconds(const trace::Trace& measured, const std::string& source) {
  const trace::Metric* const found = measured.time_metric();
  if (found == nullptr)
    throw InputError({source, 1}, "has no column of seconds, such as runtime_s",
                     "`timings` takes a list of batches that were timed");
  for (std::size_t i = 0; i < found->values.size(); ++i)
    if (!(found->values[i] > 0))
      throw InputError({source, 0, found->name},
                       "iteration " + std::to_string(measured.iteration_number(i)) + " has no time above zero",
                       "every batch of `timings` needs its seconds; leave out those that were not timed");
  return ExpectedCost(measured, found->values, source);
}

}  // namespace seqpoint::select
