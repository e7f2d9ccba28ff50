/// \file
/// What a profile reader reads from: a stream of bytes, all of them at once, or a database.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "seqpoint/io/profiles/profile_formats.hpp"
#include "io/profiles/engine/sqlite.hpp"

namespace seqpoint {

class ProfileInput {
 public:
  /// Opens the database if it is one.
  ProfileInput(Input& input, const ProfileReadOptions& options);

  const std::string& name() const { return input_.name(); }
  /// The file's name without folders and endings: what a profile of one step goes by.
  std::string stem() const;
  Input& stream() { return input_; }
  /// The whole text, without a byte order mark. Reads it on the first call.
  const std::string& text();
  /// Null unless the file is an SQLite database.
  const Database* database() const { return database_ ? &*database_ : nullptr; }
  /// Throws InputError where the file is none.
  const Database& require_database() const;
  const NameRules& rules() const { return options_.rules != nullptr ? *options_.rules : kBuiltIn; }
  const Files& files() const { return options_.files != nullptr ? *options_.files : disk_files(); }

 private:
  static const NameRules kBuiltIn;
  Input& input_;
  const ProfileReadOptions& options_;
  std::optional<Database> database_;
  std::optional<std::string> text_;
};

}  // namespace seqpoint
