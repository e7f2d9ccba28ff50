#include "io/manifests/containers/tar.hpp"

#include <fmt/core.h>

#include <charconv>
#include <numeric>
#include <optional>

namespace seqpoint::io::manifests::containers {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeaderSize = 512, kChecksumAt = 148, kChecksumSize = 8;

/// A field's text, which ends at a zero byte or where the field does.
std::string_view text_at(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view field = header.substr(at, size);
  return field.substr(0, field.find('\0'));
}

/// Octal digits between blanks, or, of large files, a byte 0x80 and the number in bytes, most significant first.
/// Nothing for anything else.
std::optional<std::uint64_t> number_at(std::string_view header, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  if (header[at] == '\x80') {
    for (const char byte : header.substr(at + 1, size - 1)) {
      if (number >> 55U != 0) return std::nullopt;
      number = number << 8U | static_cast<unsigned char>(byte);
    }
    return number;
  }
  std::string_view text = text_at(header, at, size);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
  const bool whole = text.empty() || (error == std::errc{} && end == text.data() + text.size());
  return whole ? std::optional(number) : std::nullopt;
}

/// The sum of a header's bytes, with blanks in place of the sum itself.
bool has_its_checksum(std::string_view header) {
  const auto add = [](std::uint64_t sum, char byte) { return sum + static_cast<unsigned char>(byte); };
  std::uint64_t sum = std::accumulate(header.begin(), header.begin() + kChecksumAt, kChecksumSize * ' ', add);
  sum = std::accumulate(header.begin() + kChecksumAt + kChecksumSize, header.end(), sum, add);
  return number_at(header, kChecksumAt, kChecksumSize) == sum;
}

}  // namespace

struct TarReader::Header {
  std::string bytes;

  char type() const { return bytes[156]; }
  std::optional<std::uint64_t> stated_size() const { return number_at(bytes, 124, 12); }
  std::uint64_t size() const { return *stated_size(); }  ///< of one that was read
  std::string name() const {
    const std::string_view name = text_at(bytes, 0, 100);
    const bool posix = bytes.compare(257, 6, "ustar\0"sv) == 0;
    const std::string_view prefix = posix ? text_at(bytes, 345, 155) : std::string_view{};
    return prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
  }
};

bool is_tar(std::string_view head) {
  return head.size() >= kHeaderSize && head.front() != '\0' && has_its_checksum(head.substr(0, kHeaderSize));
}

bool TarReader::read_header(Header& header) {
  in_.begin_section("the header of a member");
  header.bytes = in_.read_bytes(kBlock);
  if (header.bytes.find_first_not_of('\0') == std::string::npos) return false;
  if (!has_its_checksum(header.bytes) || !header.stated_size())
    in_.fail("has a damaged header behind " + (name_.empty() ? "its begin" : name_));
  return true;
}

bool TarReader::next() {
  in_.begin_section(name_.empty() ? "the first member" : name_);
  in_.skip(unread_);
  skip_padding(size_);
  size_ = unread_ = 0;
  for (Header header; read_header(header);) {
    const char type = header.type();
    if (type == 'x' || type == 'L' || type == 'K' || type == 'g') {
      take_extension(header);
      continue;
    }
    name_ = next_name_.empty() ? header.name() : std::move(next_name_);
    size_ = header.size();
    if (!next_size_.empty()) {
      const auto [end, error] = std::from_chars(next_size_.data(), next_size_.data() + next_size_.size(), size_);
      if (error != std::errc{} || end != next_size_.data() + next_size_.size())
        in_.fail(fmt::format("gives {} the size '{}'", name_, next_size_));
    }
    next_name_.clear();
    next_size_.clear();
    if (type == 'S') in_.fail(fmt::format("has a sparse member, {}, which is not read", name_));
    const bool regular = type == '0' || type == '\0' || type == '7';
    unread_ = regular ? size_ : 0;
    if (regular && !(type == '\0' && name_.ends_with('/'))) return true;
    // Links and folders have no content, whatever size they state (tarfile.py: TarInfo._proc_builtin).
    const bool known = type >= '1' && type <= '6';
    in_.skip(known ? 0 : size_);
    if (!known) skip_padding(size_);
    size_ = unread_ = 0;
  }
  read_end();
  return false;
}

/// Names that are too long for a header, and pax records, stand in front of the member that they are of.
void TarReader::take_extension(const Header& header) {
  constexpr std::uint64_t kMost = 1U << 20U;
  if (header.size() > kMost) in_.fail(fmt::format("has an extended header of {} bytes", header.size()));
  std::string content = in_.read_bytes(header.size());
  skip_padding(header.size());
  if (header.type() == 'L') next_name_ = content.substr(0, content.find('\0'));
  if (header.type() == 'x') take_pax(content);
}

/// Records of "LENGTH KEY=VALUE\n", whose length is that of all of it.
void TarReader::take_pax(std::string_view records) {
  while (!records.empty()) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), size);
    const auto at = static_cast<std::size_t>(end - records.data()) + 1;
    if (error != std::errc{} || size > records.size() || at >= size) in_.fail("has a damaged pax header");
    const std::string_view record = records.substr(at, size - at - 1);
    const auto equals = record.find('=');
    if (equals == std::string_view::npos) in_.fail("has a damaged pax header");
    const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
    if (key == "path") next_name_ = value;
    if (key == "size") next_size_ = value;
    if (key.starts_with("GNU.sparse")) in_.fail("has a sparse member, which is not read");
    records.remove_prefix(size);
  }
}

/// A second block of zeros, and as many as fill the last record.
void TarReader::read_end() {
  in_.begin_section("the mark of its end");
  const std::string second = in_.read_bytes(kBlock);
  bool zeros = second.find_first_not_of('\0') == std::string::npos;
  while (zeros && !in_.at_end()) zeros = in_.read_number<char>() == '\0';
  if (!zeros)
    in_.fail(
        "goes on behind the mark of its end, which is where readers stop: are these archives in one file? Give each");
}

std::string TarReader::take_bytes() {
  in_.begin_section(name_);
  std::string bytes = in_.read_bytes(unread_);
  unread_ = 0;
  return bytes;
}

}  // namespace seqpoint::io::manifests::containers
