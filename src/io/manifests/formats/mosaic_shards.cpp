// MosaicML's MDS (streaming/base/format/mds): an index.json names the shards. A shard is the number of its samples,
// where each begins, the columns as JSON, and the samples: the sizes of their columns that have no fixed one, then the
// columns.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/json/document.hpp"
#include "io/json/json_scan.hpp"
#include "io/manifests/containers/mds_column.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

namespace json = io::json;
using containers::MdsColumn;
using engine::BinaryReader;

constexpr auto kIndexHint = "give the index.json that streaming's MDSWriter wrote";

std::vector<json::Member> first_shard(std::string_view head) {
  head = json::first_value(head);
  for (const json::Member& member : json::members(head, 0))
    if (member.key == "shards" && member.value.starts_with('['))
      return json::members(member.value, json::skip_blanks(member.value, 1));
  return {};
}

bool is_mds(const Probe& probe) {
  const std::vector<json::Member> shard = first_shard(probe.head);
  const auto has = [&](std::string_view key) {
    return std::ranges::find(shard, key, &json::Member::key) != shard.end();
  };
  return has("column_encodings") || (has("format") && has("raw_data"));
}

/// A shard as the index describes it.
struct Shard {
  std::string path;
  std::uint64_t samples = 0;
  std::vector<MdsColumn> columns;  ///< in the order in which a sample holds them
};

class IndexReader {
 public:
  IndexReader(stream::Input& input, RowSink& sink) : sink_(sink), source_(input.name()) {
    const json::Json index = json::parse_document(source_, input.read_all(), kIndexHint);
    for (const json::Json& shard : json::array_at(index, "shards", source_, kIndexHint)) add(shard);
    if (shards_.empty()) throw InputError({source_}, "names no shards", kIndexHint);
  }
  const std::vector<Shard>& shards() const { return shards_; }

 private:
  void add(const json::Json& entry) {
    const std::string format = json::text_at(entry, "format");
    if (format != "mds")
      throw InputError({source_}, fmt::format("is of shards in the format '{}', not mds", format),
                       "give the shards themselves, in order, where they are lines of JSON or a table");
    if (json::number_at(entry, "version") != 2.0)
      throw InputError({source_}, "is of a version of MDS other than 2", kIndexHint);
    Shard shard{.path = path_of(entry), .samples = 0, .columns = {}};
    const std::optional<double> samples = json::number_at(entry, "samples");
    if (!samples || *samples < 0 || *samples > std::numeric_limits<std::uint32_t>::max())
      fail("does not say how many samples a shard has", "samples");
    shard.samples = static_cast<std::uint64_t>(*samples);
    const json::Json &names = list(entry, "column_names"), &encodings = list(entry, "column_encodings"),
                     &sizes = list(entry, "column_sizes");
    if (names.size() != encodings.size() || names.size() != sizes.size())
      fail("names columns, encodings and sizes of other numbers", "column_names");
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (!names[c].is_string() || !encodings[c].is_string()) fail("is no list of text", "column_names");
      shard.columns.emplace_back(names[c].get<std::string>(), encodings[c].get<std::string>(),
                                 sizes[c].is_number_unsigned() ? sizes[c].get<std::uint32_t>() : 0U);
    }
    shards_.push_back(std::move(shard));
  }

  /// The shard as it is, or else compressed, as streaming's own reader looks for it.
  std::string path_of(const json::Json& entry) const {
    const std::string raw = file_name(entry, "raw_data"), zip = file_name(entry, "zip_data");
    if (raw.empty()) fail("does not name the file of a shard", "raw_data");
    const std::string folder = sink_.file.folder();
    std::string plain = stream::joined_path(folder, raw);
    if (zip.empty() || sink_.file.files().exists(plain)) return plain;
    if (const std::string kind = json::text_at(entry, "compression");
        !kind.starts_with("zstd") && !kind.starts_with("gz"))
      throw InputError({source_},
                       fmt::format("is of shards that are compressed by '{}', of which gz and zstd are read", kind),
                       "unpack them, as streaming does when it reads them: StreamingDataset(..., keep_zip=False)");
    return stream::joined_path(folder, zip);
  }
  static std::string file_name(const json::Json& entry, const char* key) {
    const auto file = entry.find(key);
    return file != entry.end() && file->is_object() ? json::text_at(*file, "basename") : std::string();
  }

  const json::Json& list(const json::Json& entry, const char* key) const {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_array()) fail("is missing, or no list", key);
    return *found;
  }
  [[noreturn]] void fail(const std::string& problem, const char* key) const {
    throw InputError({source_, 0, key}, problem, kIndexHint);
  }

  const RowSink& sink_;
  std::string source_;
  std::vector<Shard> shards_;
};

