// Times of random runs: nothing is said of what a machine takes, and every fault that is put in is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/findings.hpp"
#include "core/findings/rules.hpp"
#include "property/draw.hpp"

namespace trace_times_property {
namespace {

namespace findings = seqpoint::findings;
using seqpoint::Finding;
using seqpoint::FindingKind;
using seqpoint::testing::affordable;
using seqpoint::testing::Draw;
using seqpoint::testing::for_seeds;
using seqpoint::trace::ShapeKind;
using seqpoint::trace::Trace;

/// Between constant, linear and quadratic in length, with noise; now and then three times as slow.
Trace random_run(Draw& draw) {
  Trace run;
  const auto kind = static_cast<ShapeKind>(draw.below(3));
  run.kind = kind;
  const double start = draw.uniform(), token = 1e-4 * draw.uniform(), square = 1e-8 * draw.uniform();
  const std::uint32_t longest = 2 + draw.below(2000);
  run.metrics.push_back({"runtime_s", {}});
  for (std::uint32_t i = 12 + draw.below(300); i > 0; --i) {
    const std::uint32_t length = 1 + draw.below(longest), batch = draw.below(9) == 0 ? 5 : 16;
    seqpoint::trace::Shape s{.src_len = length, .batch_size = batch};
    if (kind == ShapeKind::padded_pair) s.tgt_len = 1 + draw.below(length);
    if (kind == ShapeKind::varlen) s = {.tokens = batch * length, .sq_tokens = std::uint64_t{batch} * length * length};
    run.shapes.push_back(s);
    const double n = s.src_len + s.tgt_len, tokens = s.tokens + s.batch_size * n;
    const double squares = static_cast<double>(s.sq_tokens) + s.batch_size * n * n;
    run.metrics[0].values.push_back((start + token * tokens + square * squares) * std::exp(0.05 * draw.normal()) *
                                    (draw.below(100) == 0 ? 3 : 1));
  }
  return run;
}

std::vector<Finding> found_in(const Trace& run) {
  return seqpoint::findings::findings_about(run, run.metrics[0], "run.csv");
}

TEST(TimesOfARun, AreNotDoubtedWhereTheyAreTimes) {
  for_seeds(affordable(3000), [](Draw& draw) {
    for (const Finding& finding : found_in(random_run(draw))) ADD_FAILURE() << finding.kind.id;
  });
}

TEST(TimesOfARun, MayGrowAsTheLengthsOfASortedRunDo) {
  for_seeds(affordable(500), [](Draw& draw) {
    Trace run;
    run.metrics.push_back({"runtime_s", {}});
    std::uint32_t length = 1 + draw.below(20);
    const std::uint32_t iterations = 12 + draw.below(100U);
    for (std::uint32_t i = 0; i < iterations; ++i) {
      length += draw.below(3);
      run.shapes.push_back({.src_len = length, .batch_size = 16});
      run.metrics[0].values.push_back(1e-3 * length + 1e-6 * i);
    }
    for (const Finding& finding : found_in(run)) ADD_FAILURE() << finding.kind.id;
  });
}

void expect_named(const std::function<void(std::vector<double>&, const Trace&, std::size_t at)>& spoil,
                  const FindingKind& kind) {
  for_seeds(affordable(300), [&](Draw& draw) {
    Trace run = random_run(draw);
    spoil(run.metrics[0].values, run, draw.below(run.size()));
    const std::vector<Finding> found = found_in(run);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().kind.id, kind.id);
    EXPECT_TRUE(found.front().severe);
  });
}

TEST(TimesOfARun, ThatAreNoneAreNamed) {
  expect_named([](auto& times, auto&, std::size_t at) { times[at] = 0; }, findings::kZero);
  expect_named([](auto& times, auto&, std::size_t) { std::ranges::fill(times, 0.031416); }, findings::kAllEqual);
  expect_named([](auto& times, auto&, std::size_t at) { times[at] *= 1e6; }, findings::kStrayIteration);
  expect_named([](auto& times, auto&, std::size_t at) { times[at] /= 1e6; }, findings::kStrayIteration);
  expect_named(
      [](auto& times, auto&, std::size_t) {
        for (double& time : times) time += 1763683200;
      },
      findings::kDate);
  expect_named(
      [](auto& times, auto&, std::size_t) {
        double now = 0;
        for (double& time : times) time = now += time;
      },
      findings::kClock);
  expect_named(
      [](auto& times, auto& run, std::size_t) {
        for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<double>(run.shapes[i].length());
      },
      findings::kCopiedColumn);
}

}  // namespace
}  // namespace trace_times_property
