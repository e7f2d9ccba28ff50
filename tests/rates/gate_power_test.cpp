// The regression that a check says it would show is found, measured anew, about four times in five: more often where
// disturbances are less than the model expects, less often where they are more, since widths then differ from one
// measurement to the next. Seeds are fixed, so that this passes always or never.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <vector>

#include "core/project/projection.hpp"
#include "property/draw.hpp"
#include "varied_run.hpp"

namespace seqpoint::gate_power {
namespace {

using testing::Draw;

constexpr double kLimit = 0.05;

select::Selection selection_of_eight() {
  select::SelectParams params;
  params.points = 8;
  return select::select(testing::varied_run(300), params);
}

/// Three measurements of each point, of costs that are `factor` times as high.
project::NamedMeasurements measured(const select::Selection& selection, const char* name, double factor, double noise,
                                    Draw& draw) {
  project::NamedMeasurements named{name, {}};
  named.measurements.metrics = {"runtime_s"};
  named.measurements.readings.emplace_back(selection.points.size());
  for (std::size_t p = 0; p < selection.points.size(); ++p)
    for (int r = 0; r < 3; ++r) {
      const auto s = static_cast<double>(selection.points[p].shape.src_len);
      named.measurements.readings[0][p].emplace_back(factor * (0.1 + 2e-3 * s + 1e-6 * s * s) *
                                                     std::exp(noise * draw.normal()));
    }
  return named;
}

project::Check check_of(const select::Selection& selection, double factor, double noise, Draw& draw) {
  const std::vector<project::NamedMeasurements> both{measured(selection, "old", 1, noise, draw),
                                                     measured(selection, "new", factor, noise, draw)};
  return project::check_regressions(project::project(selection, both, {}), kLimit).at(0);
}

TEST(GatePower, OfWhatIsSaidToBeShownIsAboutFourInFive) {
  constexpr int kPairs = 100;
  const select::Selection selection = selection_of_eight();
  for (const double noise : {0.01, 0.04, 0.08}) {
    Draw draw(11);
    int shown = 0;
    for (int i = 0; i < kPairs; ++i) {
      const double detectable = check_of(selection, 1, noise, draw).detectable.value();
      EXPECT_GT(detectable, kLimit);
      shown += check_of(selection, 1 + detectable, noise, draw).verdict == project::Verdict::fail ? 1 : 0;
    }
    EXPECT_GE(shown, 2 * kPairs / 3) << "noise " << noise;
    std::cout << "noise " << noise << ": " << shown << " of " << kPairs << "\n";
  }
}

}  // namespace
}  // namespace seqpoint::gate_power
