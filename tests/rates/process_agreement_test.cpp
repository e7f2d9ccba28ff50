// What processes that are disturbed, and machines that drift, do to intervals, verdicts and causes: thousands of made
// levels, by the rules of the program, beside the rule without agreement (docs/method.md#a-process-that-was-disturbed).
// Seeds are fixed, so that this passes always or never.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "core/measuring/turns.hpp"
#include "core/numbers.hpp"
#include "core/project/rounds.hpp"
#include "core/project/run_estimator.hpp"
#include "property/draw.hpp"
#include "varied_run.hpp"

namespace seqpoint::process_agreement {
namespace {

using testing::Draw;

/// How processes differ: a share of them is disturbed, which makes them slower by an exponential value on the
/// logarithm.
struct Processes {
  double deviation = 0.02, disturbed = 0, mean = 0.3;

  double level(Draw& draw) const { return deviation * draw.normal() + disturbance(draw); }
  double disturbance(Draw& draw) const { return draw.uniform() < disturbed ? -mean * std::log1p(-draw.uniform()) : 0; }
};

/// Whole epochs of 100 s in processes whose levels have these logarithms.
class Epochs {
 public:
  Epochs() : selection_(select::select(testing::varied_run(50), {})), estimator_(selection_) {}

  project::MeasuredPoints compared(const std::vector<double>& levels, bool in_rounds = false) const {
    project::MeasuredPoints measured{.counts = {}, .values = {}, .scope = project::LevelScope::another_process};
    for (const double level : levels) {
      measured.run_totals.push_back(100 * std::exp(level));
      if (in_rounds) measured.rounds.push_back(measured.run_totals.size());
    }
    return estimator_.compared({}, measured);
  }
  /// The rule without agreement: a process that is slower counts as disturbed.
  static project::MeasuredPoints as_if_they_agreed(project::MeasuredPoints measured) {
    measured.disagreement.reset();
    return measured;
  }
  project::IntervalOrReason total(const project::MeasuredPoints& measured) const {
    return interval_of(estimator_.estimate({}, measured), 0.95);
  }
  project::Estimate ratio(const project::MeasuredPoints& base, const project::MeasuredPoints& other) const {
    return estimator_.beside_disagreement(estimator_.ratio({}, base, other), base, other);
  }

