// One argument, many manifests: folders, lists separated by commas, patterns of names, and the shards of a pattern. The
// braces' other spellings are NeMo's (collections/asr/data/audio_to_text.py: expand_sharded_filepaths), whose
// configuration files cannot contain braces; so is the list (`manifest_filepath.split(",")`).
#include <fmt/core.h>

#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "core/numbers.hpp"
#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {
namespace {

constexpr std::uint64_t kMaxShards = 1'000'000;

void replace_all(std::string& text, std::string_view from, char to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
    text.replace(at, from.size(), 1, to);
}

/// A pattern with NeMo's other spellings of braces replaced by braces.
std::string with_braces(std::string text) {
  constexpr std::array<std::string_view, 4> kOpen{"(", "[", "<", "_OP_"}, kClose{")", "]", ">", "_CL_"};
  for (const std::string_view open : kOpen) replace_all(text, open, '{');
  for (const std::string_view close : kClose) replace_all(text, close, '}');
  return text;
}

/// `first..last` of a pattern, and the position of its braces.
struct ShardRange {
  std::size_t open = 0, close = 0;
  std::uint64_t first = 0, last = 0;
  std::size_t digits = 0;  ///< minimum width of numbers, filled with zeros
};

/// The first braces of a pattern; nothing if there are none, or they do not contain a range `first..last`.
std::optional<ShardRange> first_range(std::string_view pattern) {
  ShardRange range;
  range.open = pattern.find('{');
  range.close = pattern.find('}', range.open);
  if (range.close == std::string_view::npos) return std::nullopt;
  const std::string_view inside = pattern.substr(range.open + 1, range.close - range.open - 1);
  const auto dots = inside.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view first = inside.substr(0, dots), last = inside.substr(dots + 2);
  const auto first_number = number_in<std::uint64_t>(first), last_number = number_in<std::uint64_t>(last);
  if (!first_number || !last_number) return std::nullopt;
  range.first = *first_number;
  range.last = *last_number;
  const bool padded = (first.size() > 1 && first[0] == '0') || (last.size() > 1 && last[0] == '0');
  range.digits = padded ? std::max(first.size(), last.size()) : 1;
  return range;
}

/// Adds the names that the ranges of a pattern give, the last range varying fastest; a range whose last number is
/// smaller counts down. Throws UsageError if there are more than kMaxShards paths.
void expand_ranges(const std::string& pattern, std::vector<std::string>& paths) {
  const auto range = first_range(pattern);
  if (!range) return paths.push_back(pattern);
  const bool up = range->first <= range->last;
  const std::uint64_t count = (up ? range->last - range->first : range->first - range->last) + 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (paths.size() >= kMaxShards) throw UsageError(fmt::format("{}: names more than {} files", pattern, kMaxShards));
    std::string number = std::to_string(up ? range->first + i : range->first - i);
    if (number.size() < range->digits) number.insert(0, range->digits - number.size(), '0');
    expand_ranges(pattern.substr(0, range->open) + number + pattern.substr(range->close + 1), paths);
  }
}

/// Adds the paths of existing files that match a pattern, component by component from `folder` on; nothing if none
/// does. A shell passes a quoted pattern unchanged.
void expand_names(const std::string& folder, const std::string& pattern, const stream::Files& files,
                  std::vector<std::string>& paths) {
  const auto slash = pattern.find('/');
  const std::string first = pattern.substr(0, slash),
                    rest = slash == std::string::npos ? "" : pattern.substr(slash + 1);
  const auto fits = [&](const std::string& name) { return ::fnmatch(first.c_str(), name.c_str(), FNM_NOESCAPE) == 0; };
  if (first.find_first_of("*?") == std::string::npos) {
    if (!rest.empty())
      expand_names(folder + first + '/', rest, files, paths);
    else if (files.exists(folder + first))
      paths.push_back(folder + first);
    return;
  }
  for (std::string name : files.list(folder.empty() ? "." : folder).value_or(std::vector<std::string>{})) {
    const bool is_folder = name.ends_with('/');
    if (is_folder) name.pop_back();
    if (!fits(name) || is_folder == rest.empty()) continue;
    is_folder ? expand_names(folder + name + '/', rest, files, paths) : paths.push_back(folder + name);
  }
}

/// Adds the paths that `part`, one element of a list, names: the manifests of a folder; else, if no such file exists,
/// those of a pattern of shards or names, or `part` with the ending .idx. If there are none, adds `part` itself.
void expand(const std::string& part, const stream::Files& files, std::vector<std::string>& paths) {
  const std::string braces = with_braces(part);
  const std::size_t before = paths.size();
  if (const auto folder = folder_manifests(part, files))
    paths.insert(paths.end(), folder->paths.begin(), folder->paths.end());
  else if (!files.exists(part) && first_range(braces))
    expand_ranges(braces, paths);
  else if (!files.exists(part) && part.find_first_of("*?") != std::string::npos)
    expand_names("", part, files, paths);
  else if (!files.exists(part) && files.exists(part + ".idx"))  // a prefix, like in Megatron-LM and fairseq
    paths.push_back(part + ".idx");
  if (paths.size() == before) paths.push_back(part);
}

}  // namespace

std::vector<std::string> manifest_paths(const std::string& argument, const stream::Files& files) {
  if (argument == "-") return {argument};
  std::vector<std::string> paths;
  if (files.exists(argument)) return expand(argument, files, paths), paths;
  std::string_view rest = argument;
  for (;;) {
    const auto comma = rest.find(',');
    expand(std::string(rest.substr(0, comma)), files, paths);
    if (comma == std::string_view::npos) return paths;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace seqpoint::io::manifests
