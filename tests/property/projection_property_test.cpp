// Sorting measurements to points and projecting them, against the formulas written out: a run's total is the sum of
// weight x mean of the repeats, the weights are the selected ones or, where a point is missing, those of kriging, and
// all else follows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "dense_model.hpp"
#include "property/draw.hpp"

namespace projection_property {
namespace {

using seqpoint::profile::Measurements;
using seqpoint::profile::ProfileRow;
using seqpoint::profile::ProfileTable;
using seqpoint::profile::StepIdentity;
using seqpoint::project::ConfigurationProjection;
using seqpoint::project::MetricKind;
using seqpoint::project::NamedMeasurements;
using seqpoint::project::ProjectParams;
using seqpoint::select::Point;
using seqpoint::select::Selection;
using seqpoint::testing::Draw;
using seqpoint::testing::for_seeds;
using Values = std::vector<std::vector<double>>;                         // repeats by point
using Numbers = std::vector<std::vector<std::optional<std::uint64_t>>>;  // iterations that they were measured at

/// Points of one length each, whose weights add up to the iterations of a run that has other lengths too.
Selection random_selection(Draw& draw, std::uint64_t fewest = 1) {
  Selection selection;
  std::int64_t sum = 0;
  std::uint32_t length = 0;
  for (std::uint64_t p = 1, points = draw.between(fewest, 12U); p <= points; ++p) {
    length += static_cast<std::uint32_t>(draw.between(1, 4));
    selection.run.histogram.push_back({{length, 0, 8}, draw.between(1U, 20U)});
    const auto weight = static_cast<std::int64_t>(draw.between(1, 50'000'000));
    selection.points.push_back({"sp" + std::to_string(p), {length, 0, 8}, {weight}, {10 * p, 10 * p + 1}, {}});
    sum += weight;
    if (draw.below(2) == 0) selection.run.histogram.push_back({{++length, 0, 8}, draw.between(1U, 20U)});
  }
  const std::int64_t rest = 1'000'000 - sum % 1'000'000;
  selection.points[0].weight.millionths += rest;
  selection.run.iterations = static_cast<std::uint64_t>((sum + rest) / 1'000'000);
  // As many iterations as the weights say, most of them of one length.
  std::uint64_t counted = 0;
  for (const seqpoint::trace::ShapeCount& entry : selection.run.histogram) counted += entry.count;
  if (counted < selection.run.iterations) {
    selection.run.histogram[draw.below(selection.run.histogram.size())].count += selection.run.iterations - counted;
  } else {
    selection.points[0].weight.millionths += static_cast<std::int64_t>(counted - selection.run.iterations) * 1'000'000;
    selection.run.iterations = counted;
  }
  selection.run.epochs = draw.between(1, 4);
  selection.run.samples = draw.between(1, 1'000'000);
  selection.run.padded_tokens = draw.between(1, 1'000'000);
  if (draw.below(2) == 0) selection.run.tokens = draw.between(1, 1'000'000);
  return selection;
}

const std::vector<std::string> kMetrics = {"runtime_s", "energy_j", "bytes"};

/// What a profile may lack: nothing, all of some points, or also single values.
enum class Gaps { none, points, values };

/// A configuration as one or two files and as what they say.
struct Profiled {
  std::vector<ProfileTable> files;
  std::vector<Values> values;  ///< by metric
  std::vector<Numbers> numbers;
};

/// What identifies a row of the point.
StepIdentity identity_for(Draw& draw, const Point& point, ProfileTable::Key key) {
  StepIdentity identity;
  if (key == ProfileTable::Key::point) identity.point = point.id;
  if (key == ProfileTable::Key::shape) identity.key.src_len = point.shape.src_len;
  if (key == ProfileTable::Key::iteration) identity.iteration = point.iterations[draw.below(2)];
  return identity;
}

/// The point of every row: one to five rows a point, in any order. Point `sure` is among them.
std::vector<std::size_t> random_owners(Draw& draw, std::size_t points, std::size_t sure, Gaps gaps) {
  std::vector<std::size_t> owners;
  for (std::size_t p = 0; p < points; ++p)
    if (p == sure || gaps == Gaps::none || draw.below(3) > 0) owners.insert(owners.end(), draw.between(1, 5), p);
  for (std::size_t i = owners.size(); i-- > 1;) std::swap(owners[i], owners[draw.below(i + 1)]);
  return owners;
}

Profiled random_profile(Draw& draw, const Selection& selection, Gaps gaps = Gaps::none) {
  Profiled all{std::vector<ProfileTable>(2), std::vector<Values>(kMetrics.size(), Values(selection.points.size())),
               std::vector<Numbers>(kMetrics.size(), Numbers(selection.points.size()))};
  for (ProfileTable& file : all.files) {
    file.metrics = kMetrics;
    file.key = static_cast<ProfileTable::Key>(draw.below(3));
  }
  const std::size_t sure = draw.below(selection.points.size());
  const std::vector<std::size_t> owners = random_owners(draw, selection.points.size(), sure, gaps);
  const std::size_t first_file = draw.below(owners.size() + 1);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    ProfileTable& file = all.files[i < first_file ? 0 : 1];
    const StepIdentity identity = identity_for(draw, selection.points[owners[i]], file.key);
    std::vector<double> values;
    for (std::size_t m = 0; m < kMetrics.size(); ++m) {
      const bool gap = gaps == Gaps::values && owners[i] != sure && draw.below(4) == 0;
      values.push_back(gap ? std::numeric_limits<double>::quiet_NaN() : draw.positive());
      if (gap) continue;
      all.values[m][owners[i]].push_back(values.back());
      all.numbers[m][owners[i]].push_back(identity.iteration);
    }
    file.add({.point = identity.point, .key = identity.key}, values).iteration = identity.iteration;
  }
  std::erase_if(all.files, [](const ProfileTable& file) { return file.rows.empty(); });  // which is refused
  return all;
}

double middle(std::vector<double> repeats, bool robust) {
  long double sum = 0;
  for (const double value : repeats) sum += value;
  if (!robust) return static_cast<double>(sum / static_cast<long double>(repeats.size()));
  std::sort(repeats.begin(), repeats.end());
  return (repeats[(repeats.size() - 1) / 2] + repeats[repeats.size() / 2]) / 2;
}

/// How many iterations, and how many measurements, the mean or median of what was measured at a point is as good as.
std::pair<double, double> effective_counts(const std::vector<std::optional<std::uint64_t>>& numbers, bool robust) {
  std::map<std::optional<std::uint64_t>, double> times;
  for (const auto& number : numbers) ++times[number];
  double squares = 0;
  const auto all = static_cast<double>(numbers.size());
  for (const auto& [number, n] : times) squares += n * n;
  const double noisier = robust && numbers.size() > 2 ? std::numbers::pi / 2 : 1;
  return {all * all / squares / noisier, all / noisier};
}

/// Iterations that every measured point stands for: as selected, or of the best prediction by those there are.
std::vector<double> weights(const Selection& selection, const Numbers& numbers, bool robust) {
  std::vector<double> all(numbers.size()), lengths, iterations, measurements;
  std::vector<std::size_t> measured;
  for (std::size_t p = 0; p < numbers.size(); ++p) {
    if (numbers[p].empty()) continue;
    measured.push_back(p);
    all[p] = selection.points[p].weight.iterations();
    lengths.push_back(static_cast<double>(selection.points[p].shape.src_len));
    const auto [different, often] = effective_counts(numbers[p], robust);
    iterations.push_back(different);
    measurements.push_back(often);
  }
  if (measured.size() == numbers.size()) return all;
  const seqpoint::testing::DenseModel model(selection.run, lengths, iterations, measurements);
  const Eigen::VectorXd v = model.predicted_own(selection.run).weights;
  for (std::size_t i = 0; i < measured.size(); ++i)
    all[measured[i]] = v[static_cast<Eigen::Index>(i)] * static_cast<double>(selection.run.iterations);
  return all;
}

/// A total, and what its terms add up to without their signs: of that an error is a share.
struct Total {
  double value = 0, size = 0;

