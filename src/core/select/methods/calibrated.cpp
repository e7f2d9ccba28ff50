// The points and weights with the least expected squared error under the cost model (docs/method.md).
#include <algorithm>
#include <cmath>

#include "core/select/measurement_plan.hpp"
#include "core/select/methods/methods.hpp"
#include "core/select/signature_groups.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/repeats.hpp"

namespace seqpoint {
namespace {

/// Expected error at the advised repeats that is small enough: a third of the 5 % that gates on regressions usually allow.
constexpr double kMaxError = 0.015;

/// A run, or a phase of it, whose points are chosen.
class Calibrated {
 public:
  Calibrated(const Population& all, const SelectParams& params, MethodRecord& record, std::vector<std::string>& notes)
      : all_(all), params_(params), record_(record), notes_(notes), groups_(signature_groups(all)) {
    std::vector<double> statistic;
    for (const SignatureGroup& group : groups_) {
      histogram_.push_back({group.signature, group.count});
      if (all.has_statistic()) statistic.push_back(group.sum / static_cast<double>(group.count));
    }
    model_.emplace(histogram_, all.trace.paired(), all.trace.varlen(), params.model, statistic);
  }

  std::vector<Choice> choose() {
    FoundPoints found = params_.points ? of_size(*params_.points) : params_.budget ? for_budget() : fewest();
    record_.sizes.back().taken = true;
    if (!found.points.exact)
      notes_.push_back("no weights of " + counted(found.points.groups.size(), "point") +
                       " reproduce all of the run's totals (of lengths, and of their squares or products); the nearest were taken");
    if (found.cut_short) record_.parameters.emplace_back("restarts", static_cast<double>(found.restarts));
    return choices_of(found);
  }

 private:
  FoundPoints of_size(std::uint64_t points) {
    const std::uint64_t unique = model_->size(), k = std::min(points, unique);
    if (points > unique)
      notes_.push_back("--points " + std::to_string(points) + " is more than the run's " + counted(unique, "unique signature") +
                       ": clamped to " + std::to_string(unique));
    record_.parameters.emplace_back("points", static_cast<double>(k));
    FoundPoints found = find_points(*model_, k, params_.search_seed);
    record(found);
    return found;
  }

  FoundPoints for_budget() {
    std::vector<double> prices;
    for (const SignatureCount& entry : histogram_) prices.push_back(params_.budget->price != nullptr ? (*params_.budget->price)(entry.signature) : 1);
    FoundPoints found = points_for_budget(*model_, prices, params_.budget->amount, params_.search_seed);
    record(found);
    return found;
  }

  /// The fewest points whose expected error is small enough.
  FoundPoints fewest() {
    const double limit = params_.max_error.value_or(kMaxError);
    record_.parameters.emplace_back("max-error", limit);
    const std::uint64_t last = std::min<std::uint64_t>(kMostPoints, model_->size());
    FoundPoints found;
    for (std::uint64_t k = 1; k <= last; ++k) {
      found = find_points(*model_, k, params_.search_seed);
      if (record(found) <= limit) return found;
    }
    notes_.push_back("no selection of up to " + counted(last, "point") + " has an expected error of at most --max-error; --points K takes more");
    return found;
  }

  /// Writes a size down; returns its expected error.
  double record(const FoundPoints& found) {
    const WeightedPoints& points = found.points;
    const std::vector<MeasurablePoint> measurable = measurable_points(*model_, points, {});
    const auto repeats = share_out(*model_, measurable, static_cast<double>(kUsualRepeats * measurable.size()));
    const ExpectedError expected = expected_error(*model_, points.groups, points.weights, *repeats);
    record_.sizes.push_back({.points = points.groups.size(), .expected = expected, .n_eff = 1 / points.weights.squaredNorm()});
    return expected.total();
  }

  std::vector<Choice> choices_of(const FoundPoints& found) const {
    std::vector<Choice> choices;
    for (std::size_t p = 0; p < found.points.groups.size(); ++p) {
      const double weight = found.points.weights[static_cast<Eigen::Index>(p)] * static_cast<double>(all_.iterations());
      if (!(weight * Weight::kUnit > 1)) continue;  // less than can be written
      Choice choice{key_of(found.points.groups[p]), weight, {}, {}};
      for (const std::size_t group : found.substitutes[p]) choice.alternates.push_back(key_of(group));
      choices.push_back(std::move(choice));
    }
    std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.key < b.key; });
    return choices;
  }

  PointKey key_of(std::size_t group) const { return full_key(all_.trace, histogram_[group].signature); }

  const Population& all_;
  const SelectParams& params_;
  MethodRecord& record_;
  std::vector<std::string>& notes_;
  std::vector<SignatureGroup> groups_;
  std::vector<SignatureCount> histogram_;
  std::optional<CostModel> model_;
};

std::vector<Choice> choose_calibrated(const Population& all, const SelectParams& params, MethodRecord& record, std::vector<std::string>& notes) {
  return Calibrated(all, params, record, notes).choose();
}

}  // namespace

const Method kCalibrated{.name = "calibrated",
                         .summary = "points and weights of the least expected error under a statistical model of costs",
                         .source = "Bayesian quadrature: O'Hagan 1991; kriging of a total: Chiles and Delfiner 2012",
                         .points = Method::Points::optional,
                         .takes_max_error = true,
                         .takes_statistic = true,
                         .picks_iterations = false,
                         .is_random = false,
                         .options = {},
                         .choose = choose_calibrated,
                         .takes_budget = true};

}  // namespace seqpoint
