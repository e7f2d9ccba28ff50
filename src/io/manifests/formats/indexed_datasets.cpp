// Binarised token data: the .idx files of fairseq and of Megatron-LM, which begin with the same magic. Formats as
// written by their indexed_dataset.py; every field is checked against the others, so that no other file is accepted.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"
#include "io/stream/input.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

using namespace std::string_view_literals;

constexpr auto kMagic = "MMIDIDX\0\0"sv;
constexpr auto kLegacyMagic = "TNTIDX\0\0"sv;
constexpr std::size_t kCountAt = 18;  ///< after magic, version and data type
constexpr std::uint64_t kFairseqHeader = 26, kMegatronHeader = 34;
constexpr std::uint64_t kBytesPerItem = 12;  ///< a size of 4 bytes and a pointer of 8

/// Possible bytes per token, as bits 1, 2, 4, 8; by data type. The floating types have changed their meaning.
constexpr std::array<std::uint8_t, 11> kWidths{0, 1, 1, 2, 4, 8, 4 | 8, 4 | 8, 2, 4, 8};

constexpr std::array<std::uint8_t, 4> kAllWidths{1, 2, 4, 8};

/// a * b + c, or the largest number on overflow.
constexpr std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return a > (UINT64_MAX - c) / b ? UINT64_MAX : a * b + c;
}

/// The little-endian number in `bytes`.
template <class T>
T decode(const char* bytes) {
  std::array<char, sizeof(T)> native{};
  const bool reversed = std::endian::native != std::endian::little;
  for (std::size_t i = 0; i < sizeof(T); ++i) native[i] = bytes[reversed ? sizeof(T) - 1 - i : i];
  return std::bit_cast<T>(native);
}

/// Reads an input of known structure: InputError if it ends early or has bytes left over. Memory grows with the bytes
/// that were read, never by a header's count alone, which may be wrong.
class BinaryReader {
 public:
  /// `what`: "an .npy file", for errors.
  BinaryReader(stream::Input& input, std::string what) : input_(input), what_(std::move(what)) {}

  /// Sets the name of the part to be read next, for errors.
  void begin_section(std::string name) { section_ = std::move(name); }

  /// The next `size` bytes.
  std::string read_bytes(std::uint64_t size) {
    std::string taken;
    while (taken.size() < size) {
      const std::size_t have = taken.size();
      taken.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, have + kChunkSize)));
      fill(taken.data() + have, taken.size() - have);
    }
    return taken;
  }
  /// The next little-endian number.
  template <class T>
  T read_number() {
    std::array<char, sizeof(T)> stored{};
    fill(stored.data(), stored.size());
    return decode<T>(stored.data());
  }
  /// Calls take(i, number) for the next `count` numbers, i from 0.
  template <class T, class Take>
  void for_each_number(std::uint64_t count, Take take) {
    constexpr std::uint64_t kNumbers = kChunkSize / sizeof(T);
    for (std::uint64_t done = 0; done < count;) {
      const std::uint64_t some = std::min(kNumbers, count - done);
      fill(chunk_.data(), static_cast<std::size_t>(some) * sizeof(T));
      for (std::uint64_t i = 0; i < some; ++i) take(done + i, decode<T>(chunk_.data() + i * sizeof(T)));
      done += some;
    }
  }
  /// The next `count` numbers.
  template <class T>
  std::vector<T> read_numbers(std::uint64_t count) {
    std::vector<T> numbers;
    // Growing temporarily takes twice the memory. The file contains no more numbers, whatever its header claims.
    numbers.reserve(static_cast<std::size_t>(std::min(count, input_.size().value_or(0) / sizeof(T))));
    for_each_number<T>(count, [&](std::uint64_t, T number) { numbers.push_back(number); });
    return numbers;
  }

  /// Whether all bytes were read.
  bool at_end() { return used_ == filled_ && !refill(); }
  /// Throws InputError unless all bytes were read.
  void expect_end() {
    if (!at_end()) fail(fmt::format("goes on behind its end, which is after {} bytes", position_));
  }
  /// Throws InputError; `problem` follows "is an .npy file that".
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError({input_.name()}, fmt::format("is {} that {}", what_, problem),
                     "copy it again if it is damaged; or leave out --format: contents show it better");
  }

 private:
  static constexpr std::size_t kChunkSize = 64 * 1024;

  /// Reads the next bytes into the buffer, all of which is used. False at the end of the input.
  bool refill() {
    used_ = 0;
    filled_ = input_.read(buffer_.data(), buffer_.size());
    return filled_ > 0;
  }
  /// Copies the next `size` bytes to `to`. Throws InputError if the input ends before. Small parts are buffered: each
  /// read of the input is a system call.
  void fill(char* to, std::size_t size) {
    while (size > 0) {
      std::size_t got = 0;
      if (used_ == filled_ && size >= buffer_.size()) {
        got = input_.read(to, size);
      } else if (used_ < filled_ || refill()) {
        got = std::min(size, filled_ - used_);
        std::copy_n(buffer_.data() + used_, got, to);
        used_ += got;
      }
      if (got == 0) fail(fmt::format("ends after {} bytes, within {}", position_, section_));
      to += got;
      size -= got;
      position_ += got;
    }
  }

  stream::Input& input_;

  std::string what_, section_ = "the header";
  std::uint64_t position_ = 0;
  std::vector<char> chunk_ = std::vector<char>(kChunkSize), buffer_ = chunk_;
  std::size_t used_ = 0, filled_ = 0;  ///< positions in the buffer
};

