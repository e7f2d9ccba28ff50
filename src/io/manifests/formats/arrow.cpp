// Arrow's stream and file format (arrow.apache.org/docs/format/Columnar.html, format/Message.fbs): what Hugging Face
// data sets are cached and saved in. The length of a list is the difference of two offsets, so the values in it are
// passed over. A file is read as the stream that it holds.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "io/manifests/arrow/batch_body.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

using namespace std::string_view_literals;
using arrow::ArrowColumn;
using arrow::BatchBody;
using arrow::FlatTable;

constexpr auto kFileMagic = "ARROW1\0\0"sv, kContinuation = "\xff\xff\xff\xff"sv;
constexpr auto kFileEnd = kFileMagic.substr(0, 6);
constexpr std::uint32_t kMostMetadata = 64U << 20U;

class ArrowReader {
 public:
  ArrowReader(stream::Input& input, RowSink& sink) : sink_(sink), in_(input, "an Arrow file") {
    is_file_ = input.head().starts_with(kFileMagic);
  }

  void read() try {
    if (is_file_) in_.read_bytes(kFileMagic.size());
    while (read_message()) continue;
    if (columns_.empty()) in_.fail("has no schema");
    is_file_ ? read_footer() : in_.expect_end();
  } catch (const arrow::FlatBufferFault&) {
    in_.fail("has metadata with an offset that leads nowhere");
  }

 private:
  /// False at the end of the stream, which a file always marks.
  bool read_message() {
    in_.begin_section("the size of a message");
    if (!is_file_ && in_.at_end()) return false;
    auto size = in_.read_number<std::uint32_t>();
    if (size == std::numeric_limits<std::uint32_t>::max()) size = in_.read_number<std::uint32_t>();
    if (size == 0) return false;
    if (size > kMostMetadata) in_.fail(fmt::format("has a message with metadata of {} bytes", size));
    in_.begin_section("the metadata of a message");
    const std::vector<char> metadata = in_.read_numbers<char>(size);
    read_body(FlatTable(std::string_view(metadata.data(), metadata.size())));
    return true;
  }

  /// What else there may be is passed over.
  void read_body(const FlatTable& message) {
    constexpr std::uint8_t kSchema = 1, kDictionary = 2, kRecordBatch = 3;
    const auto type = message.number<std::uint8_t>(1, 0);
    const auto header = message.table(2);
    const auto size = message.number<std::int64_t>(3, 0);
    if (!header || size < 0) in_.fail("has a message without content");
    in_.begin_section("the body of a message");
    const auto body = static_cast<std::uint64_t>(size);
    if (type == kSchema) read_schema(*header);
    if (columns_.empty() && type != kSchema) read_schema_of_footer();
    if (type == kRecordBatch)
      read_batch(*header, body);
    else if (type == kDictionary)
      read_dictionary(*header, body);
    else
      in_.skip(body);
  }

  void read_schema(const FlatTable& schema) {
    if (!columns_.empty()) in_.fail("has a second schema");
    if (schema.number<std::int16_t>(0, 0) != 0) in_.fail("was written on a big-endian machine");
    const std::vector<ArrowColumn> all = arrow::arrow_columns(schema);
    std::vector<std::string> names;
    for (const ArrowColumn& column : all) names.push_back(column.name);
    engine::choose_columns(names, 0, sink_);
    columns_.push_back(column_of(all, sink_.src().name()));
    if (sink_.paired()) columns_.push_back(column_of(all, sink_.tgt_field()));
  }

  const ArrowColumn& column_of(const std::vector<ArrowColumn>& all, const std::string& name) const {
    const ArrowColumn& column = *std::ranges::find(all, name, &ArrowColumn::name);
    engine::require_lengths({column.name, column.kind, column.storage != arrow::Storage::none, column.nested},
                            sink_.file.path(), !sink_.file.requested_field().empty());
    return column;
  }

  /// Files of apache-arrow for JavaScript have their schema there alone, so they are opened a second time.
  void read_schema_of_footer() {
    constexpr std::size_t kMark = sizeof(std::uint32_t) + kFileEnd.size(), kPiece = 1U << 16U;
    const std::string& path = sink_.file.path();
    if (!is_file_) in_.fail("has rows in front of its schema");
    if (path == "-")
      throw InputError({path}, "has its schema behind its rows, and cannot be read twice",
                       "save it as a file; or write a stream: tableToIPC(table, 'stream')");
    stream::Input again = sink_.file.files().open(path);
    std::string tail, piece(kPiece, '\0');
    while (const std::size_t got = again.read(piece.data(), piece.size())) {
      tail.append(piece, 0, got);
      if (tail.size() > 2 * kMostMetadata) tail.erase(0, tail.size() - kMostMetadata);
    }
    const std::string_view bytes(tail);
    if (!bytes.ends_with(kFileEnd) || bytes.size() < kMark) in_.fail("is cut short in its footer");
    const std::string_view before = bytes.substr(0, bytes.size() - kMark);
    const auto size = engine::decode<std::uint32_t>(before.data() + before.size());
    if (size > before.size()) in_.fail("has no schema in its footer");
    const auto schema = FlatTable(before.substr(before.size() - size)).table(1);
    if (!schema) in_.fail("has no schema in its footer");
    read_schema(*schema);
  }

