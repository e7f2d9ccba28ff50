/// \file
/// How often to profile each SeqPoint, and how many SeqPoints to choose for a budget.
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

/// What may be spent on profiling, all that a plan runs: executions of iterations, or seconds of an estimated cost.
struct ProfilingBudget {
  double amount = 0;     ///< executions, or seconds; > 0
  bool seconds = false;  ///< whether the amount is seconds
};

/// What an iteration is expected to cost, from a measured run: the mean of its signature there, else the fit of the
/// model's free functions to that run. In the unit of what was measured. Copies share the fit.
class ExpectedCost {
 public:
  /// The values of a measured run's iterations, one each; those that are not finite are left out. Throws InputError
  /// (with `source` as the file) where none is left.
  ExpectedCost(const trace::Trace& measured, std::span<const double> values, const std::string& source);

  /// The cost of one iteration; never below the least that was measured. The signature is of the kind of the measured
  /// run.
  double operator()(const trace::Signature&) const;
  /// The cost of a whole run, by its histogram.
  double total(std::span<const trace::SignatureCount>) const;
  /// Throws InputError where the measured run's signatures are of another kind than the run's.
  void require_same_signature_kind(const trace::RunSummary& run) const;

 private:
  std::map<trace::Signature, double> means_;  ///< by measured signature
  std::shared_ptr<const CostModel> model_;    ///< of the measured run
  std::vector<double> coefficients_;          ///< of the free functions
  double smallest_measured_ = 0;  ///< lower bound of the fit, which may reach zero outside the measured lengths
  std::string source_;
};

/// From a run with timed iterations, by trace::Trace::time_statistic(), in seconds. Throws InputError (with `source` as
/// the file) where there is none, or where one is not above zero.
ExpectedCost expected_seconds(const trace::Trace& measured, const std::string& source);

/// How often the points may be measured.
struct RepeatParams {
  std::optional<ProfilingBudget> budget;  ///< nothing: as many as the method says, else three measurements a point
  std::optional<ExpectedCost> iteration_seconds;  ///< of an iteration; nothing: not known
  std::uint64_t sessions = 1;  ///< processes that the plan is to be run in, 1 to kMostSessions; `select` says 2
};

/// The checks of select_with_repeats() that do not depend on the run; `calibrated`: whether seconds will be known.
/// Throws UsageError.
void require_valid(const SelectParams&, const RepeatParams&, bool calibrated);

/// Repeats of each point that add up to `measurements`, or to the number of points if that is more, each where it
/// lowers the expected error most.
std::vector<std::uint64_t> allocate_repeats(const Selection&, std::uint64_t measurements);

/// As select(), with Point::repeats of every point and MethodRecord::repeats. A budget also decides the number of
/// points where the method can and `points` is not set. Throws as select(); ParameterError where the budget does not
/// buy one measurement of every point in each process, with its warm-up; InputError where `iteration_seconds` are of
/// signatures of another kind.
Selection select_with_repeats(const trace::Trace&, const SelectParams&, const RepeatParams&,
                              std::string_view source = "trace");

}  // namespace seqpoint::select
