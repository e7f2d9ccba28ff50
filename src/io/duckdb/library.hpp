/// \file
/// DuckDB's library, found while the program runs: nothing of it is needed to build. These are the functions of its C
/// API that are used, as its header declares them (duckdb.h of DuckDB 1.2; duckdb.org/docs/stable/clients/c/api).
#pragma once

#include <cstdint>
#include <string>

namespace seqpoint::io::duckdb {

/// `duckdb_result`. All fields but the last are deprecated and keep their places.
struct RawResult {
  std::uint64_t column_count = 0, row_count = 0, rows_changed = 0;
  void* columns = nullptr;
  char* error = nullptr;
  void* data = nullptr;
};

/// `DUCKDB_TYPE`, as far as columns of these types are told apart.
enum Type : std::uint32_t {
  kBoolean = 1,
  kTinyint = 2,
  kDouble = 11,  ///< the last of the numbers that lie between
  kTimestamp = 12,
  kHugeint = 16,
  kText = 17,
  kBlob = 18,
  kDecimal = 19,
  kEnum = 23,
  kList = 24,
  kStruct = 25,
  kMap = 26,
  kUnsignedHugeint = 32,
  kArray = 33
};

/// Opaque pointers of the C API are void here; functions that return a state return 0 where all went well.
struct Library {
  const char* (*library_version)() = nullptr;
  int (*open)(const char* path, void** database) = nullptr;
  void (*close)(void** database) = nullptr;
  int (*connect)(void* database, void** connection) = nullptr;
  void (*disconnect)(void** connection) = nullptr;
  int (*query)(void* connection, const char* sql, RawResult*) = nullptr;
  int (*prepare)(void* connection, const char* sql, void** statement) = nullptr;
  const char* (*prepare_error)(void* statement) = nullptr;
  void (*destroy_prepare)(void** statement) = nullptr;
  /// Rows are made as they are fetched.
  int (*execute_prepared_streaming)(void* statement, RawResult*) = nullptr;
  const char* (*result_error)(RawResult*) = nullptr;
  void (*destroy_result)(RawResult*) = nullptr;
  std::uint64_t (*column_count)(RawResult*) = nullptr;
  const char* (*column_name)(RawResult*, std::uint64_t column) = nullptr;
  void* (*column_logical_type)(RawResult*, std::uint64_t column) = nullptr;
  std::uint32_t (*get_type_id)(void* type) = nullptr;
  void* (*list_type_child_type)(void* type) = nullptr;
  void* (*array_type_child_type)(void* type) = nullptr;
  void (*destroy_logical_type)(void** type) = nullptr;
  void* (*fetch_chunk)(RawResult) = nullptr;  ///< null at the end, and where an error has ended it
  std::uint64_t (*data_chunk_get_size)(void* chunk) = nullptr;
  void* (*data_chunk_get_vector)(void* chunk, std::uint64_t column) = nullptr;
  void* (*vector_get_data)(void* vector) = nullptr;
  std::uint64_t* (*vector_get_validity)(void* vector) = nullptr;  ///< null: no value is NULL
  void (*destroy_data_chunk)(void** chunk) = nullptr;
};

/// Where there is no library to load; `why` is empty where none was named and none is on the loader's path.
struct Absent {
  std::string why;
};

/// The library that the environment variable SEQPOINT_DUCKDB names, else the loader's libduckdb.so; loaded at the first
/// call, for good. Throws Absent.
const Library& library();

}  // namespace seqpoint::io::duckdb
