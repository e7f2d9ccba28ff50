/// \file
/// Stage 5: measurements, and which of them belong to which SeqPoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/profile/step_names.hpp"
#include "seqpoint/select/selection.hpp"

namespace seqpoint::profile {

/// One measured iteration of a profile.
struct ProfileRow {
  std::string point;  ///< used where the profile has a point column
  std::optional<std::uint32_t> src_len, tgt_len, batch_size;
  std::optional<std::uint64_t> tokens{}, sq_tokens{};  ///< what points of a run without padding go by
  std::optional<std::uint64_t> iteration;
  std::vector<double> values;  ///< one a metric; NaN: not measured
  std::uint64_t line = 0;
  std::string name;            ///< of a profiler's step; empty: a row of a table
  std::size_t step_index = 0;  ///< its place in StepProfile::steps
  bool warmup = false;         ///< said so by the profile
};

/// A profile as it stands in one file.
struct ProfileTable {
  enum class Key { point, signature, iteration, own };  ///< own: each row has what is known of it, which may be nothing

  std::string source;
  Key key = Key::signature;
  bool has_tgt_len = false, has_batch_size = false, has_sq_tokens = false, has_iteration = false;
  std::vector<std::string> metrics;
  std::vector<ProfileRow> rows;
  std::uint64_t stubs = 0;  ///< steps that the end of profiling cut off: no rows
};

/// What a row is called: its name or, in a table, its key ("src_len 213, batch_size 64").
std::string name_of(const ProfileTable& table, const ProfileRow& row);

/// The measurements of one configuration, sorted to the points. `values[m][p]` holds the repeats of metric m at point
/// p.
struct Measurements {
  std::vector<std::string> metrics;
  std::vector<std::vector<std::vector<double>>> values;
  /// Of each of `values`, the run's iteration that it was measured at; nothing where the profile does not say. Empty:
  /// it never does.
  std::vector<std::vector<std::vector<std::optional<std::uint64_t>>>> iterations{};
  std::uint64_t rows = 0;  ///< read, warm-up left out
  std::uint64_t matched_rows = 0;
  std::uint64_t warmup_rows = 0;  ///< left out
  std::uint64_t stubs = 0;        ///< left out
  /// By point, which rows its values are from: file and row.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> source_rows{};
  std::vector<std::string> unmatched{};  ///< the first few rows that belong to no point, as `file:line (key)`
};

/// The profiles of one configuration as tables to be matched.
struct StepTables {
  std::vector<ProfileTable> tables;  ///< one a profile
  std::vector<std::string> notes;    ///< what was assumed
};

/// Turns steps into rows: the time of that kind becomes `runtime_s`, and every metric of the profile follows. A step
/// goes by what `rules` know of it. Where they know nothing of any step, and the measured steps (neither stubs nor the
/// first `warmup` of a file) are as many as the points or a multiple, they are taken in the order of the points, each
/// point's repeats together, and that is noted.
StepTables tables_of(std::span<const StepProfile> profiles, const select::Selection& selection, const NameRules& rules,
                     std::optional<TimeKind> time, std::uint64_t warmup = 0);

/// The kind of time that a projection of all these is of: `asked`, else the first kind of each profile that has any.
/// Throws UsageError, with the kinds that all of them have, where they differ or lack what was asked for. Nothing where
/// none has a time.
std::optional<TimeKind> common_time_kind(std::span<const StepProfile> profiles, std::optional<TimeKind> asked);

/// Sorts the rows of one configuration's profiles to the points: by point id, by signature, or by iteration, as each
/// file's key says. Of a run without padding the signature is tokens and sq_tokens; a row that lacks its run's
/// signature goes by its iteration. Of a run that is cut into phases, a row with an iteration belongs to the phase that
/// holds it. The first `warmup` rows of every file are left out. Throws InputError where a file lacks a signature
/// column that it takes to tell two points apart, and where no row matches any point.
Measurements match(std::span<const ProfileTable> files, const select::Selection& selection, std::uint64_t warmup = 0);

}  // namespace seqpoint::profile
