/// \file
/// Measurements: steps of a profiler, the iterations they belong to, kinds of work, and measurements of the
/// points.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enum_names.hpp"
#include "core/regular_expression.hpp"
#include "core/select/select.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::profile {

// --- The meaning of a column's numbers, from the column's name.

/// The role of a column's numbers, which decides how they may be projected.
enum class MetricRole {
  cost,     ///< cost of an iteration: adds up over a run
  rate,     ///< an average over the iteration's time
  maximum,  ///< memory in use: a run needs as much as its largest iteration
  no_cost,  ///< a property of the training or the machine: a loss, a learning rate, a temperature
  unknown
};

/// The role that a column's name implies, by its words, which are separated by anything but letters and digits, in any
/// case: docs/profiles.md has the list. Times (trace::is_time_metric()) are costs. If words imply several roles, the
/// first of no_cost, rate, maximum and cost counts.
MetricRole role_of_column(std::string_view name);

// --- Stage 5: a profiler's recording, step by step. Times are whole nanoseconds, from the file's text to the sums.

/// The definition of a step's time. The kinds can differ by a multiple (a host range ends when the CPU has issued its
/// work, not when the GPU has done it), so a projection uses one kind only.
enum class TimeKind {
  host,      ///< the step on the CPU that issued it
  gpu_busy,  ///< union of its device operations' intervals, over all streams and devices of the file
  gpu_sum,   ///< sum of their durations
  gpu_span   ///< from the first's start to the last's end
};
/// All kinds of time with their words, in the order in which they are preferred.
inline constexpr std::array<Word<TimeKind>, 4> kTimeKinds{{{"host", TimeKind::host},
                                                           {"gpu-busy", TimeKind::gpu_busy},
                                                           {"gpu-sum", TimeKind::gpu_sum},
                                                           {"gpu-span", TimeKind::gpu_span}}};
/// The word of a kind of time.
inline std::string_view name_of(TimeKind kind) { return name_in(kTimeKinds, kind); }

/// The point or iteration that a step measures, as far as known.
struct StepIdentity {
  std::string point;                         ///< a point's id; empty: not given
  trace::PartialShape key;                   ///< the known parts of its shape
  std::optional<std::uint64_t> iteration{};  ///< iteration of the run, not the profiler's own step number
  std::optional<std::uint64_t> phase{};      ///< phase of the run, from 0

  /// The length by which points of a run of that kind are found; nothing: not known.
  const std::optional<std::uint64_t>& length(trace::ShapeKind kind) const { return key[trace::length_dimension(kind)]; }
  /// Whether it lacks everything by which a point can be found.
  bool empty() const { return point.empty() && !key.src_len && !key.tokens && !iteration; }
  friend bool operator==(const StepIdentity&, const StepIdentity&) = default;  ///< member by member
};

/// An operator or kernel within a step: all calls of one name.
struct Operation {
  std::string name;                                                      ///< as in the profile
  std::uint64_t count = 0;                                               ///< calls
  std::int64_t ns = 0;                                                   ///< nanoseconds of all calls together
  friend bool operator==(const Operation&, const Operation&) = default;  ///< member by member
};

/// The row of operators that contains the time outside of all operators, so that the rows add up to the step.
inline constexpr std::string_view kOutsideOperators = "(outside operators)";

/// One profiler step. Times are nanoseconds; a kind of time that the profile lacks is nothing.
struct ProfiledStep {
  std::string key;                  ///< as the profile names it: "ProfilerStep#5", a range, a benchmark
  std::vector<std::string> labels;  ///< names of ranges inside it, in order of time: they may identify the iteration
  StepIdentity identity;            ///< from the profile's own fields, not from names
  std::uint64_t line = 0;           ///< 1-based; 0 if the format has no lines

