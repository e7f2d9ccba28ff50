// Points, and how often each is to be measured.
#include "seqpoint/repeats.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/phases.hpp"
#include "core/select/measurement_plan.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/overheads.hpp"

namespace seqpoint {
namespace {

/// Three digits of seconds, rounded up: as much as is enough.
std::string rounded_up(double amount) {
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(amount))), 0, 12);
  const double scale = std::pow(10, digits);
  std::array<char, 400> text{};
  const auto [end, failed] = std::to_chars(text.data(), text.data() + text.size(), std::ceil(amount * scale * (1 - 1e-9)) / scale, std::chars_format::fixed, digits);
  return failed == std::errc{} ? std::string(text.data(), end) : std::to_string(amount);
}

[[noreturn]] void refuse(const ProfilingBudget& budget, const std::vector<MeasurablePoint>& points) {
  double once = 0;
  for (const MeasurablePoint& point : points) once += point.price;
  const std::string price = budget.seconds ? rounded_up(once) + "s" : std::to_string(points.size());
  throw UsageError("--budget does not buy one iteration of " + (points.size() == 1 ? "a single point" : "each of the " + counted(points.size(), "point")) +
                       (budget.seconds ? ", which takes " + price : ""),
                   "--budget " + price + " or more" + (points.size() > 1 ? ", or fewer --points" : ""));
}

/// What is profiled first of every point.
std::vector<Signature> profiled_signatures(const Selection& selection, const Trace& run) {
  std::vector<Signature> signatures;
  for (const Point& point : selection.points) signatures.push_back(run.signature(run.row_of(point.iterations.front())));
  return signatures;
}

/// The points of a selection as its run's model sees them, and what measuring each once takes.
std::vector<MeasurablePoint> measurable_points(const Selection& selection, const std::vector<Signature>& at, const CostModel& model,
                                               const ExpectedCost* price) {
  std::vector<MeasurablePoint> points;
  for (std::size_t p = 0; p < at.size(); ++p)
    points.push_back({selection.points[p].weight.iterations() * model.place_of(at[p]).size, price != nullptr ? (*price)(at[p]) : 1,
                      selection.points[p].iterations.size()});
  return points;
}

/// Phase by phase, as shares of the whole run's cost: what the points of different phases miss is independent.
ExpectedError expected_of(const Selection& selection, const std::vector<Signature>& at, const Trace& run, const SelectParams& params) {
  const std::uint64_t phases = std::max<std::size_t>(selection.run.phases.size(), 1);
  std::vector<std::size_t> begins = phase_begins(run.size(), phases);
  begins.push_back(run.size());
  double noise = 0, representation = 0, all = 0;
  for (std::uint64_t h = 0; h < phases; ++h) {
    const RunSummary stretch = phases == 1 ? selection.run : summarise(stretch_of(run, begins[h], begins[h + 1]));
    const CostModel model(stretch, params.model);
    std::vector<std::size_t> groups;
    std::vector<std::uint64_t> repeats;
    std::vector<double> weights;
    for (std::size_t p = 0; p < at.size(); ++p) {
      const Point& point = selection.points[p];
      if (point.phase != h) continue;
      groups.push_back(model.find(at[p]));
      repeats.push_back(point.repeats);
      weights.push_back(point.weight.iterations() / static_cast<double>(stretch.iterations));
    }
    const ExpectedError error = expected_error(model, groups, Eigen::Map<const Eigen::VectorXd>(weights.data(), static_cast<Eigen::Index>(weights.size())), repeats);
    const auto tokens = static_cast<double>(stretch.padded_tokens);
    noise += std::pow(error.noise * tokens, 2);
    representation += std::pow(error.representation * tokens, 2);
    all += tokens;
  }
  return {std::sqrt(noise) / all, std::sqrt(representation) / all};
}

void advise(Selection& selection, const Trace& run, const SelectParams& params, const RepeatParams& repeats) {
  const CostModel model(selection.run, params.model);
  const ExpectedCost* const seconds = repeats.seconds ? &*repeats.seconds : nullptr;
  const bool priced = repeats.budget && repeats.budget->seconds;
  const std::vector<Signature> at = profiled_signatures(selection, run);
  const std::vector<MeasurablePoint> points = measurable_points(selection, at, model, priced ? seconds : nullptr);
  const double budget = repeats.budget ? repeats.budget->amount : static_cast<double>(kUsualRepeats * points.size());
  const auto each = share_out(model, points, budget);
  if (!each) refuse(*repeats.budget, points);
  RepeatsRecord& record = selection.method.repeats.emplace();
  double taken = 0;
  for (std::size_t p = 0; p < each->size(); ++p) {
    selection.points[p].repeats = (*each)[p];
    record.measurements += (*each)[p];
    if (seconds != nullptr) taken += (*seconds)(at[p]) * static_cast<double>((*each)[p]);
  }
  if (seconds != nullptr) record.seconds = taken;
  record.expected = expected_of(selection, at, run, params);
}

}  // namespace

