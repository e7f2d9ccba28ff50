/// \file
/// The input of a profile reader: a stream of bytes, or a database.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/profiles/engine/sqlite.hpp"
#include "io/profiles/profile_formats.hpp"

namespace seqpoint::io::profiles {

class ProfileInput {
 public:
  /// Opens the file as a database if it is one. Both arguments outlive the object.
  ProfileInput(stream::Input& input, const profile::NameRules& rules);

  const std::string& name() const { return input_.name(); }
  /// The file's name without folders, up to the first dot after its first character: the name of a profile's only step.
  std::string stem() const;
  stream::Input& stream() { return input_; }
  /// Null unless the file is an SQLite database.
  const engine::Database* database() const { return database_ ? &*database_ : nullptr; }
  /// Throws InputError if the file is not a database.
  const engine::Database& require_database() const;
  const profile::NameRules& rules() const { return rules_; }

 private:
  stream::Input& input_;
  const profile::NameRules& rules_;
  std::optional<engine::Database> database_;
};

}  // namespace seqpoint::io::profiles
