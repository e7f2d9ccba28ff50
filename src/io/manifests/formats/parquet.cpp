// Parquet, and by --sql whatever else DuckDB reads. Lengths are counted where the data is: no text and no token leaves
// DuckDB, and of the lengths some thousand rows at a time.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <future>

#include "io/duckdb/session.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"
#include "io/text/foreign_files.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

using duckdb::in_quotes;
using duckdb::literal_path;

constexpr std::string_view kFileMark = "{file}";

/// What is said where DuckDB cannot be asked, or fails.
struct Purpose {
  std::string what;    ///< "is a Parquet file, which DuckDB's library reads"
  std::string recipe;  ///< commands that write a list of lengths
  std::string hint;    ///< where DuckDB fails
};

[[noreturn]] void refuse_absent(const duckdb::Absent& absent, const Purpose& purpose, const ManifestFile& file) {
  throw InputError(
      {file.path()}, purpose.what + (absent.why.empty() ? ", and that is not here (libduckdb.so)" : ": " + absent.why),
      "put libduckdb.so (duckdb.org) where the loader looks, or its path into SEQPOINT_DUCKDB; or write the lengths: " +
          text::with_path(purpose.recipe, file.path()));
}

/// Without the library, that of pyarrow or DuckDB's own program does.
std::string parquet_recipe(const ManifestFile& file) {
  const std::string field = file.requested_field().empty() ? "input_ids" : file.requested_field();
  return fmt::format(
      "python3 -c \"import pyarrow.parquet as p; print(*map(len, p.read_table('FILE')['{0}']), sep='\\n')\" "
      ">lengths.txt, or duckdb -list -noheader -c \"SELECT len({0}) FROM 'FILE'\" >lengths.txt",
      field);
}

void require_lengths(const duckdb::Column& column, const ManifestFile& file) {
  engine::require_lengths({column.name, column.kind, column.is_number || column.is_list, column.nested}, file.path(),
                          !file.requested_field().empty());
}

struct Selection {
  std::string columns;     ///< as SQL lists them
  bool of_tokens = false;  ///< one column, of how many tokens a list has
};

/// Sets the columns of the sink; returns what is selected of them. Of one column there is no doubt.
Selection choose(const std::vector<duckdb::Column>& columns, bool is_any, RowSink& sink) {
  std::vector<std::string> names;
  for (const duckdb::Column& column : columns) names.push_back(column.name);
  engine::choose_columns(names, 0, sink, is_any && names.size() == 1 ? names.front() : "");
  Selection selected;
  for (const std::string& name : {sink.src().name(), sink.tgt_field()}) {
    if (name.empty()) continue;
    const duckdb::Column& column = *std::ranges::find(columns, name, &duckdb::Column::name);
    require_lengths(column, sink.file);
    selected.of_tokens = column.is_list && !sink.paired() && !sink.src().is_converted();
    selected.columns += fmt::format("{}CAST({} AS {})", selected.columns.empty() ? "" : ", ",
                                    fmt::format(fmt::runtime(column.is_list ? "len({})" : "{}"), in_quotes(name, '"')),
                                    selected.of_tokens ? "INTEGER" : "DOUBLE");
  }
  return selected;
}

void add_row(std::span<const duckdb::Numbers> columns, std::uint64_t row, RowSink& sink) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!columns[c].has(row)) return sink.add_missing(0, "is missing", c == 0 ? sink.src().name() : sink.tgt_field());
  if (columns.size() == 2) return sink.add_number(0, columns[0].number(row), columns[1].number(row));
  sink.add_number(0, columns[0].number(row));
}

void add_token_counts(const duckdb::Numbers& column, std::uint64_t rows, RowSink& sink) {
  const std::span<const std::uint32_t> counts = column.counts(rows);
  if (column.present == nullptr) return sink.add_tokens(counts);
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (column.has(row))
      sink.add_counted(0, counts[row]);
    else
      sink.add_missing(0, "is missing", sink.src().name());
  }
}

std::string absolute(const std::string& path) { return std::filesystem::absolute(path).string(); }
std::string quoted_path(const stream::Input& input) { return in_quotes(literal_path(absolute(input.name())), '\''); }

