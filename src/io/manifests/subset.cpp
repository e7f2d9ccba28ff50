#include "io/manifests/subset.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "io/manifests/record_sets.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {
namespace {

std::vector<stream::Input> reopen(std::span<const std::string> paths, const stream::Files& files) {
  std::vector<stream::Input> inputs;
  for (const std::string& path : paths) {
    if (path == "-")
      throw InputError({path}, "is standard input: its records would have to be read twice", "give a file");
    inputs.push_back(files.open(path));
  }
  return inputs;
}

/// The format of all inputs of a side. Throws InputError where they differ.
const Reader& common_reader(std::vector<stream::Input>& inputs, const ReadOptions& options,
                            const std::string& length_field, bool has_target) {
  const Reader* common = nullptr;
  for (stream::Input& input : inputs) {
    const Reader& reader = pick_reader(options.format, {.path = input.name(),
                                                        .head = input.head(),
                                                        .length_field = length_field,
                                                        .has_target = has_target,
                                                        .size = input.size()});
    if (common != nullptr && common->name != reader.name)
      throw InputError({input.name()},
                       fmt::format("is of format {}, {} of format {}: they do not go into one manifest", reader.name,
                                   inputs.front().name(), common->name),
                       "convert one of them, or plan without manifests");
    common = &reader;
  }
  if (common->copy_records == nullptr)
    throw InputError({inputs.front().name()},
                     fmt::format("is of format {}, of which no small manifest is made", common->name),
                     "give the manifest that the job trains from, or plan without one");
  return *common;
}

std::vector<InputRow> places_in_order(std::span<const RowOrigin> rows, bool target) {
  std::vector<InputRow> places;
  for (const RowOrigin& row : rows) places.push_back({row.input, target ? row.tgt_row : row.row});
  return places;
}

std::vector<InputRow> sorted_places(std::span<const RowOrigin> rows, bool target) {
  std::vector<InputRow> places = places_in_order(rows, target);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

/// The manifest of the target side must not have the name of the source's.
void rename_target_if_same(Excerpt& target, const std::string& stem, const std::string& source_name) {
  if (target.manifest != source_name) return;
  const auto rename = [&](std::string& name) { name = fmt::format("{}.tgt{}", stem, name.substr(stem.size())); };
  for (NewFile& file : target.files) rename(file.name);
  rename(target.manifest);
}

}  // namespace

ReadOptions options_for_rereading(ReadOptions options, const Dataset& whole, bool has_target) {
  const InputRecord& first = whole.inputs.front();
  options.keep_origins = false;
  options.is_excerpt = true;
  if (!has_target) options.format = first.format;  // two sides may be of two formats
  const bool by_first_record = first.format == "hf" || first.format == "jsonl" || first.format == "json";
  if (by_first_record && options.length_field.empty())
    options.length_field = first.fields.substr(0, first.fields.find(','));
  return options;
}

ManifestRecords::ManifestRecords(std::span<const std::string> manifests, std::span<const std::string> targets,
                                 const ReadOptions& options, std::span<const RowOrigin> rows) {
  const stream::Files& files = options.files != nullptr ? *options.files : stream::disk_files();
  const auto take = [&](std::span<const std::string> paths, const std::string& length_field, bool target) {
    std::vector<stream::Input> inputs = reopen(paths, files);
    const Reader& reader = common_reader(inputs, options, length_field, !targets.empty());
    if (!target) format_ = reader.name;
    const std::vector<InputRow> places = sorted_places(rows, target);
    return reader.copy_records(
        {.inputs = inputs, .places = places, .options = options, .length_field = length_field, .files = files});
  };
  source_ = take(manifests, options.length_field, false);
  if (!targets.empty())
    target_ = take(targets, options.tgt_length_field.empty() ? options.length_field : options.tgt_length_field, true);
}

ManifestRecords::~ManifestRecords() = default;
ManifestRecords::ManifestRecords(ManifestRecords&&) noexcept = default;
ManifestRecords& ManifestRecords::operator=(ManifestRecords&&) noexcept = default;

Excerpt ManifestRecords::excerpt(const std::string& stem, std::span<const RowOrigin> rows) const {
  Excerpt made;
  made.manifest = source_->compose(stem, places_in_order(rows, false), made);
  if (target_ == nullptr) return made;
  Excerpt target;
  target.manifest = target_->compose(stem, places_in_order(rows, true), target);
  const bool same_file = std::any_of(made.files.begin(), made.files.end(), [&](const NewFile& file) {
    return file.name == target.manifest && file.name != made.manifest;
  });
  if (!same_file) rename_target_if_same(target, stem, made.manifest);
  made.target_manifest = target.manifest;
  for (NewFile& file : target.files) add_file(made, std::move(file.name), std::move(file.bytes));
  made.links.insert(made.links.end(), target.links.begin(), target.links.end());
  made.unlinkable_paths.insert(made.unlinkable_paths.end(), target.unlinkable_paths.begin(),
                               target.unlinkable_paths.end());
  return made;
}

}  // namespace seqpoint::io::manifests
