#include "io/manifests/arrow/batch_body.hpp"

#include <fmt/core.h>

#include <limits>

#include "io/manifests/arrow/lz4_frame.hpp"

namespace seqpoint::io::manifests::arrow {
namespace {

/// Nothing where the stream is damaged, or holds another number of bytes.
std::optional<std::string> unpack_zstd(std::string_view stored, std::uint64_t size) try {
  stream::Input input = stream::Input::from_memory("", stored);
  std::string plain = input.read_all();
  return plain.size() == size ? std::optional(std::move(plain)) : std::nullopt;
} catch (const InputError&) {
  return std::nullopt;
}

}  // namespace

BatchBody::BatchBody(engine::BinaryReader& in, const FlatTable& batch, std::uint64_t size)
    : in_(in), batch_(batch), size_(size) {
  const auto rows = batch.number<std::int64_t>(0, 0);
  if (rows < 0) in_.fail("has a batch of less than no rows");
  rows_ = static_cast<std::uint64_t>(rows);
  const auto compression = batch.table(3);
  if (!compression) return;
  const auto codec = compression->number<std::uint8_t>(0, 0), method = compression->number<std::uint8_t>(1, 0);
  if (codec > 1 || method != 0) in_.fail(fmt::format("is compressed in a way that is not known: {}", codec));
  compression_ = codec == 0 ? Compression::lz4 : Compression::zstd;
}

std::vector<double> BatchBody::values_of(const ArrowColumn& column, Storage storage) {
  constexpr std::size_t kNode = 16, kNullsAt = 8;
  const FlatVector nodes = batch_.vector(1, kNode);
  if (column.node >= nodes.size) in_.fail("has a batch with fewer columns than its schema");
  const std::int64_t length = batch_.integer(nodes, kNode * column.node),
                     nulls = batch_.integer(nodes, kNode * column.node + kNullsAt);
  if (length < 0 || static_cast<std::uint64_t>(length) != rows_)
    in_.fail("has a column with other rows than its batch");
  const std::size_t buffer = first_buffer(column);
  std::vector<std::uint8_t> present;
  if (nulls != 0)
    for_each_number<std::uint8_t>(buffer, rows_ / 8 + (rows_ % 8 != 0 ? 1 : 0),
                                  [&](std::uint64_t, std::uint8_t bits) { present.push_back(bits); });
  std::vector<double> values = read_values(storage, buffer + 1);
  for (std::uint64_t r = 0; r < rows_ && !present.empty(); ++r)
    if ((present[r / 8] >> (r % 8) & 1U) == 0) values[r] = std::numeric_limits<double>::quiet_NaN();
  return values;
}

std::vector<double> BatchBody::read_values(Storage storage, std::size_t buffer) {
  switch (storage) {
    case Storage::i8: return numbers<std::int8_t>(buffer);
    case Storage::u8: return numbers<std::uint8_t>(buffer);
    case Storage::i16: return numbers<std::int16_t>(buffer);
    case Storage::u16: return numbers<std::uint16_t>(buffer);
    case Storage::i32: return numbers<std::int32_t>(buffer);
    case Storage::u32: return numbers<std::uint32_t>(buffer);
    case Storage::i64: return numbers<std::int64_t>(buffer);
    case Storage::u64: return numbers<std::uint64_t>(buffer);
    case Storage::f32: return numbers<float>(buffer);
    case Storage::f64: return numbers<double>(buffer);
    case Storage::offsets32: return list_sizes<std::int32_t>(buffer);
    case Storage::offsets64: return list_sizes<std::int64_t>(buffer);
    case Storage::none: break;
  }
  in_.fail("has places in a dictionary that are no integers");
}

template <class T>
std::vector<double> BatchBody::numbers(std::size_t buffer) {
  std::vector<double> values;
  for_each_number<T>(buffer, rows_, [&](std::uint64_t, T number) { values.push_back(static_cast<double>(number)); });
  return values;
}

/// There is one offset more than lists; the first need not be 0, where a part of a table was written.
template <class T>
std::vector<double> BatchBody::list_sizes(std::size_t buffer) {
  if (rows_ == 0) return {};
  std::vector<double> sizes;
  T before = 0;
  for_each_number<T>(buffer, rows_ + 1, [&](std::uint64_t i, T offset) {
    if (offset < before) in_.fail("has a list that ends before it begins");
    if (i > 0) sizes.push_back(static_cast<double>(offset - before));
    before = offset;
  });
  return sizes;
}

template <class T, class Take>
void BatchBody::for_each_number(std::size_t buffer, std::uint64_t count, Take take) {
  if (count == 0) return;
  const Part from = part(buffer);
  skip_to(from.offset);
  const std::string plain = compression_ == Compression::none ? "" : unpacked(from);
  const std::uint64_t size = compression_ == Compression::none ? from.size : plain.size();
  if (size / sizeof(T) < count) in_.fail("has a column that is shorter than its batch");
  if (compression_ == Compression::none) {
    in_.for_each_number<T>(count, take);
    position_ += count * sizeof(T);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) take(i, engine::decode<T>(plain.data() + i * sizeof(T)));
  }
}

/// Those of views in front of it are as many as the batch says.
std::size_t BatchBody::first_buffer(const ArrowColumn& column) const {
  const FlatVector counts = batch_.vector(4, sizeof(std::int64_t));
  if (counts.size < column.views) in_.fail("has a batch that does not say how many buffers its columns have");
  std::size_t buffer = column.buffer;
  for (std::size_t v = 0; v < column.views; ++v)
    buffer += static_cast<std::size_t>(batch_.integer(counts, v * sizeof(std::int64_t)));
  return buffer;
}

BatchBody::Part BatchBody::part(std::size_t buffer) const {
  constexpr std::size_t kBuffer = 16, kSizeAt = 8;
  const FlatVector buffers = batch_.vector(2, kBuffer);
  if (buffer >= buffers.size) in_.fail("has a batch with fewer buffers than its columns have");
  const std::int64_t offset = batch_.integer(buffers, kBuffer * buffer),
                     size = batch_.integer(buffers, kBuffer * buffer + kSizeAt);
  if (offset < 0 || size < 0 || static_cast<std::uint64_t>(offset) > size_ ||
      static_cast<std::uint64_t>(size) > size_ - static_cast<std::uint64_t>(offset))
    in_.fail("has a buffer that is not in its batch");
  return {static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(size)};
}

/// A compressed buffer begins with the size it had, or with -1 where it is stored as it was.
std::string BatchBody::unpacked(const Part& from) {
  if (from.size < sizeof(std::int64_t)) return {};
  const auto size = in_.read_number<std::int64_t>();
  const std::vector<char> bytes = in_.read_numbers<char>(from.size - sizeof size);
  position_ += from.size;
  const std::string_view stored(bytes.data(), bytes.size());
  if (size == -1) return std::string(stored);
  const auto plain = compression_ == Compression::lz4 ? unpack_lz4_frame(stored, static_cast<std::uint64_t>(size))
                                                      : unpack_zstd(stored, static_cast<std::uint64_t>(size));
  if (!plain) in_.fail("has a compressed buffer that is damaged");
  return *plain;
}

void BatchBody::skip_to(std::uint64_t position) {
  if (position < position_) in_.fail("has buffers that are not in the order of its columns");
  in_.skip(position - position_);
  position_ = position;
}

}  // namespace seqpoint::io::manifests::arrow
