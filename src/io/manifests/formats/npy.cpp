// NumPy's .npy: one array of lengths, or of two columns, source and target. Format: numpy/lib/format.py.
#include <fmt/core.h>

#include <array>
#include <charconv>
#include <optional>

#include "io/manifests/engine/binary.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/record_sets.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

using namespace std::string_view_literals;

constexpr auto kNpyMagic = "\x93NUMPY"sv;
constexpr std::uint32_t kLongestHeader = 64 * 1024;  ///< NumPy itself refuses more than 10,000

/// A header: what the elements are and how they lie.
struct ArrayHeader {
  std::string descr;  ///< "<i8"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Reads the Python literal that a header is: {'descr': '<i8', 'fortran_order': False, 'shape': (3, 2), }
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  /// Nothing where the text is no such literal. Keys may come in any order; each must be there.
  std::optional<ArrayHeader> parse() {
    ArrayHeader header;
    unsigned seen = 0;
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      const auto key = take_string();
      if (!key || !take(':')) return std::nullopt;
      if (*key == "descr") seen |= take_descr(header) ? 1U : 0U;
      if (*key == "fortran_order") seen |= take_bool(header) ? 2U : 0U;
      if (*key == "shape") seen |= take_shape(header) ? 4U : 0U;
      if (!take(',') && !next_is('}')) return std::nullopt;
    }
    skip_blanks();
    return seen == 7U && rest_.empty() ? std::optional(header) : std::nullopt;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && " \t\r\n"sv.find(rest_.front()) != std::string_view::npos) rest_.remove_prefix(1);
  }
  bool next_is(char c) {
    skip_blanks();
    return rest_.starts_with(c);
  }
  bool take(char c) {
    const bool there = next_is(c);
    if (there) rest_.remove_prefix(1);
    return there;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    const bool there = rest_.starts_with(word);
    if (there) rest_.remove_prefix(word.size());
    return there;
  }
  std::optional<std::string> take_string() {
    const char quote = next_is('"') ? '"' : '\'';
    if (!take(quote)) return std::nullopt;
    const auto end = rest_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool take_descr(ArrayHeader& header) {
    if (const auto text = take_string()) {
      header.descr = *text;
      return true;
    }
    // A list of fields: not read any further than to say so.
    header.descr = "a record of fields";
    return take_list();
  }
  bool take_list() {
    int depth = 0;
    do {
      if (rest_.empty()) return false;
      depth += rest_.front() == '[' ? 1 : 0;
      depth -= rest_.front() == ']' ? 1 : 0;
      rest_.remove_prefix(1);
    } while (depth > 0);
    return true;
  }
  bool take_bool(ArrayHeader& header) {
    header.fortran_order = take_word("True");
    return header.fortran_order || take_word("False");
  }
  bool take_shape(ArrayHeader& header) {
    if (!take('(')) return false;
    while (!take(')')) {
      std::uint64_t size = 0;
      skip_blanks();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc{}) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take('L');  // as Python 2 wrote it
      header.shape.push_back(size);
      if (!take(',') && !next_is(')')) return false;
    }
    return true;
  }

  std::string_view rest_;
};

ArrayHeader read_header(engine::BinaryReader& in) {
  if (in.read_bytes(kNpyMagic.size()) != kNpyMagic) in.fail("does not begin like one");
  const auto version = in.read_number<std::uint8_t>(), minor = in.read_number<std::uint8_t>();
  if (version < 1 || version > 3 || minor != 0)
    in.fail(fmt::format("has version {}.{}, known are 1.0, 2.0 and 3.0", version, minor));
  const std::uint32_t size = version == 1 ? in.read_number<std::uint16_t>() : in.read_number<std::uint32_t>();
  if (size > kLongestHeader) in.fail(fmt::format("has a header of {} bytes", size));
  const auto header = HeaderParser(in.read_bytes(size)).parse();
  if (!header) in.fail("has a header which does not say descr, fortran_order and shape");
  return *header;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return fmt::format("({}{}", text, shape.size() == 1 ? ",)" : ")");
}