  std::optional<std::int64_t> host_ns,   ///< TimeKind::host
      gpu_busy_ns,                       ///< TimeKind::gpu_busy
      gpu_sum_ns,                        ///< TimeKind::gpu_sum
      gpu_span_ns;                       ///< TimeKind::gpu_span
  std::optional<std::uint64_t> gpu_ops;  ///< kernels, copies, memsets that the step launched
  /// Device operations that ran during the step, with no launch in the file; not in gpu_ops or gpu_*_ns.
  std::uint64_t weak_gpu_ops = 0;
  std::int64_t weak_gpu_sum_ns = 0;  ///< sum of their durations
  std::uint64_t repeats = 1;         ///< executions whose mean or median a time is
  bool warmup = false;               ///< not a measurement: set by mark_warmup(), or by the profile
  bool stub = false;  ///< the beginning of a step that was cut off by the end of profiling: not a measurement

  std::vector<double> values;  ///< one per StepProfile::metrics; only of a table
  /// Operators with their self time on the host, most first; they add up to host_ns. Empty if not recorded.
  std::vector<Operation> operators;
  /// Device operations, most first; they add up to gpu_sum_ns. Empty if not recorded.
  std::vector<Operation> kernels;

  /// The time of that kind in nanoseconds; nothing: the profile lacks it.
  std::optional<std::int64_t> time(TimeKind kind) const;
};

/// The content of one profile file, from any profiler.
struct StepProfile {
  std::string source,                      ///< path of the file, for errors
      format;                              ///< name of the reader
  std::vector<ProfiledStep> steps;         ///< in execution order, including stubs and warm-up
  std::vector<std::string> metrics;        ///< other columns than times, of a table; a profiler's file has none
  std::uint64_t unattributed_gpu_ops = 0;  ///< number of operations that belong to no step, not even weakly
  std::optional<std::uint64_t> rank;       ///< rank of the process in a distributed run, if the file names it
  std::vector<std::pair<std::string, std::int64_t>> facts;  ///< other counts, by name
  std::vector<std::string> notes;                           ///< notes for the user
  std::vector<Finding> findings;                            ///< about processes of the file that ran at the same time

  /// Whether any step has a time of that kind above zero.
  bool has(TimeKind kind) const;
  /// The first kind that the profile has, in the order of TimeKind; nothing if it has counters only.
  std::optional<TimeKind> first_kind() const;
};

/// Sets ProfiledStep::stub of every step: true if the profiler stopped inside it. Such a step has no device work and
/// less than 5 % of the median host time. In a file without device work only the last of several steps can be a stub.
void mark_stubs(StepProfile& profile);

/// Merges profiles of several ranks of one run: steps whose names give the same iteration, or are equal, become one
/// step with the time of the slowest rank (for each kind of time separately). If names give no iteration and differ,
/// because each rank has lengths of its own, profiles with equal numbers of steps are matched in their order. Name,
/// labels and operations come from the rank with the longest host time. `profiles` then has one element. If some
/// profile has no rank, or all have the same rank, nothing changes and no note is returned. Returns notes for the user.
/// Adds a finding if several steps are missing on some rank: the rest of a slow rank that ended early looks fast. A
/// single one may be a step that the ranks had not finished when the job ended: a note reports it.
std::vector<std::string> merge_ranks(std::vector<StepProfile>& profiles, std::vector<Finding>& found);

/// Sets ProfiledStep::warmup of the first `count` steps that are not stubs.
void mark_warmup(StepProfile& profile, std::uint64_t count);

// --- The point or iteration of a profiler step: by its name, a pattern or the user's table.

/// Sets the field of that name: `point`, `src_len`, `tgt_len`, `batch_size`, `tokens`, `sq_tokens`, `iteration`, or an
/// alias that trace::canonical_field() accepts. False for any other name, and for a value that is not a whole number if
/// the field requires one, or too large for it.
bool set_field(StepIdentity& identity, std::string_view field, std::string_view value);
/// Whether set_field() accepts a field of that name.
bool is_identity_field(std::string_view field);

/// The identity that a name gives: `seqlen=42`, `src_len 213, tgt_len 198`, `iter:17`, `batch_size=64`, `tokens=900
/// sq_tokens=81000`, or a point's id as a word or between underscores (`sp3`, `V1_SP3`). A profiler's own step
/// number is not used. Empty if a field has two different values, or
/// for a name of more than 4096 bytes.
StepIdentity identity_in_name(std::string_view name);
/// The name without its numbers, equal for ranges of one loop: `iter:3` and `iter:4` match, `newton iter 4` does not.
std::string without_digits(std::string_view name);