  void read_dictionary(const FlatTable& message, std::uint64_t size) {
    const auto id = message.number<std::int64_t>(0, 0);
    const auto batch = message.table(1);
    const auto column = std::ranges::find(columns_, std::optional(id), &ArrowColumn::dictionary);
    if (!batch || column == columns_.end()) return in_.skip(size);
    ArrowColumn values = *column;
    values.node = values.buffer = values.views = 0;
    BatchBody body(in_, *batch, size);
    const std::vector<double> lengths = body.lengths_of(values);
    body.skip_rest();
    const bool is_delta = message.number<std::uint8_t>(2, 0) != 0;
    std::vector<double>& known = dictionaries_[id];
    if (!is_delta) known.clear();
    known.insert(known.end(), lengths.begin(), lengths.end());
  }

  void read_batch(const FlatTable& batch, std::uint64_t size) {
    BatchBody body(in_, batch, size);
    std::vector<std::vector<double>> values(columns_.size());
    std::vector<std::size_t> order(columns_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t c) { return columns_[c].buffer; });
    for (const std::size_t c : order) {
      const ArrowColumn& column = columns_[c];
      values[c] = column.dictionary ? looked_up(body.places_of(column), *column.dictionary) : body.lengths_of(column);
    }
    body.skip_rest();
    for (std::uint64_t r = 0; r < body.rows(); ++r) add_row(values, r);
  }

  std::vector<double> looked_up(std::vector<double> places, std::int64_t dictionary) const {
    const auto known = dictionaries_.find(dictionary);
    for (double& place : places) {
      if (std::isnan(place)) continue;
      if (known == dictionaries_.end() || place < 0 || place >= static_cast<double>(known->second.size()))
        in_.fail("has a value that is not in its dictionary");
      place = known->second[static_cast<std::size_t>(place)];
    }
    return places;
  }

  void add_row(const std::vector<std::vector<double>>& values, std::uint64_t row) {
    for (std::size_t c = 0; c < values.size(); ++c)
      if (std::isnan(values[c][row])) return sink_.add_missing(0, "is missing", columns_[c].name);
    values.size() == 2 ? sink_.add_number(0, values[0][row], values[1][row]) : sink_.add_number(0, values[0][row]);
  }

  /// It repeats the schema and says where batches are; the magic number stands at its end again.
  void read_footer() {
    in_.begin_section("the footer");
    std::string end;
    while (!in_.at_end()) {
      end += in_.read_number<char>();
      if (end.size() > kFileEnd.size()) end.erase(0, 1);
    }
    if (end != kFileEnd) in_.fail("is cut short in its footer");
  }

  RowSink& sink_;
  engine::BinaryReader in_;
  bool is_file_ = false;
  std::vector<ArrowColumn> columns_;                          ///< of source and target
  std::map<std::int64_t, std::vector<double>> dictionaries_;  ///< lengths of their values, by number
};

/// Whether the file is of a set that save_to_disk wrote with a mapping of its rows, which the job sees in that order.
bool is_mapped(const ManifestFile& file) {
  const std::string state = file.folder() + "state.json";
  if (file.path() == "-" || !file.files().exists(state)) return false;
  const std::string text = file.files().open(state).read_all();
  const std::size_t key = text.find("\"_indices_data_files\"");
  const std::size_t list = text.find('[', key);
  return key != std::string::npos && list < text.find_first_of(",}", key) &&
         text[text.find_first_not_of(" \t\r\n", list + 1)] != ']';
}

void read_arrow(stream::Input& input, RowSink& sink) {
  ArrowReader(input, sink).read();
  if (is_mapped(sink.file))
    sink.note(
        "is read without the mapping of rows beside it (state.json): give the folder, to read the set as it was saved");
}

bool is_arrow(const Probe& probe) {
  return probe.head.starts_with(kFileMagic) || probe.head.starts_with(kContinuation);
}

}  // namespace

const Reader kArrow{
    .name = "arrow",
    .summary =
        "Arrow file or stream, as Hugging Face data sets are saved: a column of lengths, else how many input_ids a row "
        "has",
    .example = "<binary>",
    .recognises = is_arrow,
    .read = read_arrow,
};

}  // namespace seqpoint::io::manifests::formats
