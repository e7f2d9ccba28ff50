/// \file
/// Stage 4: the weighted SeqPoints that stand for a run.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seqpoint/batching/recorded.hpp"
#include "seqpoint/options.hpp"
#include "seqpoint/select/model.hpp"
#include "seqpoint/select/point_key.hpp"
#include "seqpoint/trace/trace.hpp"

namespace seqpoint::select {

/// A number of iterations, in millionths, so that weights add up exactly.
struct Weight {
  static constexpr std::int64_t kUnit = 1'000'000;  ///< millionths of an iteration in one
  std::int64_t millionths = 0;                      ///< >= 0

  /// The weight in iterations, with six digits behind the point.
  double iterations() const { return static_cast<double>(millionths) / static_cast<double>(kUnit); }
  friend auto operator<=>(const Weight&, const Weight&) = default;  ///< by size
};

/// A SeqPoint: a signature to profile, and how many iterations it stands for. What SimPoint calls a simulation point,
/// with an iteration in place of an interval.
struct Point {
  std::string id;  ///< "sp1", "sp2", ...
  PointKey key;    ///< what it fixes of the signature
  Weight weight;   ///< how many iterations it stands for
  /// Occurrences in the run, by the run's own numbers: the one to profile, then alternates; 1 to kMaxOccurrences. Those
  /// of the most frequent full signature come first, so that a short last batch is not what gets profiled.
  std::vector<std::uint64_t> iterations;
  std::vector<std::vector<std::uint32_t>> samples;  ///< dataset rows of each of `iterations`; empty where not known

  /// Signatures that are nearly as good, the best first; empty where the method ranks none.
  std::vector<PointKey> alternates{};
  std::uint64_t phase = 0;    ///< of the run, that it stands for and that its iterations lie in; from 0
  std::uint64_t repeats = 1;  ///< how often to measure it; advised only where MethodRecord::repeats is set
  /// The run that `iterations` and `samples` are of, the one with the most of them: 0 is Selection::run, the others
  /// are those of Selection::further.
  std::size_t run = 0;

