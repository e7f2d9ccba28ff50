// Intervals hold what they are stated for as often as they say: costs that are drawn as the model says, of any scale
// that it takes to be possible; and quieter or louder machines than it expects. Seeds are fixed, so that this passes
// always or never.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/project/projection.hpp"
#include "property/draw.hpp"

namespace seqpoint::interval_coverage {
namespace {

using testing::Draw;

/// Lengths of a bell, a long tail or a box; pairs are about as long as each other.
trace::Trace random_run(Draw& draw, int shape, bool paired) {
  trace::Trace run;
  run.kind = trace::kind_of(trace::BatchLayout::padded, paired);
  const double middle = 40 + 200 * draw.uniform();
  for (int i = 0; i < 300; ++i) {
    const double x = shape == 0   ? 1 + 0.25 * draw.normal()
                     : shape == 1 ? std::exp(0.5 * draw.normal())
                                  : 0.4 + 1.2 * draw.uniform();
    trace::Shape s{.src_len = static_cast<std::uint32_t>(std::max(1.0, middle * x)), .batch_size = 32};
    if (paired) s.tgt_len = static_cast<std::uint32_t>(std::max(1.0, middle * x * (1 + 0.2 * draw.normal())));
    run.shapes.push_back(s);
  }
  return run;
}

/// Of disturbances, of misfit, and of levels of processes.
struct Scales {
  double noise = 1, misfit = 1, level = 0.02;
};

/// Costs of a run's shapes and iterations: the free basis functions in any amount, misfit, what disturbs, and levels of
/// the process that measures and of the one that runs.
class Machine {
 public:
  static constexpr double kJag = 0.045, kIteration = 0.045, kMeasurement = 0.04;

  Machine(const trace::RunSummary& run, const Eigen::MatrixXd& root, const Scales& scales, Draw& draw)
      : run_(run),
        scale_(scales.noise),
        measuring_(1 + scales.level * draw.normal()),
        running_(1 + scales.level * draw.normal()) {
    Eigen::VectorXd jagged(root.rows());
    for (double& entry : jagged) entry = draw.normal();
    jagged_ = scales.misfit * (root * jagged);
    double sizes = 0, squares = 0;
    for (const auto& [s, count] : run.histogram) {
      sizes += static_cast<double>(count) * size(s);
      squares += static_cast<double>(count) * square(s);
    }
    constant_ = 0.2 * draw.uniform() * sizes / static_cast<double>(run.iterations);
    linear_ = 0.5 + 0.5 * draw.uniform();
    quadratic_ = 0.5 * draw.uniform() * sizes / squares;
    target_ = run.kind == trace::ShapeKind::padded_pair ? draw.uniform() - 0.5 : 0;
    double mean = 0;
    for (const auto& [s, count] : run.histogram) mean += static_cast<double>(count) * smooth(s);
    unit_ = mean / sizes;  // of disturbances: a share of the mean cost for a shape of mean size
  }
  double smooth(const trace::Shape& s) const {
    return constant_ + linear_ * (s.src_len + (1 + target_) * s.tgt_len) + quadratic_ * square(s);
  }
  double cost(std::size_t g) const {
    return smooth(shape(g)) + unit_ * size(shape(g)) * jagged_[static_cast<Eigen::Index>(g)];
  }
  /// So many measurements, each of an iteration of its own or all of one.
  std::vector<double> measured(std::size_t g, std::uint64_t repeats, bool of_one, Draw& draw) const {
    std::vector<double> values;
    const double own = draw.normal();
    for (std::uint64_t r = 0; r < repeats; ++r) {
      const double off = kIteration * (of_one ? own : draw.normal()) + kMeasurement * draw.normal();
      values.push_back(measuring_ * (cost(g) + unit_ * size(shape(g)) * scale_ * off));
    }
    return values;
  }
  /// Of the run, in a process of its own; or what it costs on the mean of all processes.
  double total(Draw& draw) const { return running_ * sum_with(scale_, draw); }
  double mean_total(Draw& draw) const { return sum_with(0, draw); }