ExpectedCost::ExpectedCost(const Trace& measured, std::span<const double> values, const std::string& source)
    : least_(std::numeric_limits<double>::infinity()), source_(source) {
  std::map<Signature, std::pair<double, double>> sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    auto& [sum, count] = sums[measured.signature(i)];
    sum += values[i];
    ++count;
    least_ = std::min(least_, values[i]);
  }
  if (sums.empty()) throw InputError({source}, "holds no iteration that was measured", "give a trace of a run that was measured");
  RunSummary run = summarise(measured);
  std::erase_if(run.histogram, [&](const SignatureCount& entry) { return !sums.contains(entry.signature); });
  measured_ = std::make_shared<const RunSummary>(std::move(run));
  model_ = std::make_shared<const CostModel>(*measured_);
  // Least squares in relative terms: each signature counts as often as it was measured.
  Eigen::MatrixXd columns = model_->free();
  Eigen::VectorXd costs(columns.rows());
  for (std::size_t g = 0; g < measured_->histogram.size(); ++g) {
    const auto row = static_cast<Eigen::Index>(g);
    const auto& [sum, count] = sums.at(measured_->histogram[g].signature);
    const double root = std::sqrt(count) / model_->places()[g].size;
    means_.emplace(measured_->histogram[g].signature, sum / count);
    costs[row] = root * sum / count;
    columns.row(row) *= root;
  }
  const Eigen::VectorXd found = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(columns).solve(costs);
  shares_.assign(found.data(), found.data() + found.size());
}

double ExpectedCost::operator()(const Signature& signature) const {
  if (const auto known = means_.find(signature); known != means_.end()) return known->second;
  const SignatureCount one{signature, 1};
  const Eigen::RowVectorXd shapes = model_->free_of(std::span(&one, 1)).row(0);
  return std::max(shapes.dot(Eigen::Map<const Eigen::RowVectorXd>(shares_.data(), shapes.size())), least_);
}

double ExpectedCost::total(std::span<const SignatureCount> histogram) const {
  double sum = 0;
  for (const SignatureCount& entry : histogram) sum += static_cast<double>(entry.count) * (*this)(entry.signature);
  return sum;
}

void ExpectedCost::require_like(const RunSummary& run) const {
  if (measured_->paired == run.paired && measured_->varlen == run.varlen) return;
  throw InputError({source_}, std::string("is of iterations with ") + (measured_->varlen ? "no padding" : measured_->paired ? "two lengths" : "one length") +
                                  ", which those of the run do not have",
                   "--calibration takes a trace with the same columns of lengths as the run");
}

ExpectedCost expected_seconds(const Trace& measured, const std::string& source) {
  const Statistic* found = measured.find_statistic("runtime_s");
  for (const Statistic& statistic : measured.statistics)
    if (found == nullptr && is_time_metric(statistic.name)) found = &statistic;
  if (found == nullptr)
    throw InputError({source, 1}, "has no column of seconds, such as runtime_s", "--calibration takes a trace of iterations that were timed");
  for (std::size_t i = 0; i < found->values.size(); ++i)
    if (!(found->values[i] > 0))
      throw InputError({source, 0, found->name}, "iteration " + std::to_string(measured.iteration_number(i)) + " has no time above zero",
                       "every iteration of --calibration needs its seconds; leave out those that were not timed");
  return ExpectedCost(measured, found->values, source);
}

void require_valid(const SelectParams& params, const RepeatParams& repeats, bool calibrated) {
  SelectParams with_budget = params;
  if (repeats.budget) with_budget.budget = MethodBudget{repeats.budget->amount};
  require_valid(with_budget);
  if (repeats.budget && repeats.budget->seconds && !calibrated)
    throw UsageError("--budget in time needs to know what an iteration takes",
                     "--calibration TRACE, of a run of the same model that was timed; or a budget in iterations: --budget 24");
}

std::vector<std::uint64_t> shared_out(const Selection& selection, std::uint64_t measurements) {
  const CostModel model(selection.run);
  std::vector<Signature> at;
  for (const Point& point : selection.points) at.push_back(usual_signature(point.key, selection.run).signature);
  return share_out(model, measurable_points(selection, at, model, nullptr), static_cast<double>(std::max<std::uint64_t>(measurements, selection.points.size())))
      .value();
}

Selection select_with_repeats(const Trace& run, const SelectParams& params, const RepeatParams& repeats, std::string_view source) {
  require_valid(params, repeats, repeats.seconds.has_value());
  SelectParams budgeted = params;
  if (repeats.budget) budgeted.budget = MethodBudget{repeats.budget->amount, repeats.budget->seconds ? &*repeats.seconds : nullptr};
  if (repeats.seconds) repeats.seconds->require_like(summarise(run));
  Selection selection = select(run, budgeted, source);
  advise(selection, run, params, repeats);
  return selection;
}

}  // namespace seqpoint
