// Candidate runs from one set of measurements: order, and differences with intervals by plain double sums.
#include "seqpoint/project.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/project/run_estimator.hpp"
#include "seqpoint/error.hpp"
#include "varied_run.hpp"

namespace seqpoint {
namespace {

/// Iterations of a multiplicative pattern over lengths from 20 on, in batches of 16.
trace::RunSummary patterned_run(std::uint32_t iterations, std::uint32_t factor, std::uint32_t lengths,
                                std::uint64_t epochs = 1) {
  trace::Trace run;
  for (std::uint32_t i = 0; i < iterations; ++i)
    run.signatures.push_back({.src_len = 20 + (i * factor) % lengths, .batch_size = 16});
  trace::RunSummary summary = trace::summarise(run);
  summary.epochs = epochs;
  return summary;
}

select::Selection eight_points() {
  select::SelectParams params;
  params.points = 8;
  return select::select(testing::varied_run(400), params);
}

/// A quadratic with a few percent that no smooth function has.
double uneven_cost(double s) { return (0.01 + 2e-4 * s + 4e-7 * s * s) * (1 + 0.03 * std::sin(s)); }

project::NamedMeasurements measured_costs(const select::Selection& selection, const std::string& name = "v1") {
  project::NamedMeasurements named{name, {.metrics = {"runtime_s"}, .readings = {{}}}};
  for (const select::Point& point : selection.points)
    named.measurements.readings[0].push_back({uneven_cost(point.signature.src_len)});
  return named;
}

project::Candidate candidate_of(const std::string& name, const trace::RunSummary& run, const std::string& digest = "") {
  return {name, {.source = name + ".csv", .digest = digest, .run = run}};
}

project::Ranking ranked(const select::Selection& selection, const std::vector<project::Candidate>& candidates,
                        double per_epoch_s = 0, double per_shape_s = 0) {
  const std::vector<project::NamedMeasurements> all{measured_costs(selection)};
  project::ProjectParams params;
  params.epoch_overhead_s = per_epoch_s;
  return project::rank(selection, candidates, all, params, per_shape_s);
}

double half_of(const project::Interval& interval) { return (interval.high - interval.low) / 2; }

/// What the iterations of an epoch of two runs weigh: other's less best's, and the sum of squares of each one's.
std::map<trace::Signature, std::pair<double, double>> weighed(const trace::RunSummary& best,
                                                              const trace::RunSummary& other) {
  std::map<trace::Signature, std::pair<double, double>> counts;
  for (const auto& [run, sign] : {std::pair(&other, 1.0), std::pair(&best, -1.0)})
    for (const auto& [signature, count] : run->histogram) {
      const auto n = static_cast<double>(count), epochs = static_cast<double>(run->epochs);
      counts[signature].first += sign * n / epochs;
      counts[signature].second += n / (epochs * epochs);
    }
  return counts;
}

/// Half of the 95 % interval: the variance of the difference over all pairs of points and signatures, one by one.
double difference_half_width(const select::Selection& selection, const trace::RunSummary& best,
                             const trace::RunSummary& other) {
  const select::CostModel model(selection.run);
  const project::RunEstimator of_best(selection, &best), of_other(selection, &other);
  project::MeasurementCounts once;
  for (std::size_t p = 0; p < selection.points.size(); ++p) once.points.push_back(p);
  once.iterations = once.measurements = std::vector<double>(once.points.size(), 1);
  const auto fit = of_best.fit(once);
  const auto per_epoch = [](const trace::RunSummary& run) {
    return static_cast<double>(run.iterations) / static_cast<double>(run.epochs);
  };
  const Eigen::VectorXd v =
      of_other.fit(once).prediction_weights * per_epoch(other) - fit.prediction_weights * per_epoch(best);

  std::vector<trace::SignatureCount> histogram;
  std::vector<double> mass, squares, costs;  // a point counts with its weight, an iteration is taken off
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    histogram.push_back({selection.points[p].signature, 1});
    mass.push_back(v[static_cast<Eigen::Index>(p)]);
    squares.push_back(mass.back() * mass.back());
    costs.push_back(uneven_cost(histogram.back().signature.src_len));
  }
  for (const auto& [signature, counts] : weighed(best, other)) {
    histogram.push_back({signature, 1});
    mass.push_back(-counts.first);
    squares.push_back(counts.second);
  }
  const select::ModelSignatures rows = model.signatures_of(histogram);
  select::ErrorParts error;
  Eigen::RowVectorXd missed = Eigen::RowVectorXd::Zero(rows.free_functions.cols());
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double z = rows.relative_size[row];
    error.measured += squares[i] * z * z * model.constants().disturbance_variance(1, 1);
    missed += mass[i] * rows.free_functions.row(row);
    for (std::size_t j = 0; j < histogram.size(); ++j)
      error.misfit += mass[i] * mass[j] * model.misfit_covariance(rows, i, rows, j);
  }
  error.amounts = 0.25 * missed.squaredNorm();
  const Eigen::Map<const Eigen::VectorXd> y(costs.data(), static_cast<Eigen::Index>(selection.points.size()));
  const double mean = fit.mean_weights.dot(y);
  const double difference = of_other.fit(once).weights.dot(y) / static_cast<double>(other.epochs) -
                            fit.weights.dot(y) / static_cast<double>(best.epochs);
  error.processes = 2 * (difference / mean) * (difference / mean);  // of the process that measured, and of the runs'
  const std::vector<select::LevelEvidence> one_process(1);
  return mean * select::ScalesPosterior(fit.points->scales(), y / mean, {}, one_process).half_width(error, 0.95);
}

