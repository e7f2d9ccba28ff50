/// \file
/// Stage 7, without measurements: every method against synthetic cost functions, whose totals are known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/evaluate/evaluation.hpp"

namespace seqpoint::evaluate {

/// The relative error of projecting the total of one cost function, without noise.
struct FunctionError {
  std::string name;  ///< name of the function
  double error = 0;  ///< signed, a share of the total
};

/// Root of the mean square of the errors; 0 for none.
double rms(std::span<const FunctionError>);

/// One method with one number of points on one run.
struct FamiliesScore {
  std::string run;                                         ///< its name
  std::string method;                                      ///< its name
  std::vector<std::pair<std::string, double>> parameters;  ///< values used, by option name
  std::optional<std::uint64_t> points_asked;               ///< nothing: the method's own rule
  std::uint64_t points = 0;                                ///< chosen
  double effective_sample_size = 0;                        ///< as select::effective_sample_size()
  std::vector<FunctionError> common;  ///< family C: costs of common layers, and tiles of powers of two
  std::vector<FunctionError> unseen;  ///< family H: functions that no method was designed with
};

/// Every method on every run.
struct FamiliesEvaluation {
  std::vector<FamiliesScore> scores;  ///< by run, method, number of points
  std::vector<std::string> notes;     ///< warnings for the user
};

/// Projects synthetic cost functions (docs/evaluation/README.md) through the points of every method. The cost of an
/// iteration of b sequences padded to s is b f(s); for pairs b (f(s) + f(t)), and b s t is one more function of family
/// C. The value at a point is the cost of its most frequent shape. Methods use lengths only; those that require a
/// metric or select at random are left out unless named. Throws as select::select(); std::invalid_argument for a run
/// without iterations.
FamiliesEvaluation evaluate_families(std::span<const NamedTrace>, const EvaluateParams&);

}  // namespace seqpoint::evaluate