/// `name:type` of a column of bytes says what is in them; else the field is the column's name.
std::string column_asked(const std::string& field, const std::vector<MdsColumn>& columns) {
  const std::string name = field.substr(0, field.rfind(':'));
  const bool known = std::ranges::any_of(columns, [&](const MdsColumn& c) { return c.name() == field; });
  return known ? field : name;
}

class ShardReader {
 public:
  ShardReader(const Shard& shard, const std::string& field, RowSink& sink)
      : shard_(shard), sink_(sink), input_(sink.file.files().open(shard.path)), in_(input_, "an MDS shard") {
    const std::string name = column_asked(field, shard.columns);
    const auto found = std::ranges::find(shard.columns, name, &MdsColumn::name);
    if (found == shard.columns.end())
      throw InputError({shard.path, 0, name}, "there is no such column in this shard", kIndexHint);
    column_ = static_cast<std::size_t>(found - shard.columns.begin());
    value_.emplace(*found, field, sink);
  }

  void read() {
    in_.begin_section("the table of samples");
    const auto samples = in_.read_number<std::uint32_t>();
    if (samples != shard_.samples)
      in_.fail(fmt::format("does not have the {} samples of its index, but {}", shard_.samples, samples));
    const std::vector<std::uint32_t> begins = in_.read_numbers<std::uint32_t>(std::uint64_t{samples} + 1);
    const std::uint64_t table = sizeof samples * (2 + std::uint64_t{samples});
    if (begins.front() < table) in_.fail("has a sample that begins within the table of samples");
    in_.skip(begins.front() - table);
    in_.begin_section("sample");
    for (std::uint32_t s = 0; s < samples; ++s) {
      if (begins[s + 1] < begins[s]) in_.fail(fmt::format("has sample {} end before it begins", s));
      in_.begin_item(s);
      read_sample(s, begins[s + 1] - begins[s]);
    }
    in_.expect_end();
    sink_.add_table(input_, "mds-shard", samples);
  }

 private:
  void read_sample(std::uint32_t sample, std::uint64_t size) {
    std::uint64_t before = 0, of_column = 0, all = 0;
    for (std::size_t c = 0; c < shard_.columns.size(); ++c) {
      std::uint64_t bytes = shard_.columns[c].fixed_size();
      if (bytes == 0) {
        bytes = in_.read_number<std::uint32_t>();
        all += sizeof(std::uint32_t);
      }
      if (c < column_) before += bytes;
      if (c == column_) of_column = bytes;
      all += bytes;
    }
    if (all != size) in_.fail(fmt::format("has sample {} of {} bytes, whose columns take {}", sample, size, all));
    in_.skip(before);
    in_.skip(of_column - value_->read(in_, of_column));
    std::uint64_t after = all - before - of_column;
    for (const MdsColumn& column : shard_.columns) after -= column.fixed_size() == 0 ? sizeof(std::uint32_t) : 0;
    in_.skip(after);
  }

  const Shard& shard_;
  RowSink& sink_;
  stream::Input input_;
  BinaryReader in_;
  std::size_t column_ = 0;
  std::optional<containers::MdsValue> value_;
};

void read_mds(stream::Input& input, RowSink& sink) {
  const IndexReader index(input, sink);
  const std::vector<MdsColumn>& columns = index.shards().front().columns;
  std::vector<std::string> names;
  for (const MdsColumn& column : columns) names.push_back(column.name());
  std::string field = sink.file.requested_field();
  if (std::ranges::find(names, column_asked(field, columns)) == names.end() || field.find(':') == std::string::npos) {
    engine::choose_columns(names, 0, sink);
    field = sink.src().name();
  }
  if (sink.paired())
    throw UsageError("--tgt-length-field: of MDS shards one column is read",
                     "scan the other side apart, and give it as --tgt");
  const std::string name = column_asked(field, columns);
  const auto column = std::ranges::find(columns, name, &MdsColumn::name);
  const bool is_text = column != columns.end() && column->encoding() == "str";
  sink.set_columns(field, "", is_text ? lengths::LengthUnit::tokens : lengths::unit_of_column(name));
  for (const Shard& shard : index.shards()) ShardReader(shard, field, sink).read();
}

}  // namespace

const Reader kMds{
    .name = "mds",
    .summary =
        "MosaicML's MDS, by its index.json: elements of an array, numbers, text; of bytes with their type, "
        "tokens:int64",
    .example =
        R"({"shards": [{"column_names": ["tokens"], "column_encodings": ["ndarray:int32"], ...}], "version": 2})",
    .recognises = is_mds,
    .read = read_mds,
};

}  // namespace seqpoint::io::manifests::formats
