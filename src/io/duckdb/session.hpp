/// \file
/// Queries of one file, answered by DuckDB: columns of a result, and columns of numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/duckdb/library.hpp"

namespace seqpoint::io::duckdb {

/// What DuckDB says where it cannot do what it is asked to, on one line.
struct Failure {
  std::string message;
};

/// A column of a result.
struct Column {
  std::string name;
  std::string kind;  ///< what it holds, in the plural
  bool is_number = false, is_list = false;
  bool nested = false;  ///< lists of lists
};

/// A column of some rows: of DOUBLE or of INTEGER that are no less than 0, as the query has it.
struct Numbers {
  const void* values = nullptr;
  const std::uint64_t* present = nullptr;  ///< a bit a row, which is 0 for NULL; null: no value is NULL

  double number(std::uint64_t row) const { return static_cast<const double*>(values)[row]; }
  std::span<const std::uint32_t> counts(std::uint64_t rows) const {
    return {static_cast<const std::uint32_t*>(values), rows};
  }
  bool has(std::uint64_t row) const { return present == nullptr || (present[row / 64] >> (row % 64) & 1U) != 0; }
};

/// A pointer of the C API and the function that frees it.
class Handle {
 public:
  explicit Handle(void (*free)(void**), void* pointer = nullptr) : free_(free), pointer_(pointer) {}
  ~Handle() {
    if (pointer_ != nullptr) free_(&pointer_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void* get() const { return pointer_; }
  void** out() { return &pointer_; }

 private:
  void (*free_)(void**);
  void* pointer_;
};

/// A database in memory that reads one file and nothing else: no other file, no network, no extension; it writes
/// nothing. All functions throw Failure.
class Session {
 public:
  /// `path` is absolute. What may be read could be written, too, so all that is run is one SELECT. Throws Absent as
  /// well.
  Session(std::string_view path, std::size_t threads);

  /// The columns of a query, which is not run.
  std::vector<Column> columns(const std::string& query);
  using TakeRows = std::function<void(std::uint64_t rows, std::span<const Numbers> columns)>;
  /// Runs a query whose columns are DOUBLE or INTEGER, and hands its rows on in their order, some at a time.
  void read_numbers(const std::string& query, const TakeRows& take);

 private:
  class Result;
  void set(const std::string& setting);
  /// Begins a query, which is one statement, in `statement`.
  void begin(const std::string& query, Handle& statement, Result& result);

  const Library& library_;
  Handle database_, connection_;
};

/// A path whose characters all stand for themselves: DuckDB takes others for patterns.
std::string literal_path(std::string_view path);

/// Text between quotes, those in it written twice: '...' is a string of SQL, "..." a name.
std::string in_quotes(std::string_view text, char quote);

}  // namespace seqpoint::io::duckdb
