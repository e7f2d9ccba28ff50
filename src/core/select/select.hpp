/// \file
/// The weighted SeqPoints of a run, how often to measure each, and which executions profile them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/batching/batches.hpp"
#include "core/enum_names.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::select {

// --- The constants of the one statistical model that chooses points, weighs them and computes intervals
// (docs/method.md).

/// The constants of the model, with their defaults.
///
/// With x the shape of an iteration and mu the run's mean cost, its cost is assumed to be
///
///     y(x) = mu L [ sum_j a_j f_j(x) + z(x) (g(x) + e) ]
///
/// f_j: known functions of a shape (basis functions in docs/method.md), each divided by its mean over the run; z:
/// size, divided likewise; g: misfit, a Gaussian process; e: noise; L: the level of the process that runs or
/// measures (BetweenProcesses). On a machine at hand, misfit and noise are the scales g and s times the values here.
/// The constants are round numbers; tools/evaluation/README.md shows the effect of halving and doubling each.
struct ModelConstants {
  /// Variance of a_j of the diffuse functions, which the cost of a network may contain in any amount; weights meet
  /// their totals exactly. Share of the mean cost, squared. Reason: a hundred times the mean cost is "any amount".
  double free = 1e4;
  /// Variance of a_j of the possible functions, which cost time on some hardware. Share of the mean cost, squared.
  /// Reason: one of them may be the whole cost (a_j = 1), and parts of the cost may cancel others.
  double possible = 3;
  /// Standard deviation of a_j of the diffuse functions about a cost proportional to size, in predictions: for another
  /// run, or if a point is missing. Share of the mean cost. Reason: half of the cost may be of another kind.
  double amount = 0.5;
  /// Standard deviation of the misfit, a share of a shape's cost. Reason: neighbouring lengths that use different
  /// kernels differ by some percent; as large as the noise of an iteration, because neither is known beforehand.
  double jag = 0.045;
  /// Correlation lengths of the misfit, in padded lengths; each has a third of the length-dependent variance. Reason:
  /// powers of four, from half of the smallest tile to half of the largest.
  std::array<double, 3> scales{4, 16, 64};
  /// Share of the misfit's variance that is independent for each shape, for example because a kernel is chosen for that
  /// very shape. Reason: half, because it is not known.
  double nugget = 0.5;
  /// Standard deviation between the iterations of a shape, a share of its cost; measuring the same iteration again does
  /// not average it out. Reason: a few percent, the noise of training iterations on shared machines.
  double iteration = 0.045;
  /// Standard deviation between measurements of one iteration, a share of its cost. Reason: as above.
  double measurement = 0.04;
  /// Standard deviation of ln s. Reason: a quiet machine has half of the usual scale, a busy one three times.
  double noise_spread = 0.5;
  /// Standard deviation of ln g. Reason: a factor of e, a common choice for an unknown scale; some networks have hardly
  /// any misfit, others a cliff.
  double misfit_spread = 1;
  /// The model assumes varying batch sizes if at most this share of the iterations has the largest one. Reason: short
  /// last batches of buckets and epochs are fewer than one iteration in ten.
  double one_batch_size = 0.9;

  /// Variance of the mean of so many measurements, at `iterations` different iterations of a shape if there are as many
  /// measurements. Share of its cost, squared.
  double disturbance_variance(double iterations, double measurements) const {
    return iteration * iteration / std::min(iterations, measurements) + measurement * measurement / measurements;
  }
  friend bool operator==(const ModelConstants&, const ModelConstants&) = default;  ///< member by member
};

/// The constants of every model of a run.
inline constexpr ModelConstants kModelConstants{};

