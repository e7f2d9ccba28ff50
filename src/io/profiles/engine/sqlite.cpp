#include "io/profiles/engine/sqlite.hpp"

#include <fmt/core.h>

#include <sqlite3.h>

#include <algorithm>
#include <charconv>

#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

[[noreturn]] void fail(const std::string& source, sqlite3* database, int code) {
  const int kind = code & 0xff;
  if (kind == SQLITE_NOMEM) throw std::bad_alloc();
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
    throw InputError({source}, "is locked by another program", "wait until it has been written, or read a copy");
  const bool damaged = kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_IOERR;
  const std::string what = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  throw InputError({source},
                   (damaged ? "is a damaged SQLite database: " : "cannot be read as an SQLite database: ") + what,
                   damaged ? "export it again" : "");
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
  if (input.is_plain_file()) {
    input.skip_to_end();  // for the digest
    try {
      open_file("?mode=ro");
      list_tables();
    } catch (const InputError&) {
      // A journal that must be looked at, in a folder that must not be written to: without it, the file as it is.
      const int kind = database_ ? sqlite3_errcode(database_.get()) & 0xff : SQLITE_CANTOPEN;
      if (kind != SQLITE_CANTOPEN && kind != SQLITE_READONLY) throw;
      open_file("?mode=ro&immutable=1");
      list_tables();
    }
  } else {
    open_memory(input);
    list_tables();
  }
}

void Database::open_file(const char* options) {
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2((uri_of(source_) + options).c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) fail(source_, database, code);
}

void Database::open_memory(stream::Input& input) {
  bytes_ = input.read_all();
  // A database that was written with a write-ahead log has no file beside it here: it is read as one without.
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
