// Attribution and self time against brute force: every instant asked one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "core/profile/timeline.hpp"
#include "unit/merging.hpp"

namespace seqpoint {
namespace {

std::int64_t draw(std::mt19937_64& rng, std::int64_t most) {
  return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(most + 1));
}

/// Steps apart or nested, operators nested as calls are, launches and device operations anywhere.
profile::Timeline random_timeline(std::mt19937_64& rng) {
  profile::Timeline timeline;
  constexpr std::int64_t kEnd = 120;
  std::int64_t at = draw(rng, 10);
  for (int s = 0; s < 3; ++s) {
    const std::int64_t length = draw(rng, 30);
    timeline.windows.push_back({"step " + std::to_string(s), at, at + length, 0, 0});
    at += length + draw(rng, 5);
  }
  timeline.process_of_thread = {0, 0, 1};
  for (std::uint32_t thread = 0; thread < 3; ++thread)
    for (int o = 0; o < 12; ++o) {
      const std::int64_t start = draw(rng, kEnd), room = draw(rng, 20);
      // Whole calls only: no operator ends inside another that began before it.
      const bool crosses =
          std::any_of(timeline.host.begin(), timeline.host.end(), [&](const profile::HostOperation& other) {
            const std::int64_t end = start + room, other_end = other.start + other.duration;
            return other.thread == thread && start < other_end && other.start < end &&
                   !(start >= other.start && end <= other_end) && !(other.start >= start && other_end <= end);
          });
      const bool same = std::any_of(
          timeline.host.begin(), timeline.host.end(),
          [&](const profile::HostOperation& other) { return other.thread == thread && other.start == start; });
      if (!crosses && !same)
        timeline.host.push_back({start, room, timeline.names.id("op" + std::to_string(o % 5)), thread});
    }
  for (int d = 0; d < 20; ++d) {
    const std::int64_t correlation = draw(rng, 24);
    if (draw(rng, 4) > 0) timeline.launches.push_back({correlation, draw(rng, kEnd), 0});
    timeline.device.push_back({draw(rng, kEnd), draw(rng, 9),
                               draw(rng, 5) == 0 ? profile::DeviceOperation::kNoCorrelation : correlation,
                               timeline.names.id("kernel" + std::to_string(d % 4)), static_cast<std::uint32_t>(d % 2)});
  }
  return timeline;
}

/// The innermost operator of a thread at an instant: the one that began last of those that have not ended.
const profile::HostOperation* innermost(const profile::Timeline& timeline, std::uint32_t thread, std::int64_t time) {
  const profile::HostOperation* best = nullptr;
  for (const profile::HostOperation& o : timeline.host)
    if (o.thread == thread && o.start <= time && time < o.start + o.duration &&
        (best == nullptr || o.start > best->start))
      best = &o;
  return best;
}

std::map<std::string, std::int64_t> self_times(const profile::Timeline& timeline, const profile::StepWindow& window) {
  std::map<std::string, std::int64_t> ns;
  for (std::int64_t time = window.start; time < window.end; ++time) {
    const profile::HostOperation* owner = nullptr;
    for (const std::uint32_t thread : {0U, 1U})  // thread 2 is of another process
      if (owner == nullptr) owner = innermost(timeline, thread, time);
    ++ns[owner != nullptr ? timeline.names[owner->name] : std::string(profile::kOutsideOperators)];
  }
  return ns;
}

/// The first launch with a correlation, in the order of the file.
const profile::Launch* launch_of(const profile::Timeline& timeline, const profile::DeviceOperation& operation) {
  for (const profile::Launch& launch : timeline.launches)
    if (operation.correlation != profile::DeviceOperation::kNoCorrelation &&
        launch.correlation == operation.correlation)
      return &launch;
  return nullptr;
}

TEST(Timeline, AgreesWithAskingEveryInstant) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 rng(seed);
    const profile::Timeline timeline = random_timeline(rng);
    std::mt19937_64 again(seed);
    profile::StepProfile profile;
    profile::attribute_to_steps(random_timeline(again), profile);
    ASSERT_EQ(profile.steps.size(), timeline.windows.size());
    std::uint64_t attributed = 0;
    for (std::size_t s = 0; s < profile.steps.size(); ++s) {
      const profile::StepWindow& window = timeline.windows[s];
      const profile::ProfiledStep& step = profile.steps[s];
      const auto inside = [&](std::int64_t time) { return window.start <= time && time < window.end; };
      std::int64_t sum = 0, weak_sum = 0;
      std::uint64_t operations = 0, weak = 0;
      std::vector<bool> busy(400, false);
      for (const profile::DeviceOperation& d : timeline.device) {
        const profile::Launch* const launch = launch_of(timeline, d);
        if (launch == nullptr ? !inside(d.start) : !inside(launch->start)) continue;
        (launch == nullptr ? weak : operations) += 1;
        (launch == nullptr ? weak_sum : sum) += d.duration;
        for (std::int64_t t = d.start; launch != nullptr && t < d.start + d.duration; ++t)
          busy[static_cast<std::size_t>(t)] = true;
      }
      attributed += operations + weak;
      EXPECT_EQ(step.host_ns, window.end - window.start);
      EXPECT_EQ(step.gpu_ops, operations);
      EXPECT_EQ(step.gpu_sum_ns, sum);
      EXPECT_EQ(step.gpu_busy_ns, std::count(busy.begin(), busy.end(), true));
      EXPECT_EQ(step.weak_gpu_ops, weak);
      EXPECT_EQ(step.weak_gpu_sum_ns, weak_sum);
      std::map<std::string, std::int64_t> operators;
      for (const profile::Operation& o : step.operators)
        if (o.ns > 0) operators[o.name] = o.ns;
      EXPECT_EQ(operators, self_times(timeline, window));
      std::int64_t kernels = 0;
      for (const profile::Operation& o : step.kernels) kernels += o.ns;
      EXPECT_EQ(kernels, sum);
    }
    EXPECT_EQ(profile.unattributed_gpu_ops, timeline.device.size() - attributed);
  }
}

