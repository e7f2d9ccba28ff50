// NVIDIA's Energon: WebDataset shards, which the folder .nv-meta beside them describes. split.yaml names those of a
// split, .info.json all of them, with how many samples each has; index.sqlite has the durations of media, where they
// were asked for.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "io/json/document.hpp"
#include "io/json/json_scan.hpp"
#include "io/manifests/containers/energon_splits.hpp"
#include "io/manifests/containers/webdataset_rows.hpp"
#include "io/manifests/engine/audio_rows.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/profiles/engine/sqlite.hpp"
#include "io/text/input_head.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

namespace json = io::json;

constexpr std::string_view kFolder = ".nv-meta/", kTrain = "train";
constexpr auto kEnergonHint = "is it what energon prepare wrote?";

/// Shards by their number of samples.
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

Counts counts_of(const std::string& source, std::string_view text) {
  const json::Json info = json::parse_document(source, text, kEnergonHint);
  const auto shards = info.find("shard_counts");
  if (shards == info.end() || !shards->is_object())
    throw InputError({source, 0, "shard_counts"}, "is missing", kEnergonHint);
  Counts counts;
  for (const auto& [name, count] : shards->items()) {
    if (!count.is_number_unsigned())
      throw InputError({source, 0, "shard_counts"}, "is no number for " + name, kEnergonHint);
    counts.emplace_back(name, count.get<std::uint64_t>());
  }
  return counts;
}

/// The data set's folder, in which .nv-meta lies.
std::string data_folder(const std::string& folder) {
  return folder.ends_with(kFolder) ? folder.substr(0, folder.size() - kFolder.size()) : folder + "../";
}

class EnergonReader {
 public:
  EnergonReader(stream::Input& input, RowSink& sink) : input_(input), sink_(sink), folder_(sink.file.folder()) {}

  void read_all_shards() {
    const Counts counts = counts_of(input_.name(), input_.read_all());
    if (sink_.file.files().exists(folder_ + "split.yaml"))
      sink_.note("all shards were read; split.yaml beside it says which are for training: give that");
    for (const auto& [name, samples] : counts) read_shard(name, samples);
  }

  void read_train_shards() {
    const containers::EnergonSplits all = containers::read_energon_splits(input_.name(), input_.read_all());
    const auto train = std::ranges::find(all.splits, kTrain, &containers::EnergonSplits::Split::name);
    if (train == all.splits.end()) throw InputError({input_.name()}, "has no split 'train'", kEnergonHint);
    const std::unordered_set<std::string> excluded = expanded(all.excluded);
    stream::Input info = sink_.file.files().open(folder_ + ".info.json");
    const Counts counts = counts_of(info.name(), info.read_all());
    std::unordered_set<std::string> known;
    const std::unordered_map<std::string, std::uint64_t> samples(counts.begin(), counts.end());
    for (const auto& [name, count] : counts) known.insert(name);
    if (const auto sample = std::ranges::find_if(excluded, [&](const auto& name) { return !known.contains(name); });
        sample != excluded.end())
      throw InputError({input_.name(), 0, "exclude"}, *sample + " is no shard, and samples alone are not left out here",
                       "give the shards themselves");
    for (const std::string& pattern : train->shards)
      for (const std::string& name : manifest_paths(pattern, sink_.file.files()))
        if (!excluded.contains(name)) {
          if (!known.contains(name))
            throw InputError({info.name(), 0, "shard_counts"}, "does not know " + name, kEnergonHint);
          read_shard(name, samples.at(name));
        }
  }

 private:
  std::unordered_set<std::string> expanded(const std::vector<std::string>& patterns) const {
    std::unordered_set<std::string> names;
    for (const std::string& pattern : patterns)
      for (std::string& name : manifest_paths(pattern, sink_.file.files())) names.insert(std::move(name));
    return names;
  }

  void read_shard(const std::string& name, std::uint64_t stated) {
    stream::Input shard = sink_.file.files().open(stream::joined_path(data_folder(folder_), name));
    const std::uint64_t samples = containers::ShardRows(shard, sink_).read();
    if (samples != stated)
      throw InputError({shard.name()},
                       fmt::format("does not have the {} samples of .info.json, but {}", stated, samples),
                       "prepare the data set again: energon prepare");
    sink_.add_table(shard, "webdataset", samples);
  }

  stream::Input& input_;
  RowSink& sink_;
  std::string folder_;
};

/// energon prepare --media-metadata writes what it found in media: of sound its seconds.
void read_index(stream::Input& input, RowSink& sink) {
  const profiles::engine::Database database(input);
  constexpr auto kMediaHint =
      "energon prepare-media --media-metadata-by-extension DATA writes it; or give .nv-meta/split.yaml, whose shards "
      "have the text";
  if (!database.has("samples") || !database.has("sample_parts") || !database.has("media_metadata"))
    throw InputError({input.name()}, "has no lengths: no durations of media (table media_metadata)", kMediaHint);
  const std::string asked = sink.file.requested_field(), field = asked.empty() ? "audio_duration" : asked;
  sink.set_columns(field, "",
                   field.ends_with("_duration") ? std::optional(lengths::LengthUnit::seconds) : std::nullopt);
  profiles::engine::Rows rows = database.query(
      "SELECT s.sample_key, s.tar_file_id, s.sample_index, m.metadata_json FROM samples s"
      " LEFT JOIN sample_parts p ON p.tar_file_id = s.tar_file_id AND p.sample_index = s.sample_index"
      " LEFT JOIN media_metadata m ON m.entry_key = s.sample_key || '.' || p.part_name"
      " ORDER BY s.tar_file_id, s.sample_index, p.content_byte_offset");
  std::string key;
  std::optional<double> length;
  const auto end_sample = [&] {
    if (key.empty()) return;
    length ? sink.add_number(0, *length) : sink.add_missing(0, fmt::format("sample {} has none", key), field);
    length.reset();
  };
  while (rows.next()) {
    if (rows.text(0) != key) {
      end_sample();
      key = rows.text(0);
    }
    if (rows.is_null(3)) continue;
    const auto found = json::number_at(json::parse_document(input.name(), rows.text(3), kEnergonHint), field.c_str());
    if (found && length)
      throw InputError({input.name(), 0, field}, fmt::format("is there twice in sample {}", key),
                       "give the shards, and the kind of the member: --length-field wav --probe-audio");
    if (found) length = found;
  }
  end_sample();
  input.skip_to_end();
}

void read_energon(stream::Input& input, RowSink& sink) {
  if (profiles::engine::is_sqlite(input.head())) return read_index(input, sink);
  EnergonReader reader(input, sink);
  json::first_value(input.head()).starts_with('{') ? reader.read_all_shards() : reader.read_train_shards();
}

bool is_energon(const Probe& probe) {
  const std::string_view name = text::file_name(probe.path);
  const std::string path(probe.path.substr(0, probe.path.rfind('/') + 1));
  if (name == ".info.json" || name == "split.yaml") return path.ends_with(kFolder);
  return name == "index.sqlite" && profiles::engine::is_sqlite(probe.head);
}

}  // namespace

const Reader kEnergon{
    .name = "energon",
    .summary =
        "NVIDIA Energon, by .nv-meta/split.yaml (its split 'train'), .info.json (all shards) or index.sqlite (media)",
    .example = "DATA/.nv-meta/split.yaml",
    .recognises = is_energon,
    .read = read_energon,
};

}  // namespace seqpoint::io::manifests::formats