/// The two counts in a header, the second of which only Megatron-LM's has.
struct IndexHeader {
  explicit IndexHeader(const Probe& probe)
      : sequences(decode<std::uint64_t>(probe.head.data() + kCountAt)),
        documents(decode<std::uint64_t>(probe.head.data() + kFairseqHeader)) {}
  /// Whether a fairseq index with these counts has `size` bytes.
  bool fits_fairseq(std::uint64_t size) const {
    return size == saturating_product(sequences, kBytesPerItem, kFairseqHeader);
  }
  /// Whether a Megatron-LM index with these counts has `size` bytes, with or without a byte per sequence, which
  /// multimodal sets have.
  bool fits_megatron(std::uint64_t size) const {
    const std::uint64_t header = saturating_product(documents, 8, kMegatronHeader);
    return size == saturating_product(sequences, kBytesPerItem, header) ||
           size == saturating_product(sequences, kBytesPerItem + 1, header);
  }
  /// Whether the second count can be a number of documents. fairseq has the first two sizes, of 32 bits each, in place
  /// of that number: they cannot form one.
  bool is_plausible_megatron() const { return documents > 0 && documents - 1 <= sequences; }

  std::uint64_t sequences, documents;
};

/// Whether the index is Megatron-LM's and not fairseq's: by the file size, if known, else by the counts.
bool is_megatron(const Probe& probe) {
  if (!probe.head.starts_with(kMagic) || probe.head.size() < kMegatronHeader) return false;
  const IndexHeader counts(probe);
  if (probe.size && counts.fits_fairseq(*probe.size)) return false;
  return (probe.size && counts.fits_megatron(*probe.size)) || counts.is_plausible_megatron();
}

/// Anything with the magic that is not Megatron-LM's: reading reports its errors.
bool is_fairseq(const Probe& probe) { return probe.head.starts_with(kLegacyMagic) || probe.head.starts_with(kMagic); }

/// Throws UsageError if the user names a field.
void refuse_fields(const RowSink& sink) {
  if (!sink.file.requested_field().empty())
    throw UsageError(fmt::format("--length-field: {} is a fairseq index and has no columns", sink.file.path()),
                     "leave it out");
}

/// Throws InputError unless the version is 1.
void read_version(BinaryReader& in) {
  const auto version = in.read_number<std::uint64_t>();
  if (version != 1) in.fail(fmt::format("has version {}, known is 1", version));
}

/// The possible bytes per token of a data type, as in kWidths. Throws InputError for an unknown type.
std::uint8_t widths_of(BinaryReader& in, std::uint64_t data_type) {
  if (data_type == 0 || data_type >= kWidths.size()) in.fail("has the unknown data type " + std::to_string(data_type));
  return kWidths[data_type];
}

using Sizes = std::vector<std::uint32_t>;  ///< sizes of sequences; negative ones, which are errors, as unsigned numbers

std::int32_t signed_size(std::uint32_t size) { return std::bit_cast<std::int32_t>(size); }

