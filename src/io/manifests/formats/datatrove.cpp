// datatrove's index of tokenized documents (datatrove/pipeline/tokens/tokenizer.py: TokenizedFile): where each ends in
// the file of tokens beside it, in tokens, as numbers of 64 bits.
#include <fmt/core.h>

#include "io/manifests/engine/binary.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/row_sink.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

constexpr std::string_view kDatatroveEnding = ".ds.index", kDatatroveIndex = ".index";

/// A token takes 2 or 4 bytes.
void check_against_tokens(const RowSink& sink, std::uint64_t tokens) {
  const std::string& path = sink.file.path();
  if (!path.ends_with(kDatatroveEnding)) return;
  const std::string beside = path.substr(0, path.size() - kDatatroveIndex.size());
  if (!sink.file.files().exists(beside)) return;
  const std::optional<std::uint64_t> bytes = sink.file.files().open(beside).stored_size();
  if (bytes && *bytes != 2 * tokens && *bytes != 4 * tokens)
    throw InputError(
        {path}, fmt::format("ends after {} tokens, and {} has {} bytes, not 2 or 4 a token", tokens, beside, *bytes),
        "are both of one run, and whole? copy them again");
}

void read_datatrove(stream::Input& input, RowSink& sink) {
  engine::BinaryReader in(input, "an index of datatrove");
  sink.set_columns("", "", lengths::LengthUnit::tokens);
  std::uint64_t before = 0;
  in.begin_section("document");
  while (!in.at_end()) {
    in.begin_item(sink.rows.size());
    const auto end = in.read_number<std::uint64_t>();
    if (end < before) in.fail(fmt::format("has document {} end before it begins", sink.rows.size()));
    sink.add_number(0, static_cast<double>(end - before));
    before = end;
  }
  check_against_tokens(sink, before);
}

bool is_datatrove(const Probe& probe) { return probe.path.ends_with(kDatatroveEnding); }

}  // namespace

const Reader kDatatrove{
    .name = "datatrove",
    .summary = "datatrove's .ds.index: the tokens of every document, with the end that the tokenizer adds",
    .example = "00000_unshuffled.ds.index",
    .recognises = is_datatrove,
    .read = read_datatrove,
};

}  // namespace seqpoint::io::manifests::formats
