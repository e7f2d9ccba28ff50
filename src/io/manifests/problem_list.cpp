#include "io/manifests/problem_list.hpp"

#include <utility>

namespace seqpoint::io::manifests {

void ProblemList::add(Problem problem) {
  if (problems_.size() < kMaxListed)
    problems_.push_back(std::move(problem));
  else
    ++unlisted_;
}

void ProblemList::append(ProblemList&& part, std::uint64_t lines) {
  for (Problem& problem : part.problems_) {
    if (problem.where.line > 0) problem.where.line += lines;
    add(std::move(problem));
  }
  unlisted_ += part.unlisted_;
}

void ProblemList::throw_if_any(const std::string& hint) const {
  if (!problems_.empty()) throw InputError(problems_, unlisted_, hint);
}

}  // namespace seqpoint::io::manifests
