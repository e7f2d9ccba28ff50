/// \file
/// The rows of an evaluation: methods and their numbers of points.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"

namespace seqpoint::evaluate {

/// The methods named in the parameters, in that order; all if none is named. Throws ParameterError for an unknown name.
std::vector<const select::Method*> methods_to_score(const EvaluateParams&);

/// Those of EvaluateParams::numbers_of_points that the method accepts; nothing stands for its own rule, which not every
/// method has. A single nothing for a method that takes no number. May be empty.
std::vector<std::optional<std::uint64_t>> numbers_of_points_to_score(const select::Method&, const EvaluateParams&);

/// A method with its parameters, or points that were chosen elsewhere: one row of the result.
struct GridEntry {
  const select::Method* method;  ///< null: `choice` is set
  select::SelectParams params;
  std::string selected_on;            ///< configuration whose metric it uses; empty: lengths only
  const trace::Trace* visible_trace;  ///< points are chosen on this trace; its metric is used only with `selected_on`
  bool advised = false;               ///< measured as often as select::select_with_repeats() advises
  const select::Selection* choice = nullptr;  ///< one of EvaluateParams::choices

  /// False for points that were chosen elsewhere.
  bool is_random() const { return method != nullptr && method->is_random; }
};

/// All combinations, method by method: its numbers of points, then, if requested and unless it requires a number, as
/// advised; last the choices made elsewhere. Throws ParameterError for an unknown method.
std::vector<GridEntry> evaluation_grid(std::span<const trace::NamedTrace>, const EvaluateParams&);

}  // namespace seqpoint::evaluate
