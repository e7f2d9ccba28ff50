// What processes that are disturbed, and machines that drift, do to intervals, verdicts and causes: thousands of made
// levels, by the rules of the program, beside the rule without agreement (docs/method.md#a-process-that-was-disturbed).
// Seeds are fixed, so that this passes always or never.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/measuring/turns.hpp"
#include "core/numbers.hpp"
#include "core/project/run_estimator.hpp"
#include "core/project/time_parts.hpp"
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
    project::MeasuredPoints measured = unmeasured();
    for (const double level : levels) {
      measured.run_totals.push_back(100 * std::exp(level));
      if (in_rounds) measured.rounds.push_back(measured.run_totals.size());
    }
    return estimator_.compared({}, measured);
  }
  /// Epochs, or parts of them, of these seconds.
  project::MeasuredPoints of_seconds(std::vector<double> seconds, const select::BetweenProcesses& between) const {
    project::MeasuredPoints measured = unmeasured();
    measured.run_totals = std::move(seconds);
    measured.between = between;
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
  static project::MeasuredPoints unmeasured() {
    return {.counts = {}, .values = {}, .scope = project::LevelScope::another_process};
  }

  select::Selection selection_;
  project::RunEstimator estimator_;
};

bool contains(const project::Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

/// Three standard errors of the difference of two percentages of so many draws each, of which the first is `percent`.
double allowance(double percent, int draws) { return 3 * std::sqrt(2 * percent * (100 - percent) / draws); }

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
    std::array<project::MeasuredPoints, 2> sides;
    for (project::MeasuredPoints& side : sides) {
      const double first = processes.level(draw);
      side = epochs.compared({first, processes.level(draw)});
    }
    const auto differs = [&](const project::MeasuredPoints& base, const project::MeasuredPoints& other) {
      return contains(*interval_of(epochs.ratio(base, other), 0.95), 1) ? 0 : 100.0 / runs;
    };
    found.first += differs(Epochs::as_if_they_agreed(sides[0]), Epochs::as_if_they_agreed(sides[1]));
    found.second += differs(sides[0], sides[1]);
  }
  return found;
}

constexpr int kRuns = 800;

/// What the rule was chosen for (docs/method.md): percentages of 800 other draws, from 2, 3, 4 and 6 processes.
struct LoadedMachine {
  double disturbed, mean;
  std::array<double, 4> undisturbed, same_load;
  double equal_builds;  ///< that differ, from two processes
};
constexpr std::array<int, 4> kNumbers{2, 3, 4, 6};
const std::vector<LoadedMachine> kLoadedMachines{{0.15, 0.3, {99, 97, 98, 96}, {89, 87, 87, 84}, 4.2},
                                                 {0.5, 0.3, {91, 96, 98, 98}, {74, 70, 73, 72}, 7},
                                                 {0.5, 0.6, {94, 95, 96, 97}, {72, 64, 72, 71}, 5},
                                                 {1, 0.3, {74, 70, 75, 83}, {70, 61, 70, 72}, 11}};

void print(const Rules& rules, int number) {
  std::cout << "  " << number << ": " << rules.before.undisturbed << "/" << rules.before.same_load << " -> "
            << rules.now.undisturbed << "/" << rules.now.same_load;
}

/// An interval is never narrower than without the rule, so that it contains at least as many epochs.
void expect_no_less(const Rules& rules, int number) {
  EXPECT_GE(rules.now.undisturbed, rules.before.undisturbed) << number;
  EXPECT_GE(rules.now.same_load, rules.before.same_load) << number;
}

TEST(ProcessAgreement, IntervalsContainAnotherProcessOfALoadedMachine) {
  const Epochs epochs;
  for (const LoadedMachine& machine : kLoadedMachines) {
    const Processes processes{.disturbed = machine.disturbed, .mean = machine.mean};
    std::cout << machine.disturbed << " x " << machine.mean << " (undisturbed/same load, before -> now):";
    for (std::size_t i = 0; i < kNumbers.size(); ++i) {
      const Rules found = coverage(epochs, processes, kNumbers[i], kRuns);
      print(found, kNumbers[i]);
      expect_no_less(found, kNumbers[i]);
      EXPECT_GE(found.now.undisturbed, machine.undisturbed[i] - allowance(machine.undisturbed[i], kRuns));
      EXPECT_GE(found.now.same_load, machine.same_load[i] - allowance(machine.same_load[i], kRuns));
    }
    const auto [before, now] = false_differences(epochs, processes, kRuns);
    std::cout << "  equal builds differ " << before << " -> " << now << "\n";
    EXPECT_LE(now, machine.equal_builds + allowance(machine.equal_builds, kRuns));
  }
}