/// Reads `count` sizes, and as many pointers, each of which must equal the sum of the previous sizes in bytes.
/// `widths`: possible bytes per token, as in kWidths. Throws InputError if no width fits all pointers.
Sizes read_sizes(BinaryReader& in, std::uint64_t count, std::uint8_t widths) {
  in.begin_section(fmt::format("the sizes of {} sequences", count));
  Sizes sizes = in.read_numbers<std::uint32_t>(count);
  in.begin_section(fmt::format("the pointers to {} sequences", count));
  std::uint64_t previous = 0, only_width = std::has_single_bit(widths) ? widths : 0;
  in.for_each_number<std::uint64_t>(count, [&](std::uint64_t i, std::uint64_t pointer) {
    const std::uint64_t step = pointer - previous,
                        size = i == 0 ? 0 : static_cast<std::uint64_t>(std::int64_t{signed_size(sizes[i - 1])});
    previous = pointer;
    if (only_width != 0 && size * only_width == step) return;  // as in nearly every row
    for (const std::uint8_t width : kAllWidths)
      if (size * width != step) widths = static_cast<std::uint8_t>(widths & ~width);
    only_width = std::has_single_bit(widths) ? widths : 0;
    if (widths == 0) in.fail(fmt::format("points sequence {} to where the sizes do not put it", i));
  });
  return sizes;
}

/// Adds a row for each sequence. Negative sizes are problems.
void add_sequences(Sizes&& sizes, RowSink& sink) {
  const auto is_negative = [](std::uint32_t size) { return signed_size(size) < 0; };
  if (sink.src().unit() == lengths::LengthUnit::tokens && std::none_of(sizes.begin(), sizes.end(), is_negative))
    return sink.set_tokens(std::move(sizes));
  for (const std::uint32_t size : sizes) sink.add_number(0, signed_size(size));
}

/// Reads the memory-mapped layout of fairseq, after the magic.
void read_plain(BinaryReader& in, RowSink& sink) {
  read_version(in);
  const std::uint8_t widths = widths_of(in, in.read_number<std::uint8_t>());
  const auto count = in.read_number<std::uint64_t>();
  Sizes sizes = read_sizes(in, count, widths);
  in.expect_end();
  add_sequences(std::move(sizes), sink);
}

/// Throws InputError unless offsets begin at 0 and never fall. `name`: of the offsets, for the error.
void require_offsets(BinaryReader& in, const std::vector<std::int64_t>& offsets, const char* name) {
  if (offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()))
    in.fail(fmt::format("has {} that do not ascend from 0", name));
}

/// Reads the older layout of fairseq, after the magic: items of any number of dimensions; an item's length is its
/// number of elements.
void read_legacy(BinaryReader& in, RowSink& sink) {
  read_version(in);
  const auto data_type = in.read_number<std::uint64_t>();
  widths_of(in, data_type);
  const auto element_size = in.read_number<std::uint64_t>();
  if (element_size == 0 || element_size > 8) in.fail(fmt::format("has elements of {} bytes", element_size));
  const auto items = in.read_number<std::uint64_t>(), dimensions = in.read_number<std::uint64_t>();
  if (items == UINT64_MAX) in.fail(fmt::format("has the impossible number of {} items", items));
  in.begin_section(fmt::format("the offsets of {} items", items));
  const auto first_dimension = in.read_numbers<std::int64_t>(items + 1),
             first_element = in.read_numbers<std::int64_t>(items + 1);
  in.begin_section(fmt::format("the sizes of {} items", items));
  const auto sizes = in.read_numbers<std::int64_t>(dimensions);
  in.expect_end();
  require_offsets(in, first_dimension, "dimensions");
  require_offsets(in, first_element, "data offsets");
  if (static_cast<std::uint64_t>(first_dimension.back()) != dimensions)
    in.fail("has more or fewer dimensions than its items");
  for (std::uint64_t i = 0; i < items; ++i) {
    const std::int64_t stored = first_element[i + 1] - first_element[i];
    const double length =
        std::accumulate(sizes.begin() + first_dimension[i], sizes.begin() + first_dimension[i + 1], 1.0,
                        [](double product, std::int64_t size) { return product * static_cast<double>(size); });
    // If type 6 was written with 8 bytes per element but counted as 4, offsets are twice as large as they should be.
    const bool doubled = data_type == 6 && 2 * length == static_cast<double>(stored);
    if (length != static_cast<double>(stored) && !doubled)
      in.fail(fmt::format("stores item {} with another size than it states", i));
    sink.add_number(0, length);
  }
}

