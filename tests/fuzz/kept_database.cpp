// DuckDB's C API with one database for all sessions: to open one takes ten times as long as what the fuzzer tries with
// it. SEQPOINT_DUCKDB names this library in the place of DuckDB's, which it is linked to (run.sh). All inputs have one
// path, so that what a session may read stays the same.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace {

using Pointer = void*;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int query(Pointer connection, const char* sql, void* result) {
  static const auto run = next<int (*)(Pointer, const char*, void*)>("duckdb_query");
  return run(connection, sql, result);
}

Pointer database = nullptr, connection = nullptr;
int sessions = 0;

}  // namespace

extern "C" {

int duckdb_open(const char* path, Pointer* made) {
  static const int state = next<int (*)(const char*, Pointer*)>("duckdb_open")(path, &database);
  *made = database;
  return state;
}

int duckdb_connect(Pointer to, Pointer* made) {
  static const int state = next<int (*)(Pointer, Pointer*)>("duckdb_connect")(to, &connection);
  *made = connection;
  // What is kept of a file goes by its time, which does not tell inputs within a tick of the clock apart. To optimise a
  // query takes longer than to answer it from a file of some bytes.
  if (++sessions == 1 && state == 0) {
    for (const char* const setting : {"SET enable_external_file_cache = false", "PRAGMA disable_optimizer"}) {
      std::array<Pointer, 6> result{};
      if (query(connection, setting, result.data()) != 0) std::abort();
      next<void (*)(void*)>("duckdb_destroy_result")(result.data());
    }
  }
  return state;
}

/// Settings stay as the first session made and locked them.
int duckdb_query(Pointer to, const char* sql, void* result) {
  if (sessions > 1 && std::string_view(sql).starts_with("SET ")) return 0;
  return query(to, sql, result);
}

void duckdb_disconnect(Pointer*) {}
void duckdb_close(Pointer*) {}
}
