/// \file
/// How often to profile each SeqPoint, and how many SeqPoints a budget is best spent on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/select/selection.hpp"

namespace seqpoint::select {

class CostModel;  // src/core/select/cost_model.hpp

/// What may be spent on profiling: iterations, or seconds of an estimated cost.
struct ProfilingBudget {
  double amount = 0;  ///< iterations, or seconds; > 0
  bool seconds = false;
};

/// What an iteration costs, as far as that is known before it is profiled: what it was measured to cost, else what a
/// fit of the model's free shapes through a measured run says.
class ExpectedCost {
 public:
  /// The values of a measured run's iterations; those that are not finite are left out. Throws InputError (with
  /// `source` as the file) where none is left.
  ExpectedCost(const trace::Trace& measured, std::span<const double> values, const std::string& source);

  double operator()(const trace::Signature&) const;
  /// Of a whole run.
  double total(std::span<const trace::SignatureCount>) const;
  /// Throws InputError where the measured run's signatures are of another kind than the run's.
  void require_same_signature_kind(const trace::RunSummary& run) const;

 private:
  std::map<trace::Signature, double> means_;  ///< of iterations that were measured
  std::shared_ptr<const CostModel> model_;    ///< of their run
  std::vector<double> coefficients_;          ///< of the free shapes
  double smallest_measured_ = 0;              ///< of what was measured: a fit beyond it may reach zero
  std::string source_;
};

/// Of a run with timed iterations: its column runtime_s, else the first whose name ends in _s as those of seconds do.
/// Throws InputError where there is none, or where one is not above zero.
ExpectedCost expected_seconds(const trace::Trace& measured, const std::string& source);

struct RepeatParams {
  std::optional<ProfilingBudget> budget;          ///< nothing: three measurements for every point
  std::optional<ExpectedCost> iteration_seconds;  ///< nothing: how long an iteration takes is not known
};

/// What select_with_repeats asks for whatever the run is; `calibrated`: whether seconds will be known. Throws
/// UsageError.
void require_valid(const SelectParams&, const RepeatParams&, bool calibrated);

/// So many measurements, at least one a point, shared out over the points of a selection of this run, as
/// select_with_repeats does without a budget.
std::vector<std::uint64_t> allocate_repeats(const Selection&, std::uint64_t measurements);

/// As `select`, with the repeats of every point and MethodRecord::repeats. A budget decides on the points too where the
/// method can and was not told how many to take. Throws as `select`; UsageError where the budget does not buy one
/// iteration of every point.
Selection select_with_repeats(const trace::Trace&, const SelectParams&, const RepeatParams&,
                              std::string_view source = "trace");

}  // namespace seqpoint::select
