// Lengths of shards that were scanned apart, perhaps on several machines, as those of the whole data set.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "cli/progress.hpp"
#include "core/lengths/overlap.hpp"
#include "io/stream/digest.hpp"
#include "io/text/numbered_names.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/files.hpp"

namespace seqpoint::cli::commands {
namespace {

struct MergeRequest {
  std::vector<std::string> shards;
  std::string output = "-";
};

constexpr std::string_view kFormat = "lengths";

/// Anything else would be read by guesses that the scan of each shard has made already.
void require_lengths(io::stream::Input& shard) {
  if (io::manifests::pick_reader({}, {shard.name(), shard.head(), {}}).name != kFormat)
    throw InputError({shard.name(), 1}, "is no lengths file",
                     "make one of each shard: seqpoint scan SHARD --lengths-only");
}

lengths::Lengths read_shard(const std::string& path, const std::shared_ptr<ProgressLine>& progress, Console& console) {
  std::vector<io::stream::Input> shard;
  shard.push_back(io::stream::Input::open(path));
  show_reading(shard.front(), progress);
  require_lengths(shard.front());
  io::manifests::ReadOptions read;
  read.format = kFormat;
  try {
    io::manifests::Dataset dataset = io::manifests::read_dataset(std::move(shard), {}, read);
    for (const std::string& note : dataset.notes) console.warn(note);
    return std::move(dataset.lengths);
  } catch (const InputError& error) {  // its hint is for manifests
    throw InputError(error.problems(), error.unlisted(),
                     "copy the shard's lengths again, or scan it again with --lengths-only");
  }
}

void append(lengths::Lengths& whole, const lengths::Lengths& shard, const std::string& path) {
  if (whole.size() > 0 && whole.paired() != shard.paired())
    throw InputError({path, 1},
                     shard.paired() ? "has two lengths a sample, the shards before it have one"
                                    : "has one length a sample, the shards before it have two",
                     "merge shards of one kind: all with a target side, or all without");
  whole.src.insert(whole.src.end(), shard.src.begin(), shard.src.end());
  whole.tgt.insert(whole.tgt.end(), shard.tgt.begin(), shard.tgt.end());
}

/// The same for the same lengths.
std::string digest_of(const lengths::Lengths& shard) {
  const auto of = [](const std::vector<std::uint32_t>& side) {
    return io::stream::short_digest({reinterpret_cast<const char*>(side.data()), side.size() * sizeof(std::uint32_t)});
  };
  return of(shard.src) + of(shard.tgt);
}

bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return std::filesystem::equivalent(a, b, none);
}

/// Looks at each shard in turn, and keeps the last: every shard against all for copies, neighbours for an overlap.
class RepeatedShards {
 public:
  /// Throws InputError. Of few samples others may have the same lengths; to tell is left to who knows them.
  void refuse(lengths::Lengths shard, const std::string& path) {
    const auto [same, is_new] = paths_.emplace(digest_of(shard), path);
    if (!is_new && are_one_file(path, same->second))
      throw InputError({path}, fmt::format("is {} again", path == same->second ? "there" : same->second), kOnce);
    if (!is_new && !lengths::is_telling(shard, 0, shard.size()))
      throw InputError(
          {path},
          fmt::format("holds the lengths of {}, {}: is it a copy?", same->second, counted(shard.size(), "sample")),
          "if it is, leave it out; if these are other samples, scan both shards at once: seqpoint scan "
          "SHARD SHARD --lengths-only");
    if (!is_new) throw repeated(path, shard.size(), same->second);
    for (const std::size_t shared : {lengths::shared_samples(last_, shard), lengths::shared_samples(shard, last_)})
      if (shared > 0) throw repeated(path, shared, last_path_);
    last_ = std::move(shard);
    last_path_ = path;
  }

 private:
  static constexpr auto kOnce = "give every sample once: each shard, and no part of it again";

  static InputError repeated(const std::string& path, std::size_t samples, const std::string& other) {
    return InputError({path}, fmt::format("holds {} samples in a row of the same lengths as in {}", samples, other),
                      kOnce);
  }

  std::map<std::string, std::string> paths_;  ///< by digest
  lengths::Lengths last_;
  std::string last_path_;
};

/// Where the shards' own numbers say that one is not there, or that they are not in order, as of `ls` without zeros.
void warn_of_numbers(const std::vector<std::string>& paths, Console& console) {
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const auto numbers = io::text::numbers_that_differ(paths[i - 1], paths[i]);
    if (!numbers || numbers->second == numbers->first + 1) continue;
    const auto [before, number] = *numbers;
    const std::string missing = before + 2 == number ? fmt::format("is number {}", before + 1)
                                                     : fmt::format("are numbers {} to {}", before + 1, number - 1);
    console.warn(number < before
                     ? fmt::format("{} comes after {}: samples are merged in that order", paths[i], paths[i - 1])
                     : fmt::format("{} is followed by {}: {} missing?", paths[i - 1], paths[i], missing));
  }
}

/// Bytes of all of them; nothing if one of them is no file.
std::optional<std::uint64_t> size_of(const std::vector<std::string>& paths) {
  std::uint64_t all = 0;
  for (const std::string& path : paths) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) return std::nullopt;
    all += std::filesystem::file_size(path, none);
  }
  return all;
}

OptionRows rows_of(MergeRequest& o) {
  return {required({"lengths", list_to(o.shards, "LENGTHS"),
                    "What `seqpoint scan --lengths-only` wrote for each shard, in order; - is standard input"}),
          {"-o,--output", path_to(o.output), "write the lengths there, whole or not at all; - is standard output",
           kOutputGroup}};
}

MergeRequest request_of(MergeRequest o, const GivenOptions&) {
  if (std::count(o.shards.begin(), o.shards.end(), "-") > 1)
    throw UsageError("standard input (-) can be only one of the shards");
  refuse_to_overwrite(o.shards, std::vector{o.output});
  return o;
}

/// One shard is open at a time: there may be more of them than files can be open.
Exit run(MergeRequest request, Console& console) {
  const auto& [shards, output] = request;
  warn_of_numbers(shards, console);
  io::stream::Output out(output);
  lengths::Lengths whole;
  auto progress = std::make_shared<ProgressLine>(console, Work{"reading", "B", size_of(shards)});
  RepeatedShards repeated;
  for (const std::string& path : shards) {
    lengths::Lengths shard = read_shard(path, progress, console);
    append(whole, shard, path);
    repeated.refuse(std::move(shard), path);
  }
  progress.reset();
  io::artifacts::write_lengths(whole, [&](std::string_view bytes) { out.write(bytes); });
  out.commit();
  console.note(fmt::format("{} samples of {}", whole.size(), counted(shards.size(), "shard")));
  return kDone;
}

}  // namespace

CommandSpec merge_command() {
  return command_of<MergeRequest, MergeRequest>(
      "merge", "Join the lengths of shards into one data set",
      "Examples:\n"
      "  for s in shard-*.jsonl; do seqpoint scan $s --lengths-only -o $s.csv; done\n"
      "  seqpoint merge shard-*.csv -o lengths.csv\n"
      "  seqpoint scan lengths.csv --sampler pytorch --batch-size 32",
      rows_of, request_of, run);
}

}  // namespace seqpoint::cli::commands
