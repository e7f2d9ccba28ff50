/// \file
/// Stage 7: every method against runs that were measured in full.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/select/selection.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::evaluate {

/// A full run on one configuration. All traces of an evaluation are of the same iterations.
struct NamedTrace {
  std::string name;
  trace::Trace trace;
  std::string source;  ///< its file, for errors
};

struct EvaluateParams {
  std::string statistic = "runtime_s";
  std::vector<std::string> methods;                             ///< empty: all
  std::vector<std::optional<std::uint64_t>> numbers_of_points;  ///< nothing: the method's own rule
  std::string select_on;            ///< configuration whose statistic methods are given; empty: the first
  bool lengths_only = false;        ///< no method is given the statistic
  std::optional<double> max_error;  ///< SelectParams::max_error, for methods that take it
  std::uint64_t draws = 1000;       ///< >= 1
  std::uint64_t repeats = 1;        ///< measurements per point and draw, >= 1
  bool allocate_repeats = false;    ///< the same number in total, allocated to points by select::allocate_repeats
  std::uint64_t draw_seed = 0;
  double confidence = 0.95;        ///< of the intervals, in (0, 1)
  select::ModelConstants model{};  ///< of `calibrated` and of the intervals
  std::uint64_t search_seed = 0;   ///< as SelectParams has it
  std::uint64_t phases = 1;        ///< as SelectParams has them; measurements are drawn from the phase of their point
  /// Called after every draw (evaluate_families: after every selection) with the number done and in total; may be
  /// empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// The checks of the parameters that need no trace but its name. Throws UsageError.
void require_valid(const EvaluateParams&, std::span<const std::string> traces);

/// Signed errors over the draws, as shares of the truth, and how well the intervals of the draws held.
struct ErrorSummary {
  double bias = 0;                   ///< mean
  double rms = 0;                    ///< root of the mean square
  std::optional<double> coverage{};  ///< share of the intervals that hold the truth; nothing: no interval
  std::optional<double> width{};     ///< mean of high - low, as a share of the truth
};

struct ConfigurationScore {
  std::string name;
  ErrorSummary total;
  std::optional<ErrorSummary> speedup;  ///< over the first configuration; nothing for the first itself
};

/// The full run over the profiled points, on the configuration whose statistic the method was given, else the first.
struct Reduction {
  double serial = 0;    ///< time of the run / time of all points one after the other
  double parallel = 0;  ///< time of the run / time of the longest point
  double count = 0;     ///< iterations of the run / iterations profiled
};

struct MethodScore {
  std::string name;
  std::vector<std::pair<std::string, double>> parameters;
  std::string selected_on;                    ///< configuration whose statistic it was given; empty: lengths only
  std::optional<std::uint64_t> points_asked;  ///< nothing: the method's own rule
  std::uint64_t points = 0;                   ///< chosen
  double effective_sample_size = 0;
  std::vector<ConfigurationScore> configurations;
  double geomean_error = 0;                     ///< of the configurations' RMS errors
  std::optional<double> speedup_geomean_error;  ///< of the speedups' RMS errors; nothing with one configuration
  Reduction reduction;
};

struct Evaluation {
  std::string statistic;
  std::uint64_t draws = 0;
  std::uint64_t repeats = 0;
  std::string baseline;          ///< the first configuration
  std::uint64_t iterations = 0;  ///< of the run
  std::vector<MethodScore> methods;
  std::vector<std::string> notes;
};

/// Scores methods. A draw picks, with replacement among the occurrences of each point's signature, the iterations that
/// were "profiled", the same on every configuration; methods that pick iterations are measured on those, and methods
/// that depend on a seed choose anew for every draw. The truth is the total of the same column. Throws InputError where
/// traces differ in their iterations or lack the statistic; UsageError for unknown names.
Evaluation evaluate(std::span<const NamedTrace>, const EvaluateParams&);

}  // namespace seqpoint::evaluate