  static double size(const trace::Shape& s) { return s.src_len + s.tgt_len; }
  static double alike(double a, double b) {
    double all = 0;
    for (const double scale : {4.0, 16.0, 64.0}) all += std::exp(-std::abs(a - b) / scale) / 3;
    return all;
  }
  /// A root of the covariance of what jags, as shares of cost.
  static Eigen::MatrixXd root_of(const trace::RunSummary& run) {
    const auto n = static_cast<Eigen::Index>(run.histogram.size());
    Eigen::MatrixXd covariance(n, n);
    for (Eigen::Index g = 0; g < n; ++g)
      for (Eigen::Index h = 0; h < n; ++h) {
        const trace::Shape &a = run.histogram[static_cast<std::size_t>(g)].shape,
                           &b = run.histogram[static_cast<std::size_t>(h)].shape;
        const double source = alike(a.src_len, b.src_len);
        const double shared =
            run.kind == trace::ShapeKind::padded_pair ? (source + alike(a.tgt_len, b.tgt_len)) / 2 : source;
        covariance(g, h) = kJag * kJag * (shared + (g == h ? 1 : 0)) / 2;
      }
    covariance.diagonal().array() += 1e-12;
    return Eigen::LLT<Eigen::MatrixXd>(covariance).matrixL();
  }

 private:
  double sum_with(double scale, Draw& draw) const {
    double sum = 0;
    for (std::size_t g = 0; g < run_.histogram.size(); ++g) {
      const auto count = static_cast<double>(run_.histogram[g].count);
      const double off = scale * std::hypot(kIteration, kMeasurement) * std::sqrt(count) * draw.normal();
      sum += count * cost(g) + unit_ * size(shape(g)) * off;
    }
    return sum;
  }
  double square(const trace::Shape& s) const {
    return static_cast<double>(s.src_len) * (run_.kind == trace::ShapeKind::padded_pair ? s.tgt_len : s.src_len);
  }
  const trace::Shape& shape(std::size_t g) const { return run_.histogram[g].shape; }

  const trace::RunSummary& run_;
  double scale_, measuring_, running_, constant_, linear_, quadratic_, target_, unit_;
  Eigen::VectorXd jagged_;
};

/// How often intervals held the truth, and how wide they were.
struct Tally {
  int held = 0, all = 0, without = 0;
  double half_widths = 0, squared_errors = 0;  ///< as shares of the truth

  void add(const std::optional<project::Interval>& interval, double value, double truth) {
    if (!interval) ++without;  // misfit so large that a total is not above zero
    if (!interval) return;
    ++all;
    held += interval->low <= truth && truth <= interval->high ? 1 : 0;
    half_widths += (interval->high - interval->low) / 2 / truth;
    squared_errors += std::pow(value / truth - 1, 2);
  }
  double coverage() const { return static_cast<double>(held) / all; }
  /// The mean half-width over the root mean square error.
  double width() const { return half_widths / all / std::sqrt(squared_errors / all); }
};

struct Case {
  std::uint64_t points, repeats;
  bool paired, missing;  ///< `missing`: a point is
  double confidence;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.points << " points, " << c.repeats << " repeats" << (c.paired ? ", pairs" : "")
               << (c.missing ? ", one missing" : "") << ", " << c.confidence;
  }
};

class Coverage : public ::testing::TestWithParam<Case> {
 protected:
  /// Machines of scales that `scales_of` draws.
  template <class ScalesOf>
  void measure(ScalesOf scales_of) {
    const Case& c = GetParam();
    for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
      Draw draw(seed);
      select::SelectParams params;
      params.points = c.points;
      const select::Selection selection =
          select::select(random_run(draw, static_cast<int>(seed % 3), c.paired), params);
      const Eigen::MatrixXd root = Machine::root_of(selection.run);
      std::vector<std::size_t> groups;
      for (const select::Point& point : selection.points)
        for (std::size_t g = 0; g < selection.run.histogram.size(); ++g)
          if (point.matches(selection.run.histogram[g].shape)) groups.push_back(g);
      ASSERT_EQ(groups.size(), selection.points.size());
      for (int n = 0; n < kDraws; ++n) measure_once(selection, groups, root, scales_of(draw), draw);
    }
  }

