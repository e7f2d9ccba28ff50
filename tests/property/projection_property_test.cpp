// Sorting measurements to points and projecting them, against the formulas written out: a run's total is the sum of
// weight x mean of the repeats, a missing point's weight is its nearest measured neighbour's, and all else follows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "property/draw.hpp"
#include "seqpoint/profiles.hpp"
#include "seqpoint/projection.hpp"
#include "seqpoint/selection.hpp"

namespace {

using seqpoint::ConfigurationProjection;
using seqpoint::Measurements;
using seqpoint::MetricKind;
using seqpoint::NamedMeasurements;
using seqpoint::Point;
using seqpoint::ProfileRow;
using seqpoint::ProfileTable;
using seqpoint::ProjectParams;
using seqpoint::Selection;
using seqpoint::testing::Draw;
using seqpoint::testing::for_seeds;
using Values = std::vector<std::vector<double>>;  // repeats by point

/// Points of one length each, close enough for many equal distances, whose weights add up to whole iterations.
Selection random_selection(Draw& draw) {
  Selection selection;
  std::int64_t sum = 0;
  std::uint32_t length = 0;
  for (std::uint64_t p = 1, points = draw.between(1, 12); p <= points; ++p) {
    length += static_cast<std::uint32_t>(draw.between(1, 4));
    const auto weight = static_cast<std::int64_t>(draw.between(1, 50'000'000));
    selection.points.push_back({"sp" + std::to_string(p), {length, {}, {}}, {weight}, {10 * p, 10 * p + 1}, {}});
    sum += weight;
  }
  const std::int64_t rest = 1'000'000 - sum % 1'000'000;
  selection.points[0].weight.millionths += rest;
  selection.run.iterations = static_cast<std::uint64_t>((sum + rest) / 1'000'000);
  selection.run.epochs = draw.between(1, 4);
  selection.run.samples = draw.between(1, 1'000'000);
  selection.run.padded_tokens = draw.between(1, 1'000'000);
  if (draw.below(2) == 0) selection.run.tokens = draw.between(1, 1'000'000);
  return selection;
}

const std::vector<std::string> kMetrics = {"runtime_s", "energy_j", "bytes"};

/// What a profile may lack: nothing, all of some points, or also single values.
enum class Gaps { none, points, values };

/// A configuration as two files and as what they say.
struct Profiled {
  std::vector<ProfileTable> files;
  std::vector<Values> values;  ///< by metric
};

ProfileRow row_for(Draw& draw, const Point& point, ProfileTable::Key key) {
  ProfileRow row;
  if (key == ProfileTable::Key::point) row.point = point.id;
  if (key == ProfileTable::Key::signature) row.src_len = point.key.src_len;
  if (key == ProfileTable::Key::iteration) row.iteration = point.iterations[draw.below(2)];
  return row;
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
  Profiled all{std::vector<ProfileTable>(2), std::vector<Values>(kMetrics.size(), Values(selection.points.size()))};
  for (ProfileTable& file : all.files) {
    file.metrics = kMetrics;
    file.key = static_cast<ProfileTable::Key>(draw.below(3));
  }
  const std::size_t sure = draw.below(selection.points.size());
  const std::vector<std::size_t> owners = random_owners(draw, selection.points.size(), sure, gaps);
  const std::size_t first_file = draw.below(owners.size() + 1);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    ProfileTable& file = all.files[i < first_file ? 0 : 1];
    file.rows.push_back(row_for(draw, selection.points[owners[i]], file.key));
    for (Values& values : all.values) {
      const bool gap = gaps == Gaps::values && owners[i] != sure && draw.below(4) == 0;
      file.rows.back().values.push_back(gap ? std::numeric_limits<double>::quiet_NaN() : draw.positive());
      if (!gap) values[owners[i]].push_back(file.rows.back().values.back());
    }
  }
  return all;
}

double middle(std::vector<double> repeats, bool robust) {
  long double sum = 0;
  for (const double value : repeats) sum += value;
  if (!robust) return static_cast<double>(sum / static_cast<long double>(repeats.size()));
  std::sort(repeats.begin(), repeats.end());
  return (repeats[(repeats.size() - 1) / 2] + repeats[repeats.size() / 2]) / 2;
}

/// Iterations that every measured point stands for, those of its missing neighbours included; ties to the shorter.
std::vector<double> weights(const Selection& selection, const Values& values) {
  std::vector<double> all(values.size());
  for (std::size_t p = 0; p < values.size(); ++p) {
    std::size_t nearest = values.size();
    const auto distance = [&](std::size_t q) {
      return std::abs(static_cast<int>(selection.points[q].key.src_len) -
                      static_cast<int>(selection.points[p].key.src_len));
    };
    for (std::size_t q = 0; q < values.size(); ++q)
      if (!values[q].empty() && (nearest == values.size() || distance(q) < distance(nearest))) nearest = q;
    all[nearest] += selection.points[p].weight.iterations();
  }
  return all;
}

double total(const Selection& selection, const Values& values, bool robust = false) {
  const std::vector<double> weight = weights(selection, values);
  double sum = 0;
  for (std::size_t p = 0; p < values.size(); ++p)
    if (!values[p].empty()) sum += weight[p] * middle(values[p], robust);
  return sum;
}

double coverage(const Selection& selection, const Values& values) {
  double measured = 0;
  for (std::size_t p = 0; p < values.size(); ++p)
    if (!values[p].empty()) measured += selection.points[p].weight.iterations();
  return measured / static_cast<double>(selection.run.iterations);
}