/// A regular expression of RE2 whose groups are named after the fields: `SL(?<seqlen>\d+)`.
class NamePattern {
 public:
  /// Throws ParameterError if the text is not an expression, has no named group, or names a group that is not a field.
  explicit NamePattern(const std::string& expression);

  /// The fields in the groups of the first match, anywhere in the name; empty if it does not match. Throws
  /// ParameterError if a group's text is not a value of its field.
  StepIdentity identity(std::string_view name) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

/// The user's table of steps, by name or by position.
struct StepMap {
  std::string source;                                       ///< path of the file, for errors
  std::map<std::string, StepIdentity, std::less<>> by_key;  ///< by the step's name in the profile
  /// By the position among the measured steps of a configuration, from 0; an empty identity: warm-up.
  std::map<std::uint64_t, StepIdentity> by_index;
  /// Digests of the selections that rows name, each with its first line; empty: they name none.
  std::vector<std::pair<std::string, std::uint64_t>> selections{};
};

/// How steps are identified. The user's table and pattern take precedence over names. Empty: by names alone.
struct NameRules {
  std::optional<NamePattern> pattern;  ///< `--match`
  std::optional<StepMap> map;          ///< `--map`

  /// The identity of a step: from the table by the step's name; else from the step's own fields, then its name, then
  /// its labels. With a pattern, own fields are ignored, and names and labels are read by the pattern alone. Empty if
  /// no source gives one, or if labels that differ in digits only give different ones. Throws ParameterError as
  /// NamePattern::identity().
  StepIdentity identity(const ProfiledStep& step) const;
  /// Whether a range of that name can be a step: by the table, else by the pattern or, without one, by a name that
  /// gives an identity or is that of a step of a language-model server. Throws as identity().
  bool names_step(std::string_view name) const;
};

// --- The kind of work of an operation, by its name.

/// Categories of operations by their names: regular expressions of RE2 (case-insensitive); the first match decides.
class Categories {
 public:
  /// The built-in categories: GEMM, attention, convolution, recurrent, normalisation, element-wise, reduction,
  /// optimiser, communication, copy; everything else is `other`.
  Categories();
  /// A category and the expression of its operations.
  struct Rule {
    std::string category,    ///< name in a break-down
        expression;          ///< expression of RE2, without anchors
    std::uint64_t line = 0;  ///< line in the file, 1-based, for errors; 0: not from a file
  };
  /// Rules in their order; an operation that matches none is `other`. Throws InputError, at the rule's line of
  /// `source`, for an invalid expression.
  Categories(std::span<const Rule> rules, const std::string& source);

  /// The category of an operation or kernel of that name; `other` for kOutsideOperators. Only the first 512 characters
  /// are matched. Owned by this object. Not for several threads at once: results are cached.
  const std::string& category_of(std::string_view operation) const;

 private:
  /// Each category with its expression.
  std::vector<std::pair<std::string, std::shared_ptr<const re2::RE2>>> rules_;
  mutable std::map<std::string, std::string, std::less<>> known_;  ///< cache: a trace has few names, each many times
};

// --- Stage 5: measurements, and the SeqPoint of each.

/// Where and when a row was measured, from its columns; empty: not given.
struct Origin {
  std::string host,                                                 ///< name of the machine
      device,                                                       ///< the accelerator
      config;                                                       ///< the job's name of its configuration
  std::optional<std::uint64_t> rank;                                ///< rank of the process in a distributed run
  std::size_t process = 0;                                          ///< number within the file, from 0, or
                                                                    ///< number_of_process()
  friend auto operator<=>(const Origin&, const Origin&) = default;  ///< member by member
};

/// What a row measures, without its iteration: a table has millions of rows, but few shapes.
struct RowSubject {
  std::string point;                                                        ///< a point's id; empty: not given
  trace::PartialShape key{};                                                ///< the known parts of its shape
  std::optional<std::uint64_t> phase{};                                     ///< phase of the run, from 0
  std::string name{};                                                       ///< name of a profiler's step; empty: a
                                                                            ///< row of a table
  friend auto operator<=>(const RowSubject&, const RowSubject&) = default;  ///< member by member
};

/// As std::optional<std::uint64_t>, in half of its memory, for tables with millions of rows. The largest number of the
/// type stands for nothing.
class OptionalNumber {
 public:
  OptionalNumber() = default;                                   ///< nothing
  OptionalNumber(std::uint64_t number) : number_(number) {}     ///< a number
  OptionalNumber(const std::optional<std::uint64_t>& number) {  ///< the same, or nothing
    if (number) number_ = *number;
  }

