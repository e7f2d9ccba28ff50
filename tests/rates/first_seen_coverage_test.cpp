// Intervals of runs whose shapes cost more when they are new: runs and costs are made, the truth is every iteration and
// every first execution of another process. Seeds are fixed, so that this passes always or never.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <map>
#include <ostream>
#include <vector>

#include "property/draw.hpp"
#include "seqpoint/project.hpp"

namespace seqpoint::first_seen_coverage {
namespace {

using testing::Draw;

/// Costs of first executions over the mean cost of an iteration: of all shapes alike, or as different as that.
struct Case {
  std::uint64_t points;
  std::size_t processes;
  std::uint32_t lengths;  ///< that the run has, at most
  double first, spread;   ///< mean, and the standard deviation of its logarithm
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.points << " points, " << c.processes << " processes, " << c.lengths << " lengths, " << c.first
               << " times an iteration, spread " << c.spread;
  }
};

trace::Trace run_of(const Case& c, Draw& draw) {
  trace::Trace run;
  for (int i = 0; i < 400; ++i)
    run.signatures.push_back({.src_len = 40 + draw.below(c.lengths) * (c.lengths < 100 ? 4 : 1), .batch_size = 16});
  return run;
}

/// A process: its level, and what each shape costs in it at first.
class Process {
 public:
  static constexpr double kIteration = 0.045, kMeasurement = 0.04, kLevel = 0.02;

  Process(const Case& c, double slowness, Draw& draw)
      : c_(c), slowness_(slowness), level_(1 + kLevel * draw.normal()) {}

  double later(const trace::Signature& s, Draw& draw) const {
    return level_ * slowness_ * (20 + s.src_len) * (1 + std::hypot(kIteration, kMeasurement) * draw.normal());
  }
  double first(const trace::Signature& s, std::map<trace::Signature, double>& shapes, Draw& draw) const {
    const double middle = slowness_ * c_.first * 100;
    const auto [shape, is_new] = shapes.try_emplace(s, 0);
    if (is_new) shape->second = middle * std::exp(c_.spread * draw.normal() - c_.spread * c_.spread / 2);
    return later(s, draw) + shape->second;
  }

 private:
  const Case& c_;
  double slowness_, level_;
};

struct Machine {
  double slowness;
  std::map<trace::Signature, double> shapes{};  ///< what each costs at first, in every process
};

project::NamedMeasurements measured(const Case& c, const char* name, const select::Selection& selection,
                                    Machine& machine, Draw& draw) {
  project::NamedMeasurements named{name, {}};
  profile::Measurements& m = named.measurements;
  m.metrics = {"runtime_s"};
  m.readings.emplace_back(selection.points.size());
  for (std::size_t q = 0; q < c.processes; ++q) {
    const Process process(c, machine.slowness, draw);
    m.session_names.push_back(std::to_string(q));
    for (std::size_t p = 0; p < selection.points.size(); ++p) {
      const trace::Signature at = selection.points[p].signature;
      m.first_executions.push_back({0, p, q, process.first(at, machine.shapes, draw)});
      for (std::uint64_t r = 0; r < 2; ++r) m.readings[0][p].emplace_back(process.later(at, draw), 2 * q + r, q);
    }
  }
  return named;
}

/// In a process of its own.
double total(const Case& c, const trace::RunSummary& run, Machine& machine, Draw& draw) {
  const Process process(c, machine.slowness, draw);
  double sum = 0;
  for (const auto& [signature, count] : run.histogram) {
    sum += process.first(signature, machine.shapes, draw);
    for (std::uint64_t i = 1; i < count; ++i) sum += process.later(signature, draw);
  }
  return sum;
}

/// On the mean of all processes, as speedups are. What each shape costs at first is known.
double mean_total(const trace::RunSummary& run, const Machine& machine) {
  double sum = 0;
  for (const auto& [s, count] : run.histogram)
    sum += machine.shapes.at(s) + static_cast<double>(count) * machine.slowness * (20 + s.src_len);
  return sum;
}

struct Held {
  int totals = 0, speedups = 0, without = 0, all = 0;
};

bool holds(const std::optional<project::Interval>& interval, double truth) {
  return interval && interval->low <= truth && truth <= interval->high;
}

void measure_once(const Case& c, const select::Selection& selection, Draw& draw, Held& held) {
  Machine old{1.2}, now{1};
  const std::vector<project::NamedMeasurements> all{measured(c, "old", selection, old, draw),
                                                    measured(c, "new", selection, now, draw)};
  project::Projection projection = project::project(selection, all, {});
  const project::MetricProjection without = projection.configurations[1].metrics[0];
  project::add_overheads(projection, selection.run);
  const double after = total(c, selection.run, now, draw);
  ++held.all;
  held.totals += holds(projection.configurations[1].metrics[0].interval, after) ? 1 : 0;
  held.without += holds(without.interval, after) ? 1 : 0;
  total(c, selection.run, old, draw);
  held.speedups += holds(projection.configurations[1].speedups[0].interval,
                         mean_total(selection.run, old) / mean_total(selection.run, now))
                       ? 1
                       : 0;
}

class FirstSeenCoverage : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Cases, FirstSeenCoverage,
                         ::testing::Values(Case{8, 2, 30, 3, 0.2}, Case{8, 1, 200, 3, 0.2}, Case{16, 1, 200, 10, 0.1},
                                           Case{16, 2, 200, 0.5, 0.3}, Case{8, 2, 200, 0, 0}, Case{24, 1, 24, 3, 0.2}));

TEST_P(FirstSeenCoverage, OfTotalsAndSpeedups) {
  constexpr std::uint32_t kRuns = testing::affordable(10), kDraws = 40;
  Held held;
  for (std::uint32_t seed = 0; seed < kRuns; ++seed) {
    Draw draw(seed);
    select::SelectParams params;
    params.points = GetParam().points;
    const select::Selection selection = select::select(run_of(GetParam(), draw), params);
    for (std::uint32_t n = 0; n < kDraws; ++n) measure_once(GetParam(), selection, draw, held);
  }
  std::cout << GetParam() << ": totals " << held.totals << ", speedups " << held.speedups << ", without "
            << held.without << " of " << held.all << '\n';
  EXPECT_GE(held.totals, 0.93 * held.all);
  EXPECT_GE(held.speedups, 0.93 * held.all);
}

}  // namespace
}  // namespace seqpoint::first_seen_coverage
