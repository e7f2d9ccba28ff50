/// \file
/// Profilers' outputs: the formats, their recognition, and reading steps.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/optional_number.hpp"
#include "core/profile/measure.hpp"
#include "io/manifests/dataset.hpp"
#include "io/profiles/log_pattern.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::profiles {

/// The input of a reader in addition to the file.
struct ProfileReadOptions {
  const profile::NameRules* rules = nullptr;  ///< which ranges are steps; null: by names alone
  const stream::Files* files = nullptr;       ///< access to a profile's companion files; null: the disk
  const LogPattern* log = nullptr;            ///< the meaning of a log's lines; null: the file is not a log
  std::optional<std::uint64_t> per = {};      ///< number of steps whose mean a line of a log is; nothing: not given
};

/// The data by which a format is recognised. Views are into the input.
struct ProfileProbe {
  std::string_view path,                     ///< as the user typed it
      head;                                  ///< the first bytes, decompressed; at most 64 KiB
  std::span<const std::string> tables = {};  ///< for an SQLite database: the names of its tables

  /// Whether the database has a table of that name.
  bool has_table(std::string_view name) const;
};

class ProfileInput;  // src/io/profiles/profile_input.hpp

/// One format: a row of the table. Texts and functions live as long as the program.
struct ProfileReader {
  std::string_view name;                    ///< the value of `--format`
  std::string_view summary;                 ///< one line
  std::string_view example;                 ///< its first lines, or the command that makes it
  bool (*recognises)(const ProfileProbe&);  ///< cheap; uses nothing but the probe
  /// Reads the steps of an input; null for the table of measurements, which has no steps of its own. Called by
  /// read_step_profile().
  profile::StepProfile (*read)(ProfileInput&);
};

/// Every format, in the order of recognition: narrowest first.
std::span<const ProfileReader> profile_readers();

/// The reader of that name. Throws a UsageError that lists all formats.
const ProfileReader& find_profile_reader(std::string_view format);

/// The number of steps that a log states.
struct StatedSteps {
  std::uint64_t steps = 0;   ///< the number as written
  bool may_be_last = false;  ///< steps are counted from 0, so it may be the number of the last
  bool of_epoch = false;     ///< number in an epoch, not in the run
  std::uint64_t line = 0;    ///< line of the log, 1-based
};

/// A step of a described log, of which there may be millions.
struct LogStep {
  std::int64_t ns = 0;                ///< as ProfiledStep::host_ns
  std::uint64_t last = 0;             ///< as IterationSpan::last
  std::uint32_t count = 1;            ///< number of iterations up to the last one
  std::uint32_t repeats = 1;          ///< as ProfiledStep::repeats
  std::uint32_t line = 0;             ///< line of the log, 1-based
  OptionalLength tokens{}, seqlen{};  ///< if the log has them; with is_one they are those of the iteration
  bool is_one = false;                ///< the time is of one iteration alone
  bool warmup = false;                ///< as ProfiledStep::warmup

  /// The iterations that it covers, or what else the log numbers.
  profile::IterationSpan iterations() const { return {last + 1 - count, last}; }
};

/// What a described log has in addition to the profile's notes and facts.
struct LogReport {
  std::deque<LogStep> steps;            ///< instead of StepProfile::steps
  std::vector<std::string> remarks;     ///< how it was read
  std::vector<Finding> findings;        ///< findings that make its times doubtful
  std::optional<StatedSteps> stated{};  ///< if the log states it
  bool of_clock = false;                ///< its times are differences of a clock
};

/// Throws InputError, with both numbers, if a log states another number of steps than the run has: `steps` in all its
/// `epochs`. Nothing if the log states none. `source`: name of the log; `run`: name of the run.
void require_stated_steps(const LogReport&, const std::string& source, std::uint64_t steps, std::uint64_t epochs,
                          const std::string& run);

/// A profile as read.
struct StepProfileFile {
  profile::StepProfile profile;                ///< for a CSV of measurements without steps
  std::optional<profile::ProfileTable> table;  ///< for a CSV of measurements
  manifests::InputRecord record;               ///< record of the file
  LogReport log{};                             ///< empty unless it is a described log
};

/// Reads a profile: with `options.log` as a described log, else in the format of that name; empty: guessed from the
/// content. Throws UsageError for an unknown name, for another name than "log" beside `options.log`, and for "log"
/// without it; InputError for unreadable input, content of no known format, and a profiler's file given as a log.
StepProfileFile read_step_profile(stream::Input input, const ProfileReadOptions& options = {},
                                  const std::string& format = {});

/// The step of a log as that of any profile. `profile`: that of the log.
profile::ProfiledStep step_of(const profile::StepProfile& profile, const LogStep& step);

/// Moves the steps of a described log into its profile: for uses that treat all profiles alike.
void move_log_steps(StepProfileFile& file);

/// What is done with a step of a profile.
using StepVisitor = std::function<void(const profile::StepProfile&, const profile::ProfiledStep&)>;
/// Visits the steps of files in order; a row of a table and a log's step are shown as steps, which live during their
/// visit.
void for_each_step(std::span<const StepProfileFile>, const StepVisitor&);

/// Reads a map of steps (`--map FILE`): a CSV with a column `key` (a step's name) or `index` (its position among the
/// measured steps, from 0), and columns that identify it: point, src_len, tgt_len, batch_size, iteration. In a map by
/// index, a row without an identity is warm-up. Throws InputError, also for a repeated step.
profile::StepMap read_step_map(stream::Input input);

/// Reads categories (`--categories FILE`): a CSV with the columns category and pattern, of which the first pattern that
/// matches decides. Throws InputError.
profile::Categories read_categories(stream::Input input);

}  // namespace seqpoint::io::profiles