  bool has_value() const { return number_ != kNothing; }  ///< whether it is a number
  explicit operator bool() const { return has_value(); }  ///< the same
  std::uint64_t operator*() const { return number_; }     ///< the number; it must have one
  /// The number, or `other`.
  std::uint64_t value_or(std::uint64_t other) const { return has_value() ? number_ : other; }
  void reset() { number_ = kNothing; }  ///< makes it nothing
  /// The same number, or nothing.
  operator std::optional<std::uint64_t>() const {
    return has_value() ? std::optional<std::uint64_t>(number_) : std::nullopt;
  }

  friend bool operator==(const OptionalNumber& a, std::nullopt_t) { return !a.has_value(); }  ///< whether it is nothing
  friend bool operator==(const OptionalNumber&, const OptionalNumber&) = default;  ///< nothing equals nothing

 private:
  static constexpr std::uint64_t kNothing = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t number_ = kNothing;
};

/// One measured iteration of a profile. The table has what rows share, and their values.
struct ProfileRow {
  OptionalNumber iteration{};    ///< iteration of the run
  std::uint32_t line = 0;        ///< 1-based; 0: the format has no lines
  std::uint32_t executions = 1;  ///< executions whose mean its values are, >= 1; with `first` the mean includes the
                                 ///< first execution
  std::uint32_t subject = 0;     ///< position in ProfileTable::subjects
  std::uint32_t origin = 0;      ///< position in ProfileTable::origins
  std::uint32_t place = 0;       ///< position in each column of ProfileTable::values
  bool warmup = false;           ///< marked by the profile
  bool first = false;            ///< for a warm-up row: a point's, and the first execution of its shape in the process
};

/// The content of one profile file as rows that can be matched to points.
struct ProfileTable {
  /// How rows are matched. per_row: each row by the fields it has, possibly none.
  enum class Key { point, shape, iteration, per_row };

  std::string source;                     ///< path of the file, for errors
  Key key = Key::shape;                   ///< how its rows are matched
  std::set<trace::Dimension> dimensions;  ///< dimensions by which its rows are matched, if they have a shape
  bool has_iteration = false;             ///< whether its rows name their iteration
  std::vector<std::string> metrics;       ///< names of the measured columns; a unit is part of the name
  std::vector<MetricRole> roles;          ///< roles of each of the metrics; empty: all are costs
  std::deque<ProfileRow> rows;            ///< in the order of the file; a vector would copy them as it grows
  std::vector<RowSubject> subjects{};     ///< what rows measure
  std::vector<Origin> origins = std::vector<Origin>(1);  ///< where and when rows were measured
  std::vector<std::string> recorders{};                  ///< texts of the column recorded_by, each once
  std::vector<std::vector<double>> values{};             ///< by metric and ProfileRow::place; NaN: not measured
  /// By ProfileRow::place, share of the step during which an accelerator worked; NaN: not known. Empty: of no row.
  std::vector<double> device_busy{};
  std::vector<double>
      gpu_clock_mhz{};  ///< by ProfileRow::place, at the end of the row; NaN: not known. Empty: of no row
  std::vector<std::uint32_t> step_of_place{};  ///< by ProfileRow::place, position in StepProfile::steps; empty: the
                                               ///< rows are of no steps
  std::uint64_t stubs = 0;                     ///< steps that the end of profiling cut off; they have no row
  /// Digests of the selections that rows name, each with its first line; empty: they name none.
  std::vector<std::pair<std::string, std::uint64_t>> selections{};
  /// Numbers of iterations that rows say the run has (column run_iterations), each with its first line.
  std::vector<std::pair<std::string, std::uint64_t>> run_iterations{};

