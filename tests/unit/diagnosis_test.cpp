// Parts of a diagnosis against the same by other ways: least squares by another factorisation, the best of all ways to
// share measurements out, faults in costs that the model fits exactly.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "checked.hpp"
#include "core/checks/fault_search.hpp"
#include "core/checks/noise_posterior.hpp"
#include "core/checks/remainder.hpp"
#include "core/findings.hpp"
#include "core/project/measured_points.hpp"
#include "core/select/measurement_plan.hpp"
#include "io/views/diagnosis_text.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"
#include "varied_run.hpp"

namespace seqpoint {
namespace {

using checks::Fault;
using testing::Draw;

Eigen::VectorXd random_vector(Draw& draw, Eigen::Index size) {
  Eigen::VectorXd values(size);
  for (double& value : values) value = draw.normal();
  return values;
}

TEST(DiagnosisParts, RemainderIsThatOfLeastSquares) {
  Draw draw(1);
  const Eigen::VectorXd values = random_vector(draw, 9), pattern = random_vector(draw, 9);
  Eigen::MatrixXd columns(9, 4);
  checks::Remainder remainder(values);
  for (Eigen::Index c = 0; c < 4; ++c) {
    columns.col(c) = c < 3 ? random_vector(draw, 9) : (columns.col(0) - 2 * columns.col(1)).eval();  // of the others
    remainder.take_out(columns.col(c));
  }
  const Eigen::VectorXd left = values - columns * columns.completeOrthogonalDecomposition().solve(values);
  EXPECT_EQ(remainder.degrees(), 6);
  EXPECT_NEAR((remainder.values() - left).norm(), 0, 1e-12);
  EXPECT_FALSE(remainder.score(columns.col(0) + columns.col(2)));
  // The score's square is what squares fall by.
  const double score = remainder.score(pattern).value(), before = remainder.squares();
  remainder.take_out(pattern);
  EXPECT_NEAR(before - remainder.squares(), score * score, 1e-12);
}

TEST(DiagnosisParts, TheMedianOfTheScaleIsThePriorsOrWhatWasSeen) {
  EXPECT_NEAR(checks::NoisePosterior(0.5, {}).median(), 1, 0.06);  // the grid has steps of 5 %
  EXPECT_NEAR(checks::NoisePosterior(0.5, {5000, 5000 * 4.0}).median(), 2, 0.02);
}

/// Points of a run whose cost the model's functions make up, with disturbances of 1 %.
struct Profile {
  select::Selection selection;
  std::vector<profile::ProfileTable> files{1};

