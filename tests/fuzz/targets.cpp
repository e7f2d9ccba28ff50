#include "targets.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "expectations.hpp"
#include "io/artifacts/files.hpp"
#include "io/artifacts/projection_file.hpp"
#include "io/manifests/dataset.hpp"
#include "io/profiles/profile_formats.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::fuzz {
namespace {

std::vector<io::stream::Input> memory(std::string_view bytes) {
  std::vector<io::stream::Input> inputs;
  inputs.push_back(input_of(bytes));
  return inputs;
}

/// What a manifest may refer to, without a disk: tables that are there.
class FewFiles : public io::stream::Files {
 public:
  bool exists(const std::string&) const override { return true; }
  io::stream::Input open(const std::string& path) const override {
    return io::stream::Input::from_memory(path, "r1 10.5\n");
  }
};

/// Profiles are targets under their format's name with this before it: "csv" is also a manifest.
constexpr std::string_view kSteps = "steps-";

/// Every row is accounted for.
void check(const io::manifests::Dataset& dataset) {
  if (dataset.rows != dataset.lengths.size() + dataset.missing + dataset.marked + dataset.too_short + dataset.too_long)
    std::abort();
  if (dataset.lengths.paired() && dataset.lengths.tgt.size() != dataset.lengths.src.size()) std::abort();
}

}  // namespace

void manifest(std::string_view format, std::string_view bytes, std::size_t threads) {
  io::manifests::ReadOptions options;
  const FewFiles files;
  options.files = &files;
  options.format = format;
  options.threads = threads;
  expect_value_or_error([&] { check(io::manifests::read_dataset(memory(bytes), {}, options)); });
  options.skip_missing = true;
  options.min_length = 1;
  expect_value_or_error([&] { check(io::manifests::read_dataset(memory(bytes), {}, options)); });
  if (format == "keyed") options.length_unit = lengths::LengthUnit::frames;
  expect_value_or_error([&] { check(io::manifests::read_dataset(memory(bytes), {}, options)); });
}

void trace(std::string_view bytes) {
  for (const trace::BatchLayout layout : {trace::BatchLayout::padded, trace::BatchLayout::varlen})
    expect_value_or_error([&] { trace::summarise(io::artifacts::read_trace(input_of(bytes), 1, layout, true).trace); });
}

/// Whatever is recorded is a run of these rows, or an error.
void order(std::string_view bytes) {
  expect_value_or_error([&] {
    constexpr std::size_t kRows = 20;
    const lengths::Lengths lengths{.src = std::vector<std::uint32_t>(kRows, 7),
                                   .tgt = std::vector<std::uint32_t>(kRows, 9)};
    auto read = std::make_shared<batching::RecordedOrder>(io::artifacts::read_order(input_of(bytes)).order);
    batching::require_rows(*read, lengths);
    batching::describe_use(*read, lengths);
    batching::compare_lengths(*read, lengths, 8);
    batching::BatchPolicy policy;
    policy.sampler = "recorded";
    batching::set_order(policy, read);
    policy.options.set("order", "fuzz");
    expect(trace::trace_of(lengths, policy).size() == read->size());
  });
}

void profile(std::string_view bytes) {
  expect_value_or_error([&] { io::artifacts::read_profile(input_of(bytes)); });
}

void seqpoints(std::string_view bytes) {
  expect_value_or_error([&] { io::artifacts::read_seqpoints(input_of(bytes)); });
}

void projection(std::string_view bytes) {
  expect_value_or_error([&] { io::artifacts::read_projection(input_of(bytes)); });
}

/// A step's parts are never more than the step, and every step has a value for every metric.
void check(const profile::StepProfile& profile) {
  for (const profile::ProfiledStep& step : profile.steps) {
    if (step.values.size() != profile.metrics.size()) std::abort();
    if (step.host_ns.value_or(0) < 0 || step.gpu_sum_ns.value_or(0) < 0) std::abort();
    if (step.gpu_busy_ns.value_or(0) > step.gpu_sum_ns.value_or(0)) std::abort();
  }
}

void steps(std::string_view format, std::string_view bytes) {
  const std::string name(format);
  expect_value_or_error([&] { check(io::profiles::read_step_profile(input_of(bytes), {}, name).profile); });
}

void step_map(std::string_view bytes) {
  expect_value_or_error([&] { io::profiles::read_step_map(input_of(bytes)); });
  expect_value_or_error([&] { io::profiles::read_categories(input_of(bytes)); });
  profile::identity_in_name(bytes);
}

namespace {

struct Target {
  std::string_view name;
  void (*feed)(std::string_view bytes);
};

constexpr std::array kTargets{
    Target{"guess", [](std::string_view bytes) { manifest("", bytes, 2); }},
    Target{"steps-guess", [](std::string_view bytes) { steps("", bytes); }},
    Target{"step-map", step_map},
    Target{"step-pattern", step_pattern},
    Target{"trace", trace},
    Target{"order", order},
    Target{"profile", profile},
    Target{"seqpoints", seqpoints},
    Target{"projection", projection},
    Target{"page", page},
    Target{"join", join},
    Target{"gzip", gzip},
    Target{"zstd", zstd},
};

constexpr std::array<std::string_view, 4> kDocuments{"seqpoints", "projection", "page", "join"};

}  // namespace

bool is_document(std::string_view target) {
  return std::find(kDocuments.begin(), kDocuments.end(), target) != kDocuments.end();
}

bool feed(std::string_view target, std::string_view bytes) {
  const auto row = std::find_if(kTargets.begin(), kTargets.end(), [&](const Target& t) { return t.name == target; });
  if (row != kTargets.end()) return row->feed(bytes), true;
  if (target.starts_with(kSteps)) {
    for (const io::profiles::ProfileReader& reader : io::profiles::profile_readers())
      if (reader.name == target.substr(kSteps.size())) return steps(reader.name, bytes), true;
    return false;
  }
  for (const io::manifests::Reader& reader : io::manifests::readers())
    if (reader.name == target) return manifest(target, bytes, 1), true;
  return false;
}

}  // namespace seqpoint::fuzz
