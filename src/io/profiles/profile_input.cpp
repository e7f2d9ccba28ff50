#include "io/profiles/profile_input.hpp"
#include "io/text/input_head.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles {

ProfileInput::ProfileInput(stream::Input& input, const profile::NameRules& rules) : input_(input), rules_(rules) {
  if (engine::is_sqlite(input.head())) database_.emplace(input);
}

const engine::Database& ProfileInput::require_database() const {
  if (!database_)
    throw InputError({name()}, "is no SQLite database", "leave --format out: the format is told by the content");
  return *database_;
}

std::string ProfileInput::stem() const {
  std::string_view file = text::file_name(name());
  if (const auto dot = file.find('.', 1); dot != std::string_view::npos) file = file.substr(0, dot);
  return std::string(file);
}

}  // namespace seqpoint::io::profiles
