// Traces of requests to language models: how many tokens went in and came out. The length is that of the prompt; with
// --tgt-length-field that of the answer stands beside it.
#include <algorithm>

#include "io/json/first_record.hpp"
#include "io/manifests/engine/delimited.hpp"
#include "io/manifests/engine/json_fields.hpp"
#include "io/manifests/engine/json_records.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/record_sets.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

constexpr engine::ColumnRules kAzureRules{"ContextTokens"};
constexpr engine::ColumnRules kBurstRules{"Request tokens",
                                          "Response tokens"};  // 0 marks a request that failed (its README)
constexpr engine::ColumnRules kVidurRules{"num_prefill_tokens"};

void read_azure(stream::Input& input, RowSink& sink) {
  engine::read_delimited(input, sink, text::kCommas, kAzureRules);
}
void read_burstgpt(stream::Input& input, RowSink& sink) {
  engine::read_delimited(input, sink, text::kCommas, kBurstRules);
}
void read_vidur(stream::Input& input, RowSink& sink) {
  engine::read_delimited(input, sink, text::kCommas, kVidurRules);
}
void read_mooncake(stream::Input& input, RowSink& sink) { engine::read_json_field(input, sink, "input_length"); }

/// Requests that failed are no rows, as in reading.
void walk_burstgpt(stream::Input& input, TextFrame& frame, const RecordCallback& take) {
  walk_csv(input, frame, [&](std::string_view record) {
    const text::Number answer = text::parse_number(field_of(record, ',', frame.columns, kBurstRules.success_column));
    if (answer.fault != text::NumberFault::none || answer.value != 0) take(record);
  });
}

bool has_columns(const Probe& probe, std::initializer_list<std::string_view> wanted) {
  const std::vector<std::string> names = text::header_fields(probe.head, text::kCommas);
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); });
}
bool is_azure(const Probe& probe) { return has_columns(probe, {"TIMESTAMP", "ContextTokens", "GeneratedTokens"}); }
bool is_burstgpt(const Probe& probe) { return has_columns(probe, {"Timestamp", "Request tokens", "Response tokens"}); }
bool is_vidur(const Probe& probe) { return has_columns(probe, {"num_prefill_tokens", "num_decode_tokens"}); }
bool is_mooncake(const Probe& probe) {
  const io::json::FirstRecord record(probe.head);
  return record.has("timestamp") && record.has("input_length") && record.has("output_length") &&
         record.has_array("hash_ids");
}

}  // namespace

const Reader kAzure{
    .name = "azure-llm",
    .summary = "Azure LLM inference trace: ContextTokens",
    .example = "TIMESTAMP,ContextTokens,GeneratedTokens\\n2023-11-16 18:17:03.9799600,4808,10",
    .recognises = is_azure,
    .read = read_azure,
    .copy_records = copy_text<walk_csv>,
};
const Reader kBurstGpt{
    .name = "burstgpt",
    .summary = "BurstGPT trace: Request tokens; failed requests (Response tokens 0) are left out",
    .example =
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\\n5,ChatGPT,472,18,490,Conversation log",
    .recognises = is_burstgpt,
    .read = read_burstgpt,
    .copy_records = copy_text<walk_burstgpt>,
};
const Reader kVidur{
    .name = "vidur",
    .summary = "Vidur's request trace: num_prefill_tokens",
    .example = "arrived_at,num_prefill_tokens,num_decode_tokens\\n0.0,4808,10",
    .recognises = is_vidur,
    .read = read_vidur,
    .copy_records = copy_text<walk_csv>,
};
const Reader kMooncake{
    .name = "mooncake",
    .summary = "Mooncake request trace: input_length",
    .example = R"({"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1]})",
    .recognises = is_mooncake,
    .read = read_mooncake,
    .copy_records = copy_text<engine::walk_json>,
};

}  // namespace seqpoint::io::manifests::formats
