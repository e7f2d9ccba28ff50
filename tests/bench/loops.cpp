#include "loops.hpp"

#include <simdjson.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <vector>

#include "core/rng/rng.hpp"
#include "core/select/methods/exact_kmeans.hpp"
#include "inputs.hpp"

namespace seqpoint::bench {
namespace {

double exact_kmeans(const std::vector<select::methods::ValueCount>& values, std::uint32_t k) {
  select::methods::ExactKmeans kmeans(values);
  const select::methods::IntervalCost cost(values);
  double sum = 0;
  for (const select::Stratum& stratum : kmeans.clusters(k)) sum += cost(stratum.begin, stratum.end);
  return sum;
}

/// What a textbook has, with prefix sums in double: k n^2 / 2 costs.
double quadratic_kmeans(const std::vector<select::methods::ValueCount>& values, std::uint32_t k) {
  std::vector<double> count{0}, sum{0}, square{0};
  for (const select::methods::ValueCount& entry : values) {
    const double value = entry.value, times = static_cast<double>(entry.count);
    count.push_back(count.back() + times);
    sum.push_back(sum.back() + times * value);
    square.push_back(square.back() + times * value * value);
  }
  std::vector<double> best(values.size() + 1, std::numeric_limits<double>::infinity());
  best[0] = 0;
  for (std::uint32_t cluster = 0; cluster < k; ++cluster) {
    std::vector<double> next(best.size(), std::numeric_limits<double>::infinity());
    for (std::size_t end = 1; end < best.size(); ++end)
      for (std::size_t begin = 0; begin < end; ++begin) {
        const double s = sum[end] - sum[begin];
        next[end] =
            std::min(next[end], best[begin] + square[end] - square[begin] - s * s / (count[end] - count[begin]));
      }
    best = std::move(next);
  }
  return best.back();
}

}  // namespace

int kmeans_loop(const std::string& method, std::uint32_t unique, std::uint32_t k) {
  std::vector<select::methods::ValueCount> values;
  for (std::uint32_t length = 1; length <= unique; ++length) values.push_back({length, times_of_length(length)});
  const auto begin = std::chrono::steady_clock::now();
  const double sum = method == "exact" ? exact_kmeans(values, k) : quadratic_kmeans(values, k);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.17g\n%.6f\n", sum, seconds);
  return 0;
}

int simdjson_loop(const std::string& path, bool threaded) {
  constexpr std::size_t kBatch = 1 << 20;
  simdjson::padded_string json;
  if (simdjson::padded_string::load(path).get(json)) return 1;
  simdjson::ondemand::parser parser;
  parser.threaded = threaded;
  simdjson::ondemand::document_stream documents;
  if (parser.iterate_many(json, kBatch).get(documents)) return 1;
  double sum = 0;
  for (auto document : documents) {
    double seconds = 0;
    if (document["duration"].get(seconds)) return 1;
    sum += seconds;
  }
  std::printf("%f\n", sum);
  return 0;
}

int trace_loop(const std::string& path) {
  simdjson::padded_string json;
  if (simdjson::padded_string::load(path).get(json)) return 1;
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::array events;
  if (parser.iterate(json).get(document) || document["traceEvents"].get_array().get(events)) return 1;
  double sum = 0;
  std::uint64_t kernels = 0;
  for (auto event : events) {
    std::string_view category;
    double duration = 0;
    if (event["cat"].get_string().get(category) || category != "kernel") continue;
    if (event["dur"].get_double().get(duration)) return 1;
    sum += duration;
    ++kernels;
  }
  std::printf("%f %llu\n", sum, static_cast<unsigned long long>(kernels));
  return 0;
}

int permutation_loop(std::uint32_t n) {
  rng::TorchGenerator generator(1);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::uint32_t> order = generator.permutation(n);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%u\n%.6f\n", order[n / 2], seconds);
  return 0;
}

}  // namespace seqpoint::bench
