// Reads the run to project: its shapes and their frequencies.
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// SeqPoints are a JSON object, traces have a header.
bool is_json(std::string_view head) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

}  // namespace

RunFile read_run(stream::Input input, trace::BatchLayout layout) {
  if (is_json(input.head())) {
    SeqpointsFile file = read_seqpoints(std::move(input));
    return {std::move(file.selection.run), std::move(file.record), std::move(file.notes)};
  }
  TraceFile file = read_trace(std::move(input), {}, layout);
  return {trace::summarise(file.trace), std::move(file.record), std::move(file.notes)};
}

}  // namespace seqpoint::io::artifacts
