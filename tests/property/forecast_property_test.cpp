// A forecast against the same counted from the rows of every batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/forecast/forecast.hpp"
#include "property/draw.hpp"

namespace seqpoint::forecast_property {
namespace {

using testing::Draw;

lengths::Lengths random_lengths_of(Draw& draw, bool paired) {
  lengths::Lengths lengths;
  const std::uint32_t samples = draw.between(1U, 60U);
  for (std::uint32_t i = 0; i < samples; ++i) lengths.src.push_back(draw.between(1U, 40U));
  for (std::uint32_t i = 0; paired && i < samples; ++i) lengths.tgt.push_back(draw.between(1U, 40U));
  return lengths;
}

batching::BatchPolicy random_policy(Draw& draw) {
  batching::BatchPolicy policy;
  constexpr std::array kSamplers{"sequential", "sorted", "pytorch", "pytorch-distributed", "accelerate"};
  policy.sampler = kSamplers.at(draw.below(kSamplers.size()));
  policy.batch_size = draw.between(1U, 9U);
  if (batching::find_sampler(policy.sampler).takes_seed) policy.seed = draw.below(100U);
  policy.epochs = draw.between(1U, 3U);
  policy.epoch = draw.below(3U);
  policy.drop_last = draw.below(2) == 0;
  policy.grad_accumulation = draw.between(1U, 4U);
  policy.world_size = policy.sampler == "pytorch" ? 1 : draw.between(1U, 3U);
  return policy;
}

double square(double length) { return length * length; }

/// Of batches that hold whole samples.
TEST(ForecastProperty, UseIsThatOfTheRows) {
  testing::for_seeds(300, [](Draw& draw) {
    const lengths::Lengths lengths = random_lengths_of(draw, draw.below(2) == 0);
    const batching::BatchPolicy policy = random_policy(draw);
    SCOPED_TRACE(policy.sampler);
    std::map<std::uint64_t, std::multiset<std::uint32_t>> rows;  // by epoch
    double sq_tokens = 0, padded = 0;
    const auto tgt = [&](std::uint32_t row) { return lengths.paired() ? lengths.tgt[row] : 0U; };
    batching::for_each_micro_batch(lengths, policy, [&](const batching::MicroBatch& batch) {
      rows[batch.epoch].insert(batch.rows.begin(), batch.rows.end());
      for (std::size_t r = 0; r < batch.ranks(); ++r) {
        std::uint32_t s = 0, t = 0;
        for (const std::uint32_t row : batch.rows_of_rank(r)) {
          s = std::max(s, lengths.src[row]);
          t = std::max(t, tgt(row));
          sq_tokens += square(lengths.src[row]) + square(tgt(row));
        }
        padded += static_cast<double>(batch.rows_of_rank(r).size()) * (square(s) + square(t));
      }
    });
    if (rows.empty()) return;
    const forecast::DatasetUse use = forecast::use_of(lengths, policy, {});
    std::uint64_t left_out = 0, repeated = 0, tokens_left_out = 0, tokens_repeated = 0;
    for (std::uint64_t e = policy.epoch; e < policy.epoch + policy.epochs; ++e)
      for (std::uint32_t row = 0; row < lengths.size(); ++row) {
        const std::uint64_t times = rows[e].count(row), tokens = lengths.src[row] + tgt(row);
        if (times == 0) ++left_out, tokens_left_out += tokens;
        if (times > 1) repeated += times - 1, tokens_repeated += (times - 1) * tokens;
      }
    EXPECT_EQ(use.samples, lengths.size() * policy.epochs);
    EXPECT_EQ(use.left_out, left_out);
    EXPECT_EQ(use.tokens_left_out, tokens_left_out);
    EXPECT_EQ(use.repeated, repeated);
    EXPECT_EQ(use.tokens_repeated, tokens_repeated);
    EXPECT_EQ(use.tokens_cut, 0U);
    EXPECT_EQ(use.sq_tokens, sq_tokens);  // whole numbers: no sum is rounded
    EXPECT_EQ(use.padded_sq_tokens, padded);
  });
}

/// Also of samplers that cut samples or make pieces of them.
TEST(ForecastProperty, TokensOfTheDataSetAddUp) {
  testing::for_seeds(100, [](Draw& draw) {
    const lengths::Lengths lengths = random_lengths_of(draw, false);
    batching::BatchPolicy policy;
    policy.sampler = "megatron";
    policy.batch_size = 1;
    const std::uint64_t tokens = std::accumulate(lengths.src.begin(), lengths.src.end(), std::uint64_t{0});
    if (tokens < 2) return;  // one token and its label
    policy.options.set("seq-length",
                       std::to_string(draw.between(std::uint64_t{1}, std::min<std::uint64_t>(60, tokens - 1))));
    const forecast::Forecast found =
        forecast::forecast(trace::trace_of(lengths, policy), forecast::use_of(lengths, policy, {}));
    const forecast::DatasetUse& use = *found.use;
    EXPECT_EQ(use.tokens - use.tokens_left_out - use.tokens_cut + use.tokens_repeated, found.run.tokens);
  });
}

TEST(ForecastProperty, ShapesAndMaximaAreThoseOfAWalk) {
  testing::for_seeds(200, [](Draw& draw) {
    const lengths::Lengths lengths = random_lengths_of(draw, draw.below(2) == 0);
    const batching::BatchPolicy policy = random_policy(draw);
    const trace::Trace trace = trace::trace_of(lengths, policy);
    if (trace.size() == 0) return;
    const forecast::Forecast found = forecast::forecast(trace);
    std::map<trace::Shape, std::uint64_t> first;
    std::vector<std::uint64_t> records, seen;
    std::uint64_t most = 0;
    for (std::uint64_t i = 0; i < trace.size(); ++i) {
      first.emplace(trace.shapes[i], i);
      seen.push_back(first.size());
      const std::uint64_t tokens = trace.shapes[i].padded_tokens();
      if (records.empty() || tokens > most) records.push_back(i);
      most = std::max(most, tokens);
    }
    ASSERT_EQ(found.first_seen.size(), first.size());
    for (std::size_t s = 0; s < first.size(); ++s)
      EXPECT_EQ(found.first_seen[s], first.at(found.run.histogram[s].shape));
    EXPECT_EQ(found.maxima.front().measure, "padded_tokens");
    EXPECT_EQ(found.maxima.front().most, most);
    EXPECT_EQ(found.maxima.front().records, records);
    if (found.shapes) return;  // of each rank, and without squares: rank_shapes_test
    for (const std::uint64_t percent : {1U, 50U, 90U, 100U}) {
      const auto enough = std::find_if(seen.begin(), seen.end(),
                                       [&](std::uint64_t shapes) { return 100 * shapes >= percent * first.size(); });
      EXPECT_EQ(forecast::seen_by(found, static_cast<double>(percent) / 100),
                static_cast<std::uint64_t>(enough - seen.begin()));
    }
  });
}

TEST(ForecastProperty, StepsAreThoseOfEveryEpoch) {
  testing::for_seeds(100, [](Draw& draw) {
    const lengths::Lengths lengths = random_lengths_of(draw, false);
    batching::BatchPolicy policy = random_policy(draw);
    policy.sampler = "sequential";
    policy.seed.reset();
    policy.world_size = 1;
    policy.drop_last = false;
    const forecast::Forecast found = forecast::forecast(trace::trace_of(lengths, policy));
    const std::uint64_t iterations = (lengths.size() + policy.batch_size - 1) / policy.batch_size,
                        of_step = policy.grad_accumulation, steps = (iterations + of_step - 1) / of_step;
    EXPECT_EQ(found.epochs, std::vector<forecast::EpochSteps>(policy.epochs,
                                                              {iterations, steps, iterations - (steps - 1) * of_step}));
    EXPECT_EQ(found.accumulation, std::min(of_step, iterations));
  });
}

}  // namespace
}  // namespace seqpoint::forecast_property
