/// \file
/// Profilers' outputs: the formats, their recognition, and reading steps.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/measure.hpp"
#include "io/artifacts/files.hpp"
#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::profiles {

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

/// A profile as read.
struct StepProfileFile {
  profile::StepProfile profile;                ///< for a CSV of measurements without steps
  std::optional<profile::ProfileTable> table;  ///< for a CSV of measurements
  manifests::InputRecord record;               ///< record of the file
};

/// Reads a profile in the format of that name; empty: guessed from the content. `rules`: which ranges are steps. Throws
/// UsageError for an unknown name; InputError for unreadable input and content of no known format.
StepProfileFile read_step_profile(stream::Input input, const profile::NameRules& rules = {},
                                  const std::string& format = {});

/// What is done with a step of a profile.
using StepVisitor = std::function<void(const profile::StepProfile&, const profile::ProfiledStep&)>;
/// Visits the steps of files in order; a row of a table is shown as a step, which lives during its visit.
void for_each_step(std::span<const StepProfileFile>, const StepVisitor&);

/// The profiles' steps as JSON of the schema profile. Facts are sums over all files; a step names its file if there are
/// several.
std::string inspection_json(std::span<const StepProfileFile> files, const artifacts::Provenance&);

/// Reads a map of steps (`--map FILE`): a CSV with a column `key` (a step's name) or `index` (its position among the
/// measured steps, from 0), and columns that identify it: point, src_len, tgt_len, batch_size, iteration. In a map by
/// index, a row without an identity is warm-up. Throws InputError, also for a repeated step.
profile::StepMap read_step_map(stream::Input input);

/// Reads categories (`--categories FILE`): a CSV with the columns category and pattern, of which the first pattern that
/// matches decides. Throws InputError.
profile::Categories read_categories(stream::Input input);

}  // namespace seqpoint::io::profiles
