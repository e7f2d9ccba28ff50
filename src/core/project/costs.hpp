/// \file
/// GPU hours, their price and their utilisation: what the time of a run is worth.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "seqpoint/project.hpp"

namespace seqpoint::project {

/// All figures that costs_of() may give: hours of all GPUs together and their price, of the run and of
/// GpuTerms::epochs; the share of the GPUs' peak that the model's FLOPs are (MFU).
inline constexpr std::array<std::string_view, 5> kCostFigures{"gpu_hours", "cost", "gpu_hours_of_epochs",
                                                              "cost_of_epochs", "mfu"};

/// One of kCostFigures.
struct CostFigure {
  std::string_view name;             ///< of kCostFigures
  double value = 0;                  ///< hours, the price's currency, or a share
  std::optional<Interval> interval;  ///< of `value`; nothing where the time has none
};

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