/// Prior of the between-process variation: the standard deviation tau of processes' levels, a share of the cost. Its
/// logarithm is N(ln median, spread^2).
struct BetweenProcesses {
  double median = 0,  ///< median of tau
      spread = 0;     ///< standard deviation of ln tau
  /// The same where points and stretches measured twice as many levels, which need less of a prior.
  double spread_with_stretches = spread;
  bool is_shared_by_stretches = false;  ///< whether the points and the stretch of a process have one level
  friend bool operator==(const BetweenProcesses&, const BetweenProcesses&) = default;  ///< member by member
};
/// The prior with the larger median: two configurations may have different bottlenecks. Ties go to `a`.
inline BetweenProcesses wider(const BetweenProcesses& a, const BetweenProcesses& b) {
  return a.median < b.median ? b : a;
}
/// If an accelerator is the bottleneck. Source: 472 systems in MLPerf Training 2.0, 3.1 and 5.1, five runs or more each
/// (docs/method.md).
inline constexpr BetweenProcesses kDeviceBound{0.0025, 1.5};
/// If a job has an accelerator, and the host is the bottleneck. Source: eleven jobs on an H200 (docs/method.md).
inline constexpr BetweenProcesses kHostBoundOnDevice{0.04, 1.0, 1.0, true};
/// If a job has no accelerator, or its bottleneck is not known. Source: jobs on processors of a shared machine
/// (docs/method.md).
inline constexpr BetweenProcesses kHostBound{0.02, 0.8, 1.2};
/// An accelerator that is busy for at least this share of a step is its bottleneck.
inline constexpr double kDeviceBoundFrom = 0.8;

/// Sides of the tiles that matrix kernels pad lengths to, in tokens or frames.
inline constexpr std::array<double, 5> kLengthTiles{8, 16, 32, 64, 128};
/// The same without padding, in tokens: all tokens of a batch are rows of one matrix (thread blocks of up to 256 rows).
inline constexpr std::array<double, 2> kTokenTiles{128, 256};
/// Without padding, ModelConstants::scales are in units of so many tokens: the smallest token tile is 16 times the
/// smallest length tile.
inline constexpr double kTokensPerUnit = 16;

// --- Stage 4: the weighted SeqPoints that stand for a run.

/// A number of iterations, in millionths, so that weights add up exactly.
struct Weight {
  static constexpr std::int64_t kUnit = 1'000'000;  ///< millionths of an iteration in one
  std::int64_t millionths = 0;                      ///< >= 0

  /// The weight in iterations, with six decimals.
  double iterations() const { return static_cast<double>(millionths) / static_cast<double>(kUnit); }
  friend auto operator<=>(const Weight&, const Weight&) = default;  ///< by size
};

/// How the rows of a batch are assigned to data-parallel ranks.
struct RankRows {
  std::vector<std::size_t> ends;          ///< one per rank: where its batch ends among the rows
  std::optional<std::size_t> heaviest{};  ///< the rank whose shape the iteration has; nothing: not known
};

/// One iteration of the run, with all data that a job needs to make it again.
struct RunBatch {
  std::uint64_t iteration = 0;      ///< the run's own number
  trace::Shape shape;               ///< shape of the rank with the most work
  std::vector<std::uint32_t> rows;  ///< dataset rows, rank after rank; empty if not known
  RankRows ranks;                   ///< ranks of these rows; without ends if there is one rank, or rows are not known
};

/// A SeqPoint: a shape to profile, and how many iterations it represents. Like SimPoint's simulation point, with an
/// iteration in place of an interval.
struct Point {
  std::string id;      ///< "sp1", "sp2", ...
  trace::Shape shape;  ///< shape of the iteration to profile
  Weight weight;       ///< how many iterations it represents
  /// Occurrences in the run, by the run's own numbers: the one to profile, then alternates; 1 to kMaxOccurrences.
  /// Occurrences of its own shape come first.
  std::vector<std::uint64_t> iterations;
  std::vector<std::vector<std::uint32_t>> samples;  ///< dataset rows of each of `iterations`; empty if not known
  std::vector<RankRows> ranks{};                    ///< ranks of each of `samples`; empty if there is one rank
  std::uint64_t phase = 0;    ///< phase that it represents and that contains its iterations; from 0
  std::uint64_t repeats = 1;  ///< how often to measure it; advised only if MethodRecord::repeats is set
  /// The length of its group, if a method groups iterations by length alone: they may differ in all other dimensions.
  /// `shape` is the most frequent one of them, the largest of ties. Nothing: the shape alone.
  std::optional<std::uint64_t> length_group{};

  /// Whether an iteration of that shape measures the point.
  bool matches(const trace::Shape& s) const { return length_group ? s.length() == *length_group : s == shape; }

  /// Maximum number of iterations that a point lists.
  static constexpr std::size_t kMaxOccurrences = 10;
};

