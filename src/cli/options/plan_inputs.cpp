#include "cli/options/plan_inputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/options/dataset_inputs.hpp"
#include "cli/options/parser.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// A sampler whose order without --sampler-version was another one up to 1.0.
struct FormerOrder {
  std::string_view sampler, version;
};
constexpr std::array kFormerOrders{FormerOrder{"hf-length-grouped", "4.30"}, FormerOrder{"deepspeech-pytorch", "2.0"},
                                   FormerOrder{"verl", "0.8"}};

/// The version that an artefact of 1.0 or before means where it names none; "" where it is that of today.
std::string former_version(const batching::BatchPolicy& policy) {
  if (policy.sampler == "verl" && policy.world_size == 1) return "";  // one rank was not balanced, which is as 0.9
  for (const FormerOrder& former : kFormerOrders)
    if (former.sampler == policy.sampler) return std::string(former.version);
  return "";
}

/// The options of reading and batching that the artefact has kept, as if they were typed again.
DatasetOptions options_of(const io::artifacts::SeqpointsFile& source) {
  DatasetOptions options;
  try {
    take_kept(dataset_rows(options, ""), source.provenance.options);
  } catch (const UsageError& error) {
    throw InputError({source.record.path, 0, "provenance.options"}, error.what(), "select again with this version");
  }
  return options;
}

void take_former_version(batching::BatchPolicy& policy, const io::artifacts::SeqpointsFile& source, Console& console) {
  if (!policy.version.empty()) return;
  policy.version = former_version(policy);
  if (policy.version.empty()) return;
  console.note(
      fmt::format("{}: its batches are those of --sampler-version {}, which was the default when it was selected",
                  source.record.path, policy.version));
}

std::vector<std::string> paths_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  for (const std::string& argument : arguments)
    for (const std::string& path : io::manifests::manifest_paths(argument)) paths.push_back(path);
  return paths;
}

/// Files that the run of the points was made of.
std::vector<io::manifests::InputRecord> inputs_of(const io::artifacts::SeqpointsFile& source) {
  std::vector<io::manifests::InputRecord> inputs = source.provenance.inputs;
  if (source.from_trace())
    inputs.resize(1);  // of the manifests that its rows are of it does not know
  else
    std::erase_if(inputs, [](const auto& input) { return input.format == "trace"; });  // a calibration
  return inputs;
}

void require_unchanged(const io::artifacts::SeqpointsFile& source, std::span<const io::manifests::InputRecord> now,
                       bool force, Console& console) {
  const std::vector<io::manifests::InputRecord> before = inputs_of(source);
  for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
    if (i < before.size() && i < now.size() && before[i].digest == now[i].digest) continue;
    const std::string path = i < now.size() ? now[i].path : before[i].path;
    const std::string problem =
        i < before.size() && i < now.size()
            ? "is not what the points were selected from: its digest is another"
            : fmt::format("the points were selected from {}, not {}", counted(before.size(), "file"), now.size());
    if (!force) throw InputError({path}, problem, "select again, or plan with it as it is: --force");
    console.warn(fmt::format("{}: {}; planned with it as it is (--force)", path, problem));
  }
}

/// The batches of a trace that has their rows are in it, as those of an order that was recorded.
void take_order(DatasetOptions& options, const io::artifacts::SeqpointsFile& source, const std::string& path) {
  if (source.from_trace()) {
    const bool rows = std::ranges::none_of(source.selection.points, [](const auto& p) { return p.samples.empty(); });
    if (!rows)
      throw InputError({source.record.path},
                       "was selected from a trace, which does not say which samples a batch holds",
                       "select from the manifest, or from a trace with a column rows; or plan without a manifest");
    options.batching.sampler = "recorded";
    options.batching.batch_size = 0;  // of a trace without that column
    options.batching.options.set("order", source.provenance.inputs.front().path);
    options.read.format.clear();
  }
  if (path.empty()) return;
  if (!batching::find_sampler(options.batching.sampler).needs_order)
    throw UsageError("--order has no use here: the points were selected with --sampler " + options.batching.sampler,
                     "leave it out");
  options.batching.options.set("order", path);
}

}  // namespace

void name_version(OptionsInForce& options, const batching::BatchPolicy& policy) {
  const auto is_it = [&](const FormerOrder& former) { return former.sampler == policy.sampler; };
  if (!policy.version.empty() || std::none_of(kFormerOrders.begin(), kFormerOrders.end(), is_it)) return;
  options.emplace_back("sampler-version",
                       std::vector{std::string(batching::find_sampler(policy.sampler).versions.used)});
}

PlannedRun load_planned_run(const io::artifacts::SeqpointsFile& source, const PlannedPaths& paths, bool force,
                            Console& console) {
  PlannedRun run{options_of(source), {}, paths_of(paths.manifests), {}};
  DatasetOptions& options = run.options;
  take_order(options, source, paths.order);
  take_former_version(options.batching, source, console);
  options.manifests = paths.manifests;
  if (!paths.targets.empty()) options.targets = paths.targets;
  options.read.keep_origins = true;
  run.targets = paths_of(options.targets);
  require_valid(options, {}, Batching::always);
  run.dataset = load_dataset(options, Batching::always, console);
  const std::span<const io::manifests::InputRecord> now = run.dataset.inputs;
  require_unchanged(source, source.from_trace() ? now.last(1) : now, force, console);
  return run;
}

void require_same_lengths(const PlannedRun& run, const std::string& folder, const io::artifacts::TaskFiles& files,
                          const std::vector<std::uint32_t>& rows) {
  const io::manifests::ReadOptions read =
      io::manifests::options_for_rereading(run.options.read, run.dataset, !files.target.empty());
  std::vector<io::stream::Input> manifests, targets;
  manifests.push_back(io::stream::Input::open(fmt::format("{}/{}", folder, files.manifest)));
  if (!files.target.empty()) targets.push_back(io::stream::Input::open(fmt::format("{}/{}", folder, files.target)));
  const lengths::Lengths made = io::manifests::read_dataset(std::move(manifests), std::move(targets), read).lengths;
  const lengths::Lengths& whole = run.dataset.lengths;
  bool same = made.size() == rows.size() && made.paired() == whole.paired();
  for (std::size_t i = 0; same && i < rows.size(); ++i)
    same = made.src[i] == whole.src[rows[i]] && (!whole.paired() || made.tgt[i] == whole.tgt[rows[i]]);
  // Which field or column has the lengths is sometimes told by other rows, which the small manifest has not.
  if (!same)
    throw InputError(
        {run.dataset.inputs.front().path},
        fmt::format("the rows of the points, alone in {}, have other lengths than among all rows", files.manifest),
        "plan without manifests, and let the companion pick the rows");
}

}  // namespace seqpoint::cli::options
