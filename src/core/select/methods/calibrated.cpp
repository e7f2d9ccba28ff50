// The points and weights with the smallest expected squared error under the cost model (docs/method.md).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/select/measurement_plan.hpp"
#include "core/select/methods/methods.hpp"
#include "core/select/population.hpp"
#include "core/select/select.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select::methods {
namespace {

/// Default of --max-error: a third of the usual 5 % limit on regressions.
constexpr double kMaxError = 0.015;

/// The model of the run, with the mean of the metric by shape if one was requested.
CostModel model_of(const Population& all) {
  std::vector<trace::ShapeCount> histogram;
  std::vector<double> metric;
  for (const auto& [shape, count, sum] : shape_groups(all)) {
    histogram.push_back({shape, count});
    if (all.has_metric()) metric.push_back(sum / static_cast<double>(count));
  }
  return CostModel(histogram, all.trace.kind, metric);
}

/// Chooses the points of a run, or of one phase of it.
struct CalibratedSelection {
  const Population& all;
  const SelectParams& params;
  MethodRecord& record;
  std::vector<std::string>& notes;
  CostModel model = model_of(all);
  BuyingLimits limits{.processes = params.processes};  ///< for the measurements of the points
  std::vector<double> prices{};                        ///< prices of one measurement of each shape; empty: 1
  std::optional<double> undetermined{};                ///< executions of a plan that was too small to search by

  std::vector<Choice> choose() {
    const FoundPoints found = params.points   ? with_number_of_points(*params.points)
                              : params.budget ? within_budget()
                                              : accurate_enough();
    record.measurements += record_expected_error(found.points);
    if (undetermined) report_undetermined(*undetermined, record.numbers_of_points.back().expected);
    if (!found.points.meets_free_totals)
      notes.push_back(
          "no weights of " + counted(found.points.groups.size(), "point") +
          " reproduce all totals of lengths and squares; took the nearest: use more `points` for exact ones");
    if (found.cut_short) record.parameters.emplace_back("restarts", static_cast<double>(found.restarts));
    return choices_of(found);
  }

  double max_error() const { return params.max_error.value_or(kMaxError); }
  /// The contribution of processes to a requested limit; the default limit only covers errors that points and
  /// measurements can lower.
  double error_of_processes() const { return params.max_error ? process_error(params.between, params.processes) : 0; }
  /// Whether more processes may reach the requested limit. Their error falls towards that of the run's own process.
  bool more_processes_may_do() const { return max_error() > process_error(params.between, kMaxPlannedProcesses); }
  /// The V at which the requested or default error is reached, without the contribution of processes. Throws
  /// ParameterError if processes alone exceed the request.
  double enough() const {
    const double of_processes = error_of_processes();
    if (max_error() > of_processes) return max_error() * max_error() - of_processes * of_processes;
    throw ParameterError(
        "max_error",
        fmt::format("{:g} % cannot be reached: processes usually differ by {:.2g} %, an error of {:.2g} % by itself",
                    100 * max_error(), 100 * params.between.median, 100 * of_processes),
        more_processes_may_do() ? "more `processes`, a larger one, or `between_processes`, if yours differ by less"
                                : "a larger one, or `between_processes`, if yours differ by less");
  }

  /// So many points, clamped to the number of shapes with a note. Sets limits: kDefaultRepeats measurements per point,
  /// fewer if they reach the default error.
  FoundPoints with_number_of_points(std::uint64_t points) {
    const std::uint64_t unique = model.size(), k = std::min(points, unique);
    if (points > unique)
      notes.push_back(fmt::format("`points` {} is more than the run's {}: clamped to {}", points,
                                  counted(unique, "unique shape"), unique));
    record.parameters.emplace_back("points", static_cast<double>(k));
    FoundPoints found = find_points(model, k);
    limits.measurements = kDefaultRepeats * found.points.groups.size();
    limits.enough = enough();
    return found;
  }

  /// The points for the budget; sets prices and limits. A warm-up execution has the mean price of the run.
  FoundPoints within_budget() {
    const auto& [amount, price] = *params.budget;
    limits.budget = amount;
    limits.of_warmup = 0;
    for (const trace::Shape& shape : model.shapes().shapes) {
      prices.push_back(price != nullptr ? (*price)(shape) : 1);
      limits.of_warmup += model.shares()[static_cast<Eigen::Index>(prices.size()) - 1] * prices.back();
    }
    return points_for_budget(model, prices, limits);
  }

  /// The largest plan: kMaxExecutions. Unless an error is requested, it also runs no more than the whole run in as many
  /// processes.
  double most_executions() const {
    const double iterations = model.shapes().counts.sum() * static_cast<double>(params.processes);
    return params.max_error ? kMaxExecutions : std::min(kMaxExecutions, iterations);
  }

