// The one list of profile formats.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/enum_names.hpp"
#include "io/json/json_scan.hpp"
#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/csv_table.hpp"
#include "io/text/foreign_files.hpp"
#include "io/text/input_head.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles {
namespace {

namespace json = io::json;

/// The first 8 names, and "..." if there are more; "none" if there are none.
std::string shown_names(const std::vector<std::string>& all) {
  constexpr std::size_t kShown = 8;
  std::string names;
  for (std::size_t t = 0; t < std::min(kShown, all.size()); ++t) names += (t > 0 ? ", " : "") + all[t];
  return names.empty() ? "none" : names + (all.size() > kShown ? ", ..." : "");
}

/// The command that makes a table of a job's log, after ": ", and where its pattern is explained.
std::string log_command(const std::string& path) {
  return ": " + text::filtered("python3 -m seqpoint_companion log PATTERN", path, "times.csv") +
         " (PATTERN: docs/profiles.md)";
}

/// Throws the InputError for a file of no known profiler, with what it contains instead. `database`: null unless the
/// file is an SQLite database.
[[noreturn]] void throw_unrecognised(const ProfileProbe& probe, const engine::Database* database) {
  const std::string source(probe.path);
  if (database != nullptr)
    throw InputError(
        {source},
        "is an SQLite database, but of no profiler that is known; its tables: " + shown_names(database->tables()),
        "give what `nsys export --type sqlite` or rocprofv3 wrote");
  const std::string_view line = text::trim(text::first_line(probe.head));
  if (line.empty()) throw InputError({source}, "is empty");
  const std::vector<json::Member> members = json::members(json::first_value(probe.head), 0);
  std::vector<std::string> keys;
  for (const json::Member& member : members) {
    keys.emplace_back(member.key);
    if (member.key == "schema" && member.value.starts_with("\"seqpoint/"))
      throw InputError({source, 1}, fmt::format("is what seqpoint wrote ({}), and not a profile", member.value),
                       "give the measurements: `seqpoint list formats` lists what is read");
  }
  if (!keys.empty())
    throw InputError({source, 1}, "is JSON, but of no profiler that is known; its keys: " + shown_names(keys),
                     "give a profiler's trace or a table; of a job's log make one" + log_command(source));
  throw InputError({source, 1}, "is in no known profile format",
                   "of a job's log make a table" + log_command(source) + "; formats: `seqpoint list formats`");
}

/// The first reader that recognises the probe; null if none does.
const ProfileReader* reader_of(const ProfileProbe& probe) {
  for (const ProfileReader& reader : profile_readers())
    if (reader.recognises(probe)) return &reader;
  return nullptr;
}

/// Whether the first line may be a table's header: it has several fields, none of which contains `:`, `=` or `|`, which
/// messages of programs have between their words.
bool may_be_header(std::string_view head) {
  const std::vector<std::string> fields = text::header_fields(head, text::dialect_of(head));
  return fields.size() > 1 && std::ranges::none_of(fields, [](const std::string& field) {
           return field.find_first_of(":=|") != std::string::npos;
         });
}

/// The beginning of a text, by which its format is guessed. Throws InputError if it has no line.
std::string_view text_to_guess(stream::Input& input) {
  constexpr std::size_t kMost = 16 * 1024 * 1024;
  const std::string_view text = input.head(kMost);
  if (text.size() == kMost && text.find('\n') == std::string_view::npos)
    throw InputError({input.name()}, "has no line in its first 16 MiB, by which its format could be guessed",
                     "name the format: --format NAME; `seqpoint list formats` lists them");
  return text;
}

/// The reader named `format`, else the one that recognises the input. Throws UsageError for an unknown name, InputError
/// if no reader recognises the input.
const ProfileReader& pick_profile_reader(const std::string& format, ProfileProbe probe, stream::Input& input,
                                         const ProfileInput& source) {
  if (!format.empty()) {
    text::refuse_foreign_text(input.name(), probe.head);
    return find_profile_reader(format);
  }
  text::refuse_foreign_file(input.name(), probe.head);
  if (const ProfileReader* const reader = reader_of(probe)) return *reader;
  const std::string_view first = json::first_value(probe.head);
  if (source.database() != nullptr || first.starts_with('{') || json::is_array(first))
    throw_unrecognised(probe, source.database());
  const std::string_view text = text_to_guess(input);
  probe.head = text.substr(0, stream::Input::kHeadSize);
  text::refuse_unknown_file(input.name(), text);
  // A table without a key: its reader reports the missing columns.
  if (!may_be_header(probe.head)) throw_unrecognised(probe, nullptr);
  return formats::kMeasurements;
}

}  // namespace

bool ProfileProbe::has_table(std::string_view name) const {
  return std::find(tables.begin(), tables.end(), name) != tables.end();
}

std::span<const ProfileReader> profile_readers() {
#define ROW(name) formats::name,
  static const std::array kTable{
#include "io/profiles/formats.def"
  };
  return kTable;
}

const ProfileReader& find_profile_reader(std::string_view format) {
  for (const ProfileReader& reader : profile_readers())
    if (reader.name == format) return reader;
  throw UsageError(fmt::format("unknown profile format '{}'", format),
                   names_hint(format, row_names(profile_readers())));
}

StepProfileFile read_step_profile(stream::Input input, const profile::NameRules& rules, const std::string& format) {
  ProfileInput source(input, rules);
  ProfileProbe probe{.path = input.name(), .head = input.head()};
  if (source.database() != nullptr) probe.tables = source.database()->tables();
  const ProfileReader& reader = pick_profile_reader(format, probe, input, source);
  if (reader.read == nullptr) return formats::of_table(artifacts::read_profile(std::move(input)));
  profile::StepProfile profile = reader.read(source);
  if (source.database() != nullptr && input.is_plain_file()) input.require_unchanged();  // SQLite opened it by its path
  manifests::InputRecord record = manifests::record_of(input, reader.name, profile.steps.size());
  return {.profile = std::move(profile), .table = {}, .record = std::move(record)};
}

void for_each_step(std::span<const StepProfileFile> files, const StepVisitor& visit) {
  for (const StepProfileFile& file : files) {
    for (const profile::ProfiledStep& step : file.profile.steps) visit(file.profile, step);
    if (!file.table) continue;
    for (const profile::ProfileRow& row : file.table->rows) visit(file.profile, formats::step_of(*file.table, row));
  }
}

}  // namespace seqpoint::io::profiles