  /// The role of the metric at that position.
  MetricRole role(std::size_t metric) const { return roles.empty() ? MetricRole::cost : roles[metric]; }
  /// The position of the metric of that name; nothing: there is none.
  std::optional<std::size_t> find(std::string_view metric) const;
  /// What a row of this table measures.
  const RowSubject& subject(const ProfileRow& row) const { return subjects[row.subject]; }
  /// Where and when a row of this table was measured.
  const Origin& origin(const ProfileRow& row) const { return origins[row.origin]; }
  /// The value of a row of this table; NaN: not measured.
  double value(const ProfileRow& row, std::size_t metric) const { return values[metric][row.place]; }
  /// The point or iteration of a row of this table.
  StepIdentity identity(const ProfileRow& row) const;
  /// Gives a row of this table a subject of its own: replaces its point, shape, phase and iteration, and keeps its
  /// name.
  void identify(ProfileRow& row, const StepIdentity&);
  /// Adds a row with a subject of its own, and returns it: valid until the next one is added. `row_values`: one per
  /// metric.
  ProfileRow& add(RowSubject subject, const std::vector<double>& row_values);
};

/// The description of a row: its name or, in a table, its key ("src_len 213, batch_size 64").
std::string name_of(const ProfileTable& table, const ProfileRow& row);

/// The first execution of a point's shape in a process: not a measurement, but shows the cold-start cost.
struct FirstExecution {
  std::size_t metric = 0,        ///< position in Measurements::metrics
      point = 0,                 ///< position in the points of the selection
      process = 0;               ///< position in Measurements::process_names; 0 if processes are not known
  double value = 0;              ///< in the metric's own unit
  std::uint64_t executions = 1;  ///< executions whose mean the value is, one of them the first
};

/// Consecutive batches that a process ran after its points, beside what these predict for them: `runtime_s`.
struct StretchEvidence {
  std::size_t process = 0;       ///< position in Measurements::process_names
  double log_ratio = 0;          ///< ln(took / predicted)
  double noise = 0, misfit = 0;  ///< variances of that at scales of 1 (docs/method.md), without levels of processes
  double other = 0;              ///< not scaled
};

/// A measurement of a metric at a point. Implicitly made from a number alone.
struct Reading {
  double value;              ///< in the metric's own unit
  OptionalNumber iteration;  ///< run iteration that was measured; nothing: not known
  std::size_t process;       ///< process that measured it, a position in Measurements::process_names

