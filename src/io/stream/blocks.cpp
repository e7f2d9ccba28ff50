// Inputs cut into blocks of whole records.
#include <algorithm>
#include <utility>

#include "io/stream/file_window.hpp"
#include "io/stream/input.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::stream {
namespace {

constexpr std::size_t kLongestRecord = 64 * 1024 * 1024;  // longer ones are no text: samples have at most some MB
constexpr std::size_t kWindowSize =
    1024 * 1024;  // large enough to be worth a system call, small enough for the processor's cache
constexpr std::size_t kLongestMapped = 64 * kWindowSize;

/// The size of blocks. For a small input: its size plus one byte, so that one read reaches its end.
std::size_t usual_size(Input& input) {
  const std::uint64_t all = std::max<std::uint64_t>(input.size().value_or(Block::kDefaultSize), input.head().size());
  return static_cast<std::size_t>(std::min<std::uint64_t>(all + 1, Block::kDefaultSize));
}

}  // namespace

void Buffer::grow(std::size_t size, std::size_t used) {
  if (size <= size_) return;
  auto larger = std::make_unique_for_overwrite<char[]>(size);
  std::copy_n(bytes_.get(), used, larger.get());
  bytes_ = std::move(larger);
  size_ = size;
}

std::size_t BlockReader::after_last_newline(std::string_view bytes) {
  const auto last = bytes.rfind('\n');
  return last == std::string_view::npos ? 0 : last + 1;
}

BlockReader::BlockReader(Input& input, Cut cut) : input_(input), cut_(cut), usual_size_(usual_size(input)) {}

/// Reads after the first `have` bytes until the memory is full or the input ends; returns the number of bytes then in
/// memory.
std::size_t BlockReader::fill(const Buffer& memory, std::size_t have) {
  while (!at_end_ && have + Block::kPadding < memory.size()) {
    const std::size_t got = input_.read(memory.data() + have, memory.size() - Block::kPadding - have);
    at_end_ = got == 0;
    const std::size_t known = std::min(got, bytes_already_digested_);
    bytes_already_digested_ -= known;
    undigested_ += input_.digest_pending() ? got - known : 0;
    have += got;
  }
  return have;
}

void BlockReader::map_file() {
  if (at_end_) return;
  mapped_from_ = input_.mappable_from();
  if (!mapped_from_) return;
  *mapped_from_ -= carried_.size();
  bytes_already_digested_ = std::exchange(carried_, {}).size();
}

/// The next `size` bytes of the file, mapped. Empty if they and the padding go past the end, where a parser would read
/// past the file, if `size` is above 64 MiB, or if the file cannot be mapped.
std::string_view BlockReader::mapped_bytes(std::size_t size) {
  const std::uint64_t all = input_.size().value_or(0), begin = *mapped_from_;
  const std::size_t with_padding = size + Block::kPadding;
  if (size > kLongestMapped || begin + with_padding > all) return {};
  if (!window_ || !window_->holds(begin, with_padding))
    window_ = input_.map(
        begin, static_cast<std::size_t>(std::min<std::uint64_t>(std::max(kWindowSize, with_padding), all - begin)));
  return window_ ? std::string_view(window_->at(begin), size) : std::string_view{};
}

/// Fills a block with the next whole records of the mapped file. False if the rest has to be read, because it is near
/// the end or a record is too long.
bool BlockReader::next_mapped(Block& block) {
  std::size_t size = Block::kDefaultSize, whole = 0;
  for (; whole == 0; size *= 2) {
    block.bytes = mapped_bytes(size);
    if (block.bytes.empty()) return false;
    whole = cut_(block.bytes);
  }
  block.bytes = block.bytes.substr(0, whole);
  block.undigested = block.bytes.substr(std::min(whole, bytes_already_digested_));
  bytes_already_digested_ -= whole - block.undigested.size();
  block.window = window_;
  *mapped_from_ += whole;
  input_.notify_observer(*mapped_from_);
  return true;
}

bool BlockReader::next(Block& block) {
  block.window.reset();
  if (mapped_from_) {
    if (next_mapped(block)) return true;
    window_.reset();
    if (input_.size() < mapped_from_)
      throw InputError({input_.name()}, "became shorter while it was read", "wait until it is written");
    input_.seek(*std::exchange(mapped_from_, std::nullopt));
  }
  Buffer& memory = block.buffer;
  memory.grow(std::max(usual_size_, 2 * carried_.size()) + Block::kPadding, 0);
  std::size_t have = carried_.copy(memory.data(), carried_.size());
  std::size_t begin = 0, whole = 0;
  while (whole == 0) {
    have = fill(memory, have);
    if (at_start_ && std::string_view(memory.data(), have).starts_with("\xef\xbb\xbf")) begin = 3;
    whole = at_end_ ? have - begin : cut_({memory.data() + begin, have - begin});
    if (whole == 0 && at_end_) return false;
    if (whole == 0 && have >= kLongestRecord)
      throw InputError({input_.name()}, "has a line longer than 64 MiB", "give a text file");
    if (whole == 0) memory.grow(2 * memory.size(), have);
  }
  at_start_ = false;
  std::fill_n(memory.data() + have, Block::kPadding, '\0');
  block.bytes = {memory.data() + begin, whole};
  block.undigested = {memory.data() + have - undigested_, std::exchange(undigested_, 0)};
  carried_.assign(memory.data() + begin + whole, have - begin - whole);
  unterminated_ = block.bytes.back() != '\n';
  return true;
}

std::string_view take_line(std::string_view& text) {
  const auto newline = text.find('\n');
  std::string_view line = text.substr(0, newline);
  text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace seqpoint::io::stream