  Tally totals_, speedups_;

 private:
  static constexpr std::uint32_t kRuns = testing::affordable(12);
  static constexpr int kDraws = 50;

  void measure_once(const select::Selection& selection, const std::vector<std::size_t>& groups,
                    const Eigen::MatrixXd& root, const Scales& scales, Draw& draw) {
    const Case& c = GetParam();
    const std::size_t missing = c.missing ? draw.below(groups.size()) : groups.size();
    const bool of_one = draw.below(2) == 0;
    std::vector<project::NamedMeasurements> all;
    std::vector<double> truths;
    // One of the scales; and two of less misfit, which differ from each other by as much.
    Scales of_two = scales;
    of_two.misfit /= std::sqrt(2.0);
    for (const char* const name : {"alone", "old", "new"}) {
      const Machine machine(selection.run, root, truths.empty() ? scales : of_two, draw);
      project::NamedMeasurements& named = all.emplace_back(project::NamedMeasurements{name, {}});
      named.measurements.metrics = {"runtime_s"};
      named.measurements.readings.resize(1);
      for (std::size_t p = 0; p < groups.size(); ++p) {
        std::vector<profile::Reading>& readings = named.measurements.readings[0].emplace_back();
        if (p == missing) continue;
        for (const double value : machine.measured(groups[p], c.repeats, of_one, draw))
          readings.emplace_back(value, of_one ? 0 : readings.size());
      }
      truths.push_back(truths.empty() ? machine.total(draw) : machine.mean_total(draw));
    }
    project::ProjectParams params;
    params.confidence = c.confidence;
    params.baseline = "old";
    const project::Projection projection = project::project(selection, all, params);
    const project::MetricProjection& metric = projection.configurations[0].metrics.at(0);
    const project::Speedup& speedup = projection.configurations[2].speedups.at(0);
    totals_.add(metric.interval, metric.value, truths[0]);
    speedups_.add(speedup.interval, speedup.value, truths[1] / truths[2]);
  }
};
INSTANTIATE_TEST_SUITE_P(Cases, Coverage,
                         ::testing::Values(Case{5, 1, false, false, 0.95}, Case{5, 3, false, false, 0.95},
                                           Case{8, 1, true, false, 0.95}, Case{8, 3, false, true, 0.95},
                                           Case{8, 1, false, false, 0.8}, Case{15, 1, true, true, 0.95},
                                           Case{15, 3, true, false, 0.8}));

TEST_P(Coverage, IsWhatIsStated) {
  measure([](Draw& draw) {
    return Scales{std::exp(0.5 * draw.normal()), std::exp(draw.normal()), 0.02 * std::exp(0.8 * draw.normal())};
  });
  const double confidence = GetParam().confidence, off = 3.5 * std::sqrt(confidence * (1 - confidence) / totals_.all);
  for (const Tally& tally : {totals_, speedups_}) {
    EXPECT_NEAR(tally.coverage(), confidence, off);
    EXPECT_LE(tally.without, tally.all / 100);
    EXPECT_LT(tally.width(), confidence > 0.9 ? 2.3 : 1.4) << "1.96 and 1.28 are those of an error of known variance";
  }
}

/// Few points lean on what is usual, many on what was seen.
TEST_P(Coverage, IsMoreOnAQuietMachineAndNotMuchLessOnALoudOne) {
  const double confidence = GetParam().confidence;
  measure([](Draw&) { return Scales{0.6, 0.4, 0.01}; });
  EXPECT_GE(totals_.coverage(), confidence);
  EXPECT_GE(speedups_.coverage(), confidence);
  const double quiet = totals_.half_widths;
  totals_ = speedups_ = {};
  measure([](Draw&) { return Scales{1.6, 2.7, 0.04}; });
  EXPECT_GE(totals_.coverage(), 1 - 3 * (1 - confidence));
  EXPECT_GE(speedups_.coverage(), 1 - 3 * (1 - confidence));
  // What a single process may differ by does not depend on the noise within it, and is most of the width.
  EXPECT_GT(totals_.half_widths, 1.1 * quiet);
}

}  // namespace
}  // namespace seqpoint::interval_coverage