  explicit Profile(Draw& draw, std::uint64_t repeats = 3, std::uint64_t points = 8) {
    select::SelectParams params;
    params.points = points;
    selection = select::select(testing::varied_run(300), params);
    files[0].source = "a.csv";
    files[0].key = profile::ProfileTable::Key::point;
    files[0].metrics = {"runtime_s", "loss"};
    for (std::uint64_t r = 0; r < repeats; ++r)
      for (const select::Point& point : selection.points) {
        const auto s = static_cast<double>(point.shape.src_len);
        const double time = (0.1 + 2e-3 * s + 1e-6 * s * s) * (1 + 0.01 * draw.normal());
        files[0].add({.point = point.id}, {time, 1}).line = static_cast<std::uint32_t>(files[0].rows.size() + 2);
      }
  }
  double& time(std::size_t row) { return files[0].values[0][files[0].rows[row].place]; }
  diagnose::Series diagnosed(const diagnose::DiagnoseParams& params = {}) const {
    const project::NamedMeasurements named{"v1", profile::match(files, selection)};
    return testing::diagnosed(selection, named, files, params).series.at(0);
  }
};

TEST(SureFaults, AreSaidInOneSentence) {
  const auto said = [](const FindingKind& kind) {
    return io::views::message_of(Finding{.kind = kind,
                                         .place = {"a.csv:2", 0, "runtime_s"},
                                         .figures = {{"change", 0.5}, {"probability", 1e-4}},
                                         .subject = "v1"});
  };
  EXPECT_EQ(said(findings::kDrift),
            "v1: a.csv:2: field 'runtime_s': cost drifts: at the end it takes 50 % longer than at the beginning, "
            "whatever the lengths (p < 0.001)");
  EXPECT_EQ(said(findings::kSlowStart),
            "v1: a.csv:2: field 'runtime_s': the first measurement of a point takes 50 % longer than later ones (p < "
            "0.001)");
  EXPECT_EQ(said(findings::kMisplaced),
            "v1: a.csv:2: field 'runtime_s': times do not fit the lengths of their points (p < 0.001)");
}

TEST(SureFaults, ALastRoundThatIsSlowerIsDrift) {
  Draw draw(5);
  Profile profile(draw, 3, 3);
  for (std::size_t row = 6; row < 9; ++row) profile.time(row) *= 1.5;
  const project::NamedMeasurements named{"v1", profile::match(profile.files, profile.selection)};
  const std::vector<Finding> found = testing::checked(profile.selection, named, profile.files).findings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind.id, findings::kDrift.id);
}

TEST(Diagnosis, OfACleanProfileFindsNothing) {
  Draw draw(5);
  const diagnose::Series series = Profile(draw).diagnosed();
  EXPECT_TRUE(series.findings.empty());
  EXPECT_TRUE(series.unseen.empty());
  EXPECT_EQ(series.measurements, 24U);
  const diagnose::Width& width = series.width.value();
  EXPECT_NEAR(
      width.iterations + width.measurements + width.between + width.missed + width.own + width.between_processes, 1,
      1e-12);
  double points = 0;
  for (const diagnose::PointPart& point : width.points) points += point.share;
  EXPECT_NEAR(points, width.iterations + width.measurements, 1e-12);
}

TEST(Diagnosis, AFallFromTheFirstMeasurementsIsASlowStart) {
  Draw draw(5);
  Profile profile(draw);
  for (std::size_t r = 0; r < 8; ++r) profile.time(r) *= 1.1;
  const diagnose::Series series = profile.diagnosed();
  ASSERT_EQ(series.findings.size(), 1U);
  EXPECT_EQ(series.findings[0].fault, Fault::slow_start);
  EXPECT_NEAR(series.findings[0].change, 0.1, 0.03);
  // Each of eight first measurements is the largest of its three: one order in 3^8.
  EXPECT_NEAR(series.findings[0].probability, std::pow(1.0 / 3, 8), 1e-12);
}

TEST(Diagnosis, AFallAfterTheFirstMeasurementsIsDrift) {
  Draw draw(5);
  Profile profile(draw);
  for (std::size_t r = 0; r < 16; ++r) profile.time(r) *= 1.1;
  const diagnose::Series series = profile.diagnosed();
  ASSERT_FALSE(series.findings.empty());
  EXPECT_EQ(series.findings[0].fault, Fault::drift);
  EXPECT_LT(series.findings[0].change, 0);
}

TEST(Diagnosis, TwoStraysDoNotHideEachOther) {
  Draw draw(6);
  Profile profile(draw);
  profile.time(4) *= 6;
  profile.time(13) *= 7;
  const diagnose::Series series = profile.diagnosed();
  ASSERT_EQ(series.findings.size(), 2U);
  EXPECT_EQ(series.findings[0].where(), "a.csv:15");
  EXPECT_EQ(series.findings[1].where(), "a.csv:6");
  EXPECT_NEAR(series.findings[0].change, 6, 0.3);
  EXPECT_EQ(series.findings[0].others, 2U);
}

TEST(Diagnosis, FilesOfOtherPointsAreComparedByTheModel) {
  Draw draw(7);
  Profile profile(draw, 2);
  profile::ProfileTable other = profile.files[0];
  other.source = "b.csv";
  const auto is_other = [&](const profile::ProfileRow& row) {  // every other point
    return (other.subject(row).point.back() - '0') % 2 == 0;
  };
  std::erase_if(profile.files[0].rows, is_other);
  std::erase_if(other.rows, [&](const profile::ProfileRow& row) { return !is_other(row); });
  for (double& time : other.values[0]) time *= 2;
  profile.files.push_back(other);
  const diagnose::Series series = profile.diagnosed();
  ASSERT_FALSE(series.findings.empty());
  EXPECT_EQ(series.findings[0].fault, Fault::disagreement);
  EXPECT_EQ(series.findings[0].where(), "b.csv");
  EXPECT_NEAR(series.findings[0].change, 1, 0.2);
}

/// A second process, all of whose times are that many times the first one's.
profile::ProfileTable other_process(const Profile& profile, double times) {
  profile::ProfileTable other = profile.files[0];
  other.source = "b.csv";
  for (double& time : other.values[0]) time *= times;
  return other;
}

TEST(Diagnosis, ProcessesThatDifferAsProcessesDoAreNoFault) {
  Draw draw(7);
  Profile usual(draw), unusual = usual;
  usual.files.push_back(other_process(usual, 1.06));  // 3 standard deviations of a difference: 8.5 %
  unusual.files.push_back(other_process(unusual, 1.12));
  EXPECT_TRUE(usual.diagnosed().findings.empty());
  ASSERT_EQ(unusual.diagnosed().findings.size(), 1U);
  EXPECT_EQ(unusual.diagnosed().findings[0].fault, Fault::disagreement);
  EXPECT_EQ(usual.diagnosed({.metrics = {}, .between_processes = 0.005}).findings.size(), 1U);
}

TEST(Diagnosis, SaysWhatItCannotSee) {
  Draw draw(8);
  Profile profile(draw, 1);
  const std::vector<std::string> expected{"stray-measurement: no point was measured twice",
                                          "slow-start: no process measured a point twice",
                                          "drift: no process measured a point twice"};
  EXPECT_EQ(profile.diagnosed().unseen, expected);
}

/// What the profile has of a pattern within its points, by least squares; rows lie point after point, again and again.
double amount_of(Profile& profile, const std::function<double(std::size_t row)>& pattern) {
  const std::size_t rows = profile.files[0].rows.size(), points = profile.selection.points.size();
  double products = 0, squares = 0;
  for (std::size_t p = 0; p < points; ++p) {
    double pattern_mean = 0, log_mean = 0;
    const auto repeats = static_cast<double>(rows / points);
    for (std::size_t r = p; r < rows; r += points) {
      pattern_mean += pattern(r) / repeats;
      log_mean += std::log(profile.time(r)) / repeats;
    }
    for (std::size_t r = p; r < rows; r += points) {
      products += (pattern(r) - pattern_mean) * (std::log(profile.time(r)) - log_mean);
      squares += std::pow(pattern(r) - pattern_mean, 2);
    }
  }
  return products / squares;
}

TEST(Diagnosis, AsMuchAsTheLimitIsNamedAndLessIsNot) {
  const std::vector<std::pair<Fault, std::function<double(std::size_t)>>> patterns{
      {Fault::stray_measurement, [](std::size_t r) { return r == 0 ? 1 : 0; }},
      {Fault::slow_start, [](std::size_t r) { return r < 8 ? 1 : 0; }},
      {Fault::drift, [](std::size_t r) { return static_cast<double>(r) / 23 - 0.5; }}};
  diagnose::DiagnoseParams no_limits;
  no_limits.limits = false;
  for (std::uint32_t seed = 20; seed < 40; ++seed) {
    Draw draw(seed);
    Profile clean(draw);
    const diagnose::Series series = clean.diagnosed();
    if (!series.findings.empty()) continue;
    for (const auto& [fault, pattern] : patterns) {
      const auto limit = std::ranges::find(series.limits, fault, &checks::Limit::fault);
      ASSERT_NE(limit, series.limits.end());
      for (const double share : {0.99, 1.01}) {
        Profile faulty = clean;
        const double more = std::log1p(limit->change) * share - amount_of(clean, pattern);
        for (std::size_t r = 0; r < 24; ++r) faulty.time(r) *= std::exp(more * pattern(r));
        const diagnose::Series found = faulty.diagnosed(no_limits);
        EXPECT_TRUE(found.limits.empty());
        const bool named = std::ranges::count(found.findings, fault, &checks::FoundFault::fault) > 0;
        EXPECT_EQ(named, share > 1) << seed << " " << checks::name_of(fault) << " " << limit->change;
      }
    }
  }
}

/// Whatever a search compares ends the search: here the test finds any amount, none, or what is not a number.
TEST(DiagnosisParts, EverySearchForALimitEnds) {
  const checks::Remainder values(Eigen::VectorXd::LinSpaced(4, 0, 1));
  const checks::Pattern pattern{Fault::slow_start, 0, Eigen::VectorXd::Unit(4, 2), checks::Amount::above_zero};
  const auto least = [&](const checks::PatternTest& test) {
    return checks::least_found(values, pattern, test, 0.01, 1e-6, 2);
  };
  const auto amount = [&](const checks::Remainder& with) { return with.values()[2]; };
  EXPECT_EQ(least([](const auto&, const auto&) { return 0; }), 1e-6);
  EXPECT_EQ(least([&](const auto& with, const auto&) { return amount(with) > 0 ? 0 : 1; }), 1e-6);
  EXPECT_EQ(least([](const auto&, const auto&) { return 1; }), std::nullopt);
  EXPECT_EQ(least([](const auto&, const auto&) { return std::nan(""); }), std::nullopt);
  for (const double where : {3e-6, 0.02, 1.9})
    EXPECT_NEAR(*least([&](const auto& with, const auto&) { return amount(with) >= where ? 0 : 1; }), where,
                1.001e-3 * where);
}

/// A clock of whole hundredths of seconds, as all repeats of a point agree.
TEST(Diagnosis, OfEqualRepeatsSaysThatThereIsNoScatter) {
  Draw draw(5);
  Profile profile(draw);
  for (std::size_t r = 0; r < 24; ++r) profile.time(r) = std::round(100 * profile.time(r % 8)) / 100;
  const diagnose::Series series = profile.diagnosed();
  for (const char* const fault : {"slow-start", "drift"})
    EXPECT_EQ(
        std::ranges::count(series.unseen, std::string(fault) +
                                              ": repeats are equal, as of a coarse clock: no scatter to test against"),
        1);
  for (const checks::Limit& limit : series.limits) EXPECT_EQ(limit.fault, Fault::stray_measurement);
  EXPECT_EQ(std::ranges::count_if(series.findings, [](const auto& f) { return f.fault != Fault::stray_point; }), 0);
}

TEST(Diagnosis, SaysWhereNothingCanStandOut) {
  Draw draw(8);
  Profile profile(draw, 2);
  std::erase_if(profile.files[0].rows, [&](const profile::ProfileRow& row) {
    const std::string& point = profile.files[0].subject(row).point;
    return point != "sp1" && point != "sp2";
  });
  const diagnose::Series series = profile.diagnosed();
  const std::string expected = "slow-start: not even a tenfold one would stand out of so few measurements";
  EXPECT_EQ(std::ranges::count(series.unseen, expected), 1);
  EXPECT_EQ(std::ranges::count(series.limits, Fault::slow_start, &checks::Limit::fault), 0);
}

/// The half-width that is expected, as a share of the current one.
double expected_ratio(const diagnose::Series& series) {
  return (series.next->expected->high - series.total) / (series.interval->high - series.total);
}

TEST(Diagnosis, OfNoisyMeasurementsMoreProcessesAreNext) {
  Draw draw(10);
  const Profile profile(draw, 1, 4);  // on a device that is busy: else most of the width is of processes
  const diagnose::Series series = profile.diagnosed({.metrics = {}, .between_processes = 0.0025});
  ASSERT_TRUE(series.next && series.width && series.next->expected);
  EXPECT_EQ(series.next->what, diagnose::NextStep::What::more_processes);
  const double measured = series.width->iterations + series.width->measurements;
  EXPECT_GT(measured, series.width->between_processes);
  EXPECT_NEAR(expected_ratio(series), std::sqrt(1 - measured / 2 - series.width->between_processes / 2 / 2), 1e-9);
}

// Of a profile of one process the level of processes is most of the width, unless points are few.
TEST(Diagnosis, OfManyPointsInOneProcessMoreProcessesAreNext) {
  Draw draw(10);
  const diagnose::Series series = Profile(draw).diagnosed();
  ASSERT_TRUE(series.next && series.width);
  EXPECT_EQ(series.next->what, diagnose::NextStep::What::more_processes);
  EXPECT_GT(series.width->between_processes, 0.5);
  EXPECT_EQ(series.width->processes, 1U);
  // A second one halves what the level of the first adds, and the noise of its measurements; that of the run stays.
  EXPECT_EQ(series.next->processes, 1U);
  ASSERT_TRUE(series.next->expected);
  const double measured = series.width->iterations + series.width->measurements;
  EXPECT_NEAR(expected_ratio(series), std::sqrt(1 - measured / 2 - series.width->between_processes / 2 / 2), 1e-9);
}

}  // namespace
}  // namespace seqpoint
