// `scan --rows --sampler packing` against tokens that were laid out one by one.
#include <gtest/gtest.h>

#include "core/batching/batches.hpp"
#include "seqpoint/error.hpp"
#include "unit/scan_rows.hpp"

namespace seqpoint::testing {
namespace {

using Rows = std::vector<std::uint32_t>;

const Rows kPackedLengths{3, 0, 9, 1, 1, 5};  // 19 tokens

/// For each token the row it is of.
Rows laid_out(const Rows& lengths) {
  Rows tokens;
  for (std::uint32_t row = 0; row < lengths.size(); ++row) tokens.insert(tokens.end(), lengths[row], row);
  return tokens;
}

/// The rows of tokens [begin, end), each once.
Rows rows_between(const Rows& tokens, std::size_t begin, std::size_t end) {
  Rows rows;
  for (std::size_t t = begin; t < std::min(end, tokens.size()); ++t)
    if (rows.empty() || rows.back() != tokens[t]) rows.push_back(tokens[t]);
  return rows;
}

TEST(PackingOrders, EverySequenceHasItsTokensRows) {
  const Rows tokens = laid_out(kPackedLengths);
  for (std::size_t length = 1; length <= 20; ++length)
    for (const std::size_t batch : {1U, 2U, 3U}) {
      SCOPED_TRACE(std::to_string(length) + " x " + std::to_string(batch));
      const auto got = scan_rows(kPackedLengths, {"--sampler", "packing", "--seq-length", std::to_string(length),
                                                  "--batch-size", std::to_string(batch)});
      const std::size_t width = length * batch;
      ASSERT_EQ(got.size(), (tokens.size() + width - 1) / width);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const std::size_t held = std::min(width, tokens.size() - i * width);
        EXPECT_EQ(got[i].ranks[0], rows_between(tokens, i * width, (i + 1) * width));
        EXPECT_EQ(got[i].src_len, length);
        EXPECT_EQ(got[i].batch_size, (held + length - 1) / length);
        EXPECT_EQ(got[i].tokens, held);
      }
    }
}

TEST(PackingOrders, DropLastDropsTheShortSequenceAndTheShortBatch) {
  const auto got =
      scan_rows(kPackedLengths, {"--sampler", "packing", "--seq-length", "4", "--batch-size", "3", "--drop-last"});
  ASSERT_EQ(got.size(), 1U);  // 19 / 4 = 4 sequences, of which 3 make a batch
  EXPECT_EQ(got[0].tokens, 12U);
}

TEST(PackingOrders, RanksTakeSequencesInTurn) {
  const auto got = scan_rows(kPackedLengths,
                             {"--sampler", "packing", "--seq-length", "4", "--batch-size", "1", "--world-size", "2"});
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[0].ranks, (std::vector<Rows>{{0, 2}, {2}}));
  EXPECT_EQ(got[2].ranks, (std::vector<Rows>{{5}, {0, 2}}));  // five sequences: the first goes round again
}

TEST(PackingOrders, RefusesWhatMakesNoSequence) {
  batching::BatchPolicy policy;
  policy.sampler = "packing";
  policy.batch_size = 1;
  const auto run = [&](const lengths::Lengths& lengths) {
    batching::for_each_micro_batch(lengths, policy, [](const batching::MicroBatch&) {});
  };
  EXPECT_THROW(run({kPackedLengths, {}, {}}), UsageError);  // no --seq-length
  policy.options.set("seq-length", "20");
  EXPECT_NO_THROW(run({kPackedLengths, {}, {}}));
  EXPECT_THROW(run({kPackedLengths, kPackedLengths, {}}), UsageError);
  EXPECT_THROW(run({{0, 0}, {}, {}}), UsageError);
  policy.drop_last = true;
  EXPECT_THROW(run({kPackedLengths, {}, {}}), UsageError);
}

}  // namespace
}  // namespace seqpoint::testing
