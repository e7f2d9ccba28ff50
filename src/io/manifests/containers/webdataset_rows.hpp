/// \file
/// The samples of a WebDataset shard (webdataset/tariterators.py): neighbours in a tar archive whose names are the same
/// up to the first dot are one sample, and the rest of the name says what they hold: 000.flac, 000.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "io/json/document.hpp"
#include "io/manifests/containers/tar.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::containers {

/// A member's name, cut as WebDataset cuts it (base_plus_ext).
struct MemberName {
  std::string_view key;  ///< empty: it belongs to no sample
  std::string kind;      ///< what follows the first dot, in lower case
};

MemberName cut_name(std::string_view name);

class ShardRows {
 public:
  /// The column of a second shard is that of the first.
  ShardRows(stream::Input& input, RowSink& sink);

  /// Adds a row a sample. Returns how many samples there are.
  std::uint64_t read();

 private:
  void begin_sample(std::string_view key);
  void end_sample();
  bool is_wanted(const std::string& kind) const;
  void take(TarReader& tar, const std::string& kind);
  void take_audio(const std::string& member, const std::string& bytes);
  void take_json(const io::json::Json& record, const std::string& kind);
  void add_value(const io::json::Json& value);
  void choose_key(const io::json::Json& record, const std::string& kind);
  void set_column(const std::string& field);

  RowSink& sink_;
  std::string source_;
  engine::BinaryReader in_;
  std::string asked_, field_;  ///< field_: the column, once it is known
  bool probes_ = false;
  std::string key_;                 ///< of the current sample
  std::vector<std::string> kinds_;  ///< of its members so far
  bool has_length_ = false;
  std::uint64_t samples_ = 0;
};

}  // namespace seqpoint::io::manifests::containers
