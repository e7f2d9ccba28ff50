/// \file
/// Stage 7: compares every method with runs that were measured in full.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::evaluate {

/// The settings of an evaluation.
struct EvaluateParams {
  std::string metric = "runtime_s";                             ///< the measured column whose total is projected
  std::vector<std::string> methods;                             ///< empty: all
  std::vector<std::optional<std::uint64_t>> numbers_of_points;  ///< nothing: the method's own rule
  /// Adds each method that has a rule of its own, with the points and repeats that select_with_repeats() advises for
  /// one process, because a recorded epoch is one process.
  bool advised = false;
  bool lengths_only = false;   ///< no method may use the metric; else that of the first configuration
  std::uint64_t draws = 1000;  ///< number of Monte-Carlo trials, >= 1
  std::uint64_t repeats = 1;   ///< measurements per point and trial unless advised, >= 1
  double confidence = 0.95;    ///< confidence of the intervals, in (0, 1)
  /// Points that were chosen elsewhere, scored after the methods: created by select::selection_of() for the traces'
  /// run.
  std::vector<select::Selection> choices{};
  /// Called after every trial with the number done and in total; may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

/// The checks of the parameters that need only the names of the traces (configurations), at least one. Throws
/// ParameterError.
void require_valid(const EvaluateParams&, std::span<const std::string> traces);

/// Signed errors over the trials, as shares of the true total, and the coverage of the trials' intervals.
struct ErrorSummary {
  double bias = 0;                   ///< mean
  double rms = 0;                    ///< root of the mean square
  std::optional<double> coverage{};  ///< share of the intervals that cover the true total; nothing: no interval
  std::optional<double> width{};     ///< mean of high - low, as a share of the true total
};

/// The errors of a method on one configuration.
struct ConfigurationScore {
  std::string name;                     ///< name of the configuration
  ErrorSummary total;                   ///< errors of the projected total
  std::optional<ErrorSummary> speedup;  ///< over the first configuration; nothing for the first itself
};

/// The errors of projecting another run of the same network, from the points and measurements of the evaluated run: the
/// best linear prediction, as made by project_onto(). Its interval assumes another process.
struct OntoScore {
  std::optional<ErrorSummary> total;  ///< errors of the other run's total; nothing: there is no prediction
  std::string reason;                 ///< why there is no prediction, or no interval; empty if there are both
};

/// The reduction of measuring cost: the full run over the profiled points, on the configuration whose metric the method
/// used, else the first.
struct Reduction {
  double serial = 0;    ///< time of the run / time of all points one after the other
  double parallel = 0;  ///< time of the run / time of the longest point
  double count = 0;     ///< iterations of the run / iterations profiled
};

/// The errors of one method with one number of points.
struct MethodScore {
  std::string name;                                        ///< name of the method
  std::vector<std::pair<std::string, double>> parameters;  ///< values used, by option name
  std::string selected_on;                                 ///< configuration whose metric it used; empty: lengths only
  std::optional<std::uint64_t> points_asked;               ///< nothing: the method's own rule
  bool advised = false;                                    ///< whether measured as often as advised
  bool elsewhere = false;                                  ///< the points are one of EvaluateParams::choices
  std::uint64_t points = 0;                                ///< chosen
  /// Points whose measurements differ between trials: their shape occurs several times, or the method is random.
  std::uint64_t sampled_points = 0;
  std::uint64_t measurements = 0;                  ///< measurements of all points together, in a trial
  std::uint64_t executions = 0;                    ///< executions of one process that measures them, warm-up included
  double effective_sample_size = 0;                ///< as select::effective_sample_size()
  std::vector<ConfigurationScore> configurations;  ///< in the order given
  double geomean_error = 0;                        ///< geometric mean of the configurations' RMS errors
  std::optional<double> speedup_geomean_error;     ///< of the speedups' RMS errors; nothing with one configuration
  std::optional<OntoScore> onto;                   ///< nothing: no other run was given
  Reduction reduction;                             ///< reduction of measuring cost
};

/// Every method that was scored.
struct Evaluation {
  std::string metric;                 ///< as in the parameters
  std::uint64_t draws = 0;            ///< trials of each method
  std::uint64_t repeats = 0;          ///< measurements per point and trial unless advised
  std::string baseline;               ///< the first configuration
  std::uint64_t iterations = 0;       ///< iterations of the run
  std::uint64_t iterations_onto = 0;  ///< iterations of the other projected run; 0: there is none
  std::vector<MethodScore> methods;   ///< by method, then number of points, then as advised
  std::vector<std::string> notes;     ///< warnings for the user
};

/// Scores methods. A trial samples, with replacement among the occurrences of each point's shape, the iterations that
/// were "profiled", the same on every configuration, also for methods that pick iterations; methods that depend on a
/// seed choose again in every trial. The true value is the total of the same column. At least one trace. `onto`:
/// another run of the network, on the first configuration, to project from the points as well; null: none. Throws
/// InputError if traces differ in their iterations, the other run differs in its kind of shapes, or the metric was not
/// measured in all of them or adds up to zero or less; ParameterError for unknown names, and for parameters that are
/// out of range.
Evaluation evaluate(std::span<const trace::NamedTrace>, const EvaluateParams&, const trace::NamedTrace* onto = nullptr);

// --- Whether the errors of methods are within a limit

/// Checks the RMS error of every method on every configuration, and on the other run, against a limit; both are shares
/// of the true total. A method that cannot predict the other run is unmeasured there.
std::vector<project::Check> check_errors(const Evaluation&, double limit);
/// The requested number of points: a number, "auto" for the method's own rule, "advised" if also measured as advised.
/// Empty for methods that take no number, and for points chosen elsewhere.
std::string points_asked_text(const MethodScore&);
/// A method with its options: "bins (on v1), points 8"; without the parts that it lacks.
std::string label_of(const MethodScore&);

}  // namespace seqpoint::evaluate
