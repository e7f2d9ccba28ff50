// Records that are text: lines, records of delimited files, elements of a list.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "io/manifests/engine/json_records.hpp"
#include "io/manifests/engine/lines.hpp"
#include "io/manifests/record_sets.hpp"
#include "io/text/csv.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {
namespace {

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::absolute(path, error);
  if (error)
    throw InputError({path}, "lies below the current folder, which is gone", "run this in a folder that is there");
  return found.lexically_normal().string();
}

/// Collects the relative paths in records, and the links that keep them valid.
class RecordPaths {
 public:
  RecordPaths(const CopyRequest& request, FindPaths paths_of) : files_(&request.files), paths_of_(paths_of) {
    for (const stream::Input& input : request.inputs) folders_.push_back(folder_of(input.name()));
  }

  /// Looks up the first part of each path once: most records share it.
  void add_record(std::uint32_t input, std::string_view record, const std::vector<std::string>& columns) {
    if (paths_of_ == nullptr) return;
    for (const std::string& path : paths_of_(record, columns)) {
      if (path.empty() || path.starts_with('/')) continue;
      const std::string first = path.substr(0, path.find('/'));
      const std::string found = folders_[input] + first;
      const bool is_reserved = std::find(kReservedNames.begin(), kReservedNames.end(), first) != kReservedNames.end();
      if (const auto known = links_.find(first); is_reserved || clashing_.contains(first))
        unlinkable_.push_back(path);
      else if (known == links_.end() && files_->exists(found))
        links_.emplace(first, Linked{found, {path}});
      else if (known != links_.end() && known->second.target == found)
        known->second.paths.push_back(path);
      else if (known != links_.end())
        unlink(first, path);
    }
  }
  void add_links_to(Excerpt& into) const {
    for (const auto& link_to : links_) {
      const std::string& name = link_to.first;
      const std::string& path = link_to.second.target;
      const bool there =
          std::any_of(into.links.begin(), into.links.end(), [&](const NewLink& link) { return link.name == name; });
      if (!there) into.links.push_back({name, absolute_path(path)});
    }
    into.unlinkable_paths.insert(into.unlinkable_paths.end(), unlinkable_.begin(), unlinkable_.end());
  }

 private:
  struct Linked {
    std::string target;
    std::vector<std::string> paths;  ///< that begin there
  };

  /// Folders of two manifests have the same name: a link would give the files of one for those of the other.
  void unlink(const std::string& first, const std::string& path) {
    const auto linked = links_.extract(first);
    unlinkable_.insert(unlinkable_.end(), linked.mapped().paths.begin(), linked.mapped().paths.end());
    unlinkable_.push_back(path);
    clashing_.insert(first);
  }

  /// First parts that cannot be linked: they lead out of the folder, or are names of files of a plan.
  static constexpr std::array<std::string_view, 5> kReservedNames{"..", ".", "out", "unfinished", "manifest"};

  const stream::Files* files_;
  FindPaths paths_of_;
  std::vector<std::string> folders_;     ///< of the inputs
  std::map<std::string, Linked> links_;  ///< by what paths begin with
  std::set<std::string> clashing_;       ///< what would be a link to two places
  std::vector<std::string> unlinkable_;
};

/// Line ends do not count, as each record brings its own.
bool same_but_for_line_ends(TextFrame a, TextFrame b) {
  std::erase(a.prologue, '\r');
  std::erase(b.prologue, '\r');
  return a == b;
}

class TextRecords : public RecordSet {
 public:
  TextRecords(const CopyRequest& request, WalkRecords walk, FindPaths paths_of)
      : name_(request.inputs.front().name()), paths_(request, paths_of) {
    for (const InputRow& place : request.places)
      if (records_.empty() || records_.rbegin()->first.input != place.input) read_input(request, place.input, walk);
  }