/// Memory that grows is copied, and touched anew. Of what the file claims, no more than a row a byte is believed.
void reserve_rows(duckdb::Session& session, const std::string& row_count, stream::Input& input, RowSink& sink) {
  session.read_numbers(row_count, [&](std::uint64_t, std::span<const duckdb::Numbers> columns) {
    const double most = static_cast<double>(input.size().value_or(0));
    if (columns.front().has(0))
      sink.rows.reserve(static_cast<std::uint64_t>(std::clamp(columns.front().number(0), 0.0, most)), sink.paired());
  });
}

/// The file is read a second time, for its digest, beside the query, which opens it by its path. `row_count` may be
/// empty.
void read_result(stream::Input& input, RowSink& sink, const std::string& query, const std::string& row_count,
                 const Purpose& purpose) try {
  if (!input.is_plain_file())
    throw InputError({input.name()}, purpose.what + ", and that reads files alone",
                     "write it to a file that is not compressed as a whole");
  const std::size_t threads = sink.file.options().threads;
  duckdb::Session session(absolute(input.name()), threads);
  const Selection selected = choose(session.columns(query), !sink.file.options().sql.empty(), sink);
  if (!row_count.empty()) reserve_rows(session, row_count, input, sink);
  std::future<void> digested =
      std::async(threads > 1 ? std::launch::async : std::launch::deferred, [&] { input.skip_to_end(); });
  session.read_numbers(fmt::format("SELECT {} FROM ({}\n)", selected.columns, query),
                       [&](std::uint64_t rows, std::span<const duckdb::Numbers> columns) {
                         if (selected.of_tokens) return add_token_counts(columns.front(), rows, sink);
                         for (std::uint64_t row = 0; row < rows; ++row) add_row(columns, row, sink);
                       });
  digested.get();
  input.require_unchanged();
} catch (const duckdb::Absent& absent) {
  refuse_absent(absent, purpose, sink.file);
} catch (const duckdb::Failure& failure) {
  throw InputError({input.name()}, "DuckDB: " + failure.message, purpose.hint);
}

void read_parquet(stream::Input& input, RowSink& sink) {
  const std::string path = quoted_path(input);
  // A folder named length=5 is no column of lengths.
  read_result(input, sink, fmt::format("SELECT * FROM read_parquet({}, hive_partitioning = false)", path),
              fmt::format("SELECT CAST(sum(num_rows) AS DOUBLE) FROM parquet_file_metadata({})", path),
              {"is a Parquet file, which DuckDB's library reads", parquet_recipe(sink.file),
               "is it whole and undamaged? copy it again"});
}

void read_sql(stream::Input& input, RowSink& sink) {
  std::string query = sink.file.options().sql;
  query.erase(query.find_last_not_of(" \t\r\n;") + 1);
  const std::string path = quoted_path(input);
  for (auto at = query.find(kFileMark); at != std::string::npos; at = query.find(kFileMark, at + path.size()))
    query.replace(at, kFileMark.size(), path);
  read_result(input, sink, query, "",
              {"is to be queried (--sql) by DuckDB's library", "duckdb -list -noheader -c QUERY >lengths.txt",
               "correct the query of --sql; it can read {file} alone, of the formats that DuckDB has built in"});
}

bool is_parquet(const Probe& probe) { return probe.head.starts_with("PAR1"); }
bool is_nothing(const Probe&) { return false; }

}  // namespace

const Reader kParquet{
    .name = "parquet",
    .summary =
        "Parquet, read by DuckDB's library where there is one: a column of lengths, else how many input_ids a "
        "row has",
    .example = "<binary>",
    .recognises = is_parquet,
    .read = read_parquet,
};

const Reader kSql{
    .name = "sql",
    .summary = "Whatever DuckDB's library reads: the lengths that --sql QUERY selects from {file}",
    .example = "--sql \"SELECT len(input_ids) AS length FROM {file} WHERE lang = 'en'\"",
    .recognises = is_nothing,
    .read = read_sql,
};

}  // namespace seqpoint::io::manifests::formats
