/// \file
/// The input of a profile reader: a stream of bytes, or a database.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/profiles/engine/sqlite.hpp"
#include "io/profiles/profile_formats.hpp"
#include "io/text/input_head.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles {

class ProfileInput {
 public:
  /// Opens the file as a database if it is one. Both arguments outlive the object.
  ProfileInput(stream::Input& input, const profile::NameRules& rules) : input_(input), rules_(rules) {
    if (engine::is_sqlite(input.head())) database_.emplace(input);
  }

  const std::string& name() const { return input_.name(); }
  /// The file's name without folders, up to the first dot after its first character: the name of a profile's only step.
  std::string stem() const {
    const std::string_view file = text::file_name(name());
    return std::string(file.substr(0, file.find('.', 1)));
  }
  stream::Input& stream() { return input_; }
  /// Null unless the file is an SQLite database.
  const engine::Database* database() const { return database_ ? &*database_ : nullptr; }
  /// Throws InputError if the file is not a database.
  const engine::Database& require_database() const {
    if (!database_)
      throw InputError({name()}, "is not an SQLite database", "leave out --format: the content shows the format");
    return *database_;
  }
  const profile::NameRules& rules() const { return rules_; }

 private:
  stream::Input& input_;
  const profile::NameRules& rules_;
  std::optional<engine::Database> database_;
};

}  // namespace seqpoint::io::profiles