void read_fairseq(stream::Input& input, RowSink& sink) {
  refuse_fields(sink);
  sink.set_columns("", "", lengths::LengthUnit::tokens);
  const bool legacy = input.head().starts_with(kLegacyMagic);
  BinaryReader in(input, "a fairseq index");
  if (in.read_bytes(legacy ? kLegacyMagic.size() : kMagic.size()) != (legacy ? kLegacyMagic : kMagic))
    in.fail("does not begin like one");
  if (legacy)
    read_legacy(in, sink);
  else
    read_plain(in, sink);
}

/// Reads `count` indices of sequences: the beginnings of documents, and the end. Calls take(first, last) for each
/// document, with `last` after its last sequence. Throws InputError unless the documents cover all sequences in order.
template <class Take>
void read_documents(BinaryReader& in, std::uint64_t count, std::uint64_t sequences, Take take) {
  in.begin_section(fmt::format("the index of {} documents", count));
  std::uint64_t begin = 0;
  bool whole = count > 0;
  in.for_each_number<std::uint64_t>(count, [&](std::uint64_t i, std::uint64_t at) {
    whole = whole && at >= begin && at <= sequences && (i > 0 || at == 0);
    if (whole && i > 0) take(begin, at);
    begin = at;
  });
  if (!whole || begin != sequences) in.fail("has documents that do not add up to its sequences");
}

/// Whether rows are documents, which are runs of sequences, instead of sequences (the default), by the user's field.
/// Sets the column. Throws UsageError for another field.
bool wants_documents(RowSink& sink) {
  const std::string field = sink.file.requested_field().empty() ? "sequences" : sink.file.requested_field();
  if (field != "sequences" && field != "documents")
    throw UsageError(fmt::format("--length-field: a Megatron-LM index has no '{}'", field),
                     "one of: sequences, documents");
  sink.set_columns(field, "", lengths::LengthUnit::tokens);
  return field == "documents";
}

void read_megatron(stream::Input& input, RowSink& sink) {
  const bool by_document = wants_documents(sink);
  BinaryReader in(input, "a Megatron-LM index");
  if (in.read_bytes(kMagic.size()) != kMagic) in.fail("does not begin like one");
  read_version(in);
  const std::uint8_t widths = widths_of(in, in.read_number<std::uint8_t>());
  const auto sequences = in.read_number<std::uint64_t>(), document_indices = in.read_number<std::uint64_t>();
  Sizes sizes = read_sizes(in, sequences, widths);
  read_documents(in, document_indices, sequences, [&](std::uint64_t first, std::uint64_t last) {
    if (!by_document) return;
    double tokens = 0;
    for (std::uint64_t i = first; i < last; ++i) tokens += signed_size(sizes[i]);
    sink.add_number(0, tokens);
  });
  if (!in.at_end()) {
    in.begin_section(fmt::format("the modes of {} sequences", sequences));
    in.for_each_number<std::int8_t>(sequences, [](std::uint64_t, std::int8_t) {});
  }
  in.expect_end();
  if (!by_document) add_sequences(std::move(sizes), sink);
  sink.note(
      "GPT pretraining packs documents into one length (--sampler megatron:seq-length=N); other samplers use "
      "single " +
      std::string(by_document ? "documents" : "sequences"));
}

}  // namespace

const Reader kMegatronIndex{
    .name = "megatron-idx",
    .summary = "Megatron-LM index (.idx): tokens of each sequence, or by --length-field documents of each document",
    .example = "MMIDIDX<binary>",
    .recognises = is_megatron,
    .read = read_megatron,
};
const Reader kFairseqIndex{
    .name = "fairseq-idx",
    .summary = "fairseq index (.idx), memory-mapped or legacy: tokens of each sentence, end mark included",
    .example = "MMIDIDX<binary> or TNTIDX<binary>",
    .recognises = is_fairseq,
    .read = read_fairseq,
};

}  // namespace seqpoint::io::manifests::formats