ConfigurationProjection project_one(const Selection& selection, const Profiled& profile,
                                    const ProjectParams& params = {}) {
  const std::vector<NamedMeasurements> all = {{"v1", match(profile.files, selection)}};
  return project(selection, all, params).configurations.at(0);
}

const seqpoint::MetricProjection& metric(const ConfigurationProjection& projection, const std::string& name) {
  for (const auto& candidate : projection.metrics)
    if (candidate.name == name) return candidate;
  throw std::runtime_error("no metric " + name);
}

void expect_close(double actual, double expected) { EXPECT_NEAR(actual, expected, 1e-12 * std::abs(expected)); }

TEST(MatchProperty, RowsBecomeTheRepeatsOfTheirPointHoweverTheyNameIt) {
  for_seeds(500, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profile = random_profile(draw, selection, Gaps::values);
    const Measurements measured = match(profile.files, selection);
    EXPECT_EQ(measured.metrics, kMetrics);
    EXPECT_EQ(measured.values, profile.values);
    EXPECT_EQ(measured.rows, profile.files[0].rows.size() + profile.files[1].rows.size());
    EXPECT_EQ(measured.matched_rows, measured.rows);
  });
}

TEST(MatchProperty, WarmUpIsLeftOutOfEveryFile) {
  for_seeds(500, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    Profiled profile = random_profile(draw, selection);
    if (profile.files[0].rows.size() < 2) return;  // nothing might be left
    const Measurements measured = match(profile.files, selection, 1);
    std::uint64_t left_out = 0;
    for (ProfileTable& file : profile.files) {
      left_out += file.rows.empty() ? 0 : 1;
      if (!file.rows.empty()) file.rows.erase(file.rows.begin());
    }
    EXPECT_EQ(measured.warmup_rows, left_out);
    EXPECT_EQ(measured.values, match(profile.files, selection).values);
  });
}

TEST(ProjectProperty, TotalsAreWeightTimesMeanOrMedianWithMissingWeightAtTheNearestPoint) {
  for_seeds(500, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profile = random_profile(draw, selection, Gaps::values);
    ProjectParams params;
    params.robust = draw.below(2) == 0;
    const ConfigurationProjection projection = project_one(selection, profile, params);
    double least = 1;
    for (std::size_t m = 0; m < kMetrics.size(); ++m) {
      const auto& result = metric(projection, kMetrics[m]);
      const double expected = total(selection, profile.values[m], params.robust);
      expect_close(result.value, expected);
      expect_close(result.per_epoch.value_or(0), expected / static_cast<double>(selection.run.epochs));
      expect_close(result.coverage, coverage(selection, profile.values[m]));
      least = std::min(least, result.coverage);
    }
    EXPECT_EQ(projection.coverage, least);
  });
}

TEST(ProjectProperty, MaximaRatesAndRatiosFollowTheirDefinitions) {
  for_seeds(500, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profile = random_profile(draw, selection, Gaps::points);
    ProjectParams params;
    params.kinds = {{"bytes", MetricKind::max}, {"energy_j", MetricKind::rate}};
    params.rates = {{"bandwidth", "bytes", "runtime_s"}};
    const ConfigurationProjection projection = project_one(selection, profile, params);
    const std::vector<double> weight = weights(selection, profile.values[0]);
    double largest = 0, weighted = 0;
    std::vector<std::string> missing;
    for (std::size_t p = 0; p < weight.size(); ++p) {
      if (profile.values[0][p].empty()) missing.push_back(selection.points[p].id);
      if (profile.values[0][p].empty()) continue;
      largest = std::max(largest, middle(profile.values[2][p], false));
      weighted += weight[p] * middle(profile.values[0][p], false) * middle(profile.values[1][p], false);
    }
    const double time = total(selection, profile.values[0]);
    expect_close(metric(projection, "bytes").value, largest);
    expect_close(metric(projection, "energy_j").value, weighted / time);
    expect_close(metric(projection, "bandwidth").value, total(selection, profile.values[2]) / time);
    EXPECT_EQ(projection.missing_points, missing);
  });
}

TEST(ProjectProperty, SpeedupsAndThroughputsFollowFromTheTotals) {
  for_seeds(500, [](Draw& draw) {
    const Selection selection = random_selection(draw);
    const Profiled profiles[] = {random_profile(draw, selection), random_profile(draw, selection)};
    const std::vector<NamedMeasurements> all = {{"v1", match(profiles[0].files, selection)},
                                                {"v2", match(profiles[1].files, selection)}};
    const std::size_t base = draw.below(2);
    ProjectParams params;
    params.baseline = all[base].name;
    const seqpoint::Projection projection = project(selection, all, params);
    EXPECT_EQ(projection.baseline, params.baseline);
    const ConfigurationProjection& other = projection.configurations.at(1 - base);
    for (const auto& speedup : other.speedups) {
      const auto m =
          static_cast<std::size_t>(std::find(kMetrics.begin(), kMetrics.end(), speedup.metric) - kMetrics.begin());
      expect_close(speedup.value,
                   total(selection, profiles[base].values.at(m)) / total(selection, profiles[1 - base].values.at(m)));
    }
    EXPECT_EQ(other.speedups.size(), kMetrics.size());
    const double time = total(selection, profiles[1 - base].values[0]);
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
      for (ProfileRow& row : file.rows) row.values[1] = row.values[0] + factor * row.values[2];
    const ConfigurationProjection projection = project_one(selection, profile);
    const double sum = metric(projection, "runtime_s").value + factor * metric(projection, "bytes").value;
    expect_close(metric(projection, "energy_j").value, sum);
  });
}

}  // namespace