  /// The most iterations that a point names.
  static constexpr std::size_t kMaxOccurrences = 10;
};

/// A point as a method names it, before weights are rounded.
struct Choice {
  PointKey key;                         ///< what it fixes of the signature
  double weight = 0;                    ///< iterations, > 0; of several runs in one of them
  std::optional<std::size_t> position;  ///< in the trace; only of methods that pick iterations
  std::vector<PointKey> alternates{};   ///< ranked
  std::vector<double> further{};        ///< iterations of each further run
};

class ExpectedCost;  // seqpoint/repeats.hpp

/// What may be spent on profiling a run, or a phase of it. Does not own its price.
struct MethodBudget {
  double amount = 0;                    ///< executions, or the unit of `price`; > 0
  const ExpectedCost* price = nullptr;  ///< of running an iteration; null: 1
};

/// A run that points are to be chosen for, too. Does not own its trace.
struct FurtherTrace {
  std::string name,                     ///< as FurtherRun::name
      source,                           ///< as FurtherRun::source
      digest;                           ///< as FurtherRun::digest
  const trace::Trace* trace = nullptr;  ///< not null
};

/// What the caller of a method decides. A value, but for the price of its budget and further traces.
struct SelectParams {
  std::string method = "calibrated";    ///< name of a row of all_methods()
  std::optional<std::uint64_t> points;  ///< how many to choose; nothing: the method's own rule
  std::optional<double> max_error;      ///< share of the total, for methods that grow; nothing: the method's default
  std::string statistic;                ///< a measured column; empty: the sequence length stands in
  std::uint64_t seed = 0;               ///< of random selection
  OptionValues options;                 ///< the method's own
  /// Parts of nearly equal numbers of iterations that the run is cut into, for cost that drifts, >= 1. The method
  /// chooses separately in each, so that `points` are those of one phase.
  std::uint64_t phases = 1;
  /// For methods that take a budget, where `points` is not set: they choose the number of points for it.
  std::optional<MethodBudget> budget{};
  std::uint64_t sessions = 1;        ///< processes that will measure every point, for methods that buy measurements
  ModelConstants model{};            ///< of `calibrated`
  std::uint64_t search_seed = 0;     ///< of the restarts of its search
  std::vector<FurtherTrace> also{};  ///< in equal shares; for `calibrated`, without phases or a statistic
};

/// How far off a projection is expected to be, before anything is measured, as shares of the total: docs/method.md.
/// About one standard deviation.
struct ExpectedError {
  double noise = 0;           ///< standard error from measuring these points this often, on a usual machine
  double representation = 0;  ///< by misfit between lengths, and by what weights miss of functions of the model
  /// Both parts together: the root of the sum of their squares.
  double total() const { return std::hypot(noise, representation); }
};

/// A number of points that a method considered.
struct NumberOfPointsRecord {
  std::uint64_t points = 0;          ///< of weight above 0
  ExpectedError expected{};          ///< with the advised repeats; infinite noise: not known
  double effective_sample_size = 0;  ///< of these points; see effective_sample_size()
  std::uint64_t phase = 0;           ///< of the run
  bool chosen = false;               ///< whether the selection has this number of points; true once per phase
};

/// Most processes that a plan is run in.
inline constexpr std::uint64_t kMostSessions = 1000;
/// As many as nobody said: a second one shows by how much processes differ.
inline constexpr std::uint64_t kUsualSessions = 2;

/// What running a plan takes: in each process warm-up until it is steady, then every point's own and its measurements.
/// Zero executions: not known, as in version 1.0.
struct PlanCost {
  std::uint64_t executions = 0;     ///< of iterations
  std::uint64_t tokens = 0;         ///< padded ones of all executions; warm-up counted with the run's mean
  std::optional<double> seconds{};  ///< nothing: not known
};

/// How often the points are advised to be measured.
struct RepeatsRecord {
  std::uint64_t measurements = 0;  ///< of all points together
  /// Processes that the plan is to be run in; each measures every point. Nothing: not said, as in version 1.0.
  std::optional<std::uint64_t> sessions{};
  PlanCost cost{};           ///< of running the plan
  ExpectedError expected{};  ///< with these measurements; infinite noise: not known
};

/// How a selection was made: goes into the artefact.
struct MethodRecord {
  std::string name;                                        ///< of the method
  std::vector<std::pair<std::string, double>> parameters;  ///< values used, by option name
  std::string statistic;                                   ///< where the length replaces it, the name of that dimension
  bool statistic_is_measured = false;                      ///< whether `statistic` is a measured column
  std::optional<double> in_sample_error;  ///< (projected - total) / total of the statistic; 0 where both are 0
  /// Expected error by number of points; empty: the method has none.
  std::vector<NumberOfPointsRecord> numbers_of_points{};
  std::optional<RepeatsRecord> repeats{};  ///< nothing: none were advised
  std::uint64_t measurements = 0;          ///< that the method takes to be enough; 0: it does not say
};

/// A run that points were chosen for, too.
struct FurtherRun {
  std::string name,             ///< as tables and messages call it
      source,                   ///< its file
      digest;                   ///< of the file's bytes
  trace::RunSummary run;        ///< of the kind of Selection::run
  std::vector<Weight> weights;  ///< of each point: iterations of this run, to which they add up; some are 0
  ExpectedError expected{};     ///< with the advised measurements
};

/// The SeqPoints of a run: what select() returns, and every later stage takes. A value; require_valid() says whether
/// one that was put together by hand contradicts itself.
struct Selection {
  trace::RunSummary run;           ///< the run that the points were chosen from
  MethodRecord method;             ///< how they were chosen
  std::vector<Point> points;       ///< by phase, and ascending by key; by iteration for methods that pick iterations
  std::vector<std::string> notes;  ///< what the user should be told (warnings)
  /// Digest of run and points, as the artefact has it that they were read from; empty: they were not read from one.
  std::string digest{};
  std::vector<FurtherRun> further{};  ///< that the points were chosen for, too
};

/// A run by its place: 0 is Selection::run.
inline const trace::RunSummary& run_of(const Selection& selection, std::size_t run) {
  return run == 0 ? selection.run : selection.further[run - 1].run;
}

/// The weight of a point in such a run.
inline Weight weight_of(const Selection& selection, std::size_t point, std::size_t run) {
  return run == 0 ? selection.points[point].weight : selection.further[run - 1].weights[point];
}

struct Population;  // src/core/select/population.hpp

/// One method: a row of the table. Texts and functions live as long as the program.
struct Method {
  /// Whether SelectParams::points has to be set: never, may be, always.
  enum class Points { none, optional, required };