TEST(Ranking, TheLeastComesFirstAndEveryDifferenceIsToIt) {
  const select::Selection selection = eight_points();
  const project::Ranking ranking = ranked(
      selection, {candidate_of("long", patterned_run(300, 7, 200)), candidate_of("short", patterned_run(300, 7, 120)),
                  candidate_of("middle", patterned_run(300, 7, 160))});
  const auto& runs = ranking.configurations.at(0).runs;
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].candidate, 1U);
  EXPECT_EQ(runs[1].candidate, 2U);
  EXPECT_EQ(runs[2].candidate, 0U);
  EXPECT_EQ(runs[0].order, project::Order::best);
  EXPECT_EQ(runs[0].difference, 0);
  EXPECT_EQ(runs[0].difference_interval->low, 0);
  EXPECT_EQ(runs[0].difference_interval->high, 0);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(runs[i].order, project::Order::more);
    EXPECT_DOUBLE_EQ(runs[i].difference, runs[i].value - runs[0].value);
  }
}

// Each is what project_onto says, whoever else is there.
TEST(Ranking, AnotherCandidateChangesNothingOfTheOthers) {
  const select::Selection selection = eight_points();
  const std::vector<project::Candidate> two{candidate_of("a", patterned_run(300, 7, 120)),
                                            candidate_of("b", patterned_run(290, 11, 125))};
  std::vector<project::Candidate> three = two;
  three.push_back(candidate_of("c", patterned_run(300, 7, 200)));
  const std::vector<project::NamedMeasurements> all{measured_costs(selection)};
  const auto of_two = ranked(selection, two).configurations.at(0).runs,
             of_three = ranked(selection, three).configurations.at(0).runs;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(of_two[i].candidate, of_three[i].candidate);
    EXPECT_EQ(of_two[i].value, of_three[i].value);
    EXPECT_EQ(of_two[i].interval->low, of_three[i].interval->low);
    EXPECT_EQ(of_two[i].difference, of_three[i].difference);
    EXPECT_EQ(of_two[i].difference_interval->high, of_three[i].difference_interval->high);
    const auto alone =
        project::project_onto(selection, two[of_two[i].candidate].target, all, {}).configurations.at(0).metrics.at(0);
    EXPECT_EQ(alone.value, of_two[i].value);
    EXPECT_EQ(alone.interval->high, of_two[i].interval->high);
  }
}

