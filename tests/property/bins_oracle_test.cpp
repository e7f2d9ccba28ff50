// The paper's method and the baselines it compares with, computed a second time: straight from the
// list of iterations, without a histogram, sums in long double, bin edges in integers. Thousands of
// random runs must agree point for point.

#include "core/select/select.hpp"
#include "core/trace/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "property/draw.hpp"

namespace bins_oracle {
namespace {

using seqpoint::select::Point;
using seqpoint::select::select;
using seqpoint::select::Selection;
using seqpoint::select::SelectParams;
using seqpoint::select::Weight;
using seqpoint::testing::Draw;
using seqpoint::trace::Shape;
using seqpoint::trace::ShapeKind;
using seqpoint::trace::Trace;
using Counts = std::map<std::uint32_t, std::uint64_t>;  // iterations by length
using Members = std::vector<std::size_t>;               // rows of the run

constexpr std::uint64_t kLongest = 0xFFFFFFFFU;

/// What the runs of a test have measured. Coarse values tie exactly; close ones differ by about the
/// tie tolerance.
enum class Cost { none, smooth, coarse, close };

double random_cost(Draw& draw, Cost kind) {
  if (kind == Cost::smooth) return 1.0 + static_cast<double>(draw.below(1'000'000'007)) * 1e-7;
  if (kind == Cost::coarse) return static_cast<double>(draw.between(1, 4));
  return 1.0 + static_cast<double>(draw.below(8)) * 0.7e-9;
}

/// Runs of all shapes: dense and gappy, one length or many, with zeros, and up to the longest
/// length there can be.
std::vector<std::uint32_t> random_lengths(Draw& draw) {
  static constexpr std::uint64_t kSpans[] = {0, 1, 6, 15, 40, 300, 5000, 1, kLongest};
  const std::uint64_t span = kSpans[draw.below(std::size(kSpans))];
  const std::uint64_t bases[] = {0, std::min<std::uint64_t>(100, kLongest - span), kLongest - span};
  const std::uint64_t base = bases[draw.below(std::size(bases))];
  std::vector<std::uint32_t> pool(draw.between(1, 60));
  for (std::uint32_t& length : pool) length = static_cast<std::uint32_t>(base + draw.between(0, span));
  std::vector<std::uint32_t> lengths(draw.between(1, 150));
  // The smaller of two draws, so that some lengths are much more frequent than others.
  for (std::uint32_t& length : lengths) length = pool[std::min(draw.below(pool.size()), draw.below(pool.size()))];
  return lengths;
}

Trace random_run(Draw& draw, Cost kind) {
  Trace run;
  const std::vector<std::uint32_t> lengths = random_lengths(draw);
  if (draw.below(3) == 0) run.kind = ShapeKind::padded_pair;
  for (const std::uint32_t length : lengths)
    run.shapes.push_back(
        {.src_len = length,
         .tgt_len = run.kind == ShapeKind::padded_pair ? static_cast<std::uint32_t>(draw.below(50)) : 0,
         .batch_size = run.size() + 1 == lengths.size() ? 3U : 16U});
  if (kind == Cost::none) return run;
  run.metrics.push_back({"cost", {}});
  for (std::size_t i = 0; i < run.size(); ++i) run.metrics[0].values.push_back(random_cost(draw, kind));
  return run;
}

long double value(const Trace& run, std::size_t i) {
  return run.metrics.empty() ? static_cast<long double>(run.shapes[i].src_len) : run.metrics[0].values[i];
}

Counts histogram(const Trace& run) {
  Counts counts;
  for (const Shape& s : run.shapes) ++counts[s.src_len];
  return counts;
}

/// The rows of one length, or all.
Members rows(const Trace& run, std::optional<std::uint32_t> length = {}) {
  Members found;
  for (std::size_t i = 0; i < run.size(); ++i)
    if (!length || run.shapes[i].src_len == *length) found.push_back(i);
  return found;
}

long double sum(const Trace& run, const Members& members) {
  long double total = 0;
  for (const std::size_t i : members) total += value(run, i);
  return total;
}

long double mean(const Trace& run, const Members& members) {
  return sum(run, members) / static_cast<long double>(members.size());
}

/// Share of the logged total by which a projected one is too large; 0 where there is nothing to miss.
long double error_of(const Trace& run, long double projected) {
  const long double logged = sum(run, rows(run));
  return logged == 0 ? 0 : (projected - logged) / logged;
}

/// What the oracle says. `shaky`: it hangs on the last digits, so that another answer would be right too.
struct Answer {
  Counts weights;
  long double error = 0;
  bool shaky = false;
};

std::uint64_t bin_of(std::uint64_t length, std::uint64_t low, std::uint64_t high, std::uint64_t bins) {
  return high == low ? 0 : std::min(bins - 1, bins * (length - low) / (high - low));
}

/// How far each length's mean is from that of all `members`.
std::map<std::uint32_t, long double> distances(const Trace& run, const Members& members) {
  std::map<std::uint32_t, long double> distance;
  for (const std::size_t i : members) distance[run.shapes[i].src_len] = 0;
  for (auto& [length, d] : distance) d = std::fabs(mean(run, rows(run, length)) - mean(run, members));
  return distance;
}

/// The shortest length whose distance is the least, or larger by less than 1e-9 of the average.
std::uint32_t representative(const Trace& run, const Members& members, bool& shaky) {
  const auto distance = distances(run, members);
  const long double average = std::fabs(mean(run, members));
  long double least = distance.begin()->second;
  for (const auto& [length, d] : distance) least = std::min(least, d);
  for (const auto& [length, d] : distance) shaky = shaky || std::fabs(d - least - 1e-9L * average) < 1e-12L * average;
  for (const auto& [length, d] : distance)
    if (d == least || d - least < 1e-9L * average) return length;
  return 0;  // never: one of them is the least
}

Answer bins(const Trace& run, std::uint64_t k) {
  const auto [least, most] = std::ranges::minmax(run.shapes);
  std::map<std::uint64_t, Members> bin;
  for (std::size_t i = 0; i < run.size(); ++i)
    bin[bin_of(run.shapes[i].src_len, least.src_len, most.src_len, k)].push_back(i);
  Answer answer;
  long double projected = 0;
  for (const auto& [index, members] : bin) {
    const std::uint32_t length = representative(run, members, answer.shaky);
    answer.weights[length] = members.size();
    projected += static_cast<long double>(members.size()) * mean(run, rows(run, length));
  }
  answer.error = error_of(run, projected);
  return answer;
}

/// Steps 2 to 6. The runs here have no lengths so close, for their range, that thousands of bins would not part them.
Answer grown(const Trace& run, std::uint64_t unique_limit, std::uint64_t first_k, double max_error) {
  if (histogram(run).size() <= unique_limit) return {histogram(run)};
  bool shaky = false;
  for (std::uint64_t k = first_k;; ++k) {
    Answer answer = bins(run, k);
    shaky = shaky || answer.shaky || std::fabs(std::fabs(answer.error) - max_error) < 1e-12L || k == 5000;
    answer.shaky = shaky;
    if (std::fabs(answer.error) <= max_error || k == 5000) return answer;
  }
}

Counts weights_of(const Selection& selection) {
  Counts weights;
  for (const Point& point : selection.points) {
    EXPECT_EQ(point.weight.millionths % Weight::kUnit, 0) << "a bin's weight is a count";
    EXPECT_EQ(point.length_group, point.shape.src_len) << "points are by src_len alone";
    weights[point.shape.src_len] += static_cast<std::uint64_t>(point.weight.millionths / Weight::kUnit);
  }
  return weights;
}

void expect_same(const Selection& selection, const Answer& answer) {
  EXPECT_EQ(weights_of(selection), answer.weights);
  EXPECT_EQ(selection.points.size(), answer.weights.size()) << "no length twice";
  ASSERT_TRUE(selection.method.in_sample_error);
  // Above 0: the points overstate the total.
  EXPECT_NEAR(*selection.method.in_sample_error, static_cast<double>(answer.error), 1e-12);
}

/// Sets the parameters of one case, and says what should come out.
using Ask = std::function<Answer(Draw&, const Trace&, SelectParams&)>;

void expect_agreement(const std::string& method, Cost kind, std::uint32_t stream, const Ask& ask) {
  constexpr std::uint32_t kCases = 2000;
  std::uint32_t skipped = 0;
  for (std::uint32_t n = 0; n < kCases && !::testing::Test::HasFailure(); ++n) {
    const std::uint32_t seed = stream * kCases + n;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    const Trace run = random_run(draw, seqpoint::select::find_method(method).takes_metric ? kind : Cost::none);
    SelectParams params;
    params.method = method;
    if (!run.metrics.empty()) params.metric = "cost";
    const Answer answer = ask(draw, run, params);
    if (!answer.shaky) expect_same(seqpoint::select::select(run, params), answer);
    skipped += answer.shaky ? 1 : 0;
  }
  EXPECT_LT(skipped, kCases / 20) << "too few cases were compared";
}

class PaperOracle : public testing::TestWithParam<Cost> {};
INSTANTIATE_TEST_SUITE_P(EveryKindOfMetric, PaperOracle,
                         testing::Values(Cost::none, Cost::smooth, Cost::coarse, Cost::close));

TEST_P(PaperOracle, BinsAgreeForAGivenNumberOfBins) {
  expect_agreement("bins", GetParam(), 0, [](Draw& draw, const Trace& run, SelectParams& params) {
    params.points = draw.between(1, 70);
    // More points than lengths: every length is one.
    if (*params.points > histogram(run).size()) return Answer{histogram(run)};
    return bins(run, *params.points);
  });
}

TEST_P(PaperOracle, BinsAgreeWhenTheyGrow) {
  expect_agreement("bins", GetParam(), 1, [](Draw& draw, const Trace& run, SelectParams& params) {
    static constexpr std::optional<double> kErrors[] = {std::nullopt, 0.05, 0.001, 1e-4, 1e-6};
    params.max_error = kErrors[draw.below(std::size(kErrors))];
    return grown(run, 10, 5, params.max_error.value_or(0.005));
  });
}

TEST_P(PaperOracle, BinsAgreeWithOptionsSet) {
  expect_agreement("bins", GetParam(), 2, [](Draw& draw, const Trace& run, SelectParams& params) {
    const std::uint64_t limit = draw.between(1, 30), first = draw.between(1, std::min<std::uint64_t>(limit, 8));
    params.options.set("unique-limit", std::to_string(limit));
    params.options.set("first-k", std::to_string(first));
    return grown(run, limit, first, 0.005);
  });
}

// Billions of bins would be needed to part the short lengths from each other.
TEST(BinsOracle, GrowthEndsDespiteAnOutlier) {
  Trace run;
  for (std::uint32_t s = 1; s <= 30; ++s) run.shapes.push_back({.src_len = s, .batch_size = 8});
  run.shapes.push_back({.src_len = static_cast<std::uint32_t>(kLongest), .batch_size = 8});
  run.metrics.push_back({"cost", {}});
  for (std::size_t i = 0; i < run.size(); ++i) run.metrics[0].values.push_back(static_cast<double>(1 + i * i));
  SelectParams params;
  params.method = "bins";
  params.max_error = 1e-9;
  params.metric = "cost";
  EXPECT_LE(std::fabs(seqpoint::select::select(run, params).method.in_sample_error.value_or(1)), 1e-9);
}

/// The answer that a single length stands for the whole run.
Answer single(const Trace& run, std::uint32_t length) {
  const long double projected = mean(run, rows(run, length)) * static_cast<long double>(run.size());
  return {{{length, run.size()}}, error_of(run, projected)};
}

TEST_P(PaperOracle, FrequentTakesTheShortestOfTheMostFrequentLengths) {
  expect_agreement("frequent", GetParam(), 3, [](Draw&, const Trace& run, SelectParams&) {
    const auto rarer = [](const auto& a, const auto& b) { return a.second < b.second; };
    const Counts counts = histogram(run);  // ascending, and the first of equals is the largest
    return single(run, std::max_element(counts.begin(), counts.end(), rarer)->first);
  });
}

TEST_P(PaperOracle, MedianTakesTheLengthOfTheLowerMedianIteration) {
  expect_agreement("median", GetParam(), 4, [](Draw&, const Trace& run, SelectParams&) {
    std::vector<Shape> sorted = run.shapes;
    std::ranges::sort(sorted);
    return single(run, sorted[(sorted.size() - 1) / 2].src_len);
  });
}

TEST_P(PaperOracle, WorstTakesTheLengthThatMissesTheTotalMost) {
  expect_agreement("worst", GetParam(), 5, [](Draw&, const Trace& run, SelectParams&) {
    long double most = 0;
    for (const auto& [length, count] : histogram(run)) most = std::max(most, std::fabs(single(run, length).error));
    // The shortest of those that miss the total as much, give or take 1e-9 of it.
    bool shaky = false;
    for (const auto& [length, count] : histogram(run)) {
      Answer answer = single(run, length);
      const long double less = most - std::fabs(answer.error);
      shaky = shaky || std::fabs(less - 1e-9L) < 1e-12L;
      answer.shaky = shaky;
      if (less <= 1e-9L) return answer;
    }
    throw std::logic_error("some length misses most");
  });
}

}  // namespace
}  // namespace bins_oracle