  void add(double term) {
    value += term;
    size += std::abs(term);
  }
};

Total total(const Selection& selection, const Profiled& profile, std::size_t m, bool robust = false) {
  const std::vector<double> weight = weights(selection, profile.numbers[m], robust);
  Total sum;
  for (std::size_t p = 0; p < weight.size(); ++p)
    if (!profile.values[m][p].empty()) sum.add(weight[p] * middle(profile.values[m][p], robust));
  return sum;
}

double measured_weight(const Selection& selection, const Values& values) {
  double measured = 0;
  for (std::size_t p = 0; p < values.size(); ++p)
    if (!values[p].empty()) measured += selection.points[p].weight.iterations();
  return measured / static_cast<double>(selection.run.iterations);
}

/// The measurements as of one process: totals are plain means only where processes do not differ.
Measurements of_one_process(const Selection& selection, const Profiled& profile) {
  Measurements measured = seqpoint::profile::match(profile.files, selection);
  measured.process_names.resize(1);
  for (auto& points : measured.readings)
    for (auto& readings : points)
      for (seqpoint::profile::Reading& reading : readings) reading.process = 0;
  return measured;
}

ConfigurationProjection project_one(const Selection& selection, const Profiled& profile,
                                    const ProjectParams& params = {}) {
  const std::vector<NamedMeasurements> all = {{"v1", of_one_process(selection, profile)}};
  return seqpoint::project::project(selection, all, params).configurations.at(0);
}

const seqpoint::project::MetricProjection& metric(const ConfigurationProjection& projection, const std::string& name) {
  for (const auto& candidate : projection.metrics)
    if (candidate.name == name) return candidate;
  throw std::runtime_error("no metric " + name);
}

void expect_close(double actual, double expected, double share = 1e-12) {
  EXPECT_NEAR(actual, expected, share * std::abs(expected));
}
void expect_close(double actual, const Total& expected) { EXPECT_NEAR(actual, expected.value, 1e-10 * expected.size); }

TEST(MatchProperty, RowsBecomeTheRepeatsOfTheirPointHoweverTheyNameIt) {
  for_seeds(500, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profile = random_profile(draw, selection, Gaps::values);
    const Measurements measured = seqpoint::profile::match(profile.files, selection);
    EXPECT_EQ(measured.metrics, kMetrics);
    for (std::size_t m = 0; m < kMetrics.size(); ++m)
      for (std::size_t p = 0; p < selection.points.size(); ++p) {
        std::vector<std::optional<std::uint64_t>> numbers;
        for (const seqpoint::profile::Reading& reading : measured.readings.at(m).at(p))
          numbers.push_back(reading.iteration);
        EXPECT_EQ(seqpoint::profile::values_of(measured.readings[m][p]), profile.values[m][p]);
        EXPECT_EQ(numbers, profile.numbers[m][p]);
      }
    std::size_t rows = 0;
    for (const ProfileTable& file : profile.files) rows += file.rows.size();
    EXPECT_EQ(measured.rows, rows);
    EXPECT_EQ(measured.matched_rows, measured.rows);
  });
}

