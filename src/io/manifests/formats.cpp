// The one list of formats.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/enum_names.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/csv.hpp"
#include "io/text/foreign_files.hpp"
#include "io/text/input_head.hpp"
#include "io/text/number.hpp"
#include "io/text/structured_text.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {
namespace {

/// Readers are constants of their files, initialised at compile time.
#define ROW(name) formats::name,
const std::array kTable{
#include "io/manifests/formats.def"
};

/// The names in the header of a file with the ending .csv or .tsv (and .gz or .zst). Empty for another ending, for one
/// column, and if the first line is data: it contains a number or a path.
std::vector<std::string> column_names(const Probe& probe) {
  std::string_view path = probe.path;
  for (const std::string_view packed : {".gz", ".zst"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  if (!path.ends_with(".csv") && !path.ends_with(".tsv")) return {};
  std::vector<std::string> names =
      text::header_fields(probe.head, path.ends_with(".tsv") ? text::kTabs : text::kCommas);
  const bool header = names.size() > 1 && std::ranges::none_of(names, [](const std::string& name) {
                        return text::parse_number(name).fault == text::NumberFault::none ||
                               (name.find('/') < name.size() && name.find('.') < name.size());
                      });
  return header ? names : std::vector<std::string>{};
}

/// Throws InputError if the first line is the header of an order: rows, alone or with iteration, step or epoch, but
/// without src_len. The batches of a loader have rows, but no lengths of their own.
void refuse_order(const Probe& probe) {
  const std::vector<std::string> names = text::header_fields(probe.head, text::kCommas);
  const auto has = [&](std::string_view name) { return std::ranges::count(names, name) > 0; };
  if (!has("rows") || has("src_len") || (names.size() > 1 && !has("iteration") && !has("step") && !has("epoch")))
    return;
  const std::string hint =
      "give the manifest and --sampler recorded:order=FILE; or make it with lengths: python3 -m seqpoint_companion "
      "order --lengths -o lengths.csv -- train.py";
  throw InputError({std::string(probe.path), 1}, "is an order of batches: it has their rows, and no lengths",
                   text::with_path(hint, std::string(probe.path)));
}

/// Throws InputError for text whose lines are not its samples.
void refuse_structured_text(const Probe& probe) {
  const std::string path(probe.path);
  if (const auto text = text::structured_text(probe.head)) throw InputError({path, 1}, text->what, text->way_for(path));
}

/// Throws the InputError for a file that no reader recognises: it is empty, of another known kind, a table without a
/// usual column, text whose lines are no samples, or anything else.
[[noreturn]] void throw_unrecognised(const Probe& probe) {
  const std::string_view line = text::trim(text::first_line(probe.head));
  if (line.empty()) throw InputError({std::string(probe.path)}, "is empty");
  text::refuse_unknown_file(std::string(probe.path), probe.head);
  const std::string formats = names_hint("", row_names(readers()));
  if (const std::vector<std::string> names = column_names(probe); !names.empty())
    throw InputError({std::string(probe.path), 1}, fmt::format("no column of lengths: {}", fmt::join(names, ", ")),
                     "if one of them holds lengths: --length-field NAME; other formats: `seqpoint list formats`; " +
                         engine::text_hint(std::string(probe.path)));
  refuse_structured_text(probe);
  constexpr std::size_t kShown = 60;
  throw InputError({std::string(probe.path), 1},
                   fmt::format("is in no format that seqpoint recognises: \"{}{}\"", line.substr(0, kShown),
                               line.size() > kShown ? "..." : ""),
                   "if each line is a sample of text: --format text; name a column with --length-field, or the "
                   "format with --format, " +
                       formats);
}

}  // namespace

std::span<const Reader> readers() { return kTable; }

const Reader& find_reader(std::string_view format) {
  for (const Reader& reader : readers())
    if (reader.name == format) return reader;
  throw UsageError(fmt::format("unknown format '{}'", format), names_hint(format, row_names(readers())));
}

const Reader& pick_reader(std::string_view format, const Probe& probe) {
  const std::string path(probe.path);
  if (!format.empty()) {
    text::refuse_foreign_text(path, probe.head);
    return find_reader(format);
  }
  text::refuse_foreign_file(path, probe.head);
  for (const Reader& reader : readers())
    if (reader.recognises(probe)) {
      if (reader.read == formats::kCsv.read) refuse_order(probe);
      if (reader.read == formats::kText.read) refuse_structured_text(probe);
      return reader;
    }
  refuse_order(probe);
  throw_unrecognised(probe);
}

bool is_trace(stream::Input& input, const std::string& format) {
  return format.empty() ? formats::kTrace.recognises({input.name(), input.head(), "", false})
                        : format == formats::kTrace.name;
}

}  // namespace seqpoint::io::manifests
