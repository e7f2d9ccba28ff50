// Combines the rows of all files into one data set: joins both sides, and counts unusable and filtered rows.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "io/manifests/engine/columns.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"
#include "io/text/command_words.hpp"
#include "io/text/foreign_files.hpp"
#include "io/text/structured_text.hpp"

namespace seqpoint::io::manifests {
namespace {

/// What to do instead of adding symbols to lengths: of a list, with the command that adds as many.
std::string add_hint(const RowSink& sink, const Reader& reader) {
  const std::string leave = "leave it out where they count an end mark already; else add it to them";
  if (reader.read != formats::kList.read) return leave;
  const ReadOptions& options = sink.file.options();
  const std::string awk =
      fmt::format("awk '{{print $1 + {}}}'", sink.file.is_target() ? options.add_tgt : options.add_src);
  return leave + ": " + text::filtered(awk, sink.file.path(), "longer.txt");
}

/// Throws UsageError for an option that has no effect on this file: about text if there was none, a unit other than
/// tokens for text, or a field that was not read.
void reject_unused_options(const RowSink& sink, const ReadOptions& options, const Reader& reader) {
  const std::string file_and_format = fmt::format("{} ({})", sink.file.path(), reader.name);
  const bool adds_symbols =
      sink.file.is_target() ? options.add_tgt > 0 : options.add_src > 0 || (options.add_tgt > 0 && sink.paired());
  if (adds_symbols && !sink.text.was_used())
    throw UsageError(fmt::format("--add-src and --add-tgt are for text; {} holds lengths, which stand as they are",
                                 sink.file.path()),
                     add_hint(sink, reader));
  if (options.split != TextSplit::whitespace && !sink.text.was_used())
    throw UsageError(fmt::format("--split is for text; {} holds lengths", sink.file.path()),
                     "the lengths stand as they are");
  if (sink.text.was_used() && options.length_unit.value_or(lengths::LengthUnit::tokens) != lengths::LengthUnit::tokens)
    throw UsageError(fmt::format("--length-unit {}: the text of {} is counted in tokens",
                                 lengths::name_of(*options.length_unit), file_and_format));
  if (const std::string target = sink.file.requested_target_field(); !target.empty() && sink.tgt_field() != target)
    throw UsageError(fmt::format("--tgt-length-field {} has no use for {}", target, file_and_format),
                     "it holds one length a sample");
  const std::string& asked = sink.file.is_target() ? options.tgt_length_field : options.length_field;
  if (!asked.empty() && sink.src().name() != asked)
    throw UsageError(fmt::format("--length-field {} has no use for {}", asked, file_and_format),
                     "--format csv, tsv or jsonl reads any column or key as it stands");
}

/// Reads one file and checks it. Adds its notes and its record, and the records of the tables that it refers to, to
/// `dataset`; the caller adds the rows. Throws InputError for a trace, a file without rows and problems in rows;
/// UsageError for options without effect.
RowSink read_file(stream::Input& input, ManifestFile::Side side, const ReadOptions& options, Dataset& dataset) {
  RowSink sink(ManifestFile(input.name(), side, options));
  const Reader& reader = pick_reader(options.format, {.path = input.name(),
                                                      .head = input.head(),
                                                      .length_field = sink.file.requested_field(),
                                                      .has_target = !sink.file.may_hold_both_sides(),
                                                      .size = input.size()});
  if (reader.read == nullptr)
    throw InputError({input.name()}, "is a batch list already: its rows are batches, not samples",
                     fmt::format("`seqpoint scan {0} --summary` shows their padding and shapes, `seqpoint select {0}` "
                                 "chooses points",
                                 text::shell_words(std::vector{input.name()})));
  reader.read(input, sink);
  sink.throw_problems();
  if (sink.rows.size() == 0)
    throw InputError({input.name()}, input.head().empty() ? "is empty" : "has no rows", "check how it was made");
  reject_unused_options(sink, options, reader);
  refuse_doubtful_lengths(sink, input.head());
  if (reader.read == formats::kText.read)
    if (const auto text = text::structured_text(input.head()))
      sink.note(fmt::format("{}; the words of each line are counted. To {}", text->what, text->way_for(input.name())));
  if (sink.text.unspaced() > sink.rows.size() / 2)
    sink.note(fmt::format("{} of {} rows are one token (text without spaces); {}", sink.text.unspaced(),
                          sink.rows.size(), engine::text_hint(input.name())));
  if (!sink.choice.empty() &&
      std::ranges::none_of(dataset.notes, [&](const std::string& note) { return note.ends_with(": " + sink.choice); }))
    sink.note(sink.choice);
  for (const std::string& note : sink.notes) dataset.notes.push_back(fmt::format("{}: {}", input.name(), note));
  if (sink.unterminated())
    dataset.notes.push_back(input.name() + ": the last line has no line end; check that the file is whole");
  dataset.inputs.push_back({.path = input.name(),
                            .format = std::string(reader.name),
                            .fields = sink.src().name() + (sink.paired() ? "," + sink.tgt_field() : ""),
                            .unit = std::string(lengths::name_of(sink.src().unit())),
                            .digest = input.digest(),
                            .rows = sink.rows.size()});
  dataset.inputs.insert(dataset.inputs.end(), sink.tables.begin(), sink.tables.end());
  return sink;
}

/// The row of `tgt` with the same key, for every row of `src`. Throws InputError for a key that only one of them has.
std::vector<std::uint64_t> matching_rows(const RowSink& src, const RowSink& tgt) {
  const auto require = [](const RowSink& one, const RowSink& other) {
    for (const std::string* const key : one.keys.in_order)
      if (!other.keys.places.contains(*key))
        throw InputError({one.file.path(), one.keys.places.at(*key).line},
                         fmt::format("'{}' is not in {}", *key, other.file.path()),
                         "both sides must have the same keys");
  };
  require(src, tgt);
  require(tgt, src);
  std::vector<std::uint64_t> rows;
  for (const std::string* const key : src.keys.in_order) rows.push_back(tgt.keys.places.at(*key).row);
  return rows;
}

/// Puts the target's rows into the order of the source's keys, as ESPnet does with its shape files. Does
/// nothing if neither side has keys; throws InputError if one has.
void align_by_key(RowSink& src, RowSink& tgt) {
  if (src.keys.in_order.empty() != tgt.keys.in_order.empty()) {
    const RowSink& keyed = src.keys.in_order.empty() ? tgt : src;
    const RowSink& plain = src.keys.in_order.empty() ? src : tgt;
    throw InputError({plain.file.path()},
                     fmt::format("has rows without keys, {} has rows with keys", keyed.file.path()),
                     "give two files with the same keys, or say what they are with --format");
  }
  if (src.keys.in_order.empty()) return;
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint64_t> bad;  // formats with keys have no marked rows
  for (const std::uint64_t row : matching_rows(src, tgt)) {
    if (std::binary_search(tgt.rows.unusable.begin(), tgt.rows.unusable.end(), row)) bad.push_back(lengths.size());
    lengths.push_back(tgt.rows.src[row]);
  }
  tgt.rows.src = std::move(lengths);
  tgt.rows.unusable = std::move(bad);
}

/// The numbers that are in either of two ascending lists, each once, ascending.
std::vector<std::uint64_t> sorted_union(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

/// Adds the lengths of `tgt` to `src` as its target side: matched by key if rows have keys, else in order. A pair is
/// unusable or marked if either side is. Throws InputError if keys or numbers of rows differ, or if only one side has
/// keys.
void join_sides(RowSink& src, RowSink&& tgt) {
  align_by_key(src, tgt);
  if (src.rows.size() != tgt.rows.size()) {
    const bool target_longer = tgt.rows.size() > src.rows.size();
    const RowSink& shorter = target_longer ? src : tgt;
    const RowSink& longer = target_longer ? tgt : src;
    throw InputError({shorter.file.path(), shorter.rows.size()},
                     fmt::format("ends here with {} rows, but {} has {}", shorter.rows.size(), longer.file.path(),
                                 longer.rows.size()),
                     "the two sides must be parallel, row by row");
  }
  src.rows.tgt = std::move(tgt.rows.src);
  src.rows.unusable = sorted_union(src.rows.unusable, tgt.rows.unusable);
  src.rows.marked = sorted_union(src.rows.marked, tgt.rows.marked);
}

/// Appends the rows that are kept to a data set, and counts the others.
class DatasetBuilder {
 public:
  DatasetBuilder(Dataset& dataset, const ReadOptions& options) : dataset_(dataset), options_(options) {}

  /// Adds the rows of the next input. A row that is left out is counted once, for the first reason that applies:
  /// missing, marked, too short, too long.
  void add(ManifestRows&& rows) {
    dataset_.rows += rows.size();
    const bool all_good = rows.unusable.empty() && rows.marked.empty();
    if (dataset_.lengths.size() == 0 && all_good && !options_.min_length && !options_.max_length)
      return move_all(std::move(rows));
    auto bad = rows.unusable.begin(), marked = rows.marked.begin();
    for (std::uint64_t i = 0; i < rows.size(); ++i) {
      const bool is_bad = advance_if_at(bad, rows.unusable.end(), i);
      const bool is_marked = advance_if_at(marked, rows.marked.end(), i);
      dataset_.missing += is_bad ? 1 : 0;
      dataset_.marked += is_marked && !is_bad ? 1 : 0;
      if (is_bad || is_marked) continue;
      const std::uint32_t* const tgt = rows.tgt.empty() ? nullptr : &rows.tgt[i];
      if (!is_within_limits(rows.src[i], tgt)) continue;
      append_row(rows.src[i], tgt);
      if (!rows.seconds.empty()) dataset_.lengths.seconds.push_back(rows.seconds[i]);
    }
  }

 private:
  /// Takes over all rows of the first input and counts lengths of zero. Moves the rows, because copying millions of
  /// them takes time.
  void move_all(ManifestRows&& rows) {
    for (std::size_t i = 0; i < rows.src.size(); ++i)
      dataset_.zeros += rows.src[i] == 0 || (!rows.tgt.empty() && rows.tgt[i] == 0) ? 1 : 0;
    dataset_.lengths.src = std::move(rows.src);
    dataset_.lengths.tgt = std::move(rows.tgt);
    dataset_.lengths.seconds = std::move(rows.seconds);
  }

  /// Whether the row at `next`, in an ascending list of rows, is `row`; if so, moves `next` on by one.
  template <class Iterator>
  static bool advance_if_at(Iterator& next, Iterator end, std::uint64_t row) {
    const bool is_it = next != end && *next == row;
    if (is_it) ++next;
    return is_it;
  }
  /// Whether a row, for a pair both sides, is within min_length and max_length, both inclusive. Counts the row as too
  /// short or else too long if it is not. `tgt`: null without a target side.
  bool is_within_limits(std::uint32_t src, const std::uint32_t* tgt) {
    const std::uint32_t shortest = tgt != nullptr ? std::min(src, *tgt) : src;
    const std::uint32_t longest = tgt != nullptr ? std::max(src, *tgt) : src;
    const bool short_row = options_.min_length && shortest < *options_.min_length;
    const bool long_row = !short_row && options_.max_length && longest > *options_.max_length;
    dataset_.too_short += short_row ? 1 : 0;
    dataset_.too_long += long_row ? 1 : 0;
    return !short_row && !long_row;
  }
  /// Appends a row, and counts it if a side has a length of zero. `tgt`: null without a target side.
  void append_row(std::uint32_t src, const std::uint32_t* tgt) {
    dataset_.lengths.src.push_back(src);
    if (tgt != nullptr) dataset_.lengths.tgt.push_back(*tgt);
    dataset_.zeros += src == 0 || (tgt != nullptr && *tgt == 0) ? 1 : 0;
  }

  Dataset& dataset_;
  const ReadOptions& options_;
};

/// Throws InputError if the file has pairs and the rows kept so far have one length each, or the other way round.
void require_same_sides(const Dataset& dataset, const RowSink& sink) {
  const bool first = dataset.rows == 0;
  if (!first && dataset.lengths.size() > 0 && dataset.lengths.paired() == sink.rows.tgt.empty())
    throw InputError({sink.file.path()}, "has one length a row where the others have two, or the other way round",
                     "read them apart, or name the columns with --length-field and --tgt-length-field");
}

/// Adds a note if all samples have one length (are_doubtful(), in pairs on both sides): a packed data set has, but so
/// does a wrong column.
void note_equal_lengths(Dataset& dataset) {
  const lengths::Lengths& all = dataset.lengths;
  if (!are_doubtful(all.src) || (all.paired() && !are_doubtful(all.tgt))) return;
  dataset.notes.push_back(
      fmt::format("all {} samples have the length {}; name another column with --length-field if that is wrong",
                  all.size(), all.src.front()));
}

}  // namespace

InputRecord record_of(const stream::Input& input, std::string_view format, std::uint64_t rows) {
  return {.path = input.name(), .format = std::string(format), .digest = input.digest(), .rows = rows};
}

Dataset read_dataset(std::vector<stream::Input> inputs, std::vector<stream::Input> targets,
                     const ReadOptions& options) {
  if (!targets.empty() && targets.size() != inputs.size())
    throw UsageError(fmt::format("--tgt names {} files for {} manifests", targets.size(), inputs.size()),
                     "give one target file for each manifest, in the same order");
  using Side = ManifestFile::Side;
  Dataset dataset;
  DatasetBuilder collector(dataset, options);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    RowSink sink = read_file(inputs[i], targets.empty() ? Side::only : Side::source, options, dataset);
    if (!targets.empty()) {
      RowSink target = read_file(targets[i], Side::target, options, dataset);
      join_sides(sink, std::move(target));
    }
    require_same_sides(dataset, sink);
    collector.add(std::move(sink.rows));
    if (inputs.size() > 1) dataset.lengths.manifest_ends.push_back(dataset.lengths.size());
  }
  if (dataset.lengths.size() == 0)
    throw InputError({dataset.inputs.front().path},
                     fmt::format("none of its {} rows is left to train on", dataset.rows),
                     "check --min-length, --max-length and --skip-missing");
  note_equal_lengths(dataset);
  return dataset;
}

}  // namespace seqpoint::io::manifests
