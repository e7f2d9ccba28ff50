#include "io/profiles/engine/sqlite.hpp"

#include <fmt/core.h>

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <new>

#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

/// Steps of SQLite's virtual machine: each row of a table takes tens of them, and at least ten bytes. A view may never
/// end.
constexpr std::int64_t kStepsOfAny = 50'000'000, kStepsPerByte = 1000, kStepsBetweenLooks = 1'000'000;

/// SQLite reports lack of memory for some damaged databases. If memory really ran out, its log also contains it.
class MemoryLog {
 public:
  static MemoryLog& instance() {
    static MemoryLog log;
    return log;
  }
  /// Whether memory ran out, by the log. Without a log, because the surrounding program uses SQLite already, always
  /// true: SQLite's error is trusted.
  bool ran_out() const { return !is_kept_ || ran_out_; }

 private:
  MemoryLog() : is_kept_(sqlite3_config(SQLITE_CONFIG_LOG, note, this) == SQLITE_OK) {}
  /// "failed to allocate 64 bytes of memory", "failed memory resize ..."; consequences are logged with the same code.
  static void note(void* self, int code, const char* text) {
    if (code == SQLITE_NOMEM && std::string_view(text).starts_with("failed"))
      static_cast<MemoryLog*>(self)->ran_out_ = true;
  }

  std::atomic<bool> ran_out_ = false;
  bool is_kept_;
};

/// Throws the error for a result code of SQLite: bad_alloc if memory ran out, else InputError. `database`: null without
/// a connection.
[[noreturn]] void fail(const std::string& source, sqlite3* database, int code) {
  const int kind = code & 0xff;
  const bool no_memory =
      kind == SQLITE_NOMEM || (database != nullptr && sqlite3_extended_errcode(database) == SQLITE_IOERR_NOMEM);
  if (no_memory && MemoryLog::instance().ran_out()) throw std::bad_alloc();
  if (no_memory)
    throw InputError({source}, "is a damaged SQLite database: it takes more memory than there can be",
                     "export it again");
  if (kind == SQLITE_INTERRUPT)
    throw InputError({source}, "takes more steps to read than a database of its size can; one of its views may not end",
                     "export it again");
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
    throw InputError({source}, "is locked by another program", "wait until it has been written, or read a copy");
  const bool damaged = kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_IOERR;
  const std::string what = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  throw InputError({source},
                   (damaged ? "is a damaged SQLite database: " : "cannot be read as an SQLite database: ") + what,
                   damaged ? "export it again" : "");
}

/// The path with links resolved, because SQLite writes its journals next to their target, and without repeated slashes,
/// because a URI would take two for the beginning of a host's name. Unchanged if that fails.
std::string resolved(const std::string& path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::canonical(path, error);
  return error ? path : found.string();
}

/// Whether there is a rollback journal at `path` with changes to undo: its first byte is 0 once all of it is undone or
/// committed.
bool is_hot_journal(const std::string& path) {
  std::ifstream journal(path, std::ios::binary);
  return journal.get() > 0;
}

/// Whether there is a write-ahead log at `path` with changes: a log with only a header contains none.
bool is_filled_log(const std::string& path) {
  constexpr std::uintmax_t kHeader = 32;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return !error && size > kHeader;
}

/// Throws InputError if a journal with changes is next to the database: SQLite would have to write in order to read
/// such a database. `source`: the path as given, `path`: with links resolved.
void refuse_unfinished(const std::string& source, const std::string& path) {
  std::error_code error;
  const std::string& shown = std::filesystem::is_symlink(source, error) ? path : source;
  std::string problem;
  if (is_filled_log(path + "-wal")) problem = fmt::format("lacks the changes that are in {}-wal beside it", shown);
  if (is_hot_journal(path + "-journal"))
    problem = fmt::format("is in the middle of changes, which {}-journal beside it can undo", shown);
  if (!problem.empty())
    throw InputError({source}, problem,
                     "if a program still writes it, wait for its end; else let SQLite finish, which removes the file "
                     "beside it: sqlite3 FILE .tables");
}

/// Whether the database's journal is a write-ahead log: reading such a database would also leave files next to it.
bool has_write_ahead_log(std::string_view head) {
  constexpr std::size_t kReadVersion = 19;
  return head.size() > kReadVersion && head[kReadVersion] == 2;
}

