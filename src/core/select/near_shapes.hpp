/// \file
/// The shape of a run that is nearest to another.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "seqpoint/select.hpp"

namespace seqpoint::select {

/// Shapes to search, by trace::relative_distance().
class NearShapes {
 public:
  explicit NearShapes(std::vector<trace::Signature> shapes);

  /// The nearest one, of equally near ones the first by Signature's order; null where there is none.
  const trace::Signature* nearest_to(const trace::Signature&) const;

 private:
  std::vector<trace::Signature> shapes_;  ///< ascending by length
};

/// Shapes of the run that are no point's and have the batch size of one. `points`: their signatures.
NearShapes others_of(const trace::RunSummary&, const std::vector<trace::Signature>& points);
/// By point, the nearest of these; nothing where there is none.
std::vector<std::optional<trace::Signature>> nearest_others(const Selection&);

}  // namespace seqpoint::select