TEST(Timeline, ADeviceRangeTellsWhereAnOperationWithoutLaunchBelongs) {
  profile::Timeline timeline;
  timeline.windows = {{"a", 0, 10, 0, 0}, {"b", 10, 20, 0, 0}};
  timeline.device_ranges = {{12, 30, timeline.names.id("a"), 7}};
  timeline.device = {{15, 4, profile::DeviceOperation::kNoCorrelation, timeline.names.id("k"), 7},
                     {15, 5, profile::DeviceOperation::kNoCorrelation, timeline.names.id("k"), 8}};
  profile::StepProfile profile;
  profile::attribute_to_steps(std::move(timeline), profile);
  EXPECT_EQ(profile.steps[0].weak_gpu_sum_ns, 4);
  EXPECT_EQ(profile.steps[1].weak_gpu_sum_ns, 5);
}

TEST(Timeline, LaunchesBelongToTheStepsOfTheirProcess) {
  profile::Timeline timeline;
  timeline.windows = {{"a", 0, 10, 0, 0}, {"b", 10, 20, 1, 1}};
  timeline.launches = {{1, 5, 0}, {2, 15, 1}, {3, 5, 9}};
  timeline.same_process_ids = false;  // process 9 is one of the others, by another number
  for (const std::int64_t correlation : {1, 2, 3})
    timeline.device.push_back({20, correlation, correlation, timeline.names.id("k"), 0});
  profile::StepProfile profile;
  profile::attribute_to_steps(std::move(timeline), profile);
  EXPECT_EQ(profile.steps[0].gpu_sum_ns, 1 + 3);
  EXPECT_EQ(profile.steps[1].gpu_sum_ns, 2);
}

TEST(Stubs, AStepThatWasCutOffIsOne) {
  const auto step = [](std::int64_t host, std::uint64_t operations) {
    profile::ProfiledStep s;
    s.host_ns = host;
    s.gpu_ops = operations;
    s.gpu_sum_ns = static_cast<std::int64_t>(operations) * 10;
    return s;
  };
  profile::StepProfile profile;
  profile.steps = {step(1000, 3), step(1000, 3), step(49, 0)};
  profile::mark_stubs(profile);
  EXPECT_TRUE(profile.steps[2].stub);
  profile.steps[2].host_ns = 50;  // 5 % of the median, not less
  profile::mark_stubs(profile);
  EXPECT_FALSE(profile.steps[2].stub);
  profile.steps = {step(10, 0), step(1000, 0), step(1000, 0)};  // no device at all: only the last could be one
  profile::mark_stubs(profile);
  EXPECT_FALSE(profile.steps[0].stub);
  profile.steps = {step(10, 0)};
  profile::mark_stubs(profile);
  EXPECT_FALSE(profile.steps[0].stub);
}

