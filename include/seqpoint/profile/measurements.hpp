/// \file
/// Stage 5: measurements, and which of them belong to which SeqPoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/profile/metric_role.hpp"
#include "seqpoint/profile/step_names.hpp"
#include "seqpoint/select/selection.hpp"

namespace seqpoint::profile {

/// Where and when a row was measured, as its columns say; empty: they do not.
struct Origin {
  std::string host,                                                 ///< name of the machine
      device,                                                       ///< the accelerator
      config;                                                       ///< what the job calls its configuration
  std::optional<std::uint64_t> rank;                                ///< of the process in a distributed run
  std::size_t session = 0;                                          ///< of the file, from 0, or number_of_process()
  friend auto operator<=>(const Origin&, const Origin&) = default;  ///< member by member
};

/// One measured iteration of a profile.
struct ProfileRow {
  StepIdentity identity;       ///< as its columns or the step's name say
  std::vector<double> values;  ///< one per metric; NaN: not measured
  std::uint64_t line = 0;      ///< 1-based; 0: the format has no lines
  std::string name;            ///< of a profiler's step; empty: a row of a table
  std::size_t step_index = 0;  ///< its place in StepProfile::steps
  bool warmup = false;         ///< said so by the profile
  bool first = false;          ///< of warm-up: a point's, and the first execution of its shape in the process
  Origin origin{};             ///< where and when it was measured
};

/// A profile as it stands in one file: rows that can be matched to points.
struct ProfileTable {
  /// What rows are matched by. per_row: each row by what is known of it, which may be nothing.
  enum class Key { point, signature, iteration, per_row };

  std::string source;                     ///< its file, for errors
  Key key = Key::signature;               ///< what its rows are matched by
  std::set<trace::Dimension> dimensions;  ///< that its rows are matched by, where these have a signature
  bool has_iteration = false;             ///< whether its rows say their iteration
  std::vector<std::string> metrics;       ///< names of the measured columns; a unit is part of the name
  std::vector<MetricRole> roles;          ///< of each of the metrics; empty: all are costs
  std::vector<ProfileRow> rows;           ///< in the order of the file
  std::uint64_t stubs = 0;                ///< steps that the end of profiling cut off; they have no row
  /// Digests of the selections that rows say they are of, each with the first line that does; empty: they do not say.
  std::vector<std::pair<std::string, std::uint64_t>> selections{};

