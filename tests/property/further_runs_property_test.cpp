// Points for several runs: V, weights, points, expected errors and intervals of each run, beside the formulas of
// docs/method.md written out with dense matrices, and beside every set of points there is.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "core/select/point_search.hpp"
#include "property/draw.hpp"
#include "property/small_quadratic.hpp"
#include "seqpoint/project.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::further_runs_property {
namespace {

using testing::affordable;
using testing::Draw;
using testing::for_seeds;

/// Runs of one length and one batch size: shapes over the mean of the runs' means, and all covariances.
class DenseRuns {
 public:
  explicit DenseRuns(const std::vector<trace::RunSummary>& runs) {
    std::map<double, Eigen::Index> places;
    for (const trace::RunSummary& run : runs)
      for (const auto& [signature, count] : run.histogram) places.emplace(signature.src_len, 0);
    for (auto& [length, place] : places) {
      place = static_cast<Eigen::Index>(lengths.size());
      lengths.push_back(length);
    }
    shares = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(lengths.size()), static_cast<Eigen::Index>(runs.size()));
    for (std::size_t r = 0; r < runs.size(); ++r)
      for (const auto& [signature, count] : runs[r].histogram)
        shares(places.at(signature.src_len), static_cast<Eigen::Index>(r)) =
            static_cast<double>(count) / static_cast<double>(runs[r].iterations);
    free = shapes({[](double) { return 1; }, [](double s) { return s; }, [](double s) { return s * s; }});
    std::vector<std::function<double(double)>> others{[](double) { return 1; }, [](double s) { return s * s * s; },
                                                      [](double s) { return std::sqrt(s); }};
    for (const double tile : {8.0, 16.0, 32.0, 64.0, 128.0})
      if (tile < lengths.back()) others.emplace_back([tile](double s) { return std::ceil(s / tile); });
    possible = shapes(others);
    z = free.col(1);
    const Eigen::Index size = z.size();
    misfit = Eigen::MatrixXd(size, size);
    for (Eigen::Index a = 0; a < size; ++a)
      for (Eigen::Index b = 0; b < size; ++b) misfit(a, b) = z[a] * z[b] * alike(a, b);
    beside_free = misfit + 3 * possible * possible.transpose();
    disturbance = z.cwiseAbs2() * (0.045 * 0.045 + 0.04 * 0.04);
    totals = free.transpose() * shares;
    own_total = z.transpose() * shares;
  }

  /// Of one run, as a share of its own total squared, were cost in proportion to length.
  double variance(const std::vector<Eigen::Index>& at, const Eigen::VectorXd& v, Eigen::Index run) const {
    const Eigen::VectorXd p = shares.col(run), with_total = beside_free * p;
    const Eigen::MatrixXd among = beside_free(at, at);
    const Eigen::VectorXd missed = free(at, Eigen::all).transpose() * v - totals.col(run);
    const double all = p.dot(with_total) - 2 * v.dot(with_total(at)) + v.dot(among * v) +
                       v.dot(disturbance(at).cwiseProduct(v)) + 1e4 * missed.squaredNorm();
    return all / (own_total[run] * own_total[run]);
  }
  /// The least of v >= 0 that meet the totals; where none do, under soft ones.
  double least_variance(const std::vector<Eigen::Index>& at, Eigen::Index run) const {
    testing::Program program{.q = beside_free(at, at), .r = (beside_free * shares.col(run))(at), .a = {}};
    program.q.diagonal() += disturbance(at);
    const Eigen::MatrixXd functions = free(at, Eigen::all).transpose();
    program.a = functions.array().colwise() / totals.col(run).array();
    auto best = testing::best_of_every_set(program);
    if (!best) {
      program.q += 1e4 * functions.transpose() * functions;
      program.r += 1e4 * functions.transpose() * totals.col(run);
      program.a = Eigen::MatrixXd::Ones(1, program.points());
      best = testing::best_of_every_set(program);
    }
    return variance(at, *best, run);
  }
  double mean_of_runs(const std::function<double(Eigen::Index)>& of_run) const {
    double sum = 0;
    for (Eigen::Index run = 0; run < shares.cols(); ++run) sum += of_run(run);
    return sum / static_cast<double>(shares.cols());
  }
  Eigen::Index place_of(std::uint64_t length) const {
    return std::ranges::lower_bound(lengths, static_cast<double>(length)) - lengths.begin();
  }

  std::vector<double> lengths;  ///< ascending, of all runs
  Eigen::MatrixXd shares, free, possible, misfit, beside_free, totals;
  Eigen::VectorXd z, disturbance;
  Eigen::RowVectorXd own_total;

