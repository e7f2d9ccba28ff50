// Do intervals of differences between candidate runs hold? On costs drawn from the model itself: free functions, a
// jagged cost with the model's covariance, disturbances of every measurement and of every iteration of both runs.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <cmath>
#include <map>

#include "core/select/cost_model.hpp"
#include "property/draw.hpp"
#include "seqpoint/project.hpp"

namespace seqpoint::ranking_differences {
namespace {

using testing::Draw;

/// Lengths of a mean and a spread, in whole tens so that they recur.
trace::RunSummary recurring_run(Draw& draw, double middle, std::size_t iterations) {
  trace::Trace run;
  for (std::size_t i = 0; i < iterations; ++i) {
    run.signatures.push_back(
        {.src_len = static_cast<std::uint32_t>(10 * std::max(1.0, std::round(middle + 5 * draw.normal()))),
         .batch_size = 16});
  }
  return trace::summarise(run);
}

/// Costs of the signatures of several runs, drawn from the model of one of them.
class DrawnCosts {
 public:
  DrawnCosts(const select::CostModel& model, const std::vector<const trace::RunSummary*>& runs) : model_(model) {
    for (const trace::RunSummary* const run : runs)
      for (const trace::SignatureCount& entry : run->histogram) place_.emplace(entry.signature, 0);
    std::vector<trace::SignatureCount> histogram;
    for (auto& [signature, place] : place_) {
      place = static_cast<Eigen::Index>(histogram.size());
      histogram.push_back({signature, 1});
    }
    rows_ = model.signatures_of(histogram);
    const auto size = static_cast<Eigen::Index>(histogram.size());
    Eigen::MatrixXd covariance(size, size);
    for (Eigen::Index i = 0; i < size; ++i)
      for (Eigen::Index j = 0; j < size; ++j) covariance(i, j) = model.misfit_covariance(rows_, i, rows_, j);
    covariance.diagonal().array() += 1e-12;
    root_ = covariance.llt().matrixL();
  }

  void draw_anew(Draw& draw) {
    scale_ = std::exp(model_.constants().noise_spread * draw.normal());
    const double misfit = std::exp(model_.constants().misfit_spread * draw.normal());
    const double spread = select::kHostBound.median * std::exp(select::kHostBound.spread * draw.normal());
    measuring_level_ = 1 + spread * draw.normal();
    running_level_ = 1 + spread * draw.normal();
    Eigen::VectorXd normal(root_.cols());
    for (double& value : normal) value = draw.normal();
    Eigen::VectorXd shares(rows_.free_functions.cols());
    for (double& share : shares) share = draw.uniform();
    costs_ = rows_.free_functions * (shares / shares.sum()) + misfit * (root_ * normal);
  }
  /// One measurement, by one process. The runs are of another.
  double once(const trace::Signature& signature, Draw& draw) const {
    return measuring_level_ * sum(signature, 1, draw);
  }
  double total(const trace::RunSummary& run, Draw& draw) const {
    double total = 0;
    for (const auto& [signature, count] : run.histogram) total += sum(signature, static_cast<double>(count), draw);
    return running_level_ * total;
  }

 private:
  double sum(const trace::Signature& signature, double count, Draw& draw) const {
    const Eigen::Index at = place_.at(signature);
    const double variance = model_.constants().disturbance_variance(1, 1) * count;
    return count * costs_[at] + scale_ * rows_.relative_size[at] * std::sqrt(variance) * draw.normal();
  }

  const select::CostModel& model_;
  std::map<trace::Signature, Eigen::Index> place_;
  select::ModelSignatures rows_;
  Eigen::MatrixXd root_;
  Eigen::VectorXd costs_;
  double scale_ = 1, measuring_level_ = 1, running_level_ = 1;
};

/// How often a difference was within its interval, and within what two intervals added up would give.
struct Held {
  double draws = 0, held = 0, width = 0, apart_width = 0;
};

/// Of the difference between two candidates whose lengths have these means, in tens.
Held difference_coverage(std::uint32_t seed, double middle_a, double middle_b, int draws_wanted) {
  Draw draw(seed);
  const trace::RunSummary chosen_from = recurring_run(draw, 40, 300);
  select::SelectParams params;
  params.points = 8;
  trace::Trace run;
  for (const auto& [signature, count] : chosen_from.histogram)
    for (std::uint64_t i = 0; i < count; ++i) {
      run.signatures.push_back({.src_len = signature.src_len, .batch_size = signature.batch_size});
    }
  const select::Selection selection = select::select(run, params);
  const std::vector<project::Candidate> candidates{{"a", {"a", "", recurring_run(draw, middle_a, 250)}},
                                                   {"b", {"b", "", recurring_run(draw, middle_b, 260)}}};
  const select::CostModel model(selection.run);
  DrawnCosts costs(model, {&selection.run, &candidates[0].target.run, &candidates[1].target.run});
  Held found;
  for (int i = 0; i < draws_wanted; ++i) {
    costs.draw_anew(draw);
    project::NamedMeasurements measured{"v1", {.metrics = {"runtime_s"}, .readings = {{}}}};
    for (const select::Point& point : selection.points)
      measured.measurements.readings[0].push_back({costs.once(point.signature, draw)});
    const double truth[] = {costs.total(candidates[0].target.run, draw), costs.total(candidates[1].target.run, draw)};
    const std::vector<project::NamedMeasurements> all{measured};
    const project::Ranking ranking = project::rank(selection, candidates, all, {});
    const project::RankedRun &best = ranking.configurations[0].runs[0], &other = ranking.configurations[0].runs[1];
    const double difference = truth[other.candidate] - truth[best.candidate];
    const project::Interval& interval = *other.difference_interval;
    ++found.draws;
    found.held += interval.low <= difference && difference <= interval.high ? 1 : 0;
    found.width += interval.high - interval.low;
    found.apart_width +=
        std::hypot(best.interval->high - best.interval->low, other.interval->high - other.interval->low);
  }
  return found;
}

TEST(RankingDifferences, HoldAsOftenAsStatedOnCostsOfTheModel) {
  constexpr int kDraws = testing::affordable(1000);
  const Held alike = difference_coverage(1, 40, 41, kDraws), apart = difference_coverage(2, 30, 45, kDraws);
  const double held = (alike.held + apart.held) / (2 * kDraws), deviation = std::sqrt(0.95 * 0.05 / (2 * kDraws));
  RecordProperty("held", std::to_string(held));
  EXPECT_NEAR(held, 0.95, 4 * deviation);
  RecordProperty("width over that of two intervals added up", std::to_string(alike.width / alike.apart_width));
  EXPECT_LT(alike.width, 0.8 * alike.apart_width) << "what both runs share cancels";
}

}  // namespace
}  // namespace seqpoint::ranking_differences