TEST(MatchProperty, WarmUpIsLeftOutOfEveryFile) {
  for_seeds(500, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    Profiled profile = random_profile(draw, selection);
    for (const ProfileTable& file : profile.files)
      if (file.rows.size() < 2) return;  // nothing would be left of it
    const Measurements measured = seqpoint::profile::match(profile.files, selection, 1);
    for (ProfileTable& file : profile.files) file.rows.erase(file.rows.begin());
    EXPECT_EQ(measured.warmup_rows, profile.files.size());
    EXPECT_EQ(measured.readings, seqpoint::profile::match(profile.files, selection).readings);
  });
}

TEST(ProjectProperty, TotalsAreWeightTimesMeanOrMedianAndKrigingsWherePointsAreMissing) {
  for_seeds(500, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profile = random_profile(draw, selection, static_cast<Gaps>(draw.below(3)));
    ProjectParams params;
    params.median = draw.below(2) == 0;
    const ConfigurationProjection projection = project_one(selection, profile, params);
    double least = 1;
    for (std::size_t m = 0; m < kMetrics.size(); ++m) {
      const auto& result = metric(projection, kMetrics[m]);
      const Total expected = total(selection, profile, m, params.median);
      expect_close(result.value, expected);
      expect_close(result.per_epoch.value_or(0), result.value / static_cast<double>(selection.run.epochs));
      expect_close(result.measured_weight, measured_weight(selection, profile.values[m]));
      least = std::min(least, result.measured_weight);
    }
    EXPECT_EQ(projection.measured_weight, least);
  });
}

