#include "core/trace/phases.hpp"

#include <algorithm>

namespace seqpoint::trace {
namespace {

template <class T>
std::vector<T> part(const std::vector<T>& column, std::size_t begin, std::size_t end) {
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

Trace stretch_of(const Trace& run, std::size_t begin, std::size_t end) {
  Trace stretch;
  stretch.src_len = part(run.src_len, begin, end);
  stretch.tgt_len = part(run.tgt_len, begin, end);
  stretch.batch_size = part(run.batch_size, begin, end);
  stretch.sq_tokens = part(run.sq_tokens, begin, end);
  stretch.samples = part(run.samples, begin, end);
  stretch.tokens = part(run.tokens, begin, end);
  stretch.padded_tokens = part(run.padded_tokens, begin, end);
  stretch.epoch = part(run.epoch, begin, end);
  stretch.step = part(run.step, begin, end);
  for (std::size_t i = begin; i < end; ++i) stretch.iteration.push_back(run.iteration_number(i));
  for (const Statistic& statistic : run.statistics)
    stretch.statistics.push_back({statistic.name, part(statistic.values, begin, end)});
  return stretch;
}

std::uint64_t phase_of(const RunSummary& run, std::uint64_t iteration) {
  const auto after = std::upper_bound(run.phases.begin(), run.phases.end(), iteration);
  return after == run.phases.begin() ? 0 : static_cast<std::uint64_t>(after - run.phases.begin()) - 1;
}

}  // namespace seqpoint::trace