  /// The role of the metric at that position.
  MetricRole role(std::size_t metric) const { return roles.empty() ? MetricRole::cost : roles[metric]; }
};

/// What a row is called: its name or, in a table, its key ("src_len 213, batch_size 64").
std::string name_of(const ProfileTable& table, const ProfileRow& row);

/// The first execution of a point's shape in a process: no measurement, but what shapes cost when they are new shows.
struct FirstExecution {
  std::size_t metric = 0,  ///< position in Measurements::metrics
      point = 0,           ///< position in the points of the selection
      session = 0;         ///< position in Measurements::session_names; 0 where sessions are not known
  double value = 0;        ///< in the metric's own unit
};

/// The measurements of one configuration by point: what project::project() takes. `values[m][p]` holds the repeats of
/// metric m at point p, in the metric's own unit. Values may be put together by hand; only `metrics` and `values` have
/// to be there. Measurements are finite, and within trace::is_measurable(). Functions that take them throw
/// std::invalid_argument, with the member that is to blame, where lengths do not fit each other or the points.
struct Measurements {
  std::vector<std::string> metrics;                      ///< `runtime_s` is the time of an iteration in seconds
  std::vector<MetricRole> roles{};                       ///< of each; empty: all are costs
  std::vector<std::vector<std::vector<double>>> values;  ///< by metric, point, repeat; empty where not measured
  /// For each of `values`, the run's iteration that it was measured at; nothing: not known. Empty: none is known.
  std::vector<std::vector<std::vector<std::optional<std::uint64_t>>>> iterations{};
  /// For each of `values`, the session that it was measured in, a position in `session_names`. Empty: all in one.
  std::vector<std::vector<std::vector<std::size_t>>> sessions{};
  std::vector<std::string> session_names{};  ///< a file, or a file and the line where another session begins in it
  std::uint64_t rows = 0;                    ///< read, without warm-up
  std::uint64_t matched_rows = 0;            ///< of these, those that belong to a point
  std::uint64_t warmup_rows = 0;             ///< left out
  std::uint64_t first_rows = 0;              ///< of these, first executions of points' shapes
  std::uint64_t stubs = 0;                   ///< left out
  /// Padded tokens of all rows, warm-up too; without padding: tokens. Nothing: the lengths of some are not known.
  std::optional<std::uint64_t> padded_tokens{};
  /// By point, the rows that its values are from: positions of the file and of the row in it.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> source_rows{};
  std::vector<FirstExecution> first_executions{};  ///< of points, in the order of their rows
  std::vector<std::string> unmatched{};            ///< the first few rows that belong to no point, as `file:line (key)`
};

/// The profiles of one configuration as tables that can be matched.
struct StepTables {
  std::vector<ProfileTable> tables;  ///< one per profile
  std::vector<std::string> notes;    ///< what was assumed
};

/// Turns profiler steps into rows: the time of that kind becomes `runtime_s`, in seconds, and every metric of the
/// profile follows; `time`: nothing: no time. A step is identified by `rules`. Where these identify no step at all, and
/// the number of measured steps (neither stubs nor the first `warmup` of a file) is a multiple of the points, steps are
/// taken in the order of the points, each point's repeats together, and a note says so.
///
/// Throws ParameterError as NameRules::identity(), and InputError where a map and a step's name contradict each other.
StepTables tables_of(std::span<const StepProfile> profiles, const select::Selection& selection, const NameRules& rules,
                     std::optional<TimeKind> time, std::uint64_t warmup = 0);

/// Gives the rows of tables, of all files one after the other, what a map says of their places, as tables_of() does
/// with steps: their lengths stay, so that they are compared with the point's, their own numbers of iterations do not.
/// Returns notes. Throws InputError where the map and a row contradict each other.
std::vector<std::string> identify_by_place(std::vector<ProfileTable>& tables, const StepMap&, const trace::RunSummary&,
                                           std::uint64_t warmup = 0);

/// Merges tables of several ranks of one job, whose rows all name their rank: rows of one measurement (the n-th of a
/// point of each rank) become one with the slowest rank's times, the largest of what does not add up, and the sum of
/// all else. Tables of a single rank, or of different columns, stay as they are. Returns notes for the user.
std::vector<std::string> merge_ranks(std::vector<ProfileTable>& tables);

/// The one kind of time for a projection of all these profiles: `asked`, else the first kind of each profile that has
/// any. Throws ParameterError, naming the kinds that all of them have, where the profiles differ or lack `asked`.
/// Nothing where none has a time.
std::optional<TimeKind> common_time_kind(std::span<const StepProfile> profiles, std::optional<TimeKind> asked);

/// Matches the rows of one configuration's profiles to points: by point id, by signature or by iteration, according to
/// each file's key. A row without the length that the run's signatures have is matched by its iteration. In a run with
/// phases, a row with an iteration belongs to the phase of that iteration. The first `warmup` rows of every file are
/// left out. Throws InputError where a file holds no step, where it lacks a signature column that distinguishes two
/// points, where a row contradicts itself or the points or has a number that cannot be a measurement
/// (seqpoint/trace/measured_value.hpp), and where no row matches any point. Throws ParameterError where `warmup` leaves
/// nothing, and std::invalid_argument for no file, and for rows that lack a value of a metric.
Measurements match(std::span<const ProfileTable> files, const select::Selection& selection, std::uint64_t warmup = 0);

}  // namespace seqpoint::profile
