#include "loops.hpp"

#include <simdjson.h>

#include <chrono>
#include <cstdio>

#include "seqpoint/rng.hpp"

namespace seqpoint::bench {

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
  TorchGenerator generator(1);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<std::uint32_t> order = generator.permutation(n);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%u\n%.6f\n", order[n / 2], seconds);
  return 0;
}

}  // namespace seqpoint::bench
