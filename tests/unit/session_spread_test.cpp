// Sessions of one profile, beside the same analysis of variance by NumPy (least squares with indicators of points and
// sessions) and SciPy (tails and quantiles).
#include "core/project/session_spread.hpp"

#include <gtest/gtest.h>

#include "core/distributions.hpp"
#include "seqpoint/profile/session_number.hpp"

namespace seqpoint {
namespace {

struct Row {
  std::size_t point, session;
  double value;
};

profile::Measurements measured(const std::vector<Row>& rows) {
  constexpr std::size_t kPoints = 5;
  profile::Measurements found;
  found.metrics = {"runtime_s"};
  found.values.resize(1, std::vector<std::vector<double>>(kPoints));
  found.sessions.resize(1, std::vector<std::vector<std::size_t>>(kPoints));
  for (const Row& row : rows) {
    found.values[0][row.point].push_back(row.value);
    found.sessions[0][row.point].push_back(row.session);
    if (found.session_names.size() <= row.session) found.session_names.resize(row.session + 1, "session");
  }
  return found;
}

TEST(Distributions, EqualSciPy) {
  EXPECT_NEAR(f_tail(10.044, 1, 10), 0.010000775338234848, 1e-14);
  EXPECT_NEAR(f_tail(3.2, 4, 17.5), 0.03852318605379364, 1e-14);
  EXPECT_NEAR(t_quantile(0.95, 10), 2.2281388519649385, 1e-10);
  EXPECT_NEAR(t_quantile(0.8, 2.5), 1.730250928807177, 1e-10);
}

TEST(SessionSpread, RoundingIsNoDifference) {
  const double next = 0.3 * (1 + 1e-12);
  const auto spread = project::spread_of_sessions(
      measured({{0, 0, .3}, {0, 0, .3}, {0, 1, next}, {0, 1, next}, {1, 0, .7}, {1, 1, .7}}), 0);
  ASSERT_TRUE(spread);
  EXPECT_FALSE(spread->significant);
}

TEST(SessionSpread, EqualsLeastSquares) {
  const auto spread = project::spread_of_sessions(measured({{0, 0, .1001},
                                                            {0, 0, .1005},
                                                            {1, 0, .2102},
                                                            {1, 0, .2099},
                                                            {2, 0, .4101},
                                                            {2, 0, .4133},
                                                            {3, 0, .9},
                                                            {0, 1, .1251},
                                                            {0, 1, .1255},
                                                            {1, 1, .2602},
                                                            {2, 1, .5101},
                                                            {2, 1, .5133},
                                                            {2, 1, .509},
                                                            {0, 2, .1201},
                                                            {1, 2, .2502},
                                                            {2, 2, .4901},
                                                            {4, 2, 1.3}}),
                                                  0);
  ASSERT_TRUE(spread);
  EXPECT_TRUE(spread->significant);
  EXPECT_NEAR(spread->variance, 0.12627983493445832 * 0.12627983493445832, 1e-12);
  EXPECT_EQ(spread->degrees, 2);
  EXPECT_NEAR(spread->ratio, 1.2432419101546162, 1e-12);
  EXPECT_EQ(spread->low, 0U);
  EXPECT_EQ(spread->high, 1U);
}

TEST(SessionSpread, IsNotSignificantWhereRepeatsScatterAsMuch) {
  const auto spread = project::spread_of_sessions(
      measured({{0, 0, .100}, {0, 0, .106}, {1, 0, .210}, {0, 1, .103}, {1, 1, .208}, {1, 1, .214}}), 0);
  ASSERT_TRUE(spread);
  EXPECT_FALSE(spread->significant);
}

TEST(SessionSpread, IsNothingWhereNoPointIsInTwoSessions) {
  EXPECT_FALSE(project::spread_of_sessions(measured({{0, 0, .1}, {0, 0, .1001}, {1, 1, .5}, {1, 1, .5001}}), 0));
}

TEST(SessionSpread, IsNothingWhereNothingWasRepeated) {
  EXPECT_FALSE(project::spread_of_sessions(measured({{0, 0, .1}, {0, 1, .2}}), 0));
}

/// A column `session` may have another text in every row: the analysis would take hours and all memory.
TEST(SessionSpread, IsNothingOfMoreSessionsThanCanBeCompared) {
  std::vector<Row> rows;
  for (std::size_t r = 0; r < 50'000; ++r) rows.push_back({r % 5, r, .1 + 1e-6 * static_cast<double>(r)});
  EXPECT_FALSE(project::spread_of_sessions(measured(rows), 0));
}

TEST(SessionNumber, IsOfAProcessWhereTheTextNamesOne) {
  using profile::number_of_process;
  ASSERT_TRUE(number_of_process("p7-1f2e3d4c"));
  EXPECT_EQ(number_of_process("p7-1f2e3d4c"), number_of_process("p7-1f2e3d4c"));
  EXPECT_NE(number_of_process("p7-1f2e3d4c"), number_of_process("p8-1f2e3d4c"));
  EXPECT_TRUE(profile::is_of_process(*number_of_process("tuesday")));
  EXPECT_FALSE(number_of_process("12"));
  EXPECT_FALSE(number_of_process("date=2026-11-20T10:00:00+00:00 clock=perf_counter"));
  EXPECT_FALSE(profile::is_of_process(1'000'000));
}

}  // namespace
}  // namespace seqpoint