TEST(Ranking, TheDifferencesIntervalIsThatOfOneSumOverTheMeasurements) {
  const select::Selection selection = eight_points();
  for (const std::uint64_t epochs : {1U, 3U})
    for (const std::uint32_t lengths : {121U, 150U, 211U}) {
      const trace::RunSummary best = patterned_run(290, 11, 120), other = patterned_run(300, 7, lengths, epochs);
      const project::Ranking ranking = ranked(selection, {candidate_of("a", best), candidate_of("b", other)});
      const auto& runs = ranking.configurations.at(0).runs;
      const bool first = runs[0].candidate == 0;
      EXPECT_NEAR(half_of(*runs[1].difference_interval),
                  difference_half_width(selection, first ? best : other, first ? other : best), 1e-7 * runs[1].value)
          << lengths << " lengths, " << epochs << " epochs";
    }
}

// Runs that are alike share what the measurements are off by; adding up two intervals does not know that.
TEST(Ranking, ADifferenceOfRunsThatAreAlikeIsMuchSurerThanEach) {
  const select::Selection selection = eight_points();
  const auto runs =
      ranked(selection, {candidate_of("a", patterned_run(400, 7, 120)), candidate_of("b", patterned_run(400, 7, 122))})
          .configurations.at(0)
          .runs;
  EXPECT_LT(half_of(*runs[1].difference_interval),
            0.5 * std::hypot(half_of(*runs[0].interval), half_of(*runs[1].interval)));
}

TEST(Ranking, ARunBesideItselfDiffersByNothing) {
  const select::Selection selection = eight_points();
  const trace::RunSummary run = patterned_run(300, 7, 120);
  const auto runs =
      ranked(selection, {candidate_of("a", run, "same"), candidate_of("b", run, "same")}).configurations.at(0).runs;
  EXPECT_EQ(runs[1].candidate, 1U);
  EXPECT_EQ(runs[1].difference, 0);
  EXPECT_EQ(runs[1].difference_interval->low, 0);
  EXPECT_EQ(runs[1].difference_interval->high, 0);
  EXPECT_EQ(runs[1].order, project::Order::undecided);
}

// Of as many iterations of each signature in another file only their own disturbances are left.
TEST(Ranking, TwoRunsOfTheSameBatchesDifferByTheirOwnDisturbances) {
  const select::Selection selection = eight_points();
  const trace::RunSummary run = patterned_run(300, 7, 120);
  const auto runs =
      ranked(selection, {candidate_of("a", run, "one"), candidate_of("b", run, "other")}).configurations.at(0).runs;
  EXPECT_EQ(runs[1].difference, 0);
  EXPECT_NEAR(half_of(*runs[1].difference_interval), difference_half_width(selection, run, run), 1e-9 * runs[0].value);
  EXPECT_GT(half_of(*runs[1].difference_interval), 0);
}

// Overheads are exact: 5 s an epoch, 0.01 s for each of a's 100 signatures, and of b's 120 in two epochs.
TEST(Ranking, OverheadsMoveDifferencesByWhatTheyDiffer) {
  const select::Selection selection = eight_points();
  const std::vector<project::Candidate> candidates{candidate_of("a", patterned_run(400, 7, 100)),
                                                   candidate_of("b", patterned_run(800, 7, 120, 2))};
  const auto without = ranked(selection, candidates).configurations.at(0).runs,
             with = ranked(selection, candidates, 5, 0.01).configurations.at(0).runs;
  ASSERT_EQ(with[0].candidate, without[0].candidate);
  EXPECT_NEAR(with[0].value - without[0].value, 5 + 0.01 * 100, 1e-9);
  EXPECT_NEAR(with[1].value - without[1].value, 5 + 0.01 * 120 / 2, 1e-9);
  EXPECT_NEAR(with[1].difference - without[1].difference, 0.01 * 120 / 2 - 0.01 * 100, 1e-9);
  EXPECT_NEAR(half_of(*with[1].difference_interval), half_of(*without[1].difference_interval), 1e-9);
}

