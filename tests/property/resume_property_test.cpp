// A run that goes on after a checkpoint has the rest of the whole run's micro-batches, with every sampler that allows
// it.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/forecast/forecast.hpp"
#include "core/trace/trace.hpp"
#include "property/draw.hpp"
#include "seqpoint/error.hpp"

namespace resume_property {
namespace {

using namespace seqpoint;
using seqpoint::testing::Draw;

struct Iteration {
  std::uint64_t epoch = 0, step = 0;
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> rank_ends;
  seqpoint::trace::Shape shape;
  friend bool operator==(const Iteration&, const Iteration&) = default;
};

std::vector<Iteration> walk(const seqpoint::lengths::Lengths& lengths, const seqpoint::batching::BatchPolicy& policy) {
  std::vector<Iteration> run;
  seqpoint::trace::for_each_iteration(
      lengths, policy, {}, [&](const seqpoint::trace::IterationRow& row, const seqpoint::batching::MicroBatch& batch) {
        EXPECT_EQ(row.iteration, run.size());
        run.push_back({row.epoch,
                       row.optimiser_step,
                       {batch.rows.begin(), batch.rows.end()},
                       {batch.rank_ends.begin(), batch.rank_ends.end()},
                       row.shape});
      });
  return run;
}

/// What is behind so many steps, which are numbered anew.
std::vector<Iteration> rest_of(std::vector<Iteration> run, std::uint64_t steps) {
  std::erase_if(run, [&](const Iteration& iteration) { return iteration.step < steps; });
  for (Iteration& iteration : run) iteration.step -= steps;
  return run;
}

seqpoint::lengths::Lengths random_lengths(Draw& draw) {
  seqpoint::lengths::Lengths lengths;
  for (std::uint64_t i = 0, samples = 60 + draw.below(200U); i < samples; ++i) {
    lengths.src.push_back(static_cast<std::uint32_t>(1 + draw.below(60)));
    lengths.seconds.push_back(0.1 * lengths.src.back());
  }
  return lengths;
}

/// Options of each sampler, one set a line.
const std::vector<std::string> kAllowed{
    "accelerate",
    "accelerate no-even-batches true",
    "megatron",
    "megatron no-data-sharding true",
    "megatron dataloader-type single",
    "megatron seq-length 20",
    "lhotse-simple max-duration 12 shuffle true",
    "lhotse-dynamic max-duration 12 shuffle true",
    "lhotse-bucketing max-duration 12 shuffle true num-buckets 4",
};

seqpoint::batching::BatchPolicy policy_of(const std::string& line, Draw& draw) {
  seqpoint::batching::BatchPolicy policy;
  std::istringstream words(line);
  words >> policy.sampler;
  for (std::string name, value; words >> name >> value;) policy.options.set(name, value);
  if (seqpoint::batching::find_sampler(policy.sampler).needs_batch_size) policy.batch_size = 1 + draw.below(4U);
  policy.seed = draw.below(1000U);
  policy.world_size = 1 + draw.below(4U);
  policy.grad_accumulation = 1 + draw.below(3U);
  policy.drop_last = draw.below(3U) == 0;
  const bool once = policy.options.text("dataloader-type") == "single" || policy.options.has("seq-length");
  if (once) return policy;
  policy.epoch = draw.below(3U);
  policy.epochs = 1 + draw.below(3U);
  return policy;
}

/// Whether the sampler resumes there; where it does, everything about it is checked.
bool expect_rest(const seqpoint::lengths::Lengths& lengths, seqpoint::batching::BatchPolicy policy, Draw& draw) {
  const std::vector<Iteration> run = walk(lengths, policy);
  const std::uint64_t steps = run.back().step + 1;
  if (steps < 2) return false;
  policy.resume_at = 1 + draw.below(steps - 1);
  try {
    EXPECT_EQ(walk(lengths, policy), rest_of(run, policy.resume_at));
  } catch (const UsageError&) {
    return false;
  }
  const seqpoint::trace::Trace trace = seqpoint::trace::trace_of(lengths, policy);
  const seqpoint::forecast::Forecast forecast =
      seqpoint::forecast::forecast(trace, seqpoint::forecast::use_of(lengths, policy, {}));
  const std::uint64_t first = run[run.size() - trace.size()].epoch, last = run.back().epoch;
  EXPECT_EQ(forecast.run.iterations, rest_of(run, policy.resume_at).size());
  EXPECT_EQ(forecast.use->samples, (last - first + 1) * lengths.size());
  policy.resume_at = steps;
  EXPECT_THROW(walk(lengths, policy), UsageError);
  return true;
}

TEST(Resume, IsTheRestOfTheWholeRun) {
  for (const std::string& line : kAllowed) {
    SCOPED_TRACE(line);
    unsigned resumed = 0;
    for (std::uint32_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      Draw draw(seed);
      const seqpoint::lengths::Lengths lengths = random_lengths(draw);
      resumed += expect_rest(lengths, policy_of(line, draw), draw) ? 1 : 0;
    }
    EXPECT_GE(resumed, 8U);
  }
}

TEST(Resume, IsRefusedByEveryOtherSampler) {
  for (const seqpoint::batching::Sampler& sampler : seqpoint::batching::samplers()) {
    const bool allowed = std::any_of(kAllowed.begin(), kAllowed.end(), [&](const std::string& line) {
      return line.substr(0, line.find(' ')) == sampler.name;
    });
    EXPECT_EQ(sampler.resuming.same_batches, allowed) << sampler.name;
    EXPECT_FALSE(sampler.resuming.about.empty()) << sampler.name;
    seqpoint::batching::BatchPolicy policy;
    policy.sampler = sampler.name;
    policy.batch_size = 4;
    if (sampler.needs_order) policy.options.set("order", "order.csv");
    seqpoint::batching::require_valid(policy);
    policy.resume_at = 1;
    if (!allowed) {
      EXPECT_THROW(seqpoint::batching::require_valid(policy), UsageError) << sampler.name;
    }
  }
}

}  // namespace
}  // namespace resume_property