/// Reads all elements, in the order in which they are stored, as doubles: what these cannot hold is no length.
class ElementReader {
 public:
  using Read = std::vector<double> (*)(engine::BinaryReader&, std::uint64_t, engine::ByteOrder);

  ElementReader(const std::string& descr, const std::string& source) {
    order_ = descr.starts_with('>') ? engine::ByteOrder::big : engine::ByteOrder::little;
    for (const auto& [type, read] : kTypes)
      if (descr.size() == 3 && "<>|="sv.find(descr[0]) != std::string_view::npos && descr.substr(1) == type)
        read_ = read;
    if (read_ == nullptr)
      throw InputError({source}, fmt::format("is an array of {}, not of integers, float32 or float64", descr),
                       "save it as integers: numpy.save(file, array.astype('int64'))");
  }
  std::vector<double> operator()(engine::BinaryReader& in, std::uint64_t count) const {
    return read_(in, count, order_);
  }

 private:
  template <class T>
  static std::vector<double> read(engine::BinaryReader& in, std::uint64_t count, engine::ByteOrder order) {
    std::vector<double> numbers;
    in.for_each_number<T>(
        count, [&](std::uint64_t, T number) { numbers.push_back(static_cast<double>(number)); }, order);
    return numbers;
  }
  // float16 is exact up to 2048 only, so it is not among them.
  static constexpr std::array<std::pair<std::string_view, Read>, 10> kTypes{{{"i1", read<std::int8_t>},
                                                                             {"i2", read<std::int16_t>},
                                                                             {"i4", read<std::int32_t>},
                                                                             {"i8", read<std::int64_t>},
                                                                             {"u1", read<std::uint8_t>},
                                                                             {"u2", read<std::uint16_t>},
                                                                             {"u4", read<std::uint32_t>},
                                                                             {"u8", read<std::uint64_t>},
                                                                             {"f4", read<float>},
                                                                             {"f8", read<double>}}};

  Read read_ = nullptr;
  engine::ByteOrder order_ = engine::ByteOrder::little;
};

/// Which columns of two are wanted: by default both, the first as source and the second as target.
void choose_column(RowSink& sink) {
  if (!sink.file.requested_field().empty() || !sink.file.requested_target_field().empty())
    return engine::choose_columns({"0", "1"}, 0, sink);
  if (!sink.file.may_hold_both_sides())
    throw InputError({sink.file.path()}, "has two columns",
                     "say which one is meant: --length-field 0 or 1, --tgt-length-field 0 or 1");
  sink.set_columns("0", "1");
}

void add_columns(const std::vector<double>& numbers, const ArrayHeader& header, RowSink& sink) {
  choose_column(sink);
  const auto rows = static_cast<std::size_t>(header.shape[0]);
  const auto at = [&](std::size_t row, std::size_t column) {
    return numbers[header.fortran_order ? column * rows + row : row * 2 + column];
  };
  const std::size_t src = sink.src().name() == "0" ? 0 : 1, tgt = sink.tgt_field() == "0" ? 0 : 1;
  for (std::size_t row = 0; row < rows; ++row) {
    if (sink.paired())
      sink.add_number(0, at(row, src), at(row, tgt));
    else
      sink.add_number(0, at(row, src));
  }
}

void read_npy(stream::Input& input, RowSink& sink) {
  engine::BinaryReader in(input, "an .npy file");
  const ArrayHeader header = read_header(in);
  const bool columns = header.shape.size() == 2 && header.shape[1] == 2;
  if (!columns && header.shape.size() != 1)
    throw InputError({input.name()},
                     fmt::format("is an array of shape {}, not (N,) or (N, 2)", shape_text(header.shape)),
                     "save the lengths alone, or source and target lengths as two columns");
  if (!columns && !sink.file.requested_field().empty())
    throw UsageError(fmt::format("--length-field: {} has only one column", input.name()), "leave it out");
  const ElementReader read(header.descr, input.name());
  in.begin_section("an array of shape " + shape_text(header.shape));
  std::vector<double> numbers = read(in, header.shape[0]);
  if (columns) {
    const std::vector<double> others =
        read(in, header.shape[0]);  // as many again: N x 2 may be more than 64 bits count
    numbers.insert(numbers.end(), others.begin(), others.end());
  }
  in.expect_end();
  if (columns) return add_columns(numbers, header, sink);
  for (const double number : numbers) sink.add_number(0, number);
}