/// Intervals have 95 % where no process is disturbed, or one in twenty as the prior says, and lose nothing.
TEST(ProcessAgreement, IntervalsOfQuietMachinesAreAsWideAsBefore) {
  const Epochs epochs;
  for (const Processes& processes : {Processes{.deviation = 0.0025}, Processes{.deviation = 0.02},
                                     Processes{.deviation = 0.04}, Processes{.deviation = 0.02, .disturbed = 0.05}}) {
    std::cout << processes.deviation << ", disturbed " << processes.disturbed << " (before -> now, width):";
    for (const int number : kNumbers) {
      const Rules found = coverage(epochs, processes, number, kRuns);
      print(found, number);
      std::cout << " x" << found.now.half_width / found.before.half_width;
      expect_no_less(found, number);
      if (processes.deviation <= 0.02) {
        EXPECT_GE(found.now.undisturbed, 95 - allowance(95, kRuns) / std::sqrt(2));
      }
      if (processes.disturbed == 0) {
        EXPECT_LE(found.now.half_width, 1.05 * found.before.half_width) << number;
      }
    }
    const auto [before, now] = false_differences(epochs, processes, kRuns);
    std::cout << "  equal builds differ " << before << " -> " << now << "\n";
    if (processes.deviation <= 0.02) {
      EXPECT_LE(now, 5 + allowance(5, kRuns) / std::sqrt(2));
    }
  }
}

// --- causes --------------------------------------------------------------------------------------------------------

/// The shares of the phases in a batch: waiting, forward, backward, optimiser, other.
const std::vector<double> kShares{0.05, 0.3, 0.5, 0.1, 0.05};

/// A normal value or, with tails, one of Student's t with three degrees of freedom.
double scatter(bool tails, Draw& draw) {
  const double normal = draw.normal();
  if (!tails) return normal;
  double squares = 0;
  for (int i = 0; i < 3; ++i) squares += std::pow(draw.normal(), 2);
  return normal / std::sqrt(squares / 3);
}

/// Two builds whose epochs differ as processes do, and whose phases scatter three times as much, at each other's
/// expense.
struct Builds {
  Processes processes;
  bool tails = false;
  std::size_t slower = kShares.size();  ///< phase of the second build that takes 5 % of the epoch longer; or none
  select::BetweenProcesses between = select::kHostBound;
  double most_named = 5;  ///< percent of reports of equal builds

  /// Seconds of the phases in a process.
  std::vector<double> phases(Draw& draw) const {
    const double epoch = 100 * std::exp(processes.level(draw));
    std::vector<double> seconds;
    for (const double share : kShares)
      seconds.push_back(share * std::exp(std::sqrt(8) * processes.deviation * scatter(tails, draw)));
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    for (double& phase : seconds) phase *= epoch / sum;
    return seconds;
  }
};

/// Seconds of the phases of both builds, and of their epochs, by round.
struct Rounds {
  std::vector<project::PartByRound> parts{kShares.size()};
  project::PartByRound all;

  Rounds(const Builds& builds, int rounds, Draw& draw) {
    for (int r = 0; r < rounds; ++r) {
      const std::vector<double> before = builds.phases(draw);
      std::vector<double> after = builds.phases(draw);
      if (builds.slower < after.size()) after[builds.slower] += 5;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        parts[k].before.push_back(before[k]);
        parts[k].after.push_back(after[k]);
      }
      all.before.push_back(std::accumulate(before.begin(), before.end(), 0.0));
      all.after.push_back(std::accumulate(after.begin(), after.end(), 0.0));
    }
  }
};

/// By phase, whether it is named.
using Names = std::vector<bool>;

Names named_now(const Epochs& epochs, const Rounds& rounds, const select::BetweenProcesses& between) {
  const bool agree = !epochs.of_seconds(rounds.all.before, between).disagreement &&
                     !epochs.of_seconds(rounds.all.after, between).disagreement;
  Names names;
  for (const project::PartDifference& one :
       project::differences_by_round(rounds.parts, mean(rounds.all.before), between, 0.95, agree))
    names.push_back(one.is_cause);
  return names;
}

/// The rule without rounds: each phase is projected as an epoch is, and named if the interval of its ratio is
/// without 1.
Names named_before(const Epochs& epochs, const Rounds& rounds, const select::BetweenProcesses& between) {
  Names names;
  for (const project::PartByRound& part : rounds.parts) {
    const auto side = [&](const std::vector<double>& seconds) {
      return Epochs::as_if_they_agreed(epochs.of_seconds(seconds, between));
    };
    const project::Estimate ratio = epochs.ratio(side(part.before), side(part.after));
    names.push_back(!contains(*interval_of(ratio, project::within_all(kShares.size(), 0.95)), 1));
  }
  return names;
}

/// Reports in percent that name a phase, and those that name the slower one, by both rules. The rule without rounds is
/// only shown: one report in ten, as each takes ten times as long.
struct Named {
  double any_before = 0, any = 0, right_before = 0, right = 0;
};

