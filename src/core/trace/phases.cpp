#include "core/trace/phases.hpp"

#include <algorithm>

namespace seqpoint::trace {
namespace {

/// Elements [begin, end) of a column; an empty column stays empty.
template <class T>
std::vector<T> slice(const std::vector<T>& column, std::size_t begin, std::size_t end) {
  if (column.empty()) return {};
  return {column.begin() + static_cast<std::ptrdiff_t>(begin), column.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

std::vector<std::size_t> phase_begins(std::size_t iterations, std::uint64_t phases) {
  const std::uint64_t each = iterations / phases, rest = iterations % phases;
  std::vector<std::size_t> begins;
  for (std::uint64_t h = 0; h < phases; ++h) begins.push_back(h * each + h * rest / phases);
  return begins;
}

Trace iterations_between(const Trace& run, std::size_t begin, std::size_t end) {
  Trace part;
  part.ranks = run.ranks;
  if (begin == 0 && end == run.size()) part.of_batches = run.of_batches;
  part.kind = run.kind;
  part.shapes = slice(run.shapes, begin, end);
  part.samples = slice(run.samples, begin, end);
  part.tokens = slice(run.tokens, begin, end);
  part.padded_tokens = slice(run.padded_tokens, begin, end);
  part.mean_padded_tokens = slice(run.mean_padded_tokens, begin, end);
  part.epoch = slice(run.epoch, begin, end);
  part.optimiser_step = slice(run.optimiser_step, begin, end);
  for (std::size_t i = begin; i < end; ++i) part.iteration.push_back(run.iteration_number(i));
  for (const Metric& metric : run.metrics) part.metrics.push_back({metric.name, slice(metric.values, begin, end)});
  return part;
}

std::uint64_t phase_of(const RunSummary& run, std::uint64_t iteration) {
  const auto after = std::upper_bound(run.phases.begin(), run.phases.end(), iteration);
  return after == run.phases.begin() ? 0 : static_cast<std::uint64_t>(after - run.phases.begin()) - 1;
}

}  // namespace seqpoint::trace
