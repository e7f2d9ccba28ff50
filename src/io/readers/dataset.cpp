// From the rows of all files to one data set: both sides together, bad rows and filters accounted for.
#include <algorithm>

#include "formats.hpp"
#include "row_sink.hpp"

namespace seqpoint {
namespace {

RowSink read_file(Input& input, const ReadOptions& options, bool has_target, bool is_target, Dataset& dataset) {
  const Reader& reader = pick_reader(options.format, {input.name(), input.head(), options.length_field, has_target, input.size()});
  if (reader.read == nullptr)
    throw InputError({input.name()}, "is a trace: it holds iterations, not samples", "give it to `seqpoint select`, alone");
  if (options.split != TextSplit::whitespace && reader.name != kText.name)
    throw UsageError("--split is for text; " + input.name() + " holds lengths", "the lengths stand as they are");
  if ((options.add_src > 0 || options.add_tgt > 0) && reader.name != kText.name)
    throw UsageError("--add-src and --add-tgt are for text; " + input.name() + " holds lengths", "the lengths stand as they are");
  using Side = RowSink::Side;
  RowSink rows(input.name(), options, is_target ? Side::target : has_target ? Side::source : Side::only);
  reader.read(input, rows);
  rows.raise_problems();
  if (rows.rows() == 0)
    throw InputError({input.name()}, input.head().empty() ? "is empty" : "has no rows", "check how it was made");
  for (const std::string& note : rows.notes()) dataset.notes.push_back(input.name() + ": " + note);
  if (rows.unterminated())
    dataset.notes.push_back(input.name() + ": the last line has no line end; it was read, but was the file cut short?");
  dataset.inputs.push_back({input.name(), std::string(reader.name), rows.fields(), rows.unit(), input.digest(), rows.rows()});
  return rows;
}

/// Joins the two files of a pair.
void join(RowSink& src, RowSink&& tgt) {
  if (src.rows() != tgt.rows()) {
    const bool target_longer = tgt.rows() > src.rows();
    const RowSink& shorter = target_longer ? src : tgt;
    const RowSink& longer = target_longer ? tgt : src;
    throw InputError({shorter.source(), shorter.rows()},
                     "ends here with " + std::to_string(shorter.rows()) + " rows, but " + longer.source() + " has " +
                         std::to_string(longer.rows()),
                     "the two sides must be parallel, row by row");
  }
  src.tgt_lengths = std::move(tgt.src_lengths);
  std::vector<std::uint64_t> bad;
  std::set_union(src.bad_rows.begin(), src.bad_rows.end(), tgt.bad_rows.begin(), tgt.bad_rows.end(), std::back_inserter(bad));
  src.bad_rows = std::move(bad);
}

/// Appends the rows that are kept.
class Collector {
 public:
  Collector(Dataset& dataset, const ReadOptions& options) : dataset_(dataset), options_(options) {}

  void add(RowSink&& rows) {
    dataset_.rows += rows.rows();
    if (dataset_.lengths.size() == 0 && rows.bad_rows.empty() && !options_.min_length && !options_.max_length)
      return take_all(std::move(rows));
    auto bad = rows.bad_rows.begin();
    for (std::uint64_t i = 0; i < rows.rows(); ++i) {
      if (bad != rows.bad_rows.end() && *bad == i) {
        ++bad;
        ++dataset_.missing;
        continue;
      }
      const std::uint32_t* const tgt = rows.tgt_lengths.empty() ? nullptr : &rows.tgt_lengths[i];
      if (!kept(rows.src_lengths[i], tgt)) continue;
      take(rows.src_lengths[i], tgt);
      if (!rows.seconds.empty()) dataset_.lengths.seconds.push_back(rows.seconds[i]);
    }
  }

 private:
  /// Nothing is left out: the rows need not be copied, which a large data set would feel.
  void take_all(RowSink&& rows) {
    for (std::size_t i = 0; i < rows.src_lengths.size(); ++i)
      dataset_.zeros += rows.src_lengths[i] == 0 || (!rows.tgt_lengths.empty() && rows.tgt_lengths[i] == 0) ? 1 : 0;
    dataset_.lengths.src = std::move(rows.src_lengths);
    dataset_.lengths.tgt = std::move(rows.tgt_lengths);
    dataset_.lengths.seconds = std::move(rows.seconds);
  }

  bool kept(std::uint32_t src, const std::uint32_t* tgt) {
    const std::uint32_t shortest = tgt != nullptr ? std::min(src, *tgt) : src;
    const std::uint32_t longest = tgt != nullptr ? std::max(src, *tgt) : src;
    const bool short_row = options_.min_length && shortest < *options_.min_length;
    const bool long_row = !short_row && options_.max_length && longest > *options_.max_length;
    dataset_.too_short += short_row ? 1 : 0;
    dataset_.too_long += long_row ? 1 : 0;
    return !short_row && !long_row;
  }
  void take(std::uint32_t src, const std::uint32_t* tgt) {
    dataset_.lengths.src.push_back(src);
    if (tgt != nullptr) dataset_.lengths.tgt.push_back(*tgt);
    dataset_.zeros += src == 0 || (tgt != nullptr && *tgt == 0) ? 1 : 0;
  }

  Dataset& dataset_;
  const ReadOptions& options_;
};

void require_same_sides(const Dataset& dataset, const RowSink& rows) {
  const bool first = dataset.rows == 0;
  if (!first && dataset.lengths.size() > 0 && dataset.lengths.paired() == rows.tgt_lengths.empty())
    throw InputError({rows.source()}, "has one length a row where the others have two, or the other way round",
                     "read them apart, or name the columns with --length-field and --tgt-length-field");
}

}  // namespace

Dataset read_dataset(std::vector<Input> inputs, std::vector<Input> targets, const ReadOptions& options) {
  if (!targets.empty() && targets.size() != inputs.size())
    throw UsageError("--tgt names " + std::to_string(targets.size()) + " files for " + std::to_string(inputs.size()) + " manifests",
                     "give one target file for each manifest, in the same order");
  Dataset dataset;
  dataset.lengths.tgt_symbols = options.add_tgt;
  Collector collector(dataset, options);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    RowSink rows = read_file(inputs[i], options, !targets.empty(), false, dataset);
    if (!targets.empty()) join(rows, read_file(targets[i], options, true, true, dataset));
    require_same_sides(dataset, rows);
    collector.add(std::move(rows));
  }
  if (dataset.lengths.size() == 0)
    throw InputError({dataset.inputs.front().path}, "none of its " + std::to_string(dataset.rows) + " rows is left to train on",
                     "check --min-length, --max-length and --skip-missing");
  return dataset;
}

}  // namespace seqpoint
