/// \file
/// The digest by which output files identify their inputs: XXH3 of 128 bits, of the bytes as stored.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace seqpoint::io::stream {

class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(std::string_view bytes);
  /// "xxh3-128:" and 32 hexadecimal digits, of all bytes so far.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// XXH3 of 64 bits as 16 hexadecimal digits, for short texts of our own.
std::string short_digest(std::string_view bytes);

}  // namespace seqpoint::io::stream