/// A point from a method, before weights are rounded.
struct Choice {
  trace::Shape shape;                         ///< as Point::shape
  double weight = 0;                          ///< iterations, > 0
  std::optional<std::uint64_t> length_group;  ///< as Point::length_group
  std::optional<std::size_t> position{};      ///< in the trace; only for methods that pick iterations
};

class ExpectedCost;  // below

/// The budget for profiling a run, or a phase of it. Does not own its price.
struct MethodBudget {
  double amount = 0;                    ///< executions, or the unit of `price`; > 0
  const ExpectedCost* price = nullptr;  ///< price of running an iteration; null: 1
};

/// The settings of a selection. A value, except for the pointer in its budget.
struct SelectParams {
  std::string method = "calibrated";    ///< name of a row of all_methods()
  std::optional<std::uint64_t> points;  ///< how many to choose; nothing: the method's own rule
  std::optional<double> max_error;      ///< share of the total, in-sample or expected; nothing: the method's default
  std::string metric;                   ///< a measured column; empty: the sequence length replaces it
  std::uint64_t seed = 0;               ///< seed of random selection
  OptionValues options;                 ///< options of the method itself
  /// Number of parts with nearly equal numbers of iterations into which the run is cut if its cost drifts, >= 1. The
  /// method chooses separately in each, so `points` is the number per phase.
  std::uint64_t parts = 1;
  /// For methods that accept a budget, if `points` is not set: they choose the number of points for it.
  std::optional<MethodBudget> budget{};
  std::uint64_t processes = 1;  ///< processes that will measure every point, for methods that buy measurements
  BetweenProcesses between{};   ///< expected variation between these processes, and the run's; 0: none
};

/// The expected error of a projection before anything is measured, as shares of the total: docs/method.md. About one
/// standard deviation.
struct ExpectedError {
  double noise = 0;           ///< standard error from measuring these points this often, on a typical machine
  double representation = 0;  ///< by misfit between lengths, and by totals of the model's functions that the weights
                              ///< miss
  /// Both parts together: the root of the sum of their squares.
  double total() const { return std::hypot(noise, representation); }
};

/// A number of points that a method considered.
struct NumberOfPointsRecord {
  std::uint64_t points = 0;          ///< points of weight above 0
  ExpectedError expected{};          ///< with the advised repeats; infinite noise: not known
  double effective_sample_size = 0;  ///< effective sample size of these points; see effective_sample_size()
  std::uint64_t phase = 0;           ///< phase of the run
};

/// Maximum number of processes of a plan.
inline constexpr std::uint64_t kMaxPlannedProcesses = 1000;
/// The standard error of a projection caused by the levels of the measuring processes and of the run's own.
inline double process_error(const BetweenProcesses& between, std::uint64_t processes) {
  return between.median * std::sqrt(1 + 1 / static_cast<double>(processes));
}
/// Default number of processes. Two is the minimum that shows between-process variation.
inline constexpr std::uint64_t kDefaultProcesses = 2;

/// The cost of running a plan: in each process warm-up until it is steady, then every point's own and its measurements.
/// Zero executions: not known.
struct PlanCost {
  std::uint64_t executions = 0;     ///< executions of iterations
  std::uint64_t tokens = 0;         ///< padded tokens of all executions; warm-up counted with the run's mean
  std::optional<double> seconds{};  ///< nothing: not known
};

/// The advised number of measurements.
struct RepeatsRecord {
  std::uint64_t measurements = 0;  ///< measurements of all points together
  /// Number of processes of the plan; each measures every point. Nothing: not given.
  std::optional<std::uint64_t> processes{};
  /// How often each planned batch is run in a row, because the job accumulates gradients over so many
  /// (docs/companion.md).
  std::uint64_t accumulation = 1;
  PlanCost cost{};           ///< cost of the plan, including accumulation
  ExpectedError expected{};  ///< with these measurements; infinite noise: not known
  double process_error = 0;  ///< standard error by between-process variation, a share of the total; 0: not considered
  /// Half-width of the 95 % interval that a projection is expected to have from these measurements, on average over
  /// runs, as a share of the total. Nothing: it has none, or processes were not considered.
  std::optional<double> half_width{};
  /// The total expected error: about one standard deviation.
  double error() const { return std::hypot(expected.total(), process_error); }
};

