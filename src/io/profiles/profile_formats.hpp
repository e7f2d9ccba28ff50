/// \file
/// Profilers' outputs: which formats there are, how one is recognised, and how steps are read from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/io/files.hpp"
#include "seqpoint/measure.hpp"

namespace seqpoint::io::profiles {

/// What a reader needs to know besides the file.
struct ProfileReadOptions {
  const profile::NameRules* rules = nullptr;  ///< which ranges are steps; null: what names say by themselves
  const stream::Files* files = nullptr;       ///< where a profile's companions lie; null: the disk
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
  bool in_logs = false;  ///< `recognises` finds it behind any other lines
};

/// Every format, in the order in which they are asked: narrowest first.
std::span<const ProfileReader> profile_readers();

/// The reader of that name. Throws UsageError that lists the formats there are.
const ProfileReader& find_profile_reader(std::string_view format);

/// A profile as read.
struct StepProfileFile {
  profile::StepProfile profile;                ///< its steps
  std::optional<profile::ProfileTable> table;  ///< of a CSV of measurements: `profile` then only shows it
  manifests::InputRecord record;               ///< of the file
};

/// Reads a profile in the format of that name; empty: guessed from the content. Throws UsageError for an unknown name,
/// InputError for what cannot be read.
StepProfileFile read_step_profile(stream::Input input, const ProfileReadOptions& options = {},
                                  const std::string& format = {});

/// Whether an input begins as what a job prints, of which read_trace_or_log() may make a run.
bool is_log(stream::Input& input);

/// As artifacts::read_trace(). Of what a job printed the run is the iterations that it has lines of, counted from 0,
/// each with its tokens as signature and squares of 0, which are not known; of iterations that ran twice the last
/// counts. Throws InputError where it does not say how many tokens an iteration had.
artifacts::TraceFile read_trace_or_log(stream::Input input, std::optional<std::uint32_t> batch_size = {},
                                       trace::BatchLayout layout = trace::BatchLayout::padded, bool rows = false);

/// Reads a map of steps (`--map FILE`): a CSV with a column `key` (a step's name) or `index` (its place among the
/// measured steps), and columns that say what it is: point, src_len, tgt_len, batch_size, iteration. Throws InputError.
profile::StepMap read_step_map(stream::Input input);

/// Reads categories (`--categories FILE`): a CSV with the columns category and pattern. Throws InputError.
profile::Categories read_categories(stream::Input input);

/// The artefact of an inspection: the profiles' steps as JSON of the schema profile.
std::string inspection_json(std::span<const StepProfileFile> files, const artifacts::Provenance&);

}  // namespace seqpoint::io::profiles
