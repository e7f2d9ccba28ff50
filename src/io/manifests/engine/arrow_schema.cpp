#include "io/manifests/engine/arrow_schema.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests::engine {
namespace {

/// The names of the union Type of Schema.fbs, by number.
constexpr std::array<std::string_view, 23> kTypeNames{
    "nothing",     "null",  "integers",   "floats",      "bytes",      "text",        "booleans", "decimals",
    "dates",       "times", "timestamps", "intervals",   "lists",      "structs",     "unions",   "fixed bytes",
    "fixed lists", "maps",  "durations",  "large bytes", "large text", "large lists", "runs"};
enum Type : std::uint8_t {
  kNull = 1,
  kInt = 2,
  kFloat = 3,
  kBinary = 4,
  kUtf8 = 5,
  kList = 12,
  kStruct = 13,
  kUnion = 14,
  kFixedList = 16,
  kMap = 17,
  kDuration = 18,
  kLargeBinary = 19,
  kLargeUtf8 = 20,
  kLargeList = 21,
  kLastKnown = 21
};

class SchemaReader {
 public:
  std::vector<ArrowColumn> read(const FlatTable& schema) {
    const FlatVector fields = schema.vector(1, 4);
    for (std::uint32_t f = 0; f < fields.size; ++f) add(schema.element(fields, f));
    return std::move(columns_);
  }

 private:
  void add(const FlatTable& field) {
    ArrowColumn column;
    column.name = field.text(0);
    column.node = nodes_;
    column.buffer = buffers_;
    const auto type = field.number<std::uint8_t>(2, 0);
    column.kind = type < kTypeNames.size() ? kTypeNames[type] : "views";
    if (field.table(4)) column.kind = "entries of a dictionary";
    if (!field.table(4) && countable_) column.storage = storage_of(field, type, column);
    columns_.push_back(std::move(column));
    count(field, 0);
  }

  static Storage storage_of(const FlatTable& field, std::uint8_t type, ArrowColumn& column) {
    if (type == kList || type == kLargeList) return storage_of_list(field, type, column);
    const std::optional<FlatTable> of_type = field.table(3);
    if (!of_type) return Storage::none;
    if (type == kFloat) {
      const auto precision = of_type->number<std::int16_t>(0, 0);
      return precision == 1 ? Storage::f32 : precision == 2 ? Storage::f64 : Storage::none;
    }
    if (type != kInt) return Storage::none;
    const bool is_signed = of_type->number<std::uint8_t>(1, 0) != 0;
    switch (of_type->number<std::int32_t>(0, 0)) {
      case 8: return is_signed ? Storage::i8 : Storage::u8;
      case 16: return is_signed ? Storage::i16 : Storage::u16;
      case 32: return is_signed ? Storage::i32 : Storage::u32;
      case 64: return is_signed ? Storage::i64 : Storage::u64;
      default: return Storage::none;
    }
  }

  static Storage storage_of_list(const FlatTable& field, std::uint8_t type, ArrowColumn& column) {
    const FlatVector children = field.vector(5, 4);
    const auto of = children.size == 1 ? field.element(children, 0).number<std::uint8_t>(2, 0) : std::uint8_t{kStruct};
    if (of == kStruct) {
      column.kind = "lists of objects, whose number is no length";
      return Storage::none;
    }
    column.nested = of == kList || of == kLargeList || of == kFixedList;
    return type == kList ? Storage::offsets32 : Storage::offsets64;
  }

  /// The nodes and buffers of a field and of what is in it. Of types whose number of buffers a batch itself says, no
  /// column behind them can be found.
  void count(const FlatTable& field, int depth) {
    constexpr int kDeepest = 64;
    constexpr std::size_t kMostNodes = 100000;
    if (depth > kDeepest || ++nodes_ > kMostNodes) throw FlatBufferFault();
    const auto type = field.number<std::uint8_t>(2, 0);
    const bool dictionary = field.table(4).has_value();
    if (!dictionary && (type == kUnion || type > kLastKnown || type == 0)) countable_ = false;
    const bool text = type == kBinary || type == kUtf8 || type == kLargeBinary || type == kLargeUtf8;
    buffers_ += dictionary ? 2 : type == kNull ? 0 : type == kStruct || type == kFixedList ? 1 : text ? 3 : 2;
    if (dictionary) return;
    const FlatVector children = field.vector(5, 4);
    for (std::uint32_t c = 0; c < children.size; ++c) count(field.element(children, c), depth + 1);
  }

  std::vector<ArrowColumn> columns_;
  std::size_t nodes_ = 0, buffers_ = 0;
  bool countable_ = true;
};
}  // namespace

std::vector<ArrowColumn> arrow_columns(const FlatTable& schema) { return SchemaReader().read(schema); }

void require_lengths(const ArrowColumn& column, const std::string& path, bool named) {
  if (column.storage == Storage::none)
    throw InputError(
        {path, 0, column.name}, "holds " + column.kind,
        "name a column of numbers or of lists of them with --length-field, or write the lengths, one a line");
  if (column.nested && !named)
    throw InputError({path, 0, column.name}, "holds lists of lists, not one sequence",
                     "with --length-field their elements are counted all the same");
}

}  // namespace seqpoint::io::manifests::engine
