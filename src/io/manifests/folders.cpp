// The one list of kinds of folders, and the manifests among their files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/manifests/dataset.hpp"
#include "io/manifests/engine/lines.hpp"
#include "io/stream/input.hpp"
#include "io/text/foreign_files.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {
namespace {

using Paths = std::vector<std::string>;

/// The data by which a folder is recognised.
struct Folder {
  std::string path;  ///< as the user typed it, with a slash at the end
  Paths names;       ///< from stream::Files::list()
  const stream::Files& files;

  bool has(std::string_view name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
  /// Paths of the files whose names begin with `begin` and end with `end`, without overlap, in the order of `names`.
  Paths files_named(std::string_view begin, std::string_view end) const {
    Paths found;
    for (const std::string& name : names)
      if (name.size() >= begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end))
        found.push_back(path + name);
    return found;
  }
};

/// One kind of folder: a row of the table.
struct FolderKind {
  std::string_view what;  ///< "a Kaldi data directory"
  /// Paths of the manifests in it, in the order of their rows; empty if the folder is of another kind. Throws
  /// InputError if it is of this kind but its manifests are ambiguous.
  Paths (*manifests)(const Folder&);
};

/// The path of the first of these names that the folder contains, as a list of one; empty if there is none.
Paths first_of(const Folder& folder, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (folder.has(name)) return {folder.path + std::string(name)};
  return {};
}

/// The files `cuts.*.jsonl.gz` of a Lhotse Shar, else its `cuts.*.jsonl`; empty if there are neither.
Paths lhotse_shar(const Folder& folder) {
  for (const std::string_view ending : {".jsonl.gz", ".jsonl"})
    if (Paths cuts = folder.files_named("cuts.", ending); !cuts.empty()) return cuts;
  return {};
}

/// The utterances of a Kaldi table: their number, and a sum that does not depend on their order.
struct Utterances {
  std::string name;
  std::uint64_t count = 0, keys = 0;
};

Utterances utterances_of(const Folder& folder, std::string_view name) {
  Utterances found{.name = std::string(name)};
  stream::Input input = folder.files.open(folder.path + found.name);
  engine::for_each_keyed_line(input, [&](std::uint64_t, std::string_view key, std::string_view) {
    ++found.count;
    found.keys += std::hash<std::string_view>{}(key);
  });
  return found;
}

/// Throws InputError if tables of a Kaldi data directory have other utterances than each other: which of them are
/// trained with is not known, and utils/validate_data_dir.sh refuses such a directory too.
void require_same_utterances(const Folder& folder) {
  std::vector<Utterances> tables;
  for (const std::string_view name :
       {"utt2spk", "text", "segments", "feats.scp", "utt2dur", "utt2num_frames", "utt2num_samples"})
    if (folder.has(name)) tables.push_back(utterances_of(folder, name));
  if (!folder.has("segments") && folder.has("wav.scp")) tables.push_back(utterances_of(folder, "wav.scp"));
  const auto differs = [&](const Utterances& table) {
    return table.count != tables.front().count || table.keys != tables.front().keys;
  };
  if (std::ranges::none_of(tables, differs)) return;
  std::string counts;
  for (const Utterances& table : tables)
    counts += fmt::format("{}{} in {}", counts.empty() ? "" : ", ", table.count, table.name);
  throw InputError(
      {folder.path}, "its files have different utterances: " + counts,
      fmt::format("utils/fix_data_dir.sh {} keeps those that all have; or name the one file to read", folder.path));
}

/// The table to read in a Kaldi data directory; empty if the folder is none. The tables with one number per row come
/// first: segments and wav.scp need other files, or the audio itself. Throws InputError if its tables have different
/// utterances.
Paths kaldi(const Folder& folder) {
  const bool is_one = folder.has("utt2spk") || folder.has("wav.scp") || folder.has("text");
  if (!is_one) return {};
  require_same_utterances(folder);
  return first_of(folder, {"utt2num_frames", "utt2dur", "utt2num_samples", "segments", "wav.scp", "text"});
}

Paths espnet_shapes(const Folder& folder) { return first_of(folder, {"speech_shape"}); }

// --- parts: files of one kind, in sequence

constexpr std::array<std::string_view, 8> kPartEndings{".jsonl",  ".jsonl.gz", ".jsonl.zst", ".json.gz",
                                                       ".csv.gz", ".csv",      ".tsv",       ".idx"};

/// The ending of a part's name, one of kPartEndings; empty for any other name.
std::string ending_of(const std::string& name) {
  for (const std::string_view ending : kPartEndings)
    if (name.ends_with(ending)) return std::string(ending);
  return {};
}

/// Whether a file is a part: by its ending, and without a leading underscore, because Spark and others write `_SUCCESS`
/// and `_metadata` next to the parts.
bool is_part(const std::string& name) { return !name.starts_with('_') && !ending_of(name).empty(); }

/// The first word in a part's name that is a split: "train" for "train-00000-of-00005.jsonl", the naming of the Hugging
/// Face hub. Empty if there is none. Words are separated by `-`, `_` and `.`.
std::string split_of(const std::string& name) {
  constexpr auto kBetween = "-_.";
  constexpr std::array<std::string_view, 7> kSplits{"train", "test", "validation", "valid", "val", "dev", "eval"};
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of(kBetween, begin), name.size());
    std::string word = name.substr(begin, end - begin);
    if (std::find(kSplits.begin(), kSplits.end(), word) != kSplits.end()) return word;
    begin = end + 1;
  }
  return {};
}

