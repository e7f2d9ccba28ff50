/// \file
/// What is odd about a user's files: facts, of which a view makes sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "seqpoint/error.hpp"

namespace seqpoint {

/// What can be found: a row of the catalogue in src/core/findings.hpp.
struct FindingKind {
  std::string_view id;    ///< for programs
  std::string_view text;  ///< for people: names of figures, `subject` and `file` in braces
  bool severe = false;    ///< no decision is to depend on it
};

/// By the names that a FindingKind::text has: counts, other numbers, and names.
using Figures = std::vector<std::pair<std::string_view, std::variant<std::uint64_t, double, std::string>>>;

/// One thing that is odd. For the user to judge: nothing is left out for it.
struct Finding {
  FindingKind kind;           ///< what it is
  Where place = {};           ///< the first that shows it; of no file where the source is empty
  Figures figures = {};       ///< what is odd about it
  std::string part = {};      ///< of the place: `iteration 5`, `step "x"`; may be empty
  std::string subject = {};   ///< the configuration; empty: none
  bool severe = kind.severe;  ///< no decision is to depend on it

  bool is(const FindingKind& other) const { return kind.id == other.id; }  ///< whether it is one of that kind
};

}  // namespace seqpoint
