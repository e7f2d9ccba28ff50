// Recognises traces, which are not manifests, so that the error can name them.
#include "core/trace/trace.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/csv.hpp"
#include "io/text/csv_table.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

/// Whether the first line is a header with iteration or batch_size, and with src_len or sq_tokens, or other names of
/// these columns.
bool is_trace_header(const Probe& probe) {
  bool length = false, iteration = false, squares = false;
  for (const std::string& field : text::header_fields(probe.head, text::dialect_of(probe.head))) {
    const std::string_view name = trace::canonical_field(text::trim(field));
    length = length || name == "src_len";
    iteration = iteration || name == "iteration" || name == "batch_size";
    squares = squares || name == "sq_tokens";
  }
  return iteration && (length || squares);
}

}  // namespace

const Reader kTrace{
    .name = "trace",
    .summary = "iterations of a run: what `seqpoint scan` or a training loop writes",
    .example = "iteration,src_len,batch_size,runtime_s\\n0,354,64,0.256",
    .recognises = is_trace_header,
    .read = nullptr,
};

}  // namespace seqpoint::io::manifests::formats
