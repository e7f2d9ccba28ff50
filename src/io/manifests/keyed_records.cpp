// Tables of Kaldi and ESPnet. A key names one sample, so a sample that is used twice needs a second key: as Kaldi's
// utils/copy_data_dir.sh does with --utt-prefix and --spk-prefix, keys of utterances and speakers get a prefix: the row
// in the new manifest, which also keeps them sorted. The rest of a line is copied unchanged.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "io/manifests/engine/keyed_lines.hpp"
#include "io/manifests/record_sets.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {
namespace {

/// Tables that may be in one folder, by what their keys name: utterances, recordings or speakers.
constexpr std::array<std::string_view, 22> kUtteranceTables{
    "text",           "utt2spk",         "utt2dur",        "utt2num_frames", "utt2num_samples", "utt2uniq",
    "utt2lang",       "utt2category",    "utt2sid",        "utt2lid",        "vad.scp",         "feats.scp",
    "segments",       "wav.scp",         "reco2dur",       "speech_shape",   "text_shape",      "text_shape.char",
    "text_shape.bpe", "text_shape.word", "text_shape.phn", "text_shape.none"};
constexpr std::array<std::string_view, 3> kRecordingTables{"wav.scp", "reco2dur",
                                                           "reco2file_and_channel"};  // if there is a table segments
constexpr std::array<std::string_view, 2> kSpeakerTables{"spk2gender", "cmvn.scp"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string key_prefix(std::size_t place) { return fmt::format("{:06}-", place); }

std::string_view key_of(std::string_view line) {
  std::string_view rest = text::trim(line);
  return engine::take_word(rest);
}

/// A line from its key on, with its line end.
std::string line_from_key(std::string_view line) {
  return std::string(line.substr(static_cast<std::size_t>(text::trim(line).data() - line.data()))) + "\n";
}

/// Lines by key, as line_from_key() returns them.
using Table = std::unordered_map<std::string, std::string>;

/// A folder with tables.
class TableFolder {
 public:
  TableFolder(const std::string& manifest, const stream::Files& files) : files_(files), folder_(folder_of(manifest)) {
    has_segments_ = base_name(manifest) == "segments" || files.exists(folder_ + "segments");
  }

  bool is_keyed_by_recording(std::string_view name) const { return has_segments_ && contains(kRecordingTables, name); }

  /// Reads those lines of a table whose key is wanted.
  Table read(const std::string& name, const std::set<std::string, std::less<>>& wanted) const {
    Table table;
    stream::Input input = files_.open(folder_ + name);
    engine::for_each_line(input, [&](std::uint64_t, std::string_view line) {
      if (wanted.contains(key_of(line))) table.emplace(key_of(line), line_from_key(line));
    });
    return table;
  }
  bool has(std::string_view name) const { return files_.exists(folder_ + std::string(name)); }

 private:
  const stream::Files& files_;
  std::string folder_;
  bool has_segments_ = false;
};

/// The lines of the wanted samples, of one input.
struct Tables {
  std::map<std::uint32_t, std::string> keys;                                   ///< by row
  std::map<std::string, Table, std::less<>> utterances, recordings, speakers;  ///< by the name of the file
};

/// The second word of a line; empty where there is none.
std::string second_word(const std::string& line) {
  std::string_view rest = text::trim(line);
  engine::take_word(rest);
  return std::string(engine::take_word(rest));
}

class KeyedRecords : public RecordSet {
 public:
  explicit KeyedRecords(const CopyRequest& request) : manifest_(base_name(request.inputs.front().name())) {
    for (const InputRow& place : request.places)
      if (!inputs_.contains(place.input)) inputs_.emplace(place.input, read_tables(request, place.input));
  }

  std::string compose(const std::string& stem, std::span<const InputRow> places, Excerpt& into) const override {
    std::map<std::string, std::string> files;
    std::map<std::string, std::map<std::string, std::string>> recordings;  // file, key: line
    for (std::size_t p = 0; p < places.size(); ++p)
      add_sample(inputs_.at(places[p].input), places[p].row, p, files, recordings);
    for (const auto& [name, lines] : recordings)
      for (const auto& [key, line] : lines) files[name] += line;
    for (auto& [name, bytes] : files)
      if (is_in_every_input(name))
        add_file(into, fmt::format("{}/{}", stem, name), compressed_for(name, std::move(bytes)));
    return fmt::format("{}/{}", stem, manifest_);
  }

 private:
  static Tables read_tables(const CopyRequest& request, std::uint32_t at) {
    stream::Input& input = request.inputs[at];
    const std::string manifest = base_name(input.name());
    Tables tables;
    const std::set<std::string, std::less<>> utterances = read_manifest(request, at, manifest, tables);
    const TableFolder folder(input.name(), request.files);
    for (const std::string_view name : kUtteranceTables)
      if (name != manifest && folder.has(name) && !folder.is_keyed_by_recording(name))
        tables.utterances.emplace(name, folder.read(std::string(name), utterances));
    const auto segments = tables.utterances.find("segments");
    if (segments != tables.utterances.end()) read_owners(folder, kRecordingTables, segments->second, tables.recordings);
    const auto speakers = tables.utterances.find("utt2spk");
    if (speakers != tables.utterances.end()) read_owners(folder, kSpeakerTables, speakers->second, tables.speakers);
    return tables;
  }

  /// The wanted lines of the manifest itself, by row; returns their keys.
  static std::set<std::string, std::less<>> read_manifest(const CopyRequest& request, std::uint32_t at,
                                                          const std::string& name, Tables& tables) {
    std::set<std::string, std::less<>> keys;
    std::uint32_t row = 0;
    engine::for_each_line(request.inputs[at], [&](std::uint64_t, std::string_view line) {
      if (text::trim(line).empty() ||
          !std::binary_search(request.places.begin(), request.places.end(), InputRow{at, row++}))
        return;
      tables.keys[row - 1] = key_of(line);
      tables.utterances[name].emplace(key_of(line), line_from_key(line));
      keys.emplace(key_of(line));
    });
    const auto wanted = std::count_if(request.places.begin(), request.places.end(),
                                      [&](const InputRow& place) { return place.input == at; });
    if (static_cast<std::ptrdiff_t>(keys.size()) != wanted)
      throw InputError({request.inputs[at].name()}, "has lost rows since it was read",
                       "plan again when nothing writes to it");
    return keys;
  }

  /// Reads tables whose keys are the second words in the lines of another.
  static void read_owners(const TableFolder& folder, std::span<const std::string_view> names, const Table& owned,
                          std::map<std::string, Table, std::less<>>& into) {
    std::set<std::string, std::less<>> owners;
    for (const auto& [key, line] : owned) owners.insert(second_word(line));
    for (const std::string_view name : names)
      if (folder.has(name)) into.emplace(name, folder.read(std::string(name), owners));
  }

  static void add_sample(const Tables& tables, std::uint32_t row, std::size_t place,
                         std::map<std::string, std::string>& files,
                         std::map<std::string, std::map<std::string, std::string>>& recordings) {
    const std::string& key = tables.keys.at(row);
    const std::string prefix = key_prefix(place);
    std::string speaker;
    for (const auto& [name, table] : tables.utterances) {
      const auto line = table.find(key);
      if (line == table.end()) continue;
      if (name == "utt2spk") {
        speaker = second_word(line->second);
        files[name] += prefix + key + " " + prefix + speaker + "\n";
        files["spk2utt"] += prefix + speaker + " " + prefix + key + "\n";
      } else {
        files[name] += prefix + line->second;
      }
      if (name == "segments") add_recording(tables, second_word(line->second), recordings);
    }
    for (const auto& [name, table] : tables.speakers)
      if (const auto line = table.find(speaker); line != table.end()) files[name] += prefix + line->second;
  }

  static void add_recording(const Tables& tables, const std::string& recording,
                            std::map<std::string, std::map<std::string, std::string>>& recordings) {
    for (const auto& [name, table] : tables.recordings)
      if (const auto line = table.find(recording); line != table.end())
        recordings[name].emplace(recording, line->second);
  }

  /// Whether every input that samples are from has the table.
  bool is_in_every_input(const std::string& name) const {
    if (name == "spk2utt") return is_in_every_input("utt2spk");
    return std::all_of(inputs_.begin(), inputs_.end(), [&](const auto& entry) {
      const Tables& tables = entry.second;
      return tables.utterances.contains(name) || tables.recordings.contains(name) || tables.speakers.contains(name) ||
             name == manifest_;
    });
  }

  std::string manifest_;
  std::map<std::uint32_t, Tables> inputs_;
};

}  // namespace

std::unique_ptr<RecordSet> copy_keyed_tables(const CopyRequest& request) {
  return std::make_unique<KeyedRecords>(request);
}

}  // namespace seqpoint::io::manifests