  std::string_view name;                     ///< as SelectParams::method and `--method` name it
  std::string_view summary;                  ///< one line
  std::string_view source;                   ///< where it is from
  Points points = Points::none;              ///< whether it takes --points
  bool takes_max_error = false;              ///< grows until the in-sample error is below --max-error
  bool takes_statistic = false;              ///< can look at a measured column
  bool picks_iterations = false;             ///< its points are iterations of the run, not signatures
  bool is_random = false;                    ///< depends on SelectParams::seed
  std::span<const OptionSpec> options = {};  ///< that SelectParams::options may set
  /// Chooses points, whose weights add up to the iterations; fills in the record and adds notes. For select(), which
  /// makes the checks first.
  std::vector<Choice> (*choose)(const Population&, const SelectParams&, MethodRecord&, std::vector<std::string>& notes);
  bool takes_budget = false;        ///< can take the points that SelectParams::budget is best spent on
  bool takes_further_runs = false;  ///< can choose for SelectParams::also, too
};

/// Every method, in the order in which `seqpoint methods` lists them.
std::span<const Method> all_methods();
/// The method of that name. Throws ParameterError that lists the methods there are.
const Method& find_method(std::string_view name);

/// The checks of the parameters that do not depend on the run. Throws ParameterError.
void require_valid(const SelectParams& params);

/// Chooses the SeqPoints of a run, or of several at once. The weights of each add up to its iterations exactly. Same
/// traces and parameters: same result, with every compiler. `source` names the trace in errors.
///
/// Throws ParameterError for an unknown method or column and for parameters that the method does not take;
/// std::invalid_argument for an empty trace; InputError (with `source` as the file) where the statistic was not
/// measured, or (with the file of a further run) where signatures are of another kind.
Selection select(const trace::Trace& trace, const SelectParams& params, std::string_view source = "trace");

/// Throws InputError (with `source` as the file, at a key of its JSON) where a selection contradicts itself: histogram
/// and weights add up to the iterations, repeats to the measurements; ids and iterations are there once; every point
/// and alternate matches a signature of the run; every point names no more iterations than have its own, which lie in
/// its phase, and is measured at least once in each process.
void require_valid(const Selection&, const std::string& source);

/// Weights as multiples of 1e-6 that add up to `total` iterations: largest remainders, ties to the first.
/// `weights` are >= 0 and add up to `total` but for rounding.
std::vector<Weight> round_weights(std::span<const double> weights, std::uint64_t total);

/// The most frequent signature of the run that a key matches, with its count: points are profiled at this one. Of
/// equally frequent ones the smallest. Where none matches, signature_of(key) with a count of 0.
trace::SignatureCount most_frequent_signature(const PointKey&, const trace::RunSummary&);

/// (sum w)^2 / sum w^2 over the weights w: the number of equally weighted points whose mean would be as noisy (Kish
/// 1965). From 1 to the number of points.
double effective_sample_size(const Selection&);

/// The weight of these points over the iterations of the run; of several runs the mean. `points`: positions.
double coverage(const Selection&, std::span<const std::size_t> points);

/// Looks up which dataset rows make the iterations that the points name, by walking the run again, and fills in
/// Point::samples, but for points of further runs. The data set and rules are those that the selection is of. Throws as
/// trace::for_each_iteration().
void attach_samples(Selection&, const lengths::Lengths&, const batching::BatchPolicy&, const trace::SignatureRule&);
/// The same for the points of a run by its place, where its trace has the rows of its iterations: `order` has one
/// micro-batch for each.
void attach_samples(Selection&, std::size_t run, const trace::Trace&, const batching::RecordedOrder& order);

}  // namespace seqpoint::select
