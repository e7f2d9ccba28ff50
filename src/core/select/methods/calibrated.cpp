// The points and weights with the least expected squared error under the cost model (docs/method.md).
#include <fmt/core.h>

#include <algorithm>

#include "core/select/measurement_plan.hpp"
#include "core/select/methods/methods.hpp"
#include "core/select/signature_groups.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/select/repeats.hpp"

namespace seqpoint::select::methods {
namespace {

/// Default of --max-error: a third of the 5 % that gates on regressions usually allow.
constexpr double kMaxError = 0.015;

CostModel model_of(const Population& all, const std::vector<SignatureGroup>& groups, const ModelConstants& constants) {
  std::vector<trace::SignatureCount> histogram;
  std::vector<double> statistic;
  for (const auto& [signature, count, sum] : groups) {
    histogram.push_back({signature, count});
    if (all.has_statistic()) statistic.push_back(sum / static_cast<double>(count));
  }
  return {histogram, all.trace.kind(), constants, statistic};
}

/// Chooses the points of a run, or of one phase of it.
struct CalibratedSelection {
  const Population& all;
  const SelectParams& params;
  MethodRecord& record;
  std::vector<std::string>& notes;
  std::vector<SignatureGroup> groups = signature_groups(all);
  CostModel model = model_of(all, groups, params.model);

  std::vector<Choice> choose() {
    const FoundPoints found = params.points   ? with_number_of_points(*params.points)
                              : params.budget ? within_budget()
                                              : smallest_sufficient();
    if (params.points || params.budget) record_expected_error(found.points);
    record.numbers_of_points.back().chosen = true;
    if (!found.points.meets_free_totals)
      notes.push_back("no weights of " + counted(found.points.groups.size(), "point") +
                      " reproduce all of the run's totals (of lengths, and of their squares or products); the nearest "
                      "were taken");
    if (found.cut_short) record.parameters.emplace_back("restarts", static_cast<double>(found.restarts));
    return choices_of(found);
  }

  FoundPoints with_number_of_points(std::uint64_t points) {
    const std::uint64_t unique = model.size(), k = std::min(points, unique);
    if (points > unique)
      notes.push_back(fmt::format("`points` {} is more than the run's {}: clamped to {}", points,
                                  counted(unique, "unique signature"), unique));
    record.parameters.emplace_back("points", static_cast<double>(k));
    return find_points(model, k, params.search_seed);
  }

  FoundPoints within_budget() {
    const auto& [amount, price] = *params.budget;
    std::vector<double> prices;
    for (const SignatureGroup& group : groups) prices.push_back(price != nullptr ? (*price)(group.signature) : 1);
    return points_for_budget(model, prices, amount, params.search_seed);
  }

  /// The fewest points whose expected error is small enough.
  FoundPoints smallest_sufficient() {
    const double limit = params.max_error.value_or(kMaxError);
    record.parameters.emplace_back("max-error", limit);
    const std::uint64_t last = std::min<std::uint64_t>(kMostPoints, model.size());
    FoundPoints found;
    for (std::uint64_t k = 1; k <= last; ++k) {
      found = find_points(model, k, params.search_seed);
      if (record_expected_error(found.points) <= limit) return found;
    }
    notes.push_back("no selection of up to " + counted(last, "point") +
                    " has an expected error of at most `max_error`; `points` K takes more");
    return found;
  }

  /// Adds the expected error of these points to the record, and returns it.
  double record_expected_error(const WeightedPoints& found) {
    const std::vector<MeasurablePoint> points = measurable_points(model, found, {});
    const auto each = allocate_measurements(params.model, points, static_cast<double>(kUsualRepeats * points.size()));
    const ExpectedError expected = expected_error(model, found.groups, found.weights, *each);
    record.numbers_of_points.push_back(
        {.points = points.size(), .expected = expected, .effective_sample_size = 1 / found.weights.squaredNorm()});
    return expected.total();
  }

  std::vector<Choice> choices_of(const FoundPoints& found) const {
    std::vector<Choice> choices;
    for (std::size_t p = 0; p < found.points.groups.size(); ++p) {
      const double weight = found.points.weights[p] * static_cast<double>(all.iterations());
      if (!(weight * Weight::kUnit > 1)) continue;  // rounds to no weight
      Choice& choice =
          choices.emplace_back(Choice{.key = key_of(found.points.groups[p]), .weight = weight, .position = {}});
      for (const std::size_t group : found.substitutes[p]) choice.alternates.push_back(key_of(group));
    }
    std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.key < b.key; });
    return choices;
  }

  PointKey key_of(std::size_t group) const { return full_key(all.trace.kind(), groups[group].signature); }
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
                         .takes_statistic = true,
                         .choose = choose_calibrated,
                         .takes_budget = true};

}  // namespace seqpoint::select::methods
