// Instruction data, Alpaca's and ShareGPT's: text, whose lengths only the model's tokenizer knows. It is refused, with
// a hint, unless the user names an estimate as length field.
#include <fmt/core.h>

#include "io/json/first_record.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/engine/json_fields.hpp"
#include "io/manifests/engine/json_records.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/record_sets.hpp"
#include "io/manifests/token_count.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

namespace json = io::json;

constexpr std::string_view kWords = "estimate-words", kBytes = "estimate-bytes";
constexpr std::uint64_t kBytesPerToken = 4;

bool is_estimate(std::string_view field) { return field == kWords || field == kBytes; }

/// The estimated number of tokens in the text of a record.
class TokenEstimate {
 public:
  explicit TokenEstimate(bool words) : words_(words) {}
  void clear() { total_ = 0; }
  void add(json::Value value) {
    const std::string_view text = value.take_text();
    total_ += words_ ? count_tokens(text, TextSplit::whitespace) : text.size();
  }
  std::uint64_t tokens() const { return words_ ? total_ : (total_ + kBytesPerToken - 1) / kBytesPerToken; }

 private:
  bool words_;
  std::uint64_t total_ = 0;
};

class TextRecord : public engine::JsonRecord {
 public:
  explicit TextRecord(bool words) : estimate_(words) {}
  void store(std::uint64_t line, RowSink& rows) const override { rows.add_counted(line, estimate_.tokens()); }

 protected:
  TokenEstimate estimate_;
};

class AlpacaRecord : public TextRecord {
 public:
  using TextRecord::TextRecord;
  void walk(json::Value record) override {
    static const json::KeySet kKeys{"instruction", "input", "output"};
    estimate_.clear();
    record.for_each_member(kKeys, [&](std::size_t, json::Value text) { estimate_.add(text); });
  }
};

class ShareGptRecord : public TextRecord {
 public:
  using TextRecord::TextRecord;
  void walk(json::Value record) override {
    static const json::KeySet kKeys{"conversations"}, kTurnKeys{"value"};
    estimate_.clear();
    record.for_each_member(kKeys, [&](std::size_t, json::Value turns) {
      turns.for_each_element([&](json::Value turn) {
        turn.for_each_member(kTurnKeys, [&](std::size_t, json::Value text) { estimate_.add(text); });
      });
    });
  }
};

template <class Record>
void read_text_records(stream::Input& input, RowSink& sink) {
  const std::string field = sink.file.requested_field();
  if (!field.empty() && !is_estimate(field)) return engine::read_json_field(input, sink, field);
  if (field.empty())
    throw InputError({sink.file.path()}, "holds text, whose lengths only the model's tokenizer knows",
                     "add a key 'length' with the number of tokens, or take an estimate: --length-field estimate-words "
                     "(words between blanks) or --length-field estimate-bytes (a token for 4 bytes)");
  sink.set_columns(field, "", lengths::LengthUnit::tokens);
  const bool words = field == kWords;
  engine::read_json_records(input, sink, [words] { return std::make_unique<Record>(words); });
  if (are_doubtful(sink.rows.src))
    throw InputError({sink.file.path()},
                     fmt::format("every estimate is {}: the text is not where it is looked for", sink.rows.src.front()),
                     "add a key 'length' with the number of tokens");
  sink.note(words ? "the lengths are an estimate: words between blanks, no tokenizer was run"
                  : "the lengths are an estimate: a token for 4 bytes of UTF-8, no tokenizer was run");
}

/// Text, and no lengths beside it, or they are not wanted.
bool lacks_lengths(const Probe& probe, const json::FirstRecord& record) {
  const bool stated = !engine::usual_length_column(record.number_keys()).empty() || record.has_array("input_ids");
  return probe.length_field.empty() ? !stated : is_estimate(probe.length_field);
}

bool is_alpaca(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  return record.has("instruction") && record.has("output") && lacks_lengths(probe, record);
}
bool is_sharegpt(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  return record.has_array("conversations") && lacks_lengths(probe, record);
}

}  // namespace

const Reader kAlpaca{
    .name = "alpaca",
    .summary =
        "Alpaca's instruction data: text, so only an estimate, by --length-field estimate-words or estimate-bytes",
    .example = R"([{"instruction": "Add up.", "input": "1 2", "output": "3"}])",
    .recognises = is_alpaca,
    .read = read_text_records<AlpacaRecord>,
    .copy_records = copy_json,
};
const Reader kShareGpt{
    .name = "sharegpt",
    .summary =
        "ShareGPT's conversations: text, so only an estimate, by --length-field estimate-words or estimate-bytes",
    .example = R"([{"id": "1", "conversations": [{"from": "human", "value": "Hello"}]}])",
    .recognises = is_sharegpt,
    .read = read_text_records<ShareGptRecord>,
    .copy_records = copy_json,
};

}  // namespace seqpoint::io::manifests::formats
