/// \file
/// Problems of an input, collected over its rows and thrown at its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {

/// The first kMaxListed problems; the others are only counted.
class ProblemList {
 public:
  void add(Problem problem);
  /// Adds the problems of a part that begins after `lines` lines: their line numbers, unless 0, grow by `lines`.
  void append(ProblemList&& part, std::uint64_t lines);
  void clear() { *this = {}; }
  /// Throws InputError, with that hint, if there are any.
  void throw_if_any(const std::string& hint) const;

 private:
  static constexpr std::size_t kMaxListed = 20;
  std::vector<Problem> problems_;
  std::uint64_t unlisted_ = 0;
};

}  // namespace seqpoint::io::manifests
