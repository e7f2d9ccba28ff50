// JSON manifests that are recognised by the names of their keys only: Hugging Face's and any other.
#include "io/json/json_scan.hpp"
#include "io/manifests/engine/json_records.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/input_head.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

/// Reads one record per line. Throws InputError for an array.
void read_jsonl(stream::Input& input, RowSink& sink) {
  if (io::json::is_array(input.head()))
    throw InputError({input.name(), 1}, "is one JSON array, not a record a line", "read it with --format json");
  engine::read_usual_json_fields(input, sink);
}

/// Reads the field that the user names, else as the Trainer groups by length: the column `length` if the first record
/// has one, else the number of `input_ids` (transformers, trainer_pt_utils.py: LengthGroupedSampler).
void read_hugging_face(stream::Input& input, RowSink& sink) {
  engine::read_json_field(input, sink, io::json::FirstRecord(input.head()).has("length") ? "length" : "input_ids");
}

/// Reads an array of records, or of numbers, which are lengths. Throws InputError for anything else.
void read_json(stream::Input& input, RowSink& sink) {
  if (!io::json::is_array(input.head()))
    throw InputError({input.name(), 1}, "is not one JSON array", "read records of a line each with --format jsonl");
  const io::json::FirstRecord probe(input.head());
  if (probe.empty() && sink.file.requested_field().empty()) return engine::read_json_numbers(input, sink);
  engine::read_usual_json_fields(input, sink);
}

bool is_jsonl(const Probe& probe) { return text::trim(text::first_line(probe.head)).starts_with('{'); }
bool is_json(const Probe& probe) { return io::json::is_array(probe.head); }
bool is_hugging_face(const Probe& probe) { return io::json::FirstRecord(probe.head).has_array("input_ids"); }

}  // namespace

const Reader kHuggingFace{
    .name = "hf",
    .summary = "Hugging Face data set as JSON: its column length, else how many input_ids a row has",
    .example = R"({"input_ids": [101, 7592, 102], "length": 3})",
    .recognises = is_hugging_face,
    .read = read_hugging_face,
};
const Reader kJsonl{
    .name = "jsonl",
    .summary = "JSON lines with a number for the length, or an array; nested keys are dotted",
    .example = R"({"id": "c1", "num_tokens": 17})",
    .recognises = is_jsonl,
    .read = read_jsonl,
};
const Reader kJson{
    .name = "json",
    .summary = "one JSON array of records with a length, or of lengths",
    .example = R"([{"id": "c1", "num_tokens": 17}])",
    .recognises = is_json,
    .read = read_json,
};

}  // namespace seqpoint::io::manifests::formats
