#include "unit/read_profile.hpp"

#include <sqlite3.h>

#include <stdexcept>

namespace seqpoint::testing {

std::string sqlite_bytes(const std::string& sql) {
  sqlite3* database = nullptr;
  sqlite3_open(":memory:", &database);
  const bool failed =
      sqlite3_exec(database, ("PRAGMA page_size = 512; " + sql).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK;
  const std::string problem = failed ? sqlite3_errmsg(database) : "";
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  if (failed) throw std::logic_error(problem + " in " + sql);
  return out;
}

}  // namespace seqpoint::testing
