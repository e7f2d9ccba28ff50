#include "io/text/input_head.hpp"

#include "io/stream/input.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::text {

std::string_view first_line(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  std::string_view line;
  while (!head.empty() && trim(line).empty()) line = stream::take_line(head);
  return line;
}

std::string_view file_name(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view ending : {".gz", ".zst"})
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  return path;
}

}  // namespace seqpoint::io::text