  std::string compose(const std::string& stem, std::span<const InputRow> places, Excerpt& into) const override {
    std::string bytes = frame_.prologue;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i > 0) bytes += frame_.separator;
      bytes += records_.at(places[i]);
    }
    bytes += frame_.epilogue;
    std::string name = named_after(stem, name_);
    add_file(into, name, compressed_for(name, std::move(bytes)));
    paths_.add_links_to(into);
    return name;
  }

 private:
  /// All records of one input that are wanted.
  void read_input(const CopyRequest& request, std::uint32_t input, WalkRecords walk) {
    const auto first = std::lower_bound(request.places.begin(), request.places.end(), InputRow{input, 0});
    auto next = first;
    std::uint32_t row = 0;
    TextFrame frame;
    walk(request.inputs[input], frame, [&](std::string_view record) {
      if (next == request.places.end() || next->input != input || next->row != row++) return;
      std::string& kept = records_[*next++];
      kept = record;
      if (frame.separator.empty() && !kept.ends_with('\n')) kept += '\n';
      paths_.add_record(input, record, frame.columns);
    });
    if (next != request.places.end() && next->input == input)
      throw InputError({request.inputs[input].name()},
                       fmt::format("ends before row {}, which it had a moment ago", next->row),
                       "plan again when nothing writes to it");
    if (first == request.places.begin())
      frame_ = std::move(frame);
    else if (!same_but_for_line_ends(frame, frame_))
      throw InputError({request.inputs[input].name(), 1},
                       fmt::format("has not the same header as {}: they do not go into one manifest", name_),
                       "give manifests with the same columns");
  }

  std::string name_;
  std::map<InputRow, std::string> records_;
  TextFrame frame_;
  RecordPaths paths_;
};

/// Takes one line off `text`, with its line end.
std::string_view take_raw_line(std::string_view& text) {
  const std::string_view line =
      text.substr(0, text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1);
  text.remove_prefix(line.size());
  return line;
}

template <class Take>
void for_each_raw_line(stream::Input& input, Take take) {
  stream::BlockReader blocks(input);
  stream::Block block;
  while (blocks.next(block))
    for (std::string_view rest = block.bytes; !rest.empty();) take(take_raw_line(rest));
}

/// A record with its line end, without the blank lines before it.
std::string_view without_blank_lines(std::string_view record) {
  for (;;) {
    const std::size_t blank = record.starts_with('\n') ? 1 : record.starts_with("\r\n") ? 2 : 0;
    if (blank == 0) return record;
    record.remove_prefix(blank);
  }
}

void walk_delimited(stream::Input& input, text::Dialect dialect, TextFrame& frame, const RecordCallback& take) {
  stream::BlockReader blocks(input, text::cut_of(dialect));
  stream::Block block;
  while (blocks.next(block)) {
    text::RecordSplitter records(block.bytes, dialect);
    for (std::string_view rest = block.bytes; records.next(); rest = records.rest()) {
      const std::string_view record = without_blank_lines(rest.substr(0, rest.size() - records.rest().size()));
      if (!frame.prologue.empty()) {
        take(record);
        continue;
      }
      frame.prologue = std::string(record) + (record.ends_with('\n') ? "" : "\n");
      frame.columns = text::header_names(records.fields());
    }
  }
}

}  // namespace

void walk_lines(stream::Input& input, TextFrame&, const RecordCallback& take) {
  for_each_raw_line(input, [&](std::string_view line) {
    if (!text::trim(line).empty()) take(line);
  });
}
void walk_every_line(stream::Input& input, TextFrame&, const RecordCallback& take) { for_each_raw_line(input, take); }
void walk_lines_below_first(stream::Input& input, TextFrame& frame, const RecordCallback& take) {
  for_each_raw_line(input, [&](std::string_view line) {
    if (frame.prologue.empty())
      frame.prologue = line;
    else
      take(line);
  });
}
void walk_csv(stream::Input& input, TextFrame& frame, const RecordCallback& take) {
  walk_delimited(input, text::kCommas, frame, take);
}
void walk_tsv(stream::Input& input, TextFrame& frame, const RecordCallback& take) {
  walk_delimited(input, text::kTabs, frame, take);
}

std::unique_ptr<RecordSet> copy_text_records(const CopyRequest& request, WalkRecords walk, FindPaths paths) {
  return std::make_unique<TextRecords>(request, walk, paths);
}

std::string field_of(std::string_view record, char separator, const std::vector<std::string>& columns,
                     std::string_view column) {
  text::RecordSplitter fields(record, separator == '\t' ? text::kTabs : text::kCommas);
  const std::size_t at = text::index_of(columns, column);
  if (!fields.next() || at >= fields.fields().size()) return {};
  return text::unquoted(fields.fields()[at]);
}

}  // namespace seqpoint::io::manifests
