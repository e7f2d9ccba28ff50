/// \file
/// What kind of work an operation is, by its name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace seqpoint::profile {

/// Categories of operations by their names: regular expressions of RE2 (any case); the first that matches decides.
class Categories {
 public:
  /// The built-in ones: GEMM, attention, convolution, recurrent, normalisation, element-wise, reduction, optimiser,
  /// communication, copy; whatever is none of them is `other`.
  Categories();
  /// A category and the expression of its operations.
  struct Rule {
    std::string category,    ///< what a break-down calls it
        expression;          ///< of RE2, without anchors
    std::uint64_t line = 0;  ///< of the file that it is from, 1-based, for errors; 0: of none
  };
  /// Rules in their order; whatever matches none is `other`. Throws InputError, at the rule's line of `source`, for an
  /// invalid expression.
  Categories(std::span<const Rule> rules, const std::string& source);
  ~Categories();
  /// What is moved from may only be assigned to or destroyed.
  Categories(Categories&&) noexcept;
  /// What is moved from may only be assigned to or destroyed.
  Categories& operator=(Categories&&) noexcept;

  /// The category of an operation or kernel of that name. Owned by this object.
  const std::string& category_of(std::string_view operation) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace seqpoint::profile