Named named(const Epochs& epochs, const Builds& builds, int rounds, int runs) {
  Draw draw(41);
  Named found;
  const auto has_any = [](const Names& names) { return std::ranges::find(names, true) != names.end(); };
  constexpr int kShown = 10;
  const auto is_right = [&](const Names& names) { return builds.slower < kShares.size() && names[builds.slower]; };
  for (int i = 0; i < runs; ++i) {
    const Rounds drawn(builds, rounds, draw);
    const Names now = named_now(epochs, drawn, builds.between);
    found.any += has_any(now) ? 100.0 / runs : 0;
    found.right += is_right(now) ? 100.0 / runs : 0;
    if (i % kShown != 0) continue;
    const Names before = named_before(epochs, drawn, builds.between);
    found.any_before += has_any(before) ? 100.0 * kShown / runs : 0;
    found.right_before += is_right(before) ? 100.0 * kShown / runs : 0;
  }
  return found;
}

/// At most 5 % of reports name a phase that does not differ, and none before the third round; at most 15 % where phases
/// scatter by 15 %, as the prior expects 6 %.
TEST(ProcessAgreement, EqualBuildsHaveNoCause) {
  const Epochs epochs;
  for (const Builds& builds :
       {Builds{.processes = {.deviation = 0.026}}, Builds{.processes = {.deviation = 0.05}, .most_named = 15},
        Builds{.processes = {.deviation = 0.026}, .tails = true},
        Builds{.processes = {.deviation = 0.026, .disturbed = 0.5}},
        Builds{.processes = {.deviation = 0.0025}, .between = select::kDeviceBound}}) {
    std::cout << "processes differ by " << builds.processes.deviation << ", disturbed " << builds.processes.disturbed
              << (builds.tails ? ", tails" : "") << ", 2/3/4/6 rounds:";
    for (const int rounds : {2, 3, 4, 6}) {
      const Named found = named(epochs, builds, rounds, 400);
      std::cout << " " << found.any_before << " -> " << found.any;
      EXPECT_LE(found.any, rounds < 3 ? 0 : builds.most_named) << rounds;
    }
    std::cout << "\n";
  }
}

struct Slower {
  Builds builds;
  std::array<double, 3> found;  ///< what was found first, from 3, 4 and 6 rounds: a change of the rule finds no less
};

TEST(ProcessAgreement, SlowerPhasesAreNamed) {
  const Epochs epochs;
  const auto slower = [](double deviation, std::size_t phase) {
    return Builds{.processes = {.deviation = deviation}, .slower = phase};
  };
  Builds on_device = slower(0.0025, 2);
  on_device.between = select::kDeviceBound;
  const std::vector<Slower> all{{slower(0.01, 2), {14, 73, 100}},    {slower(0.026, 2), {7, 20, 42}},
                                {slower(0.026, 0), {100, 100, 100}}, {slower(0.026, 3), {95, 100, 100}},
                                {slower(0.05, 0), {97, 100, 100}},   {slower(0.05, 3), {55, 75, 91}},
                                {on_device, {100, 100, 100}}};
  constexpr std::array<int, 3> kRounds{3, 4, 6};
  for (const Slower& one : all) {
    std::cout << "processes differ by " << one.builds.processes.deviation << ", phase " << one.builds.slower
              << ", 3/4/6 rounds:";
    for (std::size_t i = 0; i < kRounds.size(); ++i) {
      const Named found = named(epochs, one.builds, kRounds[i], 200);
      std::cout << " " << found.right_before << " -> " << found.right;
      EXPECT_GE(found.right, one.found[i] - allowance(one.found[i], 200)) << kRounds[i];
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
  double fail, open, found;  ///< what the rule was chosen for: equal builds, and builds that are 5 % slower
};

/// Equal builds and builds that are 5 % slower, at a limit of 3 %.
TEST(ProcessAgreement, GatesSeeThroughDrift) {
  constexpr int kTrials = 200;
  const Epochs epochs;
  const std::vector<GateCase> cases{{"2.6 %", {.deviation = 0.026}, Machine::steady, 4.0, 44, 81},
                                    {"5 %", {.deviation = 0.05}, Machine::steady, 6.7, 64, 50},
                                    {"1 %, drift of 1 % a turn", {.deviation = 0.01}, Machine::drifts, 0.5, 19, 100},
                                    {"1 %, random walk", {.deviation = 0.01}, Machine::wanders, 0.5, 25, 97},
                                    {"1 %, a load that comes", {.deviation = 0.01}, Machine::gets_a_load, 0.5, 13, 98}};
  for (const GateCase& one : cases) {
    std::cout << one.name << " (fail/open of equal builds, found of + 5 %):";
    for (const bool in_rounds : {false, true}) {
      const Verdicts equal = verdicts(epochs, one.processes, one.machine, 0, in_rounds, kTrials),
                     slower = verdicts(epochs, one.processes, one.machine, 0.05, in_rounds, kTrials);
      std::cout << (in_rounds ? " -> " : " ") << equal.fail << "/" << equal.open << ", " << slower.fail;
      if (!in_rounds) continue;
      EXPECT_LE(equal.fail, one.fail + allowance(one.fail, kTrials)) << one.name;
      EXPECT_LE(equal.open, one.open + allowance(one.open, kTrials)) << one.name;
      EXPECT_GE(slower.fail, one.found - allowance(one.found, kTrials)) << one.name;
    }
    std::cout << "\n";
  }
}

}  // namespace
}  // namespace seqpoint::process_agreement
