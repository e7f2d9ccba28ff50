#include "io/duckdb/session.hpp"

#include <fmt/core.h>

#include <array>

namespace seqpoint::io::duckdb {
namespace {

/// Without the query that a message repeats, which is not as the user typed it, and without what several threads put in
/// front of it.
[[noreturn]] void fail(const char* message) {
  constexpr std::string_view kCause = "\nError: ";
  std::string text = message == nullptr ? "failed without a word" : message;
  if (const auto cause = text.rfind(kCause); cause != std::string::npos) text.erase(0, cause + kCause.size());
  text = text.substr(0, text.find("\n\nLINE "));
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string("; ") : std::string(1, c);
  throw Failure{line};
}

std::string kind_of(std::uint32_t type) {
  switch (type) {
    case kBoolean: return "booleans";
    case kText: return "text";
    case kBlob: return "bytes";
    case kEnum: return "entries of a dictionary";
    case kList: return "lists";
    case kArray: return "fixed lists";
    case kStruct: return "objects";
    case kMap: return "maps";
    default: return type >= kTimestamp && type < kHugeint ? "times" : "values that are no numbers";
  }
}

bool is_number(std::uint32_t type) {
  return (type >= kTinyint && type <= kDouble) || type == kHugeint || type == kUnsignedHugeint || type == kDecimal;
}

bool is_list(std::uint32_t type) { return type == kList || type == kArray; }

}  // namespace

/// A result, until it goes out of scope.
class Session::Result {
 public:
  explicit Result(const Library& library) : library_(library) {}
  ~Result() { library_.destroy_result(&raw); }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

  void require(int state) {
    if (state != 0) fail(library_.result_error(&raw));
  }

  Column column(std::uint64_t index) {
    const Handle type(library_.destroy_logical_type, library_.column_logical_type(&raw, index));
    const std::uint32_t id = library_.get_type_id(type.get());
    Column column{library_.column_name(&raw, index), kind_of(id), is_number(id), is_list(id)};
    if (!column.is_list) return column;
    const Handle element(library_.destroy_logical_type, id == kList ? library_.list_type_child_type(type.get())
                                                                    : library_.array_type_child_type(type.get()));
    const std::uint32_t of = library_.get_type_id(element.get());
    column.nested = duckdb::is_list(of);
    if (of != kStruct) return column;
    column.kind = "lists of objects, whose number is no length";
    column.is_list = false;
    return column;
  }

  RawResult raw;

 private:
  const Library& library_;
};

Session::Session(std::string_view path, std::size_t threads)
    : library_(library()), database_(library_.close), connection_(library_.disconnect) {
  if (library_.open(nullptr, database_.out()) != 0) fail("no database could be opened");
  if (library_.connect(database_.get(), connection_.out()) != 0) fail("no connection could be made");
  set(fmt::format("threads = {}", threads));
  set("preserve_insertion_order = true");
  // Threads wait where a row group of theirs, 122,880 DOUBLEs, does not fit in front of those before it. One alone
  // makes rows as they are taken.
  if (threads > 1) set("streaming_buffer_size = '64MB'");
  set("autoinstall_known_extensions = false");
  set("autoload_known_extensions = false");
  set("temp_directory = ''");
  set(fmt::format("allowed_paths = [{}, {}]", in_quotes(path, '\''), in_quotes(literal_path(path), '\'')));
  set("enable_external_access = false");
  set("lock_configuration = true");
}

void Session::set(const std::string& setting) {
  Result result(library_);
  if (library_.query(connection_.get(), ("SET " + setting).c_str(), &result.raw) != 0)
    throw Failure{fmt::format("release {} does not know the setting {}; 1.2 is the first that does",
                              library_.library_version(), setting.substr(0, setting.find(' ')))};
}

/// To prepare takes one statement and no more, whatever is in it; `query` would run several.
void Session::begin(const std::string& query, Handle& statement, Result& result) {
  if (library_.prepare(connection_.get(), query.c_str(), statement.out()) != 0)
    fail(library_.prepare_error(statement.get()));
  result.require(library_.execute_prepared_streaming(statement.get(), &result.raw));
}

std::vector<Column> Session::columns(const std::string& query) {
  Handle statement(library_.destroy_prepare);
  Result result(library_);
  begin(fmt::format("SELECT * FROM ({}\n) LIMIT 0", query), statement, result);
  std::vector<Column> columns;
  for (std::uint64_t c = 0; c < library_.column_count(&result.raw); ++c) columns.push_back(result.column(c));
  return columns;
}

void Session::read_numbers(const std::string& query, const TakeRows& take) {
  Handle statement(library_.destroy_prepare);
  Result result(library_);
  begin(query, statement, result);
  std::vector<Numbers> columns(library_.column_count(&result.raw));
  for (;;) {
    const Handle chunk(library_.destroy_data_chunk, library_.fetch_chunk(result.raw));
    if (chunk.get() == nullptr) break;
    const std::uint64_t rows = library_.data_chunk_get_size(chunk.get());
    if (rows == 0) break;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      void* const vector = library_.data_chunk_get_vector(chunk.get(), c);
      columns[c] = {library_.vector_get_data(vector), library_.vector_get_validity(vector)};
    }
    take(rows, columns);
  }
  if (const char* const error = library_.result_error(&result.raw); error != nullptr && *error != '\0') fail(error);
}

/// A backslash parts folders in a pattern, so any character stands for it: of what else matches nothing may be read.
std::string literal_path(std::string_view path) {
  constexpr std::string_view kWildcards = "*?[";
  if (path.find_first_of(kWildcards) == std::string_view::npos) return std::string(path);
  std::string literal;
  for (const char c : path) {
    if (kWildcards.find(c) != std::string_view::npos)
      literal += fmt::format("[{}]", c);
    else
      literal += c == '\\' ? '?' : c;
  }
  return literal;
}

std::string in_quotes(std::string_view text, char quote) {
  std::string made(1, quote);
  for (const char c : text) made += c == quote ? std::string(2, quote) : std::string(1, c);
  return made + quote;
}

}  // namespace seqpoint::io::duckdb
