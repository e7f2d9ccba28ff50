/// \file
/// Profilers' outputs: which formats there are, how one is recognised, and how steps are read from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/measure.hpp"
#include "io/files.hpp"
#include "io/profiles/log_pattern.hpp"

namespace seqpoint::io::profiles {

/// What a reader needs to know besides the file.
struct ProfileReadOptions {
  const profile::NameRules* rules = nullptr;  ///< which ranges are steps; null: what names say by themselves
  const stream::Files* files = nullptr;       ///< where a profile's companions lie; null: the disk
  const LogPattern* log = nullptr;            ///< what a log's lines mean; null: the file is none
  std::optional<std::uint64_t> per = {};      ///< how many steps a line of a log is the mean of; nothing: not said
};

/// What a format is recognised by. Views are into the input.
struct ProfileProbe {
  std::string_view path,                     ///< as the user typed it
      head;                                  ///< the first bytes, decompressed; at most 64 KiB
  std::span<const std::string> tables = {};  ///< of an SQLite database: the names of its tables

  /// Whether the database has a table of that name.
  bool has_table(std::string_view name) const;
};

class ProfileInput;  // src/io/profiles/profile_input.hpp

/// One format: a row of the table. Texts and functions live as long as the program.
struct ProfileReader {
  std::string_view name;                    ///< as `--format` names it
  std::string_view summary;                 ///< one line
  std::string_view example;                 ///< its first lines, or what makes it
  bool (*recognises)(const ProfileProbe&);  ///< cheap; looks at nothing but the probe
  /// Reads the steps of an input; null for the table of measurements, which has no steps of its own. For
  /// read_step_profile().
  profile::StepProfile (*read)(ProfileInput&);
};

/// Every format, in the order in which they are asked: narrowest first.
std::span<const ProfileReader> profile_readers();

/// The reader of that name. Throws UsageError that lists the formats there are.
const ProfileReader& find_profile_reader(std::string_view format);

/// How many steps a log says that there are.
struct StatedSteps {
  std::uint64_t steps = 0;   ///< the number as it stands there
  bool may_be_last = false;  ///< steps are counted from 0, and it may be the number of the last
  bool of_epoch = false;     ///< of an epoch, not of the run
  std::uint64_t line = 0;    ///< of the log, 1-based
};

/// What is to be said of a log beside the notes of its profile.
struct LogReport {
  std::vector<std::string> remarks;     ///< how it was read
  std::vector<Finding> findings;        ///< what makes its times doubtful
  std::optional<StatedSteps> stated{};  ///< where it says so
};

/// Throws InputError, with both numbers, where a log says that there is another number of steps. `run`: what the run is
/// called.
void require_stated_steps(const LogReport&, const std::string& source, std::uint64_t steps, std::uint64_t epochs,
                          const std::string& run);

/// A profile as read.
struct StepProfileFile {
  profile::StepProfile profile;                ///< its steps; of a CSV of measurements only notes
  std::optional<profile::ProfileTable> table;  ///< of a CSV of measurements
  manifests::InputRecord record;               ///< of the file
  LogReport log{};                             ///< empty unless it is a described log
};

/// Reads a profile in the format of that name; empty: guessed from the content. Throws UsageError for an unknown name,
/// InputError for what cannot be read.
StepProfileFile read_step_profile(stream::Input input, const ProfileReadOptions& options = {},
                                  const std::string& format = {});

/// Turns the table of a file that has one into steps, for a list of them.
void show_rows_as_steps(StepProfileFile&);

/// Reads a map of steps (`--map FILE`): a CSV with a column `key` (a step's name) or `index` (its place among the
/// measured steps), and columns that say what it is: point, src_len, tgt_len, batch_size, iteration. Throws InputError.
profile::StepMap read_step_map(stream::Input input);

/// Reads categories (`--categories FILE`): a CSV with the columns category and pattern. Throws InputError.
profile::Categories read_categories(stream::Input input);

/// The artefact of an inspection: the profiles' steps as JSON of the schema profile.
std::string inspection_json(std::span<const StepProfileFile> files, const artifacts::Provenance&);

}  // namespace seqpoint::io::profiles