/// How a selection was made; part of the output file.
struct MethodRecord {
  std::string name;                                        ///< name of the method
  std::vector<std::pair<std::string, double>> parameters;  ///< values used, by option name
  std::string metric;                                      ///< if the length replaces it, the name of that dimension
  bool metric_is_measured = false;                         ///< whether `metric` is a measured column
  std::optional<double> in_sample_error;  ///< (projected - total) / total of the metric; 0 if both are 0
  /// Expected error by number of points; empty: the method has none.
  std::vector<NumberOfPointsRecord> numbers_of_points{};
  std::optional<RepeatsRecord> repeats{};  ///< nothing: none were advised
  std::uint64_t measurements = 0;          ///< number that the method considers sufficient; 0: not given
};

/// How much longer first executions of points take than second ones, where they count as measurements.
struct CountedFirst {
  double ratio = 0;            ///< mean of ln(first / second)
  double error = 0;            ///< its standard error
  std::uint64_t points = 0;    ///< number of points that showed it
  std::string measured_for{};  ///< Selection::digest of the points of the process that showed it
};

/// The SeqPoints of a run: the result of select(), and the input of every later stage. A value; require_valid() throws
/// if one that was built by hand contradicts itself.
struct Selection {
  trace::RunSummary run;           ///< the run that the points were chosen from
  MethodRecord method;             ///< how they were chosen
  std::vector<Point> points;       ///< by phase, and ascending by shape; by iteration for methods that pick iterations
  std::vector<std::string> notes;  ///< warnings for the user
  /// Digest of run and points, from the output file that they were read from; empty: they were not read from one.
  std::string digest{};
  /// Warm-up batches of a process before its first point, ascending by padded tokens; see attach_batches().
  std::vector<RunBatch> warmup{};
  /// Batches that show whether the run fits into memory, the largest first; see attach_batches().
  std::vector<RunBatch> largest{};
  /// Set if first executions count as measurements: then plans have no others of the same points before them.
  std::optional<CountedFirst> counted_first{};
};

struct Population;  // src/core/select/population.hpp

/// One method: a row of the table. Texts and functions live as long as the program.
struct Method {
  /// Whether SelectParams::points is forbidden, optional or required.
  enum class Points { none, optional, required };

  std::string_view name;                     ///< the value of SelectParams::method and `--method`
  std::string_view summary;                  ///< one line
  std::string_view source;                   ///< its publication
  Points points = Points::none;              ///< whether it takes --points
  bool takes_max_error = false;              ///< its own number of points follows SelectParams::max_error
  bool takes_metric = false;                 ///< can use a measured column
  bool picks_iterations = false;             ///< its points are iterations of the run, not shapes
  bool is_random = false;                    ///< depends on SelectParams::seed
  std::span<const OptionSpec> options = {};  ///< that SelectParams::options may set
  /// Chooses points, whose weights add up to the iterations; fills in the record and adds notes. Called by select(),
  /// which makes the checks first.
  std::vector<Choice> (*choose)(const Population&, const SelectParams&, MethodRecord&, std::vector<std::string>& notes);
  bool takes_budget = false;  ///< can choose the number of points for SelectParams::budget
};

/// Every method, in the order in which `seqpoint list methods` lists them.
std::span<const Method> all_methods();
/// The method of that name. Throws a ParameterError that lists all methods.
const Method& find_method(std::string_view name);

/// Throws ParameterError for an unknown method, an option name or parameter that the method does not take, a missing
/// number of points, 0 points or phases, and parameters that exclude each other. Values of options and the ranges of
/// max_error, processes and budget are checked in select() only.
void require_valid(const SelectParams& params);

/// Chooses the SeqPoints of a run. Their weights add up to its iterations exactly. Same trace and parameters: same
/// result, with every compiler. `source` names the trace in errors.
///
/// Throws ParameterError for an unknown method or column and for parameters that the method does not accept;
/// std::invalid_argument for an empty trace; InputError (with `source` as the file) if the metric was not measured.
Selection select(const trace::Trace& trace, const SelectParams& params, std::string_view source = "trace");

/// A selection from points that were chosen elsewhere, in their order. Nothing is checked: the caller makes sure that
/// `choices` are shapes of the run, each once, ascending, with weights that add up to the run's iterations except for
/// rounding. `name`: their origin, in the place of a method's name.
Selection selection_of(const trace::Trace& trace, const std::string& name, const std::vector<Choice>& choices);

