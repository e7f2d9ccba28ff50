/// \file
/// Members of a tar archive in order: ustar, old tar, GNU's long names and sizes, and pax (POSIX.1-2017, pax; GNU tar's
/// manual, "Basic Tar Format").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/manifests/engine/binary.hpp"

namespace seqpoint::io::manifests::containers {

/// Whether bytes begin as a tar archive does: its first block has the checksum that it says.
bool is_tar(std::string_view head);

class TarReader {
 public:
  /// `in` outlives the reader.
  explicit TarReader(engine::BinaryReader& in) : in_(in) {}

  /// Goes to the next regular file, past what is left of the last. False behind the mark of the end, behind which there
  /// may be nothing but zeros. InputError for what is no archive, or was cut short.
  bool next();
  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }  ///< bytes
  /// The bytes of the file. To be called once, or not at all.
  std::string take_bytes();

 private:
  struct Header;
  /// Nothing but zeros: half of the mark of the end.
  bool read_header(Header& header);
  void read_end();
  void take_extension(const Header& header);
  void take_pax(std::string_view records);
  void skip_padding(std::uint64_t size) { in_.skip((kBlock - size % kBlock) % kBlock); }

  static constexpr std::uint64_t kBlock = 512;

  engine::BinaryReader& in_;
  std::string name_, next_name_;  ///< next_name_: of the next member, from an extension; empty: the header's
  std::uint64_t size_ = 0, unread_ = 0;
  std::string next_size_;  ///< the same, decimal
};

}  // namespace seqpoint::io::manifests::containers
