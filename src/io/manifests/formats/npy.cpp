// NumPy's .npy: one array of lengths, or of two columns, source and target. Format: numpy/lib/format.py.
#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "io/manifests/engine/binary.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/engine/number_types.hpp"
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

/// Reads the Python literal that a header is: {'descr': '<i8', 'fortran_order': False, 'shape': (3, 2), }. Keys may
/// come in any order. Nothing where the text is no such literal, or a key is missing.
std::optional<ArrayHeader> parse_header(const std::string& text) {
  static const RE2 kLiteral(
      R"(\s*\{(\s*['"]\w+['"]\s*:\s*(['"][^'"]*['"]|\[[^{}]*\]|True|False|\([\dL,\s]*\))\s*,?)*\s*\}\s*)");
  static const RE2 kDescr(R"(['"]descr['"]\s*:\s*(?:['"]([^'"]*)|(\[)))");
  static const RE2 kOrder(R"(['"]fortran_order['"]\s*:\s*(True|False))");
  static const RE2 kShape(R"(['"]shape['"]\s*:\s*\(([^)]*))");
  static const RE2 kExtent(R"(\s*(\d+)L?\s*(?:,\s*|$))");  // L: as Python 2 wrote it
  ArrayHeader header;
  std::string fields, order, shape;
  if (!RE2::FullMatch(text, kLiteral) || !RE2::PartialMatch(text, kDescr, &header.descr, &fields) ||
      !RE2::PartialMatch(text, kOrder, &order) || !RE2::PartialMatch(text, kShape, &shape))
    return std::nullopt;
  if (!fields.empty()) header.descr = "a record of fields";
  header.fortran_order = order == "True";
  re2::StringPiece rest(shape);
  for (std::uint64_t size = 0; RE2::Consume(&rest, kExtent, &size);) header.shape.push_back(size);
  return rest.empty() ? std::optional(header) : std::nullopt;
}

ArrayHeader read_header(engine::BinaryReader& in) {
  if (in.read_bytes(kNpyMagic.size()) != kNpyMagic) in.fail("does not begin like one");
  const auto version = in.read_number<std::uint8_t>(), minor = in.read_number<std::uint8_t>();
  if (version < 1 || version > 3 || minor != 0)
    in.fail(fmt::format("has version {}.{}, known are 1.0, 2.0 and 3.0", version, minor));
  const std::uint32_t size = version == 1 ? in.read_number<std::uint16_t>() : in.read_number<std::uint32_t>();
  if (size > kLongestHeader) in.fail(fmt::format("has a header of {} bytes", size));
  const auto header = parse_header(in.read_bytes(size));
  if (!header) in.fail("has a header which does not say descr, fortran_order and shape");
  return *header;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return fmt::format("({}{}", text, shape.size() == 1 ? ",)" : ")");
}

/// The type of a descr: "<i8", big-endian where it begins with >.
const engine::NumberType& type_of(const std::string& descr, const std::string& source) {
  if (descr.size() == 3 && "<>|="sv.find(descr[0]) != std::string_view::npos)
    for (const engine::NumberType& type : engine::kNumberTypes)
      if (type.code == descr.substr(1) && type.decode != nullptr) return type;
  throw InputError({source}, fmt::format("is an array of {}, not of integers, float32 or float64", descr),
                   "save it as integers: numpy.save(file, array.astype('int64'))");
}

/// Adds elements in the order in which they are stored, as doubles: what these cannot hold is no length.
void read_elements(engine::BinaryReader& in, const ArrayHeader& header, const engine::NumberType& type,
                   std::vector<double>& numbers) {
  const engine::ByteOrder order = header.descr.front() == '>' ? engine::ByteOrder::big : engine::ByteOrder::little;
  constexpr std::uint64_t kAtOnce = 4096;
  for (std::uint64_t done = 0; done < header.shape[0]; done += kAtOnce) {
    const std::string bytes = in.read_bytes(std::min(kAtOnce, header.shape[0] - done) * type.size);
    for (std::size_t at = 0; at < bytes.size(); at += type.size)
      numbers.push_back(type.decode(bytes.data() + at, order));
  }
}

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
  const engine::NumberType& type = type_of(header.descr, input.name());
  in.begin_section("an array of shape " + shape_text(header.shape));
  std::vector<double> numbers;
  read_elements(in, header, type, numbers);
  if (columns) read_elements(in, header, type, numbers);  // as many again: N x 2 may be more than 64 bits count
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
