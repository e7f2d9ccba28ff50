// Arrow's stream and file format (arrow.apache.org/docs/format/Columnar.html, format/Message.fbs): what Hugging Face
// data sets are cached and saved in. The length of a list is the difference of two offsets, so the values in it are
// passed over. A file is read as the stream that it holds.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/manifests/engine/arrow_schema.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

using namespace std::string_view_literals;
using engine::ArrowColumn;
using engine::FlatTable;
using engine::FlatVector;
using engine::Storage;

constexpr auto kFileMagic = "ARROW1\0\0"sv, kContinuation = "\xff\xff\xff\xff"sv;

/// A part of a batch's body.
struct BodyPart {
  std::uint64_t offset = 0, size = 0;
};

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
  } catch (const engine::FlatBufferFault&) {
    in_.fail("has metadata with an offset that leads nowhere");
  }

 private:
  /// False at the end of the stream, which a file always marks.
  bool read_message() {
    constexpr std::uint32_t kMostMetadata = 64U << 20U;
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

  /// A dictionary, and what else there may be, is passed over.
  void read_body(const FlatTable& message) {
    constexpr std::uint8_t kSchema = 1, kRecordBatch = 3;
    const auto type = message.number<std::uint8_t>(1, 0);
    const auto header = message.table(2);
    const auto size = message.number<std::int64_t>(3, 0);
    if (!header || size < 0) in_.fail("has a message without content");
    position_ = 0;
    body_size_ = static_cast<std::uint64_t>(size);
    in_.begin_section("the body of a message");
    if (type == kSchema) read_schema(*header);
    if (type == kRecordBatch) read_batch(*header);
    skip_to(body_size_);
  }

  void read_schema(const FlatTable& schema) {
    if (!columns_.empty()) in_.fail("has a second schema");
    if (schema.number<std::int16_t>(0, 0) != 0) in_.fail("was written on a big-endian machine");
    const std::vector<ArrowColumn> all = engine::arrow_columns(schema);
    std::vector<std::string> names;
    for (const ArrowColumn& column : all) names.push_back(column.name);
    engine::choose_columns(names, 0, sink_);
    columns_.push_back(column_of(all, sink_.src().name()));
    if (sink_.paired()) columns_.push_back(column_of(all, sink_.tgt_field()));
  }

  const ArrowColumn& column_of(const std::vector<ArrowColumn>& all, const std::string& name) const {
    const ArrowColumn& column = *std::ranges::find(all, name, &ArrowColumn::name);
    engine::require_lengths(column, sink_.file.path(), !sink_.file.requested_field().empty());
    return column;
  }

  void read_batch(const FlatTable& batch) {
    if (columns_.empty())
      throw InputError({sink_.file.path()},
                       "has no schema in front of its rows, as apache-arrow for JavaScript writes files",
                       "write a stream: tableToIPC(table, 'stream')");
    if (batch.table(3))
      throw InputError({sink_.file.path()}, "has compressed batches",
                       "write it without: pyarrow.ipc.IpcWriteOptions(compression=None); Hugging Face's data sets are "
                       "not compressed");
    const auto length = batch.number<std::int64_t>(0, 0);
    if (length < 0) in_.fail("has a batch of less than no rows");
    const auto rows = static_cast<std::uint64_t>(length);
    std::vector<std::vector<double>> values(columns_.size());
    std::vector<std::size_t> order(columns_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t c) { return columns_[c].buffer; });
    for (const std::size_t c : order) values[c] = values_of(batch, columns_[c], rows);
    for (std::uint64_t r = 0; r < rows; ++r) add_row(values, r);
  }

  void add_row(const std::vector<std::vector<double>>& values, std::uint64_t row) {
    for (std::size_t c = 0; c < values.size(); ++c)
      if (std::isnan(values[c][row])) return sink_.add_missing(0, "is missing", columns_[c].name);
    values.size() == 2 ? sink_.add_number(0, values[0][row], values[1][row]) : sink_.add_number(0, values[0][row]);
  }

  BodyPart part(const FlatTable& batch, std::size_t buffer) const {
    constexpr std::size_t kBuffer = 16, kSizeAt = 8;
    const FlatVector buffers = batch.vector(2, kBuffer);
    if (buffer >= buffers.size) in_.fail("has a batch with fewer buffers than its columns have");
    const std::int64_t offset = batch.integer(buffers, kBuffer * buffer),
                       size = batch.integer(buffers, kBuffer * buffer + kSizeAt);
    if (offset < 0 || size < 0 || static_cast<std::uint64_t>(offset) > body_size_ ||
        static_cast<std::uint64_t>(size) > body_size_ - static_cast<std::uint64_t>(offset))
      in_.fail("has a buffer that is not in its batch");
    return {static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(size)};
  }

  /// NaN where there is none.
  std::vector<double> values_of(const FlatTable& batch, const ArrowColumn& column, std::uint64_t rows) {
    constexpr std::size_t kNode = 16, kNullsAt = 8;
    const FlatVector nodes = batch.vector(1, kNode);
    if (column.node >= nodes.size) in_.fail("has a batch with fewer columns than its schema");
    const std::int64_t length = batch.integer(nodes, kNode * column.node),
                       nulls = batch.integer(nodes, kNode * column.node + kNullsAt);
    if (length < 0 || static_cast<std::uint64_t>(length) != rows)
      in_.fail("has a column with other rows than its batch");
    std::vector<std::uint8_t> present;
    if (nulls != 0) {
      const BodyPart validity = part(batch, column.buffer);
      if (validity.size < rows / 8 + (rows % 8 != 0 ? 1 : 0)) in_.fail("does not say which of its values are null");
      skip_to(validity.offset);
      present = in_.read_numbers<std::uint8_t>(validity.size);
      position_ += validity.size;
    }
    std::vector<double> values = read_values(column.storage, part(batch, column.buffer + 1), rows);
    for (std::uint64_t r = 0; r < rows && !present.empty(); ++r)
      if ((present[r / 8] >> (r % 8) & 1U) == 0) values[r] = std::numeric_limits<double>::quiet_NaN();
    return values;
  }

  std::vector<double> read_values(Storage storage, const BodyPart& from, std::uint64_t rows) {
    switch (storage) {
      case Storage::i8: return numbers<std::int8_t>(from, rows);
      case Storage::u8: return numbers<std::uint8_t>(from, rows);
      case Storage::i16: return numbers<std::int16_t>(from, rows);
      case Storage::u16: return numbers<std::uint16_t>(from, rows);
      case Storage::i32: return numbers<std::int32_t>(from, rows);
      case Storage::u32: return numbers<std::uint32_t>(from, rows);
      case Storage::i64: return numbers<std::int64_t>(from, rows);
      case Storage::u64: return numbers<std::uint64_t>(from, rows);
      case Storage::f32: return numbers<float>(from, rows);
      case Storage::f64: return numbers<double>(from, rows);
      case Storage::offsets32: return list_sizes<std::int32_t>(from, rows);
      case Storage::offsets64: return list_sizes<std::int64_t>(from, rows);
      case Storage::none: break;
    }
    return {};
  }

  template <class T>
  std::vector<double> numbers(const BodyPart& from, std::uint64_t count) {
    if (from.size / sizeof(T) < count) in_.fail("has a column that is shorter than its batch");
    skip_to(from.offset);
    std::vector<double> values;
    in_.for_each_number<T>(count, [&](std::uint64_t, T number) { values.push_back(static_cast<double>(number)); });
    position_ += count * sizeof(T);
    return values;
  }

  /// There is one offset more than lists; the first need not be 0, where a part of a table was written.
  template <class T>
  std::vector<double> list_sizes(const BodyPart& from, std::uint64_t rows) {
    if (rows == 0) return {};
    if (from.size / sizeof(T) <= rows) in_.fail("has a column that is shorter than its batch");
    skip_to(from.offset);
    std::vector<double> sizes;
    T before = 0;
    in_.for_each_number<T>(rows + 1, [&](std::uint64_t i, T offset) {
      if (offset < before) in_.fail("has a list that ends before it begins");
      if (i > 0) sizes.push_back(static_cast<double>(offset - before));
      before = offset;
    });
    position_ += (rows + 1) * sizeof(T);
    return sizes;
  }

  /// Every writer puts the buffers of a batch one behind the other.
  void skip_to(std::uint64_t position) {
    if (position < position_) in_.fail("has buffers that are not in the order of its columns");
    const std::uint64_t words = (position - position_) / sizeof(std::uint64_t);
    in_.for_each_number<std::uint64_t>(words, [](std::uint64_t, std::uint64_t) {});
    in_.for_each_number<char>((position - position_) % sizeof(std::uint64_t), [](std::uint64_t, char) {});
    position_ = position;
  }

  /// It repeats the schema and says where batches are; the magic number stands at its end again.
  void read_footer() {
    constexpr auto kEnd = kFileMagic.substr(0, 6);
    in_.begin_section("the footer");
    std::string end;
    while (!in_.at_end()) {
      end += in_.read_number<char>();
      if (end.size() > kEnd.size()) end.erase(0, 1);
    }
    if (end != kEnd) in_.fail("is cut short in its footer");
  }

  RowSink& sink_;
  engine::BinaryReader in_;
  bool is_file_ = false;
  std::vector<ArrowColumn> columns_;            ///< of source and target
  std::uint64_t position_ = 0, body_size_ = 0;  ///< in the body of a message
};

void read_arrow(stream::Input& input, RowSink& sink) { ArrowReader(input, sink).read(); }

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
