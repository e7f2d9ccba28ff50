/// \file
/// Vectors that hold the options of our command beside what the framework did: one loop for all of them.
#pragma once

#include <gtest/gtest.h>

#include "unit/scan_rows.hpp"
#include "unit/vectors.hpp"

namespace seqpoint::testing {

/// `seconds`, or `lengths`, or `src` and `tgt` (null: one side).
inline lengths::Lengths lengths_of_case(const nlohmann::json& c) {
  using SideLengths = std::vector<std::uint32_t>;
  if (c.contains("seconds")) return {{}, {}, c["seconds"].get<std::vector<double>>()};
  if (c.contains("lengths")) return {c["lengths"].get<SideLengths>(), {}, {}};
  return {c["src"].get<SideLengths>(),
          c.value("tgt", nlohmann::json()).is_null() ? SideLengths{} : c["tgt"].get<SideLengths>(),
          {}};
}

/// Every case's `options`, against `expected_steps` (step, rank, row) and, where there are, `expected_padded_lengths`
/// or, of packed sequences, `expected_sums`: tokens and the squares of their pieces.
inline void expect_steps(const std::string& file, std::size_t cases) {
  std::size_t compared = 0;
  for (const nlohmann::json& c : load_vectors(file)) {
    SCOPED_TRACE(c["options"].dump());
    nlohmann::json steps, padded, sums;
    for (const ScannedIteration& iteration :
         scan_rows(lengths_of_case(c), c["options"].get<std::vector<std::string>>())) {
      steps.push_back(iteration.ranks);
      padded.push_back({iteration.src_len, iteration.tgt_len});
      sums.push_back({iteration.tokens, iteration.sq_tokens});
    }
    EXPECT_EQ(steps, c["expected_steps"]);
    if (c.contains("expected_padded_lengths")) {
      EXPECT_EQ(padded, c["expected_padded_lengths"]);
    }
    if (c.contains("expected_sums")) {
      EXPECT_EQ(sums, c["expected_sums"]);
    }
    ++compared;
  }
  EXPECT_EQ(compared, cases);
}

/// The batches of an epoch on one rank.
inline std::vector<std::vector<std::uint32_t>> batches_of(const lengths::Lengths& lengths,
                                                          const std::vector<std::string>& options) {
  return epochs_of(scan_rows(lengths, options)).at(0);
}

}  // namespace seqpoint::testing
