// What is said of wall clock and processor time that scatter differently: how often of clean profiles, beside the level
// that it states, and how often of disturbed ones.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "core/findings.hpp"
#include "core/findings/rules.hpp"
#include "core/profile/measure.hpp"
#include "io/views/diagnosis_text.hpp"
#include "property/draw.hpp"
#include "varied_run.hpp"

namespace seqpoint::processor_time_property {
namespace {

struct Noise {
  double wall, processor, both;
};

class Profiles {
 public:
  Profiles() {
    select::SelectParams params;
    params.points = 8;
    selection_ = select::select(testing::varied_run(60), params);
  }

  /// Each process measures every point so often.
  profile::ProfileTable draw(std::size_t processes, std::size_t repeats, const Noise& noise) {
    profile::ProfileTable table;
    table.source = "a.csv";
    table.key = profile::ProfileTable::Key::point;
    table.metrics = {"runtime_s", "cpu_s"};
    table.origins.resize(processes);
    for (std::size_t process = 0; process < processes; ++process) {
      table.origins[process].process = process;
      const double own = noise.both * draw_.normal();  // of a slower machine, in both times
      for (std::size_t n = 0; n < repeats * selection_.points.size(); ++n) {
        const double cost = own + noise.both * draw_.normal();
        const double wall = std::exp(cost + noise.wall * draw_.normal());
        table
            .add({.point = selection_.points[n % selection_.points.size()].id},
                 {wall, std::exp(cost + noise.processor * draw_.normal())})
            .origin = static_cast<std::uint32_t>(process);
      }
    }
    return table;
  }

  std::vector<Finding> scatter(const profile::ProfileTable& table) const {
    const profile::Measurements measured = profile::match(std::span(&table, 1), selection_);
    std::vector<Finding> found;
    if (auto scatter = findings::finding_about_processor_time(measured, std::span(&table, 1)))
      found.push_back(std::move(*scatter));
    return found;
  }

  std::size_t named(std::size_t profiles, std::size_t processes, std::size_t repeats, const Noise& noise) {
    std::size_t count = 0;
    for (std::size_t n = 0; n < profiles; ++n) count += scatter(draw(processes, repeats, noise)).size();
    return count;
  }

 private:
  select::Selection selection_;
  testing::Draw draw_{1};
};

/// One in a thousand; more than 7 of as many would be a chance of one in six thousand.
TEST(ProcessorTime, CleanProfilesAreNamedOnceInAThousand) {
  Profiles profiles;
  EXPECT_LE(profiles.named(1500, 1, 3, {.02, .02, 0}), 7u);
  EXPECT_LE(profiles.named(1500, 4, 1, {.02, .02, 0}), 7u);
  EXPECT_LE(profiles.named(1500, 2, 2, {.02, .02, .1}), 7u) << "processes and iterations that differ";
  EXPECT_EQ(profiles.named(50, 4, 60, {.03, .018, 0}), 0u) << "surely less than twice";
}

TEST(ProcessorTime, AWallClockThatVariesByItselfIsNamed) {
  Profiles profiles;
  EXPECT_GE(profiles.named(200, 1, 3, {.23, .035, 0}), 190u);
  EXPECT_GE(profiles.named(200, 4, 1, {.23, .035, 0}), 190u);
  EXPECT_GE(profiles.named(200, 1, 3, {.035, .23, 0}), 190u) << "and the other way around";
}

TEST(ProcessorTime, SaysBothFigures) {
  Profiles profiles;
  profile::ProfileTable table = profiles.draw(1, 2, {0, 0, 0});
  for (std::size_t r = 0; r < table.rows.size(); ++r) {  // two values of deviation d lie d / sqrt(2) from their mean
    const double sign = (r < 8) == (r % 2 == 0) ? 1 : -1;
    table.values[0][r] = std::exp(sign * .23 / std::numbers::sqrt2);
    table.values[1][r] = std::exp(-sign * .035 / std::numbers::sqrt2);
  }
  const auto found = profiles.scatter(table);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].severe);
  EXPECT_EQ(io::views::message_of(found[0]),
            "a.csv: field 'runtime_s': wall-clock time varies by 23 % between measurements, CPU time by 3.5 %");
  std::swap(table.values[0], table.values[1]);
  EXPECT_EQ(io::views::message_of(profiles.scatter(table).at(0)),
            "a.csv: field 'runtime_s': wall-clock time varies by 3.5 % between measurements, CPU time by 23 %");
}

TEST(ProcessorTime, OneStrayIsNoScatter) {
  Profiles profiles;
  profile::ProfileTable table = profiles.draw(1, 5, {.01, .01, 0});
  table.values[0][3] *= 4;
  EXPECT_TRUE(profiles.scatter(table).empty());
  table.values[0][12] *= 4;
  EXPECT_EQ(profiles.scatter(table).size(), 1u) << "two points";
}

TEST(ProcessorTime, OfAGpuIsNotCompared) {
  Profiles profiles;
  profile::ProfileTable table = profiles.draw(1, 5, {.23, .035, 0});
  for (profile::Origin& origin : table.origins) origin.device = "cpu";
  EXPECT_EQ(profiles.scatter(table).size(), 1u);
  for (profile::Origin& origin : table.origins) origin.device = "NVIDIA H100";
  EXPECT_TRUE(profiles.scatter(table).empty());
}

TEST(ProcessorTime, ThatDoesNotScatterAtAllWasNotMeasured) {
  Profiles profiles;
  profile::ProfileTable table = profiles.draw(1, 5, {.23, .035, 0});
  std::ranges::fill(table.values[1], 0.5);
  EXPECT_TRUE(profiles.scatter(table).empty());
}

}  // namespace
}  // namespace seqpoint::processor_time_property