  /// By default the process is the first, and the iteration not known.
  Reading(double measured, std::optional<std::uint64_t> at = {}, std::size_t in = 0)
      : value(measured), iteration(at), process(in) {}
  friend bool operator==(const Reading&, const Reading&) = default;  ///< member by member
};

/// The values alone, in their order.
std::vector<double> values_of(std::span<const Reading> readings);

/// The measurements of one configuration by point: the input of project::project(). `readings[m][p]` are the repeats of
/// metric m at point p. They may be built by hand; only `metrics` and `readings` are required, which fit each other and
/// the points. Values are within trace::is_measurable().
struct Measurements {
  std::vector<std::string> metrics;                         ///< `runtime_s` is the time of an iteration in seconds
  std::vector<MetricRole> roles{};                          ///< roles of each; empty: all are costs
  std::vector<std::vector<std::vector<Reading>>> readings;  ///< by metric, point, repeat; empty if not measured
  /// A file, or a file and the line at which another process begins. Empty: a process without a name.
  std::vector<std::string> process_names{};
  /// Files whose rows name no process, or by a number, which counts within the file: no other file is of the process.
  std::uint64_t files_as_processes = 0;
  std::uint64_t rows = 0;          ///< number read, without warm-up
  std::uint64_t matched_rows = 0;  ///< rows of these that belong to a point
  std::uint64_t warmup_rows = 0;   ///< rows left out
  std::uint64_t first_rows = 0;    ///< warm-up rows that are first executions of points' shapes
  std::uint64_t executions = 0,    ///< executions of all rows, including warm-up
      warmup_executions = 0;       ///< executions of the rows left out
  std::uint64_t stubs = 0;         ///< left out
  /// Padded tokens of all rows, including warm-up; without padding: tokens. Nothing: some lengths are not known.
  std::optional<std::uint64_t> padded_tokens{};
  /// By point, the source of its values: positions of the file and of the row in it.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> source_rows{};
  std::vector<FirstExecution> first_executions{};  ///< first executions of points, in the order of their rows
  std::vector<StretchEvidence> stretches{};        ///< of processes that ran one
  bool denies_cold_start = false;                  ///< whether stretches show no cost of first executions
  std::optional<double> device_busy{};             ///< mean of ProfileTable::device_busy; nothing: no row has it
  /// By metric, its total over the whole run in each process (the mean of its files), if every file has every iteration
  /// of the run once, in one process; else empty, also for a metric that some row lacks.
  std::vector<std::vector<double>> run_totals{};
  std::vector<std::string> unmatched{};  ///< the first few rows that belong to no point, as `file:line (key)`
};

/// The measurements of one of the processes; counts of rows and executions are those of all. `process`: a position in
/// Measurements::process_names.
Measurements of_process(Measurements, std::size_t process);

/// The profiles of one configuration as tables that can be matched.
struct StepTables {
  std::vector<ProfileTable> tables;  ///< one per profile
  std::vector<std::string> notes;    ///< notes on assumptions
};

/// Turns profiler steps into rows: the time of that kind becomes `runtime_s`, in seconds; `time`: nothing: no time.
/// Stubs get no row. `rules` identify a step. If names alone identify no step at all, no profile is a log, and the
/// number of measured steps (without warm-up and the first `warmup` rows of a file) is a multiple of the points, steps
/// are assigned in the order of the points, each point's repeats together, and a note reports it.
///
/// Throws ParameterError as NameRules::identity(), and InputError if a map and a step's name contradict each other, and
/// for a log that times no iteration by itself, if there is neither a pattern nor a map.
StepTables tables_of(std::span<const StepProfile> profiles, const select::Selection& selection, const NameRules& rules,
                     std::optional<TimeKind> time, std::uint64_t warmup = 0);

/// Applies a map's positions (by_index) to the rows of tables, as tables_of() does for steps. Rows are numbered through
/// all files, without warm-up and the first `warmup` of each. Rows keep their lengths, which are compared with the
/// point's, but not their own iteration numbers. Returns notes. Throws InputError if the map and a row name different
/// points.
std::vector<std::string> identify_by_place(std::vector<ProfileTable>& tables, const StepMap&, const trace::RunSummary&,
                                           std::uint64_t warmup = 0);

/// Merges tables of several ranks of one job, if all rows name their rank: rows of one measurement (the n-th of a point
/// on each rank) become one with the slowest rank's times, the largest of other values that do not add up, and the sum
/// of the rest. If all rows are of one rank, or some name no rank, the tables are unchanged, and a note reports it.
/// Returns notes for the user, and adds findings, as for profiles. Tables without rows are removed.
std::vector<std::string> merge_ranks(std::vector<ProfileTable>& tables, std::vector<Finding>& found);

/// The one kind of time for a projection of all these profiles: `asked`, else the first kind of each profile that has
/// any. Throws a ParameterError that lists the common kinds if the profiles differ, or if one of them lacks `asked`.
/// Nothing if none has a time.
std::optional<TimeKind> common_time_kind(std::span<const StepProfile> profiles, std::optional<TimeKind> asked);

/// Matches the rows of one configuration's profiles to points: by point id, by shape or by iteration, according to each
/// file's key. A row without the length dimension of the run's shapes is matched by its iteration. In a run with
/// phases, a row with an iteration belongs to the phase of that iteration. A row that matches several points counts for
/// each. The first `warmup` rows of every file, and rows marked as warm-up, are left out. Throws InputError if a file
/// has no step, if it lacks a column that distinguishes two points, if a row contradicts itself or the points or has a
/// number that cannot be a measurement (trace::is_measurable()), if all rows are marked as warm-up, and if no
/// row matches any point. Throws ParameterError if `warmup` leaves nothing. There is at least one file. `whole_runs`:
/// files that number all their rows are whole runs of the job, maybe with other batches than the selection's.
Measurements match(std::span<const ProfileTable> files, const select::Selection& selection, std::uint64_t warmup = 0,
                   bool whole_runs = false);

}  // namespace seqpoint::profile