  /// Adds a note on a plan that is too small to search by. `expected`: of the points that were taken nevertheless.
  void report_undetermined(double executions, const ExpectedError& expected) {
    if (expected.total() < 1)
      notes.push_back(
          fmt::format("a plan of at most {:.0f} executions is smaller than an expected error of {:g} % needs; `points` "
                      "K or `max_error` take more",
                      executions, 100 * max_error()));
    else
      notes.push_back(undetermined_text(executions) + "; `points` K takes more");
  }
  static std::string undetermined_text(double executions) {
    return fmt::format(
        "a plan of at most {:.0f} executions does not determine the cost: its expected error is not known", executions);
  }

  /// Throws a ParameterError if an error was requested, which a plan of so many executions cannot reach; else adds a
  /// note. `least`: the error that such a plan reaches, without the contribution of processes.
  void report_missed(double least, double executions) {
    if (!(least < 1)) {
      if (params.max_error)
        throw ParameterError("max_error", undetermined_text(executions), "`points` K takes what it gives");
      undetermined = executions;
      return;
    }
    const std::string reached = fmt::format("{:.2g}", 100 * std::hypot(least, error_of_processes()));
    if (params.max_error)
      throw ParameterError("max_error",
                           fmt::format("{:g} % cannot be reached: a plan of {:.0f} executions, the largest, has an "
                                       "expected error of {} %",
                                       100 * max_error(), executions, reached),
                           fmt::format("{}`max_error` above {}%, or `points` K, which takes what it gives",
                                       more_processes_may_do() ? "more `processes`, " : "", reached));
    notes.push_back(
        fmt::format("a plan of at most {:.0f} executions has an expected error of {} %, not {:g} %; `points` K or "
                    "`max_error` take more",
                    executions, reached, 100 * max_error()));
  }

  /// Buys points and measurements together until the error is reached; then searches for that number of points, at
  /// least one, and sets the limit to that number of measurements. Records the error of every smaller number of points.
  FoundPoints accurate_enough() {
    const double enough = this->enough();
    record.parameters.emplace_back("max-error", max_error());
    const double most = most_executions();
    const Purchase bought = buy_points(model, {}, {.processes = params.processes, .budget = most, .enough = enough});
    const std::size_t points = bought.groups.size();
    for (std::size_t k = 1; k < points; ++k) {
      limits.measurements = bought.measurements_at[k - 1];
      record_expected_error(WeightProblem(model, {bought.groups.begin(), bought.groups.begin() + k}).solve());
    }
    if (bought.variance > enough) report_missed(std::sqrt(bought.variance), most);
    limits.measurements = points > 0 ? bought.measurements_at.back() : 0;
    return find_points(model, std::max<std::size_t>(points, 1));
  }

  /// Adds the expected error of these points to the record, and returns how many measurements the limits allow; one in
  /// each process if the budget does not even buy these.
  std::uint64_t record_expected_error(const WeightedPoints& found) {
    const auto allocated = allocate_measurements(model, found, prices, limits);
    const std::vector<std::uint64_t> repeats =
        allocated ? allocated->repeats : std::vector<std::uint64_t>(found.groups.size(), limits.processes);
    record.numbers_of_points.push_back({.points = found.groups.size(),
                                        .expected = expected_error(model, found.groups, found.weights, repeats),
                                        .effective_sample_size = 1 / found.weights.squaredNorm()});
    return std::accumulate(repeats.begin(), repeats.end(), std::uint64_t{0});
  }

  /// The points ascending by shape. Leaves out points whose weight rounds to 0.
  std::vector<Choice> choices_of(const FoundPoints& found) const {
    const std::vector<trace::Shape>& at = model.shapes().shapes;
    std::vector<Choice> choices;
    for (std::size_t p = 0; p < found.points.groups.size(); ++p) {
      const double weight = found.points.weights[p] * model.shapes().counts.sum();
      if (!(weight * Weight::kUnit > 1)) continue;  // rounds to no weight
      choices.push_back({.shape = at[found.points.groups[p]], .weight = weight, .length_group = {}});
    }
    std::ranges::sort(choices, {}, &Choice::shape);
    return choices;
  }
};

std::vector<Choice> choose_calibrated(const Population& all, const SelectParams& params, MethodRecord& record,
                                      std::vector<std::string>& notes) {
  return CalibratedSelection{all, params, record, notes}.choose();
}

}  // namespace

const Method kCalibrated{.name = "calibrated",
                         .summary = "points and weights of the least expected error under a statistical model of costs",
                         .source = "Bayesian quadrature: O'Hagan 1991; kriging of a total: Chiles and Delfiner 2012",
                         .points = Method::Points::optional,
                         .takes_max_error = true,
                         .takes_metric = true,
                         .choose = choose_calibrated,
                         .takes_budget = true};

}  // namespace seqpoint::select::methods
