#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "io/text/escape.hpp"

namespace seqpoint::cli {
namespace {

/// Where the text after a label begins.
std::size_t after_label(std::string_view line) {
  constexpr std::size_t kMost = 20, kNone = 2;
  const std::size_t blanks = line.find("  "), text = line.find_first_not_of(' ', blanks);
  return blanks > 0 && text <= kMost ? text : kNone;
}

/// Appends one line to `lines`, folded. Blanks at its beginning and between words stay.
void append_folded(std::string& lines, std::string_view line, std::size_t columns, std::size_t indent) {
  if (io::text::columns_of_text(line) <= columns) {
    lines += line;
    return;
  }
  if (indent == kAfterLabel) indent = after_label(line);
  std::size_t used = 0;
  while (!line.empty()) {
    const std::size_t word = std::min(line.find_first_not_of(' '), line.size()),
                      end = std::min(line.find(' ', word), line.size());
    const std::string_view blanks = line.substr(0, word), text = line.substr(word, end - word);
    line.remove_prefix(end);
    const bool fits = used == 0 || used + blanks.size() + io::text::columns_of_text(text) <= columns;
    if (!fits) {
      lines += '\n' + std::string(indent, ' ');
      used = indent;
    } else {
      lines += blanks;
      used += blanks.size();
    }
    lines += text;
    used += io::text::columns_of_text(text);
  }
}

}  // namespace

std::optional<std::size_t> columns_of_terminal(int file_descriptor) {
  winsize size{};
  if (::isatty(file_descriptor) == 0 || ::ioctl(file_descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::nullopt;
  return size.ws_col;
}

std::string folded(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    append_folded(lines, text.substr(at, end - at), columns, indent);
    if (end < text.size()) lines += '\n';
    at = end + 1;
  }
  return lines;
}

}  // namespace seqpoint::cli
