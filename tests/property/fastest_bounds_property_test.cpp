// The fastest bounds against every choice of bounds there is.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "property/draw.hpp"
#include "seqpoint/forecast.hpp"

namespace seqpoint::fastest_bounds_property {
namespace {

using forecast::SecondsBySignature;
using testing::Draw;

struct TimedBatches {
  trace::RunSummary run;
  SecondsBySignature seconds;
};

/// Lengths of one to three batch sizes, and times that neither grow nor shrink with the length.
TimedBatches random_batches(Draw& draw, std::uint32_t lengths) {
  TimedBatches batches;
  for (std::uint32_t length = 1; length <= lengths; ++length)
    for (std::uint32_t batch_size = 1; batch_size <= 3; ++batch_size)
      if (draw.below(2) == 0 || batch_size == length % 3 + 1)
        batches.run.histogram.push_back(
            {{.src_len = 3 * length, .batch_size = batch_size}, draw.between(std::uint64_t{1}, std::uint64_t{9})});
  for (std::uint32_t length = 1; length <= lengths; ++length)
    for (std::uint32_t batch_size = 1; batch_size <= 3; ++batch_size)
      batches.seconds[{.src_len = 3 * length, .batch_size = batch_size}] = draw.between(1U, 20U);
  return batches;
}

/// Written from the definition: pad every iteration, add up, count what is left.
double seconds_with(const TimedBatches& batches, const std::vector<std::uint64_t>& upper, double compile_s) {
  double total = 0;
  std::set<std::pair<std::uint64_t, std::uint32_t>> shapes;
  for (const auto& [signature, count] : batches.run.histogram) {
    std::uint64_t bound = 0;
    for (const std::uint64_t b : upper)
      if (bound == 0 && b >= signature.src_len) bound = b;
    total += static_cast<double>(count) *
             batches.seconds.at({.src_len = static_cast<std::uint32_t>(bound), .batch_size = signature.batch_size});
    shapes.emplace(bound, signature.batch_size);
  }
  return total + compile_s * static_cast<double>(shapes.size());
}

TEST(FastestBoundsProperty, NoChoiceOfBoundsTakesLessTime) {
  testing::for_seeds(200, [](Draw& draw) {
    const std::uint32_t lengths = draw.between(1U, 9U);
    const TimedBatches batches = random_batches(draw, lengths);
    const double compile_s = draw.below(4) == 0 ? 0 : draw.between(1U, 60U);
    std::optional<std::uint64_t> most;
    if (draw.below(3) > 0) most = draw.between(std::uint64_t{1}, std::uint64_t{6});
    std::optional<double> least;
    std::size_t fewest = 0;
    for (std::uint32_t set = 0; set < 1U << (lengths - 1); ++set) {
      std::vector<std::uint64_t> upper;
      for (std::uint32_t i = 0; i < lengths; ++i)
        if (i + 1 == lengths || (set >> i & 1U) != 0) upper.push_back(3 * (i + 1));
      if (most && upper.size() > *most) continue;
      const double seconds = seconds_with(batches, upper, compile_s);
      if (!least || seconds < *least || (seconds == *least && upper.size() < fewest)) fewest = upper.size();
      least = std::min(seconds, least.value_or(seconds));
    }
    const forecast::Bounds found = forecast::fastest_bounds(batches.run, batches.seconds, compile_s, most);
    EXPECT_DOUBLE_EQ(seconds_with(batches, found.upper, compile_s), *least);
    if (most) {
      EXPECT_EQ(found.upper.size(), fewest);
    }
    EXPECT_EQ(found.upper.back(), 3 * lengths);
  });
}

TEST(FastestBoundsProperty, PaddingUpKeepsEveryIterationAndMakesTheShapesOfTheBounds) {
  testing::for_seeds(50, [](Draw& draw) {
    const TimedBatches batches = random_batches(draw, draw.between(2U, 9U));
    const forecast::Bounds found = forecast::fastest_bounds(batches.run, batches.seconds, 10, 2);
    const trace::RunSummary padded = forecast::padded_up(batches.run, found.upper);
    std::uint64_t before = 0, after = 0;
    double seconds = 0;
    for (const auto& [signature, count] : batches.run.histogram) before += count;
    for (const auto& [signature, count] : padded.histogram) {
      after += count;
      seconds += static_cast<double>(count) * batches.seconds.at(signature) + 10;
    }
    EXPECT_EQ(before, after);
    EXPECT_DOUBLE_EQ(seconds, seconds_with(batches, found.upper, 10));
  });
}

}  // namespace
}  // namespace seqpoint::fastest_bounds_property
