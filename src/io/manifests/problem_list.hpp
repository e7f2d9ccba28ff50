/// \file
/// What is wrong with an input, collected over its rows and told at its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {

/// Problems of an input, up to a number that a person reads; the others are counted.
class ProblemList {
 public:
  void add(Problem problem);
  /// Those of a part that begins after `lines` lines.
  void append(ProblemList&& part, std::uint64_t lines);
  void clear() { *this = {}; }
  /// Throws InputError, with that hint, if there are any.
  void throw_if_any(const std::string& hint) const;

 private:
  static constexpr std::size_t kMostListed = 20;
  std::vector<Problem> problems_;
  std::uint64_t unlisted_ = 0;
};

}  // namespace seqpoint::io::manifests