 private:
  Eigen::MatrixXd shapes(const std::vector<std::function<double(double)>>& functions) const {
    Eigen::MatrixXd all(lengths.size(), functions.size());
    for (std::size_t j = 0; j < functions.size(); ++j) {
      for (std::size_t g = 0; g < lengths.size(); ++g)
        all(static_cast<Eigen::Index>(g), static_cast<Eigen::Index>(j)) = functions[j](lengths[g]);
      const auto column = static_cast<Eigen::Index>(j);
      all.col(column) /= (shares.transpose() * all.col(column)).mean();
    }
    return all;
  }
  double alike(Eigen::Index a, Eigen::Index b) const {
    const double apart = std::abs(lengths[static_cast<std::size_t>(a)] - lengths[static_cast<std::size_t>(b)]);
    double sum = a == b ? 3 : 0;
    for (const double scale : {4.0, 16.0, 64.0}) sum += std::exp(-apart / scale);
    return 0.045 * 0.045 * sum / 6;
  }
};

trace::Trace trace_of(const std::vector<std::uint32_t>& lengths) {
  trace::Trace run;
  for (const std::uint32_t length : lengths) run.signatures.push_back({.src_len = length, .batch_size = 16});
  return run;
}

/// Batches of the same samples: as they come, which are nearly all long, and sorted.
std::vector<trace::Trace> shuffled_and_sorted(Draw& draw, std::size_t samples, std::size_t batch) {
  const double middle = 20 + 150 * draw.uniform();
  std::vector<std::uint32_t> lengths;
  while (lengths.size() < samples)
    lengths.push_back(static_cast<std::uint32_t>(std::max(1.0, middle * std::exp(0.5 * draw.normal()))));
  const auto batched = [&] {
    std::vector<std::uint32_t> longest;
    for (std::size_t i = 0; i + batch <= samples; i += batch)
      longest.push_back(*std::max_element(lengths.begin() + static_cast<std::ptrdiff_t>(i),
                                          lengths.begin() + static_cast<std::ptrdiff_t>(i + batch)));
    return trace_of(longest);
  };
  const trace::Trace shuffled = batched();
  std::ranges::sort(lengths);
  return {shuffled, batched()};
}

std::vector<trace::RunSummary> summaries(const std::vector<trace::Trace>& traces) {
  std::vector<trace::RunSummary> all;
  for (const trace::Trace& trace : traces) all.push_back(trace::summarise(trace));
  return all;
}

select::SelectParams params_for(const std::vector<trace::Trace>& traces, std::uint64_t points) {
  select::SelectParams params;
  params.points = points;
  for (std::size_t r = 1; r < traces.size(); ++r)
    params.also.push_back({.name = "b", .source = "b.csv", .digest = "", .trace = &traces[r]});
  return params;
}

select::CostModel model_of(const std::vector<trace::RunSummary>& runs) {
  select::Selection selection;
  selection.run = runs.front();
  for (std::size_t r = 1; r < runs.size(); ++r) selection.further.push_back({"", "", "", runs[r], {}});
  return select::model_of(selection);
}

std::vector<Eigen::Index> places(const select::GroupIndices& groups) { return {groups.begin(), groups.end()}; }

TEST(FurtherRuns, VIsTheMeanOverTheRunsByTheDenseFormula) {
  for_seeds(affordable(20), [](Draw& draw) {
    const auto runs = summaries(shuffled_and_sorted(draw, 400, 8));
    const DenseRuns dense(runs);
    const select::FoundPoints found = select::find_points(model_of(runs), draw.between(5, 10));
    const double variance = dense.mean_of_runs([&](Eigen::Index run) {
      return dense.variance(places(found.points.groups), found.points.weights.col(run), run);
    });
    EXPECT_NEAR(found.points.variance, variance, 1e-6 * variance);
  });
}