/// Rows as they are stored, one after the other.
class NpyRecords : public RecordSet {
 public:
  explicit NpyRecords(const CopyRequest& request) : name_(request.inputs.front().name()) {
    std::uint32_t current = 0;
    ArrayHeader header;
    std::string elements;
    for (const InputRow& place : request.places) {
      if (elements.empty() || place.input != current) {
        current = place.input;
        engine::BinaryReader in(request.inputs[current], "an .npy file");
        header = read_header(in);
        elements = in.read_bytes(static_cast<std::size_t>(header.shape[0]) * columns(header) * width(header));
        require_same(header, request.inputs[current].name());
      }
      records_.emplace(place, row_of(elements, header, place.row));
    }
  }

  std::string compose(const std::string& stem, std::span<const InputRow> places, Excerpt& into) const override {
    std::string bytes = header_for(places.size());
    for (const InputRow& place : places) bytes += records_.at(place);
    std::string name = named_after(stem, name_);
    add_file(into, name, compressed_for(name, std::move(bytes)));
    return name;
  }

 private:
  static std::size_t columns(const ArrayHeader& header) { return header.shape.size() == 2 ? 2 : 1; }
  static std::size_t width(const ArrayHeader& header) { return static_cast<std::size_t>(header.descr.back() - '0'); }

  static std::string row_of(std::string_view elements, const ArrayHeader& header, std::size_t row) {
    const auto rows = static_cast<std::size_t>(header.shape[0]);
    std::string bytes;
    for (std::size_t c = 0; c < columns(header); ++c)
      bytes += elements.substr((header.fortran_order ? c * rows + row : row * columns(header) + c) * width(header),
                               width(header));
    return bytes;
  }
  void require_same(const ArrayHeader& header, const std::string& name) {
    const std::size_t columns_here = columns(header);
    if (descr_.empty()) {
      descr_ = header.descr;
      columns_ = columns_here;
    } else if (descr_ != header.descr || columns_ != columns_here) {
      throw InputError({name},
                       fmt::format("is an array of another kind than {}: they do not go into one manifest", name_),
                       "give arrays of one kind");
    }
  }
  /// Version 1.0, filled up with blanks so that the elements begin at a multiple of 64 bytes.
  std::string header_for(std::size_t rows) const {
    const std::vector<std::uint64_t> shape =
        columns_ == 2 ? std::vector<std::uint64_t>{rows, 2} : std::vector<std::uint64_t>{rows};
    std::string text =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr_, shape_text(shape));
    constexpr std::size_t kBefore = 10, kAligned = 64;
    text.append(kAligned - 1 - (kBefore + text.size()) % kAligned, ' ') += '\n';
    const auto size = static_cast<unsigned>(text.size());
    return std::string(kNpyMagic) + '\x01' + '\0' + static_cast<char>(size & 0xFFU) + static_cast<char>(size >> 8U) +
           text;
  }

  std::string name_, descr_;
  std::size_t columns_ = 1;
  std::map<InputRow, std::string> records_;
};

std::unique_ptr<RecordSet> copy_npy(const CopyRequest& request) { return std::make_unique<NpyRecords>(request); }

bool is_npy(const Probe& probe) { return probe.head.starts_with(kNpyMagic); }

}  // namespace

const Reader kNpy{
    .name = "npy",
    .summary = "NumPy array of lengths, or of two columns: source and target",
    .example = "<binary>",
    .recognises = is_npy,
    .read = read_npy,
    .copy_records = copy_npy,
};

}  // namespace seqpoint::io::manifests::formats