TEST(ProjectProperty, RatesAndRatiosFollowTheirDefinitions) {
  for_seeds(150, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profile = random_profile(draw, selection, Gaps::points);
    ProjectParams params;
    params.aggregate = {{"energy_j", MetricKind::rate}};
    params.rates = {{"bandwidth", "bytes", "runtime_s"}};
    const Total time = total(selection, profile, 0), bytes = total(selection, profile, 2);
    if (std::abs(time.value) < 1e-3 * time.size) return;  // weights below 0: nothing to divide by
    const ConfigurationProjection projection = project_one(selection, profile, params);
    const std::vector<double> weight = weights(selection, profile.numbers[0], false);
    Total weighted;
    std::vector<std::string> missing;
    for (std::size_t p = 0; p < weight.size(); ++p) {
      if (profile.values[0][p].empty()) missing.push_back(selection.points[p].id);
      if (profile.values[0][p].empty()) continue;
      weighted.add(weight[p] * middle(profile.values[0][p], false) * middle(profile.values[1][p], false));
    }
    EXPECT_NEAR(metric(projection, "energy_j").value, weighted.value / time.value,
                1e-7 * weighted.size / std::abs(time.value));
    EXPECT_NEAR(metric(projection, "bandwidth").value, bytes.value / time.value,
                1e-7 * bytes.size / std::abs(time.value));
    EXPECT_EQ(projection.missing_points, missing);
  });
}

/// Costs in proportion to the length, the same in every repeat.
void cost_in_proportion(double by, const Selection& selection, Profiled& profile) {
  const auto cost = [&](double s) { return by * s; };
  for (ProfileTable& file : profile.files)
    for (const ProfileRow& row : file.rows)
      for (const Point& point : selection.points)
        if (point.id == file.subject(row).point || file.subject(row).key.src_len == point.shape.src_len ||
            (row.iteration && *row.iteration / 10 == point.iterations[0] / 10))
          for (std::vector<double>& column : file.values)
            column[row.place] = cost(static_cast<double>(point.shape.src_len));
}

// It is what a prediction takes cost to be, before the points show another; so the longest length that was not measured
// is no secret.
TEST(ProjectProperty, CostsInProportionToSizeAndTheirMaximaAreExactHoweverFewPointsAreLeft) {
  int gaps = 0;
  for_seeds(500, [&](Draw& draw) {
    const Selection selection = random_selection(draw, 2);
    Profiled profile = random_profile(draw, selection, Gaps::points);
    const double by = 0.1 + draw.uniform();
    cost_in_proportion(by, selection, profile);
    std::size_t left = 0;
    for (const auto& repeats : profile.values[0]) left += repeats.empty() ? 0 : 1;
    if (left == selection.points.size()) return;  // with all of them, weights are as selected
    ++gaps;
    ProjectParams params;
    params.aggregate = {{"bytes", MetricKind::max}};
    const ConfigurationProjection projection = project_one(selection, profile, params);
    double truth = 0, most = 0;
    for (const auto& [shape, count] : selection.run.histogram) {
      truth += static_cast<double>(count) * by * shape.src_len;
      most = std::max(most, by * shape.src_len);
    }
    expect_close(metric(projection, "runtime_s").value, truth, 1e-8);
    EXPECT_EQ(metric(projection, "runtime_s").interval.has_value(), left > 3);
    if (left > 3) expect_close(metric(projection, "bytes").value, most, 1e-8);
  });
  EXPECT_GT(gaps, seqpoint::testing::every_seed() ? 100 : 0);
}

