/// \file
/// Problems of an input, collected over its rows and thrown at its end.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "seqpoint/error.hpp"

namespace seqpoint::io::manifests {

/// The first kMaxListed problems; the others are only counted.
class ProblemList {
 public:
  void add(Problem problem) {
    if (problems_.size() < kMaxListed)
      problems_.push_back(std::move(problem));
    else
      ++unlisted_;
  }
  /// Adds the problems of a part that begins after `lines` lines: their line numbers, unless 0, grow by `lines`.
  void append(ProblemList&& part, std::uint64_t lines) {
    for (Problem& problem : part.problems_) {
      if (problem.where.line > 0) problem.where.line += lines;
      add(std::move(problem));
    }
    unlisted_ += part.unlisted_;
  }
  void clear() { *this = {}; }
  /// Throws InputError, with that hint, if there are any.
  void throw_if_any(const std::string& hint) const {
    if (!problems_.empty()) throw InputError(problems_, unlisted_, hint);
  }

 private:
  static constexpr std::size_t kMaxListed = 20;
  std::vector<Problem> problems_;
  std::uint64_t unlisted_ = 0;
};

}  // namespace seqpoint::io::manifests
