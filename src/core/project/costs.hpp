/// \file
/// GPU hours, their price and their utilisation: what the time of a run is worth.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "seqpoint/project.hpp"

namespace seqpoint::project {

struct CostColumn;

/// A figure that follows from the time of a configuration and Projection::gpu_terms.
struct CostFigure {
  double value = 0;                    ///< hours, the price's currency, or a share
  std::optional<Interval> interval{};  ///< of `value`; nothing where the time has none
  const CostColumn* column = nullptr;  ///< of cost_columns()
};

/// What figures are made of: a configuration with a time, and the terms.
struct CostBasis;

/// A figure's names, and how it is made.
struct CostColumn {
  std::string_view name,                                ///< in CSV and JSON
      heading;                                          ///< in a table
  std::optional<CostFigure> (*of)(const CostBasis&){};  ///< nothing where the terms do not give it
  bool is_share = false;                                ///< and not an amount
};

/// The columns of all figures that costs_of() may give, in its order: hours of all GPUs together and their price, of
/// the run and of GpuTerms::epochs; the share of the GPUs' peak that the model's FLOPs are (MFU). A further one is a
/// row in costs.cpp.
std::span<const CostColumn> cost_columns();

/// Sets Projection::gpu_terms, with what they need of the run that is projected. Pairs are of one sequence: its source
/// with itself, its target with itself and with the source, all with padding where the run has any; of a run without
/// padding those of sq_tokens. Of several ranks each has as many for a token as the rank with the most work. Notes
/// where the FLOPs are of padded tokens, and where they are more than the GPUs can do. Throws ParameterError where no
/// configuration has a time.
void add_gpu_terms(Projection&, const trace::RunSummary&, GpuTerms);

/// The figures of a configuration, those of its time metric; none where it has none, or where the projection has no
/// terms. Overheads are in them, as they are in the time.
std::vector<CostFigure> costs_of(const Projection&, const ConfigurationProjection&);

}  // namespace seqpoint::project