/// A path as an SQLite URI, with special characters escaped.
std::string uri_of(const std::string& path) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && c != '?' && c != '#' && c != '%')
      uri += c;
    else
      (uri += '%') += {kHex[byte >> 4U], kHex[byte & 15U]};
  }
  return uri;
}

/// N of `NAME_VN`; nothing for other names.
std::optional<unsigned> version_suffix(std::string_view table, std::string_view name) {
  if (!table.starts_with(name) || !table.substr(name.size()).starts_with("_V")) return std::nullopt;
  const std::string_view digits = table.substr(name.size() + 2);
  unsigned version = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  return error == std::errc{} && end == digits.data() + digits.size() ? std::optional(version) : std::nullopt;
}

}  // namespace

bool is_sqlite(std::string_view head) { return head.starts_with(std::string_view("SQLite format 3\0", 16)); }

void Rows::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Rows::Rows(std::string source, sqlite3* database, const std::string& sql)
    : source_(std::move(source)), database_(database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(source_, database_, code);
}

bool Rows::next() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(source_, database_, code);
  return code == SQLITE_ROW;
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
std::int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
std::string_view Rows::text(int column) const {
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (bytes == nullptr && sqlite3_errcode(database_) == SQLITE_NOMEM) throw std::bad_alloc();
  return bytes == nullptr
             ? std::string_view{}
             : std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

Database::Database(stream::Input& input) : source_(input.name()) {
  MemoryLog::instance();  // before SQLite is used
  if (input.is_plain_file()) {
    input.skip_to_end();  // for the digest
    open_file(has_write_ahead_log(input.head()));
  } else {
    open_memory(input);
  }
  limit_steps(input.size().value_or(bytes_.size()));
  list_tables();
}

/// Opens the file read-only. `as_it_is`: without looking at journals next to it.
void Database::open_file(bool as_it_is) {
  const std::string path = resolved(source_);
  refuse_unfinished(source_, path);
  const std::string uri = uri_of(path) + (as_it_is ? "?mode=ro&immutable=1" : "?mode=ro");
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(uri.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) fail(source_, database, code);
}

/// Opens the bytes of the input as a database in memory.
void Database::open_memory(stream::Input& input) {
  bytes_ = input.read_all();
  // In memory there is no write-ahead log: a database that uses one is opened as one that does not.
  constexpr std::size_t kWriteVersion = 18, kReadVersion = 19;
  if (bytes_.size() > kReadVersion) bytes_[kWriteVersion] = bytes_[kReadVersion] = 1;
  sqlite3* database = nullptr;
  int code = sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE, nullptr);
  database_.reset(database);
  const auto size = static_cast<sqlite3_int64>(bytes_.size());
  if (code == SQLITE_OK)
    code = sqlite3_deserialize(database, "main", reinterpret_cast<unsigned char*>(bytes_.data()), size, size,
                               SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK) fail(source_, database, code);
}

void Database::limit_steps(std::uint64_t bytes) {
  steps_left_ = std::make_unique<std::int64_t>(kStepsOfAny + kStepsPerByte * static_cast<std::int64_t>(bytes));
  const auto look = [](void* left) { return (*static_cast<std::int64_t*>(left) -= kStepsBetweenLooks) < 0 ? 1 : 0; };
  sqlite3_progress_handler(database_.get(), kStepsBetweenLooks, look, steps_left_.get());
}

void Database::list_tables() {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  tables_.clear();
  for (Rows rows = query("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"); rows.next();)
    tables_.emplace_back(rows.text(0));
}

bool Database::has(std::string_view table) const {
  return std::find(tables_.begin(), tables_.end(), table) != tables_.end();
}

std::optional<std::string> Database::table(const std::string& name) const {
  if (has(name)) return name;
  std::optional<std::string> best;
  unsigned highest = 0;
  for (const std::string& candidate : tables_)
    if (const auto version = version_suffix(candidate, name); version && *version >= highest) {
      highest = *version;
      best = candidate;
    }
  return best;
}

bool Database::has_column(const std::string& table, std::string_view column) const {
  for (Rows rows = query(fmt::format("SELECT name FROM pragma_table_info('{}')", table)); rows.next();)
    if (rows.text(0) == column) return true;
  return false;
}

Rows Database::query(const std::string& sql) const { return {source_, database_.get(), sql}; }

}  // namespace seqpoint::io::profiles::engine