// The weights of every set are the best there are, and hardly any set is better than the one that is found.
TEST(FurtherRuns, PointsAreTheBestOfAllSmallSetsNearlyAlways) {
  int sets = 0, best = 0;
  for_seeds(affordable(30), [&](Draw& draw) {
    const auto runs = summaries(shuffled_and_sorted(draw, 24, 4));
    const DenseRuns dense(runs);
    const select::CostModel model = model_of(runs);
    const std::size_t size = model.size(), k = draw.between(3, 5);
    ASSERT_EQ(size, dense.lengths.size());
    if (size <= k) return;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t set = 0; set < 1U << size; ++set) {
      if (static_cast<std::size_t>(std::popcount(set)) != k) continue;
      select::GroupIndices groups;
      for (std::size_t g = 0; g < size; ++g)
        if ((set >> g & 1U) != 0) groups.push_back(g);
      const double variance =
          dense.mean_of_runs([&](Eigen::Index run) { return dense.least_variance(places(groups), run); });
      EXPECT_NEAR(select::WeightProblem(model, groups).solve().variance, variance, 1e-5 * variance);
      least = std::min(least, variance);
    }
    const double found = select::find_points(model, k).points.variance;
    EXPECT_GE(found, least * (1 - 1e-5)) << k << " of " << size;
    EXPECT_LE(found, least * 1.1) << k << " of " << size;
    ++sets;
    if (found <= least * (1 + 1e-5)) ++best;
  });
  EXPECT_GE(sets, static_cast<int>(affordable(12)));  // the rest are too small to choose from
  EXPECT_GE(best, 0.95 * sets);
}

TEST(FurtherRuns, WeightsMeetTheTotalsOfEveryRun) {
  for_seeds(affordable(20), [](Draw& draw) {
    const auto traces = shuffled_and_sorted(draw, 800, 8);
    const select::Selection selection = select::select(traces.front(), params_for(traces, 8));
    ASSERT_EQ(selection.further.size(), 1U);
    if (!selection.notes.empty()) return;  // no weights of these points do
    EXPECT_NO_THROW(select::require_valid(selection, "made"));
    for (std::size_t r = 0; r < 2; ++r)
      for (const int power : {0, 1, 2}) {
        double total = 0, weighed = 0;
        for (const trace::Signature& s : traces[r].signatures) total += std::pow(s.src_len, power);
        for (std::size_t p = 0; p < selection.points.size(); ++p) {
          const select::Weight weight = r == 0 ? selection.points[p].weight : selection.further[0].weights[p];
          EXPECT_GE(weight.millionths, 0);
          weighed += weight.iterations() * std::pow(selection.points[p].signature.src_len, power);
        }
        EXPECT_NEAR(weighed, total, (power == 0 ? 1e-9 : 1e-6) * total) << "run " << r << ", power " << power;
      }
  });
}

// Its iterations are those of the run that has it most often.
TEST(FurtherRuns, EveryPointIsOfARunThatHasIt) {
  for_seeds(affordable(20), [](Draw& draw) {
    const auto traces = shuffled_and_sorted(draw, 800, 8);
    const select::Selection selection = select::select(traces.front(), params_for(traces, 8));
    for (const select::Point& point : selection.points) {
      const auto count = [&](std::size_t r) {
        return std::min<std::ptrdiff_t>(std::ranges::count(traces[r].signatures, point.signature), 10);
      };
      EXPECT_EQ(point.run, count(1) > count(0) ? 1U : 0U);
      EXPECT_EQ(static_cast<std::ptrdiff_t>(point.iterations.size()), count(point.run));
      for (const std::uint64_t i : point.iterations) EXPECT_EQ(traces[point.run].signatures[i], point.signature);
    }
  });
}

TEST(FurtherRuns, TheSameRunTwiceIsThatRun) {
  for_seeds(affordable(10), [](Draw& draw) {
    const trace::Trace run = shuffled_and_sorted(draw, 800, 8)[draw.below(2)];
    const select::Selection alone = select::select(run, params_for({run}, 7)),
                            twice = select::select(run, params_for({run, run}, 7));
    ASSERT_EQ(alone.points.size(), twice.points.size());
    for (std::size_t p = 0; p < alone.points.size(); ++p) {
      EXPECT_EQ(alone.points[p].signature, twice.points[p].signature);
      EXPECT_NEAR(alone.points[p].weight.iterations(), twice.points[p].weight.iterations(), 1e-5);
      EXPECT_EQ(twice.points[p].weight, twice.further[0].weights[p]);
    }
  });
}

TEST(FurtherRuns, TheirOrderChangesNothing) {
  for_seeds(affordable(10), [](Draw& draw) {
    auto traces = shuffled_and_sorted(draw, 800, 8);
    const select::Selection one = select::select(traces.front(), params_for(traces, 7));
    std::swap(traces[0], traces[1]);
    const select::Selection other = select::select(traces.front(), params_for(traces, 7));
    ASSERT_EQ(one.points.size(), other.points.size());
    for (std::size_t p = 0; p < one.points.size(); ++p) {
      EXPECT_EQ(one.points[p].signature, other.points[p].signature);
      EXPECT_NEAR(one.points[p].weight.iterations(), other.further[0].weights[p].iterations(), 1e-4);
      EXPECT_NEAR(one.further[0].weights[p].iterations(), other.points[p].weight.iterations(), 1e-4);
    }
  });
}

