#include "targets.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include "seqpoint/error.hpp"
#include "seqpoint/io/artifacts/artifacts.hpp"
#include "seqpoint/io/artifacts/plan_folder.hpp"
#include "seqpoint/io/manifests/manifests.hpp"
#include "seqpoint/io/manifests/subset.hpp"
#include "seqpoint/io/profiles/profile_formats.hpp"

namespace seqpoint::fuzz {
namespace {

/// Errors of ours are what a bad input should end in.
template <class Read>
void expect_value_or_error(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    if (error.problems().empty() || error.problems().front().where.source.empty()) std::abort();
  } catch (const UsageError&) {
  }
}

std::vector<io::stream::Input> memory(std::string_view bytes) {
  std::vector<io::stream::Input> inputs;
  inputs.push_back(io::stream::Input::from_memory("fuzz", bytes));
  return inputs;
}

/// What a manifest may refer to, without a disk: tables that are there, and audio of a second under every name.
class FewFiles : public io::stream::Files {
 public:
  bool exists(const std::string&) const override { return true; }
  io::stream::Input open(const std::string& path) const override {
    const bool durations = path.ends_with("clip_durations.tsv");
    return io::stream::Input::from_memory(path, durations ? "clip\tduration[ms]\na.mp3\t4536\n" : "r1 10.5\n");
  }
  io::stream::AudioHeader audio_header(const std::string&) const override { return {16000, 16000}; }
};

/// Profiles are targets under their format's name with this before it: "csv" is a manifest, too.
constexpr std::string_view kSteps = "steps-";

/// Every row is accounted for.
void check(const io::manifests::Dataset& dataset) {
  if (dataset.rows != dataset.lengths.size() + dataset.missing + dataset.marked + dataset.too_short + dataset.too_long)
    std::abort();
  if (dataset.lengths.paired() && dataset.lengths.tgt.size() != dataset.lengths.src.size()) std::abort();
}

/// The manifest under its name, and what it may refer to.
class WithManifest : public FewFiles {
 public:
  explicit WithManifest(std::string_view bytes) : bytes_(bytes) {}
  io::stream::Input open(const std::string& path) const override {
    return path == "fuzz" ? io::stream::Input::from_memory(path, bytes_) : FewFiles::open(path);
  }

 private:
  std::string_view bytes_;
};

lengths::Lengths lengths_of(const io::manifests::Excerpt& made, const io::manifests::ReadOptions& options) {
  for (const io::manifests::NewFile& file : made.files)
    if (file.name == made.manifest) return io::manifests::read_dataset(memory(file.bytes), {}, options).lengths;
  std::abort();
}

/// Rows that are copied into a manifest of their own are those rows: nothing that could be read may fail there.
void copy_rows(std::string_view bytes, io::manifests::ReadOptions options) {
  const WithManifest files(bytes);
  options.files = &files;
  options.keep_origins = true;
  const io::manifests::Dataset data = io::manifests::read_dataset(memory(bytes), {}, options);
  const io::manifests::ReadOptions again = io::manifests::options_for_rereading(options, data, false);
  if (io::manifests::pick_reader(again.format, {}).copy_records == nullptr) return;
  const std::size_t last = data.lengths.size() - 1;
  const std::vector<std::size_t> chosen{last, 0, last / 2, last};
  std::vector<io::manifests::RowOrigin> rows;
  for (const std::size_t row : chosen) rows.push_back(data.origins[row]);
  const std::vector<std::string> paths{"fuzz"};
  const io::manifests::Excerpt made = io::manifests::ManifestRecords(paths, {}, again, rows).excerpt("small", rows);
  try {
    const lengths::Lengths lengths = lengths_of(made, again);
    if (lengths.size() != chosen.size()) std::abort();
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (lengths.src[i] != data.lengths.src[chosen[i]]) std::abort();
  } catch (const InputError&) {
    std::abort();
  }
}

}  // namespace

void manifest(std::string_view format, std::string_view bytes, std::size_t threads) {
  io::manifests::ReadOptions options;
  const FewFiles files;
  options.files = &files;
  options.format = format;
  options.threads = threads;
  expect_value_or_error([&] { check(io::manifests::read_dataset(memory(bytes), {}, options)); });
  expect_value_or_error([&] { copy_rows(bytes, options); });
  options.skip_missing = true;
  options.min_length = 1;
  expect_value_or_error([&] { check(io::manifests::read_dataset(memory(bytes), {}, options)); });
  options.probe_audio = true;
  if (format == "keyed") options.unit = lengths::LengthUnit::frames;
  expect_value_or_error([&] { check(io::manifests::read_dataset(memory(bytes), {}, options)); });
  expect_value_or_error([&] { copy_rows(bytes, options); });
}

void trace(std::string_view bytes) {
  expect_value_or_error([&] {
    const io::artifacts::TraceFile file = io::artifacts::read_trace(io::stream::Input::from_memory("fuzz", bytes), 1);
    if (file.trace.batch_size.size() != file.trace.size()) std::abort();
  });
}

void profile(std::string_view bytes) {
  expect_value_or_error([&] { io::artifacts::read_profile(io::stream::Input::from_memory("fuzz", bytes)); });
}

void seqpoints(std::string_view bytes) {
  expect_value_or_error([&] { io::artifacts::read_seqpoints(io::stream::Input::from_memory("fuzz", bytes)); });
  expect_value_or_error([&] { io::artifacts::read_plan_source(io::stream::Input::from_memory("fuzz", bytes)); });
}

void projection(std::string_view bytes) {
  expect_value_or_error([&] { io::artifacts::read_projection(io::stream::Input::from_memory("fuzz", bytes)); });
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
  io::profiles::ProfileReadOptions options;
  const FewFiles files;
  options.files = &files;
  const std::string name(format);
  expect_value_or_error([&] {
    check(io::profiles::read_step_profile(io::stream::Input::from_memory("fuzz", bytes), options, name).profile);
  });
}

void step_map(std::string_view bytes) {
  expect_value_or_error([&] { io::profiles::read_step_map(io::stream::Input::from_memory("fuzz", bytes)); });
  expect_value_or_error([&] { io::profiles::read_categories(io::stream::Input::from_memory("fuzz", bytes)); });
  profile::identity_in_name(bytes);
}

bool feed(std::string_view target, std::string_view bytes) {
  if (target == "trace")
    trace(bytes);
  else if (target == "profile")
    profile(bytes);
  else if (target == "seqpoints")
    seqpoints(bytes);
  else if (target == "projection")
    projection(bytes);
  else if (target == "guess")
    manifest("", bytes, 2);
  else if (target == "steps-guess")
    steps("", bytes);
  else if (target == "step-map")
    step_map(bytes);
  else if (target.starts_with(kSteps)) {
    for (const io::profiles::ProfileReader& reader : io::profiles::profile_readers())
      if (reader.name == target.substr(kSteps.size())) return steps(reader.name, bytes), true;
    return false;
  } else {
    for (const io::manifests::Reader& reader : io::manifests::readers())
      if (reader.name == target) return manifest(target, bytes, 1), true;
    return false;
  }
  return true;
}

}  // namespace seqpoint::fuzz
