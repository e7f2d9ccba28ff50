// Sets of points beside all sets there are, and beside a slow search of the same kind (tests/vectors/README.md).
#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <string>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "core/select/measurement_plan.hpp"
#include "core/select/point_search.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "property/model_runs.hpp"

namespace seqpoint::point_search_property {
namespace {

using testing::affordable;
using testing::Draw;
using testing::for_seeds;
using testing::Histogram;
using testing::random_histogram;

void for_each_set(std::size_t size, std::size_t k, const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> set(k);
  for (std::size_t i = 0; i < k; ++i) set[i] = i;
  for (;;) {
    visit(set);
    std::size_t i = k;
    while (i-- > 0 && set[i] == size - k + i) {
    }
    if (i >= k) return;
    ++set[i];
    for (std::size_t j = i + 1; j < k; ++j) set[j] = set[j - 1] + 1;
  }
}

// With as many points as free basis functions, few sets meet all totals, and the best of them is missed now and
// then.
TEST(PointSearch, FindsTheBestOfAllSmallSetsNearlyAlways) {
  std::size_t sets = 0, best = 0;
  for_seeds(affordable(60), [&](Draw& draw) {
    const Histogram run = random_histogram(draw, 24);
    const select::CostModel model(run.entries, run.kind);
    const std::size_t k = draw.between(1, 4);
    if (model.size() <= k || model.size() > 18) return;
    double least = std::numeric_limits<double>::infinity();
    for_each_set(model.size(), k, [&](const std::vector<std::size_t>& set) {
      least = std::min(least, select::WeightProblem(model, set).solve().variance);
    });
    const double found = select::find_points(model, k).points.variance;
    EXPECT_GE(found, least * (1 - 1e-9)) << k << " of " << model.size();
    EXPECT_LE(found, least * 1.5) << k << " of " << model.size();
    ++sets;
    if (found <= least * (1 + 1e-9)) ++best;
  });
  EXPECT_GE(static_cast<double>(best), 0.9 * static_cast<double>(sets));
}

TEST(PointSearch, FindsSetsAsGoodAsASlowSearch) {
  std::ifstream file(std::string(SEQPOINT_SOURCE_DIR) + "/tests/vectors/point_search.json");
  const nlohmann::json reference = nlohmann::json::parse(file);
  double logs = 0, sets = 0;
  for (const auto& [name, all] : reference.at("V").items()) {
    const trace::RunSummary run = trace::summarise(
        io::artifacts::read_trace(io::stream::Input::open(std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/" + name))
            .trace);
    const select::CostModel model(run);
    std::uint64_t points = reference.at("least_points");
    for (const double variance : all.get<std::vector<double>>()) {
      if (testing::kSanitized && points > 8) break;
      const double ratio = select::find_points(model, points).points.variance / variance;
      EXPECT_LT(ratio, 1.01) << name << ", " << points << " points";
      logs += std::log(ratio);
      ++sets;
      ++points;
    }
  }
  RecordProperty("geometric_mean", std::to_string(std::exp(logs / sets)));
  EXPECT_LE(logs / sets, 0);
}

TEST(PointsForBudget, AreWithinTheBudgetAndNoWorseThanFewerPointsMeasuredMoreOften) {
  for_seeds(affordable(20), [](Draw& draw) {
    const Histogram run = random_histogram(draw, 120);
    const select::CostModel model(run.entries, run.kind);
    std::vector<double> prices(model.size(), 1.0);
    const double budget = draw.between(12, 80);
    const select::FoundPoints found = select::points_for_budget(model, prices, {.budget = budget});
    EXPECT_LE(2 * static_cast<double>(found.points.groups.size()), budget);
    const auto variance_with = [&](const select::FoundPoints& points) {
      std::vector<select::MeasurablePoint> measurable;
      for (std::size_t p = 0; p < points.points.groups.size(); ++p) {
        const std::size_t g = points.points.groups[p];
        measurable.push_back({points.points.weights[static_cast<Eigen::Index>(p)] *
                                  model.shapes().relative_size[static_cast<Eigen::Index>(g)],
                              1, std::min<std::uint64_t>(run.entries[g].count, select::Point::kMaxOccurrences)});
      }
      const auto repeats = select::allocate_measurements(select::kModelConstants, measurable, {.budget = budget});
      double variance = points.points.variance;
      for (std::size_t p = 0; p < measurable.size(); ++p) {
        const auto r = static_cast<double>((*repeats)[p]),
                   m = std::min(r, static_cast<double>(measurable[p].distinct_iterations));
        variance +=
            measurable[p].cost_share * measurable[p].cost_share *
            (select::kModelConstants.disturbance_variance(m, r) - select::kModelConstants.disturbance_variance(1, 1));
      }
      return variance;
    };
    const double chosen = variance_with(found);
    for (const std::size_t k : {3U, 5U}) {
      if (k < found.points.groups.size()) {
        EXPECT_LE(chosen, variance_with(select::find_points(model, k)) * 1.02) << k;
      }
    }
  });
}

/// V of shapes that are measured so often, by the dense formula; weights may be negative.
class DenseVariance {
 public:
  explicit DenseVariance(const select::CostModel& model) : model_(model), all_(model.size(), model.size()) {
    const double free = select::kModelConstants.free;
    for (std::size_t a = 0; a < model.size(); ++a)
      for (std::size_t b = 0; b < model.size(); ++b)
        all_(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) =
            model.covariance_beside_free(a, b) +
            free * model.free_functions().row(a).dot(model.free_functions().row(b));
  }

  double operator()(const std::map<std::size_t, std::uint64_t>& repeats) const {
    const Eigen::VectorXd with_total = all_ * model_.shares();
    if (repeats.empty()) return model_.shares().dot(with_total);
    std::vector<std::size_t> groups;
    for (const auto& [group, r] : repeats) groups.push_back(group);
    Eigen::MatrixXd covariance = all_(groups, groups);
    for (std::size_t p = 0; p < groups.size(); ++p) {
      const auto g = static_cast<Eigen::Index>(groups[p]), i = static_cast<Eigen::Index>(p);
      const double m = static_cast<double>(repeats.at(groups[p])), z = model_.shapes().relative_size[g],
                   n = std::min<double>(model_.shapes().counts[g], select::Point::kMaxOccurrences);
      covariance(i, i) += z * z * (0.045 * 0.045 / std::min(n, m) + 0.04 * 0.04 / m);
    }
    const Eigen::VectorXd right = with_total(groups);
    return model_.shares().dot(with_total) - right.dot(covariance.ldlt().solve(right));
  }

 private:
  const select::CostModel& model_;
  Eigen::MatrixXd all_;
};

// Every purchase is tried by the dense formula: none lowers V more for its price than the one that was made.
TEST(BuyPoints, EachPurchaseIsTheBestForItsPrice) {
  for_seeds(affordable(20), [](Draw& draw) {
    const Histogram run = random_histogram(draw, 40);
    const select::CostModel model(run.entries, run.kind);
    const std::uint64_t processes = draw.between(1, 3);
    const double wanted = 0.012 + 0.03 * draw.uniform();
    const select::BuyingLimits all{.processes = processes, .budget = 150, .enough = wanted * wanted};
    const select::Purchase bought = select::buy_points(model, {}, all);
    const DenseVariance dense(model);
    std::map<std::size_t, std::uint64_t> have, repeats;
    for (std::size_t p = 0; p < bought.groups.size(); ++p) repeats[bought.groups[p]] = bought.repeats[p];
    // Point by point: what was bought is repeated with the number of points as the limit.
    for (std::size_t k = 0; k < bought.groups.size(); ++k) {
      const double before = dense(have);
      const double gain_of_next = [&] {
        auto with = have;
        with[bought.groups[k]] = processes;
        return (before - dense(with)) / (2.0 * static_cast<double>(processes));
      }();
      for (std::size_t g = 0; g < model.size() && k > 3; ++g) {
        if (have.contains(g)) continue;
        auto with = have;
        with[g] = processes;
        EXPECT_LE((before - dense(with)) / (2.0 * static_cast<double>(processes)), gain_of_next * 1.001 + 1e-9);
      }
      have[bought.groups[k]] = processes;
      // Repeats that were bought before the next point.
      std::uint64_t left = bought.measurements_at[k] - (k > 0 ? bought.measurements_at[k - 1] : 0) - processes;
      for (; left > 0; --left) {
        const double now = dense(have);
        std::size_t best = model.size();
        double most = 0;
        for (const auto& [g, r] : have) {
          auto with = have;
          ++with[g];
          if (now - dense(with) <= most) continue;
          most = now - dense(with);
          best = g;
        }
        ASSERT_LT(best, model.size());
        ++have[best];
      }
    }
    EXPECT_EQ(have, repeats);
    EXPECT_NEAR(dense(repeats), bought.variance, 1e-6);
    EXPECT_TRUE(bought.variance <= all.enough || model.size() < 60);
  });
}

/// Points, measurements and V of a plain program with dense matrices, at two errors (model/reference.py of the method).
TEST(BuyPoints, BuysWhatTheReferenceBuys) {
  std::ifstream file(std::string(SEQPOINT_SOURCE_DIR) + "/tests/vectors/point_search.json");
  const auto buy = nlohmann::json::parse(file).at("buy");
  ASSERT_GT(buy.size(), 10U);
  for (const auto& [name, by_error] : buy.items())
    for (const auto& [error, expected] : by_error.items()) {
      SCOPED_TRACE(name + " " + error);
      const trace::Trace run = io::artifacts::read_trace(
                                   io::stream::Input::open(std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/" + name))
                                   .trace;
      const double wanted = std::stod(error);
      const select::Purchase bought =
          select::buy_points(select::CostModel(trace::summarise(run)), {}, {.enough = wanted * wanted});
      EXPECT_EQ(bought.groups.size(), expected.at("points").get<std::size_t>());
      EXPECT_EQ(bought.measurements_at.back(), expected.at("measurements").get<std::uint64_t>());
      EXPECT_NEAR(bought.variance / expected.at("V").get<double>(), 1, 1e-6);
    }
}

}  // namespace
}  // namespace seqpoint::point_search_property
