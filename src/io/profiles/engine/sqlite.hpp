/// \file
/// SQLite databases, read only. Neither the file nor its folder is written to, so a database with a journal that
/// SQLite would first have to apply is rejected.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/stream/input.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace seqpoint::io::profiles::engine {

/// The rows of a query, in sequence.
class Rows {
 public:
  /// Prepares a query. Throws InputError if the database cannot execute it. `source`: name of the file, for errors.
  Rows(std::string source, sqlite3* database, const std::string& sql);

  /// Moves to the next row; to the first at the first call. False at the end. Throws InputError for a damaged or locked
  /// file, and if a view does not end.
  bool next();
  bool is_null(int column) const;
  std::int64_t integer(int column) const;   ///< 0 if it is NULL
  std::string_view text(int column) const;  ///< until the next row; empty if it is NULL

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::string source_;
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  /// Opens the file itself if it is stored plain, else its bytes in memory. Throws InputError if the database is
  /// unreadable, or has changes in a journal next to it.
  explicit Database(stream::Input& input);

  const std::vector<std::string>& tables() const { return tables_; }  ///< and views
  /// Whether there is a table or view of that name.
  bool has(std::string_view table) const;
  /// The table of that name, else the one with the highest suffix `_V2`, `_V3`, ...; nothing if there is none.
  std::optional<std::string> table(const std::string& name) const;
  /// Whether the table has a column of that name; false if there is no such table.
  bool has_column(const std::string& table, std::string_view column) const;
  /// The rows of an SQL query, which must not outlive the database. Throws InputError as Rows.
  Rows query(const std::string& sql) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  void open_file(bool as_it_is);
  void open_memory(stream::Input& input);
  /// Limits the steps of all queries together, for a database of `bytes` bytes.
  void limit_steps(std::uint64_t bytes);
  void list_tables();

  std::string source_;
  std::string bytes_;                         ///< bytes of a database in memory
  std::unique_ptr<std::int64_t> steps_left_;  ///< outlives the connection, which decrements it
  std::unique_ptr<sqlite3, Close> database_;
  std::vector<std::string> tables_;
};

/// Whether these are the first bytes of a database.
bool is_sqlite(std::string_view head);

}  // namespace seqpoint::io::profiles::engine