 private:
  select::Selection selection_;
  project::RunEstimator estimator_;
};

bool contains(const project::Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

/// Shares in percent: of intervals that contain an undisturbed epoch, or one under the same load; mean half-width.
struct Coverage {
  double undisturbed = 0, same_load = 0, half_width = 0;
};

struct Rules {
  Coverage before, now;
};

void add(Coverage& sums, const project::Interval& interval, double undisturbed, double same_load, double share) {
  sums.undisturbed += contains(interval, undisturbed) ? 100 * share : 0;
  sums.same_load += contains(interval, same_load) ? 100 * share : 0;
  sums.half_width += (interval.high - interval.low) / 2 * share;
}

Rules coverage(const Epochs& epochs, const Processes& processes, int number, int runs) {
  Draw draw(31);
  Rules rules;
  for (int i = 0; i < runs; ++i) {
    std::vector<double> levels;
    for (int p = 0; p < number; ++p) levels.push_back(processes.level(draw));
    const double undisturbed = 100 * std::exp(Processes{.deviation = processes.deviation}.level(draw)),
                 same_load = 100 * std::exp(processes.level(draw));
    const project::MeasuredPoints measured = epochs.compared(levels);
    add(rules.before, *epochs.total(Epochs::as_if_they_agreed(measured)), undisturbed, same_load, 1.0 / runs);
    add(rules.now, *epochs.total(measured), undisturbed, same_load, 1.0 / runs);
  }
  return rules;
}

/// Of equal builds in two processes each, the percentage whose interval of the ratio is without 1, by both rules.
std::pair<double, double> false_differences(const Epochs& epochs, const Processes& processes, int runs) {
  Draw draw(37);
  std::pair<double, double> found;
  for (int i = 0; i < runs; ++i) {
    const auto one = [&] { return epochs.compared({processes.level(draw), processes.level(draw)}); };
    const project::MeasuredPoints a = one(), b = one();
    const auto differs = [&](const project::MeasuredPoints& base, const project::MeasuredPoints& other) {
      return contains(*interval_of(epochs.ratio(base, other), 0.95), 1) ? 0 : 100.0 / runs;
    };
    found.first += differs(Epochs::as_if_they_agreed(a), Epochs::as_if_they_agreed(b));
    found.second += differs(a, b);
  }
  return found;
}

constexpr int kRuns = 800;

TEST(ProcessAgreement, IntervalsContainAnotherProcess) {
  const Epochs epochs;
  for (const auto& [disturbed, mean] :
       {std::pair(0.0, 0.3), {0.05, 0.3}, {0.15, 0.3}, {0.5, 0.3}, {0.5, 0.6}, {1.0, 0.3}}) {
    const Processes processes{.disturbed = disturbed, .mean = mean};
    std::cout << disturbed << " x " << mean << " (undisturbed/same load, before -> now):";
    for (const int number : {2, 3, 4, 6}) {
      const Rules found = coverage(epochs, processes, number, kRuns);
      std::cout << "  " << number << ": " << found.before.undisturbed << "/" << found.before.same_load << " -> "
                << found.now.undisturbed << "/" << found.now.same_load;
      EXPECT_GE(found.now.undisturbed, found.before.undisturbed - 0.5) << number;
      EXPECT_GE(found.now.same_load, found.before.same_load - 0.5) << number;
      if (disturbed == 0) {
        EXPECT_LE(found.now.half_width, 1.05 * found.before.half_width) << "quiet machines lose nothing";
      }
    }
    const auto [before, now] = false_differences(epochs, processes, kRuns);
    std::cout << "  equal builds differ " << before << " -> " << now << "\n";
    EXPECT_LE(now, disturbed == 1 ? 15 : 9);
  }
}

// --- causes --------------------------------------------------------------------------------------------------------

/// The shares of the phases in a batch: waiting, forward, backward, optimiser, other.
const std::vector<double> kShares{0.05, 0.3, 0.5, 0.1, 0.05};

/// Seconds of the phases in a process: a phase scatters three times as much as the level of its process.
std::vector<double> phases_of(const Processes& processes, Draw& draw) {
  const double level = processes.level(draw);
  std::vector<double> seconds;
  for (const double share : kShares)
    seconds.push_back(100 * share * std::exp(level + std::sqrt(8) * processes.deviation * draw.normal()));
  return seconds;
}

/// Reports in percent that name a phase, and those that name the one that takes 5 % of the epoch longer (from 0).
struct Named {
  double any = 0, right = 0;
};

Named named(const Epochs& epochs, const Processes& processes, std::size_t slower, int rounds, int runs) {
  Draw draw(41);
  Named found;
  for (int i = 0; i < runs; ++i) {
    std::vector<project::PartByRound> parts(kShares.size());
    std::vector<double> of_a, of_b;
    for (int r = 0; r < rounds; ++r) {
      const std::vector<double> a = phases_of(processes, draw);
      std::vector<double> b = phases_of(processes, draw);
      if (slower < b.size()) b[slower] += 5;
      for (std::size_t k = 0; k < a.size(); ++k) {
        parts[k].before.push_back(a[k]);
        parts[k].after.push_back(b[k]);
      }
      of_a.push_back(std::log(mean(a) / 20));
      of_b.push_back(std::log(mean(b) / 20));
    }
    const bool agree = !epochs.compared(of_a).disagreement && !epochs.compared(of_b).disagreement;
    const auto differences = project::differences_by_round(parts, 100, select::kHostBound, 0.95, agree);
    bool any = false;
    for (const project::PartDifference& one : differences) any = any || one.is_cause;
    found.any += any ? 100.0 / runs : 0;
    found.right += slower < differences.size() && differences[slower].is_cause ? 100.0 / runs : 0;
  }
  return found;
}

TEST(ProcessAgreement, EqualBuildsHaveNoCause) {
  const Epochs epochs;
  for (const Processes& processes :
       {Processes{.deviation = 0.026}, Processes{.deviation = 0.05}, Processes{.deviation = 0.026, .disturbed = 0.5}})
    for (const int rounds : {2, 3, 4, 6}) {
      const Named found = named(epochs, processes, kShares.size(), rounds, 1000);
      std::cout << "processes differ by " << processes.deviation << ", disturbed " << processes.disturbed << ", "
                << rounds << " rounds: " << found.any << " % name a phase\n";
      EXPECT_LE(found.any, rounds < 3 ? 0 : 5);
    }
}

TEST(ProcessAgreement, SlowerPhasesAreNamed) {
  const Epochs epochs;
  for (const double deviation : {0.0025, 0.01})
    for (const std::size_t slower : {0U, 2U, 3U}) {
      std::cout << "processes differ by " << deviation << ", phase " << slower << ", 3/4/6 rounds:";
      for (const int rounds : {3, 4, 6}) {
        const Named found = named(epochs, {.deviation = deviation}, slower, rounds, 500);
        std::cout << " " << found.right;
        EXPECT_GE(found.right, rounds == 6 ? 90 : 0);
      }
      std::cout << "\n";
    }
}

// --- gates ---------------------------------------------------------------------------------------------------------

/// How the machine changes from turn to turn, on the logarithm.
enum class Machine { steady, drifts, wanders, gets_a_load };

/// The levels of the machine in so many turns.
std::vector<double> turns_of(Machine machine, std::size_t turns, Draw& draw) {
  std::vector<double> levels(turns);
  const std::size_t begin = static_cast<std::size_t>(draw.uniform() * static_cast<double>(turns));
  for (std::size_t t = 1; t < turns; ++t) {
    if (machine == Machine::drifts) levels[t] = levels[t - 1] + 0.01;
    if (machine == Machine::wanders) levels[t] = levels[t - 1] + 0.02 * draw.normal();
    if (machine == Machine::gets_a_load) levels[t] = t >= begin ? 0.3 : 0;
  }
  return levels;
}

/// Verdicts in percent, with and without rounds.
struct Verdicts {
  double fail = 0, open = 0;
};

project::Verdict verdict_of(const Epochs& epochs, const std::vector<std::vector<double>>& levels, bool in_rounds) {
  const measuring::StopRule rule{.max_processes = 6, .gated = true};
  std::vector<measuring::Look> looks;
  for (std::size_t q = measuring::kMinProcessesToDecide; q <= rule.max_processes; ++q) {
    const double alpha = *measuring::alpha_of_look(rule, looks, q, q == rule.max_processes);
    const auto side = [&](std::size_t build) {
      return epochs.compared({levels[build].begin(), levels[build].begin() + static_cast<std::ptrdiff_t>(q)},
                             in_rounds);
    };
    const project::Estimate ratio = epochs.ratio(side(0), side(1));
    if (!ratio.processes_agree) continue;
    looks.push_back({q, alpha});
    const project::Verdict verdict = project::check_speedup(ratio.value, interval_of(ratio, 1 - alpha), 0.03).verdict;
    if (verdict != project::Verdict::inconclusive) return verdict;
  }
  return project::Verdict::inconclusive;
}

Verdicts verdicts(const Epochs& epochs, const Processes& processes, Machine machine, double slower, bool in_rounds,
                  int runs) {
  Draw draw(43);
  Verdicts found;
  for (int i = 0; i < runs; ++i) {
    std::vector<std::vector<double>> levels(2);
    const std::vector<double> turns = turns_of(machine, 12, draw);
    for (std::uint64_t n = 0; n < turns.size(); ++n) {
      const std::size_t build = measuring::turn(n, 2).build;
      levels[build].push_back(processes.level(draw) + turns[n] + (build == 1 ? std::log1p(slower) : 0));
    }
    const project::Verdict verdict = verdict_of(epochs, levels, in_rounds);
    found.fail += verdict == project::Verdict::fail ? 100.0 / runs : 0;
    found.open += verdict == project::Verdict::inconclusive ? 100.0 / runs : 0;
  }
  return found;
}

struct GateCase {
  std::string name;
  Processes processes;
  Machine machine = Machine::steady;
  double most_open = 100;  ///< of equal builds, in percent
};

/// Equal builds and builds that are 5 % slower, at a limit of 3 %.
TEST(ProcessAgreement, GatesSeeThroughDrift) {
  const Epochs epochs;
  const std::vector<GateCase> cases{{"0.2 %", {.deviation = 0.002}, Machine::steady, 2},
                                    {"1 %", {.deviation = 0.01}, Machine::steady, 10},
                                    {"2.6 %", {.deviation = 0.026}, Machine::steady, 60},
                                    {"5 %", {.deviation = 0.05}, Machine::steady, 80},
                                    {"1 %, drift of 1 % a turn", {.deviation = 0.01}, Machine::drifts, 35},
                                    {"1 %, random walk", {.deviation = 0.01}, Machine::wanders, 40},
                                    {"1 %, a load that comes", {.deviation = 0.01}, Machine::gets_a_load, 40}};
  for (const GateCase& one : cases) {
    std::cout << one.name << " (fail/open of equal builds, found of + 5 %):";
    for (const bool in_rounds : {false, true}) {
      const Verdicts equal = verdicts(epochs, one.processes, one.machine, 0, in_rounds, 300),
                     slower = verdicts(epochs, one.processes, one.machine, 0.05, in_rounds, 300);
      std::cout << (in_rounds ? " -> " : " ") << equal.fail << "/" << equal.open << ", " << slower.fail;
      EXPECT_LE(equal.fail, 8);
      if (in_rounds) {
        EXPECT_LE(equal.open, one.most_open) << one.name;
      }
    }
    std::cout << "\n";
  }
}

}  // namespace
}  // namespace seqpoint::process_agreement