TEST(ProjectProperty, AMaximumIsNoLessThanTheLargestMeasured) {
  for_seeds(300, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profile = random_profile(draw, selection, Gaps::values);
    ProjectParams params;
    params.aggregate = {{"bytes", MetricKind::max}};
    const ConfigurationProjection projection = project_one(selection, profile, params);
    const auto& most = metric(projection, "bytes");
    double largest = 0;
    for (const auto& repeats : profile.values[2])
      if (!repeats.empty()) largest = std::max(largest, middle(repeats, false));
    EXPECT_GE(most.value, largest * (1 - 1e-12));
    if (most.interval) {
      EXPECT_TRUE(largest * (1 - 1e-12) <= most.interval->low && most.interval->low <= most.value &&
                  most.value <= most.interval->high);
    }
  });
}

TEST(ProjectProperty, IntervalsAreThereFromTwoPointsOnAndSaidWhyWhereNot) {
  for_seeds(300, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profile = random_profile(draw, selection);
    for (const auto& result : project_one(selection, profile).metrics) {
      EXPECT_TRUE(result.interval.has_value() || selection.points.size() == 1);
      EXPECT_EQ(result.interval.has_value(), result.interval.reason.empty());
      if (result.interval) {
        EXPECT_TRUE(0 <= result.interval->low && result.interval->low < result.value &&
                    result.value < result.interval->high);
      }
    }
  });
}

TEST(ProjectProperty, SpeedupsAndThroughputsFollowFromTheTotals) {
  for_seeds(100, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profiles[] = {random_profile(draw, selection), random_profile(draw, selection)};
    const std::vector<NamedMeasurements> all = {{"v1", of_one_process(selection, profiles[0])},
                                                {"v2", of_one_process(selection, profiles[1])}};
    const std::size_t base = draw.below(2);
    ProjectParams params;
    params.baseline = all[base].name;
    const seqpoint::project::Projection projection = seqpoint::project::project(selection, all, params);
    EXPECT_EQ(projection.baseline, params.baseline);
    const ConfigurationProjection& other = projection.configurations.at(1 - base);
    for (const auto& speedup : other.speedups) {
      const auto m =
          static_cast<std::size_t>(std::find(kMetrics.begin(), kMetrics.end(), speedup.metric) - kMetrics.begin());
      expect_close(speedup.value,
                   total(selection, profiles[base], m).value / total(selection, profiles[1 - base], m).value);
    }
    EXPECT_EQ(other.speedups.size(), kMetrics.size());
    const double time = total(selection, profiles[1 - base], 0).value;
    ASSERT_TRUE(other.throughput);
    EXPECT_EQ(other.throughput->time_metric, "runtime_s");
    expect_close(other.throughput->samples_per_s, static_cast<double>(selection.run.samples) / time);
    expect_close(other.throughput->padded_tokens_per_s, static_cast<double>(selection.run.padded_tokens) / time);
    ASSERT_EQ(other.throughput->tokens_per_s.has_value(), selection.run.tokens.has_value());
    expect_close(other.throughput->tokens_per_s.value_or(0),
                 static_cast<double>(selection.run.tokens.value_or(0)) / time);
  });
}

// energy_j becomes runtime_s + factor x bytes in every row, and so must its total.
TEST(ProjectProperty, TotalsAreLinearInTheMeasurements) {
  for_seeds(500, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    Profiled profile = random_profile(draw, selection, Gaps::points);
    const double factor = draw.positive();
    for (ProfileTable& file : profile.files)
      for (std::size_t r = 0; r < file.rows.size(); ++r)
        file.values[1][r] = file.values[0][r] + factor * file.values[2][r];
    const ConfigurationProjection projection = project_one(selection, profile);
    const double sum = metric(projection, "runtime_s").value + factor * metric(projection, "bytes").value;
    EXPECT_NEAR(metric(projection, "energy_j").value, sum,
                1e-12 * (total(selection, profile, 0).size + factor * total(selection, profile, 2).size));
  });
}

}  // namespace
}  // namespace projection_property