/// Throws InputError (with `source` as the file, at a key of its JSON) if a selection contradicts itself: histogram and
/// weights add up to the iterations, repeats to the measurements; ids and iterations are unique; every point matches a
/// shape of the run; every point lists no more iterations than its shape has, which lie in its phase, and is measured
/// at least once in each process.
void require_valid(const Selection&, const std::string& source);

/// Weights as multiples of 1e-6 that add up to `total` iterations: largest remainders, ties to the first. `weights` are
/// >= 0 and add up to `total` except for rounding (to 1e-4 of it, else std::logic_error); if they exceed it, no weight
/// above 0 is lowered to 0.
std::vector<Weight> round_weights(std::span<const double> weights, std::uint64_t total);

/// (sum w)^2 / sum w^2 over the weights w: the number of equally weighted points whose mean would be as noisy (Kish
/// 1965). From 1 to the number of points.
double effective_sample_size(const Selection&);

/// The weight of these points, by position, as a share of the run's iterations.
double measured_weight(const Selection&, std::span<const std::size_t> points);

/// Walks the run of the points and keeps the data that a job needs to make its batches again: the rows of the points'
/// iterations, Selection::warmup and Selection::largest.
///
/// Warm-up: up to kWarmupShapes shapes that belong to no point, with batch sizes of points, which divide the iterations
/// from small to large into equal parts. Largest: the iterations in which some rank has more padded tokens, more
/// samples or a longer sample (without padding: tokens, samples, squares) than any before, unless a later iteration is
/// at least as large in every measure.
///
/// The data set and rules are those of the selection. Throws as trace::for_each_iteration().
void attach_batches(Selection&, const lengths::Lengths&, const batching::BatchPolicy&, const trace::ShapeRule&);
/// The same for a trace, whose shapes are those of the ranks with the most work. `order`: the micro-batch of each of
/// its iterations; null: rows are not known.
void attach_batches(Selection&, const trace::Trace&, const batching::RecordedOrder* order);

/// Maximum number of warm-up shapes of a selection. Reason: some of every size, without a file that grows with the run.
inline constexpr std::size_t kWarmupShapes = 16;

// --- How often to profile each SeqPoint, and how many SeqPoints to choose for a budget.

class CostModel;  // src/core/select/cost_model.hpp

/// The budget for everything that a plan runs: executions of iterations, or seconds of an estimated cost.
struct ProfilingBudget {
  double amount = 0;     ///< executions, or seconds; > 0
  bool seconds = false;  ///< whether the amount is seconds
};

/// The expected cost of an iteration, from a measured run: the mean of its shape there, else the fit of the model's
/// diffuse functions to that run. In the unit of the measurements. Copies share the fit.
class ExpectedCost {
 public:
  /// The values of a measured run's iterations, one each; values that are not finite are left out. Throws InputError
  /// (with `source` as the file) if none is left.
  ExpectedCost(const trace::Trace& measured, std::span<const double> values, const std::string& source);

  /// The cost of one iteration; never below the smallest measurement. The shape has the kind of the measured run.
  double operator()(const trace::Shape&) const;
  /// The cost of a whole run, by its histogram.
  double total(std::span<const trace::ShapeCount>) const;
  /// Throws InputError if the measured run's shapes have another kind than the run's, `of_run`.
  void require_same_shape_kind(trace::ShapeKind of_run) const;

 private:
  std::map<trace::Shape, double> means_;    ///< by measured shape
  std::shared_ptr<const CostModel> model_;  ///< model of the measured run
  std::vector<double> coefficients_;        ///< coefficients of the diffuse functions
  double smallest_measured_ = 0;  ///< lower bound of the fit, which may reach zero outside the measured lengths
  std::string source_;
};

/// From a run with timed iterations, by trace::Trace::time_metric(), in seconds. Throws InputError (with `source` as
/// the file) if there is none, or if one is not above zero.
ExpectedCost expected_seconds(const trace::Trace& measured, const std::string& source);

/// Limits on measuring the points.
struct RepeatParams {
  std::optional<ProfilingBudget> budget = {};  ///< nothing: the method's number, else three measurements per point
  std::optional<ExpectedCost> iteration_seconds = {};  ///< expected seconds of an iteration; nothing: not known
  std::uint64_t processes = 1;  ///< of the plan, 1 to kMaxPlannedProcesses; the default of `select` is 2
  bool compares_cost = true;    ///< whether a note says that the plan costs more than the run
};

