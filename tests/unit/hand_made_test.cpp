// What a caller of the library put together by hand: each slip is refused by name, where it was read beyond an end
// before, or taken for something else.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checked.hpp"
#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "property/draw.hpp"
#include "unit/merging.hpp"
#include "varied_run.hpp"

namespace seqpoint {
namespace {

trace::Trace run() { return testing::varied_run(60); }

select::Selection selection() {
  select::SelectParams params;
  params.points = 4;
  return select::select(run(), params);
}

/// Four points, two repeats each, with all that may be said of them.
project::NamedMeasurements whole() {
  profile::Measurements m;
  m.metrics = {"runtime_s"};
  m.roles = {profile::MetricRole::cost};
  m.readings = {
      {{{1, 0, 0}, {1.1, 1, 1}}, {{2, 2, 0}, {2.1, 3, 1}}, {{3, 4, 0}, {3.1, 5, 1}}, {{4, 6, 0}, {4.1, 7, 1}}}};
  m.process_names = {"a", "b"};
  m.source_rows = {{{0, 0}}, {{0, 1}}, {{0, 2}}, {{0, 3}}};
  return {"v1", m};
}

std::vector<profile::ProfileTable> tables() {
  std::vector<profile::ProfileTable> tables(1);
  tables[0].source = "a.csv";
  tables[0].key = profile::ProfileTable::Key::point;
  tables[0].metrics = {"runtime_s"};
  for (const char* const id : {"sp1", "sp2", "sp3", "sp4"})
    tables[0].add({.point = id}, {static_cast<double>(tables[0].rows.size() + 1)});
  return tables;
}

using Slip = std::pair<const char*, std::function<void(profile::Measurements&)>>;

/// With the member that the message has to name.
const std::vector<Slip>& slips() {
  static const std::vector<Slip> all{
      {"readings[0] ", [](auto& m) { m.readings[0].push_back({5}); }},
      {"readings[0] ", [](auto& m) { m.readings[0].pop_back(); }},
      {"readings ", [](auto& m) { m.readings.push_back(m.readings[0]); }},
      {"readings ", [](auto& m) { m.readings.clear(); }},
      {"readings[0][1]", [](auto& m) { m.readings[0][1][0].value = std::nan(""); }},
      {"readings[0][1]", [](auto& m) { m.readings[0][1][0].value = std::numeric_limits<double>::infinity(); }},
      {"readings[0][1]", [](auto& m) { m.readings[0][1][0].value = 1e80; }},
      {"readings[0][2]", [](auto& m) { m.readings[0][2][0].process = 2; }},
      {"process_names", [](auto& m) { m.process_names.clear(); }},
      {"readings ", [](auto& m) { m.metrics.push_back("other_s"); }},
      {"metrics", [](auto& m) { m.metrics.push_back("runtime_s"); }},
      {"roles", [](auto& m) { m.roles.push_back(profile::MetricRole::rate); }},
      {"source_rows ", [](auto& m) { m.source_rows.pop_back(); }},
  };
  return all;
}

void expect_refused(const std::function<void()>& call, const std::string& member) {
  try {
    call();
    ADD_FAILURE() << "taken, with another " << member;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(member), std::string::npos) << error.what();
  }
}

TEST(HandMade, MeasurementsOfAnotherShapeAreRefusedByEveryFunctionThatTakesThem) {
  const select::Selection points = selection();
  ASSERT_EQ(points.points.size(), 4U);
  const std::vector<profile::ProfileTable> files = tables();
  const project::TargetRun target{.source = "r.csv", .digest = "", .run = points.run};
  std::vector<project::Check> regressions;
  const std::vector<std::function<void(const project::NamedMeasurements&)>> functions{
      [&](const auto& m) { project::project(points, std::span(&m, 1), {}); },
      [&](const auto& m) { project::project_onto(points, target, std::span(&m, 1), {}); },
      [&](const auto& m) { project::add_advice(regressions, {}, false, points, nullptr, std::span(&m, 1), {}); },
      [&](const auto& m) { findings::findings_about_times(m.measurements, files, points); },
      [&](const auto& m) { testing::diagnosed(points, m, files); }};
  for (const auto& function : functions) {
    EXPECT_NO_THROW(function(whole()));
    for (const auto& [member, slip] : slips()) {
      project::NamedMeasurements slipped = whole();
      slip(slipped.measurements);
      expect_refused([&] { function(slipped); }, member);
    }
  }
}

TEST(HandMade, OnlyMetricsAndNumbersHaveToBeThere) {
  project::NamedMeasurements m{"v1", {}};
  m.measurements.metrics = {"runtime_s"};
  m.measurements.readings = {{{1, 1.1}, {2, 2.1}, {3, 3.1}, {4, 4.1}}};
  EXPECT_NO_THROW(project::project(selection(), std::span(&m, 1), {}));
}

TEST(HandMade, RowsThatAreNotThereAreRefused) {
  const select::Selection points = selection();
  project::NamedMeasurements m = whole();
  m.measurements.source_rows[3] = {{0, 4}};
  const std::vector<profile::ProfileTable> files = tables();
  expect_refused([&] { findings::findings_about_times(m.measurements, files, points); }, "source_rows");
  const project::ProfiledConfiguration configuration{
      .name = "v1", .profiles = {}, .tables = files, .measurements = &m.measurements};
  expect_refused(
      [&] { project::break_down(points, std::span(&configuration, 1), project::BreakdownBy::kernel, {}, ""); },
      "source_rows");
  std::vector<profile::ProfileTable> short_rows = tables();
  short_rows[0].values[0].pop_back();
  expect_refused([&] { profile::match(short_rows, points); }, "values of a row");
  expect_refused([&] { testing::merge(short_rows); }, "values of a row");
}

TEST(HandMade, NothingAtAllIsRefused) {
  const select::Selection points = selection();
  expect_refused([&] { project::project(points, {}, {}); }, "configurations");
  expect_refused([&] { profile::match({}, points); }, "files");
  const project::NamedMeasurements m = whole();
  expect_refused([&] { project::project({}, std::span(&m, 1), {}); }, "Selection");
  const findings::Joined none{};
  expect_refused([&] { findings::check({.selection = &points, .configurations = std::span(&none, 1)}); }, "named");
}

TEST(HandMade, ATraceWhoseColumnsDifferInLengthIsRefused) {
  const auto refuse = [](const char* column, const std::function<void(trace::Trace&)>& slip) {
    trace::Trace slipped = run();
    slip(slipped);
    expect_refused([&] { trace::summarise(slipped); }, column);
    expect_refused([&] { select::select(slipped, {}); }, column);
  };
  refuse("epoch", [](auto& t) { t.epoch = {0}; });
  refuse("iteration", [](auto& t) { t.iteration = {0}; });
  refuse("samples", [](auto& t) { t.samples = {1}; });
  refuse("runtime_s", [](auto& t) { t.metrics.push_back({"runtime_s", {1}}); });
}

TEST(HandMade, ATraceWithShapesOfAnotherKindIsRefused) {
  trace::Trace pair = run(), unpadded = run();
  pair.shapes[3].tgt_len = 2;
  unpadded.kind = trace::ShapeKind::varlen;
  for (const trace::Trace& slipped : {pair, unpadded}) {
    expect_refused([&] { trace::summarise(slipped); }, "a dimension that its kind does not have");
    expect_refused([&] { select::select(slipped, {}); }, "a dimension that its kind does not have");
  }
}

/// A summary read the samples beyond the end of an empty column.
TEST(HandMade, IterationsWithoutPaddingNeedNotSayTheirSamples) {
  trace::Trace part;
  part.kind = trace::ShapeKind::varlen;
  part.shapes = {{.tokens = 7, .sq_tokens = 25}};
  EXPECT_EQ(trace::summarise(part).samples, 0U);
  EXPECT_EQ(trace::summarise(part).iterations, 1U);
}

}  // namespace
}  // namespace seqpoint