// Batches with nearly equal padded tokens do not tell how cost grows with them: what batches with fewer cost is
// unknown, even if it is projected to be less than anything.
TEST(Ranking, ARunWhoseCostThePointsDoNotTellIsNotTheBest) {
  trace::Trace budget = testing::varied_run(400);
  for (trace::Signature& signature : budget.signatures) signature.batch_size = 3200 / signature.src_len;
  select::SelectParams params;
  params.points = 8;
  const select::Selection selection = select::select(budget, params);
  project::NamedMeasurements named{"v1", {.metrics = {"runtime_s"}, .readings = {{}}}};
  for (const select::Point& point : selection.points) {
    const double s = point.signature.src_len;
    named.measurements.readings[0].push_back({1 + 0.1 * std::sin(s)});
  }
  const std::vector<project::Candidate> candidates{candidate_of("few", patterned_run(100, 7, 30)),
                                                   candidate_of("own", trace::summarise(budget))};
  const project::Ranking ranking = project::rank(selection, candidates, std::vector{named}, {});
  const auto& runs = ranking.configurations.at(0).runs;
  EXPECT_EQ(runs[0].candidate, 1U);
  EXPECT_EQ(runs[0].order, project::Order::best);
  EXPECT_EQ(runs[1].order, project::Order::unknown);
  ASSERT_TRUE(runs[1].interval);
  EXPECT_LE(runs[1].interval->low, 0);
  EXPECT_LT(runs[1].value, runs[0].value) << "else it would be last anyway";
  EXPECT_NE(runs[1].interval_note, "");
  EXPECT_NE(ranking.configurations.front().partial.find("few: runtime_s: the interval reaches zero"),
            std::string::npos);
}

TEST(Ranking, OfABatchSizeThatThePointsDoNotHaveAWarningTells) {
  const select::Selection selection = eight_points();
  const trace::Trace larger = testing::varied_run(200, 32);
  const auto told = [&](const trace::RunSummary& run) {
    const project::Ranking ranking = ranked(selection, {candidate_of("a", run), candidate_of("own", selection.run)});
    return std::ranges::count_if(ranking.notes, [](const std::string& note) {
      return note.find("all have batches of 16") != std::string::npos;
    });
  };
  EXPECT_EQ(told(trace::summarise(larger)), 1);
  const auto runs =
      ranked(selection, {candidate_of("larger", trace::summarise(larger)), candidate_of("own", selection.run)})
          .configurations.at(0)
          .runs;
  EXPECT_EQ(runs[0].candidate, 1U);
  EXPECT_EQ(runs[1].order, project::Order::unknown);
  EXPECT_FALSE(runs[1].interval);
  EXPECT_FALSE(runs[1].difference_interval);
  EXPECT_EQ(told(patterned_run(300, 7, 120)), 0);
  trace::Trace short_last;
  for (std::uint32_t i = 0; i < 20; ++i)
    short_last.signatures.push_back({.src_len = 20 + i, .batch_size = i == 19 ? 5U : 16U});
  EXPECT_EQ(told(trace::summarise(short_last)), 0) << "a last batch is no other batch size";
}

TEST(Ranking, WhatCannotBeRankedIsRefused) {
  const select::Selection selection = eight_points();
  const std::vector<project::Candidate> candidates{candidate_of("a", patterned_run(300, 7, 120)),
                                                   candidate_of("b", patterned_run(300, 7, 150))};
  project::NamedMeasurements energy = measured_costs(selection, "v2"), util = energy;
  energy.measurements.metrics = {"energy_j"};
  util.measurements.metrics = {"util_pct"};
  util.measurements.roles = {profile::MetricRole::rate};
  const auto rank = [&](const std::vector<project::NamedMeasurements>& all, project::ProjectParams params = {}) {
    return project::rank(selection, candidates, all, params);
  };
  EXPECT_THROW(rank({energy}), UsageError) << "no time";
  project::ProjectParams by_energy, by_two, by_util;
  by_energy.statistics = {"energy_j"};
  by_two.statistics = {"runtime_s", "energy_j"};
  by_util.statistics = {"util_pct"};
  EXPECT_EQ(rank({energy}, by_energy).metric, "energy_j");
  EXPECT_THROW(rank({measured_costs(selection), energy}), UsageError) << "v2 has no time";
  project::NamedMeasurements both = measured_costs(selection);
  both.measurements.metrics.push_back("energy_j");
  both.measurements.readings.push_back(both.measurements.readings[0]);
  EXPECT_THROW(rank({both}, by_two), UsageError) << "which of the two?";
  EXPECT_THROW(rank({util}, by_util), UsageError) << "no total";
}

}  // namespace
}  // namespace seqpoint