/// The checks of select_with_repeats() that do not depend on the run; `calibrated`: whether seconds will be known.
/// Throws UsageError.
void require_valid(const SelectParams&, const RepeatParams&, bool calibrated);

/// As select(), with Point::repeats of every point and MethodRecord::repeats. A budget also decides the number of
/// points if the method supports it and `points` is not set. Throws as select(); ParameterError if the budget does not
/// buy one measurement of every point in each process, with its warm-up; InputError if `iteration_seconds` are for
/// shapes of another kind.
Selection select_with_repeats(const trace::Trace&, const SelectParams&, const RepeatParams&,
                              std::string_view source = "trace");

/// RepeatsRecord::half_width of these points and repeats, if processes differ as `between` says.
std::optional<double> expected_half_width(const Selection&, const BetweenProcesses& between);

/// The points of `measured`, which are shapes of one phase, and further ones up to `points` in all: each lowers V most
/// beside those before it. Weights are the best for all of them; a measured point keeps a weight above 0. Points are
/// ascending by shape; those of `measured` keep their ids, and new ones go on counting. `run`: the run of the points.
/// Without batches and repeats.
Selection with_further_points(const Selection& measured, const trace::Trace& run, std::uint64_t points);

/// The points of `measured`, and further ones, so that processes that run every point once run as many batches as those
/// that run it twice; with repeats by weight where the run has too few shapes. Points keep their ids. `run`: the run of
/// the points. The budget of the parameters is not used.
Selection with_first_executions(const Selection& measured, const trace::Trace& run, const CountedFirst&,
                                const SelectParams&, const RepeatParams&);

// --- Stage 5: the plan that profiles the SeqPoints: which iterations, how often, and in which processes.

/// One execution of a batch.
struct BatchExecution {
  std::size_t point = 0;     ///< index of the point; before all points: of the largest one, in preflight 0
  std::uint64_t repeat = 0;  ///< 0-based: of the point in all processes together, or of warm-up before all points
  bool warmup = false;       ///< not a measurement
  std::size_t batch = 0;     ///< index of the batch
  bool preflight = false;    ///< warm-up that belongs to no point, to see whether the batch fits into memory
  bool first = false;        ///< warm-up of a point: its first execution in the process
  friend bool operator==(const BatchExecution&, const BatchExecution&) = default;  ///< member by member
};

/// The executions of one process, in order: preflight; one batch of warm-up; every point once, at another iteration
/// than its first measurement if it has one; the rest of the warm-up, with batches of varied shapes; then measurements,
/// every point once, every point a second time, and so on. So measured batches follow batches that are warm, as in an
/// epoch (first executions leave a GPU idle, whose clock is then higher for a moment), and a job that ends early has
/// measured every point. Each round has the points in a new random order, different in every process, so that drift
/// correlates with neither lengths nor points. Where first executions count, every point's own before is left out.
using ProcessPlan = std::vector<BatchExecution>;

/// The settings of a plan.
struct PlanParams {
  std::optional<std::uint64_t> warmup{};   ///< batches before the first point of a process; nothing: usual_warmup()
  std::optional<std::uint64_t> repeats{};  ///< repeats of each point in all processes; nothing: as advised by the
                                           ///< selection
  std::uint64_t processes = 1;             ///< processes that measure every point, >= 1
  /// The first process runs Selection::largest first, in order, the first of them twice: an optimiser's state of every
  /// parameter is in memory only after the end of the first step.
  bool preflight = false;
  std::uint64_t seed = 0;  ///< seed of the orders
};

/// The executions that measure the points.
struct Plan {
  std::vector<RunBatch> batches;       ///< batches that executions refer to
  std::vector<ProcessPlan> processes;  ///< each with all points

  /// Executions of all processes.
  std::size_t executions() const;
};

/// Default number of batches that a process runs before its first point, if it runs so many for its points: a tenth of
/// all together, at least one.
std::uint64_t usual_warmup(std::uint64_t executions);

/// Makes a plan of a selection's own batches. Every process measures every point at least once, however few repeats.
/// Repeats of a point cycle through its iterations of its own shape. Same selection and parameters: same plan.
Plan make_plan(const Selection&, const PlanParams&);

}  // namespace seqpoint::select
