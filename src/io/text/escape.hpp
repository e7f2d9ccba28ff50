/// \file
/// Escapes the user's text for other formats, so that it cannot be taken for markup or commands.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::io::text {

/// Whether a byte belongs to a UTF-8 character, but is not its first.
inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Bytes that are not UTF-8 become U+FFFD, as in our JSON.
std::string valid_utf8(std::string_view text);

/// One line without control sequences of terminals: control characters become blanks.
std::string printable(std::string_view text);

/// For text at the beginning of a line of output: changes text that GitHub's runner would take for a workflow command.
/// The runner looks at every line of both output streams, for `::` after white space and for `##[` anywhere
/// (actions/runner, src/Runner.Common/ActionCommand.cs).
std::string break_workflow_commands(std::string text);

/// The cell of a Markdown table, for CommonMark and GitHub: no markup, no HTML.
std::string markdown_cell(std::string_view text);

/// A cell with RFC 4180 quotes. Control characters except line ends become U+FFFD, because CSV cannot escape them.
std::string csv_cell(std::string_view text);

/// The cell of a column of text. If it begins like a spreadsheet's formula, an apostrophe is put before it, which marks
/// text in spreadsheets.
std::string csv_text_cell(std::string_view text);

/// Attributes and text of XML 1.0. Characters that XML does not allow become U+FFFD.
std::string xml_text(std::string_view text);

/// The message and the properties of a workflow command (the same source).
std::string workflow_data(std::string_view text);
std::string workflow_property(std::string_view text);

}  // namespace seqpoint::io::text