/// Adds the paths of the parts in a folder and, at any depth, in subfolders named "key=value", like Hive partitions.
void add_parts(const Folder& folder, Paths& parts) {
  for (const std::string& name : folder.names) {
    const std::string path = folder.path + name;
    if (is_part(name)) parts.push_back(path);
    if (!name.ends_with('/') || name.find('=') == std::string::npos) continue;
    add_parts({path, folder.files.list(path).value_or(Paths{}), folder.files}, parts);
  }
}

struct Kinds {
  std::string list;  ///< "2 of *train*, 1 of *test*"; empty: all parts are of one kind
  std::string one;   ///< the pattern of one of them, training data if there is any
};

/// Counts the parts of each kind. `kind_of`: gives the kind of a file name, empty for a part without a kind; `of_kind`:
/// format string of the pattern for a kind's parts.
template <class KindOf>
Kinds kinds_of(const Paths& parts, KindOf kind_of, std::string_view of_kind) {
  std::map<std::string, std::uint64_t> counts;
  for (const std::string& part : parts) ++counts[kind_of(part.substr(part.rfind('/') + 1))];
  Kinds kinds;
  if (counts.size() < 2) return kinds;
  for (const auto& [kind, count] : counts) {
    const std::string pattern = kind.empty() ? "others" : fmt::format(fmt::runtime(of_kind), kind);
    kinds.list += fmt::format("{}{} of {}", kinds.list.empty() ? "" : ", ", count, pattern);
    if (!kind.empty() && (kinds.one.empty() || kind == "train")) kinds.one = pattern;
  }
  return kinds;
}

/// Throws InputError, with a list of the kinds and a pattern for one of them, if there are several.
void require_one_kind(const Folder& folder, const Kinds& kinds) {
  if (!kinds.list.empty())
    throw InputError({folder.path}, "holds files of several data sets: " + kinds.list,
                     fmt::format("name those that belong together: '{}{}'", folder.path, kinds.one));
}

/// The name of a file with # for each of its numbers: "train-#-of-#.jsonl". Shards of one data set have one.
std::string without_numbers(const std::string& path) {
  std::string name;
  for (const char c : path.substr(path.rfind('/') + 1)) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit || name.empty() || name.back() != '#') name += is_digit ? '#' : c;
  }
  return name;
}

/// "a.jsonl (40 rows)"; without rows if the file cannot be read as it is.
std::string with_rows(const Folder& folder, const std::string& path) {
  const std::string name = path.substr(folder.path.size());
  try {
    std::vector<stream::Input> inputs;
    inputs.push_back(folder.files.open(path));
    return fmt::format("{} ({})", name, counted(read_dataset(std::move(inputs), {}, {}).rows, "row"));
  } catch (const std::runtime_error&) {
    return name;
  }
}

/// Throws InputError unless the parts are shards of one name: tables of the same samples would count them twice.
void require_shards(const Folder& folder, const Paths& parts) {
  constexpr std::size_t kMaxListed = 5;
  if (std::ranges::all_of(parts, [&](const auto& p) { return without_numbers(p) == without_numbers(parts.front()); }))
    return;
  std::string list;
  for (std::size_t i = 0; i < std::min(parts.size(), kMaxListed); ++i)
    list += (i > 0 ? ", " : "") + with_rows(folder, parts[i]);
  if (parts.size() > kMaxListed) list += fmt::format(" and {} more", parts.size() - kMaxListed);
  throw InputError(
      {folder.path}, "has several manifests, which may describe the same samples: " + list,
      fmt::format("name the one to read: {}, or all: 'A,B'; a source and a target are a pair: --tgt", parts.front()));
}

/// The parts of a folder; empty if there are none. Throws InputError if their endings or their splits differ, or they
/// are not shards of one name.
Paths parts(const Folder& folder) {
  Paths parts;
  add_parts(folder, parts);
  require_one_kind(folder, kinds_of(parts, ending_of, "*{}"));
  require_one_kind(folder, kinds_of(parts, split_of, "*{}*"));
  require_shards(folder, parts);
  return parts;
}

/// Every kind, in the order of recognition: narrowest first.
constexpr std::array kFolderKinds{
    FolderKind{"a Lhotse Shar", lhotse_shar},
    FolderKind{"a Kaldi data directory", kaldi},
    FolderKind{"a folder of ESPnet's shapes", espnet_shapes},
    FolderKind{"a folder of parts, in the order of their names", parts},
};

}  // namespace

std::string several_splits(const std::vector<std::string>& paths) { return kinds_of(paths, split_of, "*{}*").list; }

std::optional<FolderManifests> folder_manifests(const std::string& path, const stream::Files& files) {
  const auto names = files.list(path);
  if (!names) return std::nullopt;
  const Folder folder{path.ends_with('/') ? path : path + '/', *names, files};
  for (const FolderKind& kind : kFolderKinds)
    if (std::vector<std::string> manifests = kind.manifests(folder); !manifests.empty())
      return FolderManifests{std::string(kind.what), std::move(manifests)};
  throw InputError(
      {path}, "is a folder without a known data set",
      text::with_path(
          "name its files; for Hugging Face, Arrow and other Python libraries: python3 -m seqpoint_companion lengths "
          "FILE -o lengths.csv",
          path));
}

}  // namespace seqpoint::io::manifests