/// Costs by length, drawn from the model: free shapes in any amount, misfit, what disturbs, levels of processes.
class DrawnCosts {
 public:
  explicit DrawnCosts(const DenseRuns& runs) : runs_(runs) {
    Eigen::MatrixXd covariance = runs.misfit;
    covariance.diagonal().array() += 1e-14;
    root_ = covariance.llt().matrixL();
  }
  void draw_anew(Draw& draw, double noise, double misfit, double level) {
    noise_ = noise;
    measuring_ = 1 + level * draw.normal();
    running_ = 1 + level * draw.normal();
    Eigen::VectorXd independent(root_.cols());
    for (double& x : independent) x = draw.normal();
    Eigen::Vector3d amounts(draw.uniform(), draw.uniform(), draw.uniform());
    costs_ = runs_.free * (amounts / amounts.sum()) + misfit * (root_ * independent);
  }
  double measured(Eigen::Index at, double variance, Draw& draw) const {
    return measuring_ * (costs_[at] + noise_ * runs_.z[at] * std::sqrt(variance) * draw.normal());
  }
  double total(const trace::RunSummary& run, Draw& draw) const {
    double sum = 0;
    for (const auto& [signature, count] : run.histogram) {
      const Eigen::Index at = runs_.place_of(signature.src_len);
      const auto n = static_cast<double>(count);
      sum += n * costs_[at] + noise_ * std::sqrt(n * runs_.disturbance[at]) * draw.normal();
    }
    return running_ * sum;
  }

 private:
  const DenseRuns& runs_;
  Eigen::MatrixXd root_;
  Eigen::VectorXd costs_;
  double noise_ = 1, measuring_ = 1, running_ = 1;
};

TEST(FurtherRuns, ErrorsOfSimulatedTotalsAreAsLargeAsIsExpectedOfEveryRun) {
  for_seeds(4, [](Draw& draw) {
    const auto traces = shuffled_and_sorted(draw, 800, 8);
    const auto runs = summaries(traces);
    const DenseRuns dense(runs);
    const select::Selection selection = select::select_with_repeats(traces.front(), params_for(traces, 8), {});
    if (!selection.notes.empty()) return;
    DrawnCosts costs(dense);
    constexpr int kDraws = 4000;
    double squares[2] = {0, 0};
    for (int d = 0; d < kDraws; ++d) {
      costs.draw_anew(draw, 1, 1, 0);
      double projected[2] = {0, 0};
      for (std::size_t p = 0; p < selection.points.size(); ++p) {
        const select::Point& point = selection.points[p];
        const auto r = static_cast<double>(point.repeats), n = static_cast<double>(point.iterations.size());
        const double variance = 0.045 * 0.045 / std::min(r, n) + 0.04 * 0.04 / r;
        const double cost = costs.measured(dense.place_of(point.signature.src_len), variance, draw);
        projected[0] += point.weight.iterations() * cost;
        projected[1] += selection.further[0].weights[p].iterations() * cost;
      }
      for (std::size_t r = 0; r < 2; ++r)
        squares[r] += std::pow((projected[r] - costs.total(runs[r], draw)) /
                                   (static_cast<double>(runs[r].iterations) * dense.own_total[r]),
                               2);
    }
    for (std::size_t r = 0; r < 2; ++r) {
      // Of possible shapes, which these costs have none of: the mean square of what the weights miss.
      Eigen::VectorXd missed = -dense.possible.transpose() * dense.shares.col(r);
      for (std::size_t p = 0; p < selection.points.size(); ++p) {
        const select::Weight weight = r == 0 ? selection.points[p].weight : selection.further[0].weights[p];
        missed += weight.iterations() / static_cast<double>(runs[r].iterations) *
                  dense.possible.row(dense.place_of(selection.points[p].signature.src_len)).transpose();
      }
      const double shapes =
          missed.squaredNorm() / static_cast<double>(missed.size()) / (dense.own_total[r] * dense.own_total[r]);
      const double expected = (r == 0 ? selection.method.repeats->expected : selection.further[0].expected).total();
      EXPECT_NEAR(squares[r] / kDraws / (expected * expected - shapes), 1, 4 * std::sqrt(2.0 / kDraws)) << "run " << r;
    }
  });
}

