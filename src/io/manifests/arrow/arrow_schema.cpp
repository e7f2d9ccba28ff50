#include "io/manifests/arrow/arrow_schema.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace seqpoint::io::manifests::arrow {
namespace {

/// The names of the union Type of Schema.fbs, by number.
constexpr std::array<std::string_view, 27> kTypeNames{
    "nothing",     "null",        "integers",    "floats",     "bytes",     "text",        "booleans",
    "decimals",    "dates",       "times",       "timestamps", "intervals", "lists",       "structs",
    "unions",      "fixed bytes", "fixed lists", "maps",       "durations", "large bytes", "large text",
    "large lists", "runs",        "bytes",       "text",       "lists",     "lists"};
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
  kRunEndEncoded = 22,
  kBinaryView = 23,
  kUtf8View = 24,
  kListView = 25,
  kLargeListView = 26
};

bool is_one_of(std::uint8_t type, std::initializer_list<std::uint8_t> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

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
    column.views = views_;
    const auto type = field.number<std::uint8_t>(2, 0);
    column.kind = type < kTypeNames.size() ? kTypeNames[type] : "values of a type of which nothing is known";
    if (countable_)
      column.storage = storage_of(field, type, column);
    else
      column.kind += " behind a column of unions or of an unknown type, where they are not found";
    if (const auto dictionary = field.table(4)) {
      column.dictionary = dictionary->number<std::int64_t>(0, 0);
      const std::optional<FlatTable> places = dictionary->table(1);
      column.places = places ? storage_of_integers(*places) : Storage::i32;
    }
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
    return type == kInt ? storage_of_integers(*of_type) : Storage::none;
  }

  static Storage storage_of_integers(const FlatTable& integers) {
    const bool is_signed = integers.number<std::uint8_t>(1, 0) != 0;
    switch (integers.number<std::int32_t>(0, 0)) {
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

  /// The nodes and buffers of a field and of what is in it. Behind unions, and types that are not known, no column can
  /// be found.
  void count(const FlatTable& field, int depth) {
    constexpr int kDeepest = 64;
    constexpr std::size_t kMostNodes = 100000;
    if (depth > kDeepest || ++nodes_ > kMostNodes) throw FlatBufferFault();
    const auto type = field.number<std::uint8_t>(2, 0);
    const bool dictionary = field.table(4).has_value();
    if (!dictionary && (type == 0 || type == kUnion || type >= kTypeNames.size())) countable_ = false;
    buffers_ += dictionary ? 2 : buffers_of(type);
    if (dictionary) return;
    if (type == kBinaryView || type == kUtf8View) ++views_;
    const FlatVector children = field.vector(5, 4);
    for (std::uint32_t c = 0; c < children.size; ++c) count(field.element(children, c), depth + 1);
  }

  /// Without those that a batch itself counts.
  static std::size_t buffers_of(std::uint8_t type) {
    if (type == kNull || type == kRunEndEncoded) return 0;
    if (type == kStruct || type == kFixedList) return 1;
    return is_one_of(type, {kBinary, kUtf8, kLargeBinary, kLargeUtf8, kListView, kLargeListView}) ? 3 : 2;
  }

  std::vector<ArrowColumn> columns_;
  std::size_t nodes_ = 0, buffers_ = 0, views_ = 0;
  bool countable_ = true;
};
}  // namespace

std::vector<ArrowColumn> arrow_columns(const FlatTable& schema) { return SchemaReader().read(schema); }

}  // namespace seqpoint::io::manifests::arrow
