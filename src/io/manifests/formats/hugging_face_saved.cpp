// A data set of Hugging Face as save_to_disk writes it: a folder with state.json, which names Arrow files in their
// order and, where a shuffled or filtered set was saved without flattening it, files with the rows it consists of
// (datasets/arrow_dataset.py: save_to_disk, load_from_disk).
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/json/document.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"
#include "io/text/foreign_files.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

constexpr auto kSavedHint = "give the folder that save_to_disk wrote, whole";

/// Reads an Arrow file that the set consists of, and records it.
RowSink read_part(const std::string& path, const ReadContext& context, RowSink& whole) {
  RowSink part(ManifestFile(path, whole.file.side(), context));
  stream::Input input = context.files.open(path);
  text::refuse_foreign_file(path, input.head());
  if (!kArrow.recognises({.path = path, .head = input.head(), .length_field = {}}))
    throw InputError({path}, "is no Arrow file", kSavedHint);
  kArrow.read(input, part);
  whole.add_table(input, kArrow.name, part.rows.size());
  return part;
}

std::vector<std::string> files_at(const json::Json& state, const char* key, const ManifestFile& manifest) {
  std::vector<std::string> paths;
  const auto files = state.find(key);
  if (files == state.end() || files->is_null()) return paths;
  for (const json::Json& file : json::array_at(state, key, manifest.path(), kSavedHint)) {
    const std::string name = file.is_object() ? json::text_at(file, "filename") : "";
    if (name.empty()) throw InputError({manifest.path(), 0, key}, "names no file", kSavedHint);
    paths.push_back(stream::joined_path(manifest.folder(), name));
    if (!manifest.files().exists(paths.back()))
      throw InputError({manifest.path(), 0, key}, fmt::format("names {}, which is not there", name), kSavedHint);
  }
  return paths;
}

void read_rows(const std::vector<std::string>& paths, RowSink& sink) {
  for (const std::string& path : paths) {
    RowSink part = read_part(path, sink.file.context(), sink);
    const bool is_first = &path == &paths.front();
    if (is_first) sink.set_columns(part.src().name(), part.tgt_field());
    if (part.src().name() != sink.src().name() || part.tgt_field() != sink.tgt_field())
      throw InputError(
          {path}, fmt::format("has lengths in '{}', the files before it in '{}'", part.src().name(), sink.src().name()),
          "name the column with --length-field");
    sink.append(std::move(part), 0);
  }
}

/// The rows of the data files that the set consists of, in their order.
std::vector<std::uint32_t> read_mapping(const std::vector<std::string>& paths, RowSink& sink) {
  ReadOptions numbers;
  numbers.length_field = "indices";
  numbers.unit = lengths::LengthUnit::tokens;  // as they stand
  std::vector<std::uint32_t> mapping;
  for (const std::string& path : paths) {
    const RowSink part = read_part(path, {.options = numbers, .files = sink.file.files()}, sink);
    part.throw_problems();
    mapping.insert(mapping.end(), part.rows.src.begin(), part.rows.src.end());
  }
  for (const std::uint32_t row : mapping)
    if (row >= sink.rows.size())
      throw InputError({paths.front(), 0, "indices"},
                       fmt::format("names row {}, but the data files have {}", row, sink.rows.size()), kSavedHint);
  return mapping;
}

ManifestRows taken(const ManifestRows& rows, const std::vector<std::uint32_t>& mapping) {
  ManifestRows made;
  for (const std::uint32_t row : mapping) {
    const auto is_in = [&](const std::vector<std::uint64_t>& sorted) {
      return std::binary_search(sorted.begin(), sorted.end(), row);
    };
    if (is_in(rows.unusable)) made.unusable.push_back(made.size());
    made.src.push_back(rows.src[row]);
    if (!rows.tgt.empty()) made.tgt.push_back(rows.tgt[row]);
    if (!rows.seconds.empty()) made.seconds.push_back(rows.seconds[row]);
  }
  return made;
}

void read_saved(stream::Input& input, RowSink& sink) {
  const json::Json state = json::parse_document(input.name(), input.read_all(), kSavedHint);
  read_rows(files_at(state, "_data_files", sink.file), sink);
  const std::vector<std::string> indices = files_at(state, "_indices_data_files", sink.file);
  if (indices.empty()) return;
  sink.rows = taken(sink.rows, read_mapping(indices, sink));
  sink.note(
      "its rows are those of the mapping in _indices_data_files, as datasets up to 1.14 loads them; later releases "
      "load all rows as they are stored");
}

bool is_saved(const Probe& probe) {
  return probe.path.substr(probe.path.rfind('/') + 1) == "state.json" &&
         probe.head.find("\"_data_files\"") != std::string_view::npos;
}

}  // namespace

const Reader kHuggingFaceSaved{
    .name = "hf-saved",
    .summary =
        "Hugging Face's save_to_disk: the folder, or state.json in it, which names the Arrow files and their rows",
    .example = R"({"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_indices_data_files": null})",
    .recognises = is_saved,
    .read = read_saved,
};

}  // namespace seqpoint::io::manifests::formats