TEST(FurtherRuns, IntervalsOfEveryRunAndOfTheirDifferenceHoldAsStated) {
  constexpr int kRuns = 4, kDraws = affordable(200);
  int held[3] = {0, 0, 0}, all = 0;
  for (std::uint32_t seed = 1; seed <= kRuns; ++seed) {
    Draw draw(seed);
    const auto traces = shuffled_and_sorted(draw, 800, 8);
    const DenseRuns dense(summaries(traces));
    const select::Selection selection = select::select(traces.front(), params_for(traces, 8));
    const std::vector<project::Candidate> candidates{
        {"a", {.source = "a", .digest = "", .run = selection.run}},
        {"b", {.source = "b", .digest = "", .run = selection.further[0].run}}};
    DrawnCosts costs(dense);
    for (int d = 0; d < kDraws; ++d) {
      costs.draw_anew(draw, std::exp(0.5 * draw.normal()), std::exp(draw.normal()),
                      0.02 * std::exp(0.8 * draw.normal()));
      std::vector<project::NamedMeasurements> measured{{"v1", {.metrics = {"runtime_s"}, .readings = {{}}}}};
      for (const select::Point& point : selection.points)
        measured[0].measurements.readings[0].push_back(
            {costs.measured(dense.place_of(point.signature.src_len), 0.045 * 0.045 + 0.04 * 0.04, draw)});
      const double truths[] = {costs.total(selection.run, draw), costs.total(selection.further[0].run, draw)};
      const auto runs = project::rank(selection, candidates, measured, {}).configurations[0].runs;
      const auto holds = [](const std::optional<project::Interval>& interval, double truth) {
        return interval && interval->low <= truth && truth <= interval->high ? 1 : 0;
      };
      for (const project::RankedRun& run : runs) held[run.candidate] += holds(run.interval, truths[run.candidate]);
      held[2] += holds(runs[1].difference_interval, truths[runs[1].candidate] - truths[runs[0].candidate]);
      ++all;
    }
  }
  for (const int count : held) EXPECT_NEAR(static_cast<double>(count) / all, 0.95, 4 * std::sqrt(0.95 * 0.05 / all));
}

// With all points measured a run's total is its weights times what was measured; without one, it is predicted.
TEST(FurtherRuns, TotalsAreTheSelectedWeightsTimesMeasurements) {
  for_seeds(affordable(10), [](Draw& draw) {
    const auto traces = shuffled_and_sorted(draw, 800, 8);
    const select::Selection selection = select::select(traces.front(), params_for(traces, 8));
    if (!selection.notes.empty()) return;  // no weights of these points meet all totals
    const project::TargetRun target{.source = "b", .digest = "", .run = selection.further[0].run};
    std::vector<project::NamedMeasurements> measured{{"v1", {.metrics = {"runtime_s"}, .readings = {{}}}}};
    double first = 0, further = 0;
    for (std::size_t p = 0; p < selection.points.size(); ++p) {
      const double cost = 1 + draw.uniform();
      measured[0].measurements.readings[0].push_back({cost});
      first += selection.points[p].weight.iterations() * cost;
      further += selection.further[0].weights[p].iterations() * cost;
    }
    const auto total = [](const project::Projection& projection) {
      return projection.configurations[0].metrics[0].value;
    };
    EXPECT_NEAR(total(project::project(selection, measured, {})), first, 1e-9 * first);
    const project::Projection of_further = project::project_onto(selection, target, measured, {});
    EXPECT_NEAR(total(of_further), further, 1e-9 * further);
    EXPECT_TRUE(of_further.target_run->selected);
    EXPECT_EQ(of_further.configurations[0].coverage, 1);
    // In proportion to length, whatever is missing: a prediction is that, too.
    for (std::size_t p = 0; p < selection.points.size(); ++p)
      measured[0].measurements.readings[0][p] = {static_cast<double>(selection.points[p].signature.src_len)};
    const std::size_t gone = draw.below(selection.points.size());
    measured[0].measurements.readings[0][gone].clear();
    const project::Projection without = project::project_onto(selection, target, measured, {});
    double truth = 0;
    for (const trace::Signature& s : traces[1].signatures) truth += s.src_len;
    EXPECT_NEAR(total(without), truth, 1e-6 * truth);
    const double missing = select::weight_of(selection, gone, 1).iterations();
    EXPECT_NEAR(without.configurations[0].coverage, 1 - missing / static_cast<double>(target.run.iterations), 1e-9);
    EXPECT_EQ(without.configurations[0].missing_points, std::vector{selection.points[gone].id});
  });
}

}  // namespace
}  // namespace seqpoint::further_runs_property