TEST(Ranks, AStepIsAsLongAsTheSlowestRanks) {
  const auto profile = [](std::uint64_t rank, std::vector<std::pair<const char*, std::int64_t>> steps) {
    profile::StepProfile out;
    out.rank = rank;
    for (const auto& [key, ns] : steps) {
      profile::ProfiledStep step;
      step.key = key;
      step.host_ns = ns;
      step.gpu_sum_ns = 1000 - ns;
      step.operators = {{"of rank " + std::to_string(rank), 1, ns}};
      out.steps.push_back(std::move(step));
    }
    return out;
  };
  std::vector<profile::StepProfile> profiles{profile(0, {{"a", 10}, {"b", 40}}),
                                             profile(1, {{"a", 30}, {"b", 20}, {"c", 5}})};
  EXPECT_EQ(testing::merge(profiles).size(), 2u) << "a step is not of every rank";
  ASSERT_EQ(profiles.size(), 1u);
  const std::vector<profile::ProfiledStep>& steps = profiles[0].steps;
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].host_ns, 30);
  EXPECT_EQ(steps[0].gpu_sum_ns, 990) << "each kind by itself";
  EXPECT_EQ(steps[0].operators.at(0).name, "of rank 1");
  EXPECT_EQ(steps[1].host_ns, 40);
  EXPECT_EQ(steps[2].host_ns, 5);
  std::vector<profile::StepProfile> repeats{profile(0, {{"a", 10}}), profile(0, {{"a", 30}})};
  EXPECT_TRUE(testing::merge(repeats).empty());
  EXPECT_EQ(repeats.size(), 2u) << "the same rank twice is a repeat";
}

/// A step from 10 s to 11 s that launches operation 1; `at`, `duration` and `correlation` of each operation on lane 0.
struct Operation {
  std::int64_t at, duration, correlation;
};
std::vector<std::pair<std::int64_t, std::int64_t>> kept_times(const std::vector<Operation>& operations,
                                                              profile::StepProfile& profile, bool in_order = true) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  profile::Timeline timeline;
  timeline.windows.push_back({"step", 10 * kSecond, 11 * kSecond, 0, 0});
  timeline.launches.push_back({1, 10 * kSecond, 0});
  timeline.lanes_are_in_order = in_order;
  for (const Operation& of : operations) timeline.device.push_back({of.at, of.duration, of.correlation, 0, 0});
  profile::remove_impossible_times(timeline, profile);
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  for (const profile::DeviceOperation& of : timeline.device) times.emplace_back(of.start, of.duration);
  return times;
}

TEST(Timeline, OperationsOutsideOfTheTraceAreLeftOut) {
  constexpr std::int64_t kSecond = 1'000'000'000, kNone = profile::DeviceOperation::kNoCorrelation;
  profile::StepProfile profile;
  const auto times = kept_times({{0, 5, 1},                     // launched in the trace, and ended before it
                                 {0, 5, kNone},                 // may have been launched before
                                 {9 * kSecond, 5, 1},           // clocks of host and device differ
                                 {10 * kSecond + 7, 5, 1},      //
                                 {60 * kSecond, 5, 1},          // a long queue
                                 {9'000 * kSecond, 5, kNone}},  // none is that long
                                profile);
  EXPECT_EQ(times.size(), 4U);
  ASSERT_EQ(profile.notes.size(), 1U);
  EXPECT_NE(profile.notes.front().find("2 device operations outside"), std::string::npos) << profile.notes.front();
}

TEST(Timeline, ALateEndIsClippedAtTheNextOperationOfAStream) {
  constexpr std::int64_t kAt = 10'000'000'000;
  using Times = std::vector<std::pair<std::int64_t, std::int64_t>>;
  profile::StepProfile profile;
  EXPECT_EQ(kept_times({{kAt, 900, 1}, {kAt + 100, 50, 2}, {kAt + 200, 50, 3}}, profile),
            (Times{{kAt, 100}, {kAt + 100, 50}, {kAt + 200, 50}}));
  EXPECT_EQ(profile.notes.size(), 1U);
  profile::StepProfile none;
  const std::vector<Operation> early{{kAt, 120, 1}, {kAt + 100, 50, 2}}, graph{{kAt, 900, 1}, {kAt + 100, 50, 1}};
  EXPECT_EQ(kept_times(early, none).front().second, 120) << "a dependent kernel may start early";
  EXPECT_EQ(kept_times(graph, none).front().second, 900) << "branches of a graph run at the same time";
  EXPECT_EQ(kept_times({{kAt, 900, 1}, {kAt + 100, 50, 2}}, none, false).front().second, 900) << "operators nest";
  EXPECT_TRUE(none.notes.empty());
}

}  // namespace
}  // namespace seqpoint
