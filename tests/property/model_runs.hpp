/// \file
/// Random histograms of shapes for the model: one length, pairs, short last batches, token budgets.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/select/cost_model.hpp"
#include "core/trace/trace.hpp"
#include "property/draw.hpp"

namespace seqpoint::testing {

struct Histogram {
  std::vector<trace::ShapeCount> entries;
  trace::ShapeKind kind = trace::ShapeKind::padded;
};

inline Histogram random_histogram(Draw& draw, std::uint32_t most_iterations) {
  Histogram run;
  const bool paired = draw.below(2) == 0;
  run.kind = trace::kind_of(trace::BatchLayout::padded, paired);
  const std::uint32_t batches = draw.below(3);  // equal; a short last one; a token budget
  const double middle = 15 + 200 * draw.uniform();
  std::map<trace::Shape, std::uint64_t> counts;
  const std::uint32_t iterations = draw.between(most_iterations / 2, most_iterations);
  for (std::uint32_t i = 0; i < iterations; ++i) {
    const auto s = static_cast<std::uint32_t>(std::max(1.0, middle * std::exp(0.4 * draw.normal())));
    const auto t = paired ? static_cast<std::uint32_t>(std::max(1.0, s * (1 + 0.2 * draw.normal()))) : 0;
    std::uint32_t b = 32;
    if (batches == 1 && i == 0) b = draw.between(1, 31);
    if (batches == 2) b = std::max(1U, 6000 / (s + t));
    ++counts[{s, t, b}];
  }
  for (const auto& [shape, count] : counts) run.entries.push_back({shape, count});
  return run;
}

/// `k` different shapes of `size`, ascending.
inline std::vector<std::size_t> random_groups(Draw& draw, std::size_t size, std::size_t k) {
  std::vector<std::size_t> all(size);
  for (std::size_t g = 0; g < size; ++g) all[g] = g;
  for (std::size_t i = 0; i < k; ++i) std::swap(all[i], all[i + draw.below(size - i)]);
  all.resize(k);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace seqpoint::testing
