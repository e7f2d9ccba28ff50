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
  std::string select_on;            ///< configuration whose statistic methods may see; empty: the first
  bool lengths_only = false;        ///< no method sees the statistic
  std::optional<double> max_error;  ///< of methods that grow
  std::uint64_t draws = 1000;       ///< >= 1
  std::uint64_t repeats = 1;        ///< measurements a point and draw, >= 1
  bool allocate_repeats = false;    ///< as many in all, but shared out over the points as `shared_out` does
  std::uint64_t draw_seed = 0;
  double confidence = 0.95;        ///< of the intervals, in (0, 1)
  select::ModelConstants model{};  ///< of `calibrated` and of the intervals, to see what comes of others
  std::uint64_t search_seed = 0;   ///< as SelectParams has it
  std::uint64_t phases = 1;        ///< as SelectParams has them; measurements are drawn from the phase of their point
  /// Is told now and then how many draws (of families: selections) of how many are done; may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// Signed errors over the draws, as shares of the truth; and how the intervals did that were stated for every draw.
struct ErrorSummary {
  double bias = 0;                   ///< mean
  double rms = 0;                    ///< root of the mean square
  std::optional<double> coverage{};  ///< share of the intervals that hold the truth; nothing where none could be stated
  std::optional<double> width{};     ///< mean of high - low, as a share of the truth
};

struct ConfigurationScore {
  std::string name;
  ErrorSummary total;
  std::optional<ErrorSummary> speedup;  ///< over the first configuration; nothing for that one itself
};

/// The full run over the profiled points, on the configuration that the method saw (else the first).
struct Reduction {
  double serial = 0;    ///< time of the run / time of all points one after the other
  double parallel = 0;  ///< time of the run / time of the longest point
  double count = 0;     ///< iterations of the run / iterations profiled
};

struct MethodScore {
  std::string name;
  std::vector<std::pair<std::string, double>> parameters;
  std::string selected_on;                    ///< configuration whose statistic it saw; empty: it saw lengths only
  std::optional<std::uint64_t> points_asked;  ///< points asked for; nothing: the method's own rule
  std::uint64_t points = 0;                   ///< found
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
