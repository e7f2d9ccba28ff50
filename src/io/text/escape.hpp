/// \file
/// Escapes the user's text for other formats, so that it cannot be taken for markup or commands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace seqpoint::io::text {

/// Whether all bytes of the text are of UTF-8 characters.
bool is_utf8(std::string_view text);
/// The text with U+FFFD in place of bytes that are not UTF-8, as in our JSON.
std::string valid_utf8(std::string_view text);

/// The text of a JSON document with directions of writing (U+202E and its like) escaped: a terminal would obey them.
std::string escaped_directions(std::string json);

/// One line without control sequences of terminals: control characters, line ends and tabs included, and directions of
/// writing become blanks. Bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

/// Columns of a text on a terminal, counting one for each UTF-8 character.
std::size_t columns_of_text(std::string_view text);

/// For text at the beginning of a line of output: puts a blank into text that GitHub's runner would take for a workflow
/// command (": :", "## [").
/// The runner looks at every line of both output streams, for `::` after white space and for `##[` anywhere
/// (actions/runner, src/Runner.Common/ActionCommand.cs).
std::string break_workflow_commands(std::string text);

/// The text of a cell of a Markdown table, for CommonMark and GitHub: on one line, markup and HTML escaped.
std::string markdown_cell(std::string_view text);

/// A cell with text, in RFC 4180 quotes if it contains a comma, a quote or a line end, or begins with `::` (a workflow
/// command). Control characters except line ends and tabs become U+FFFD, because CSV cannot escape them. If the text
/// begins like a spreadsheet's formula (=, +, - or @, after blanks), an apostrophe is put before it, which marks text
/// in spreadsheets.
std::string csv_text_cell(std::string_view text);

/// Escaped text for attributes and content of XML 1.0, line ends and tabs included. Characters that XML does not allow
/// become U+FFFD.
std::string xml_text(std::string_view text);

/// Text escaped for the message of a workflow command: %, CR and LF; other control characters become blanks
/// (actions/runner, src/Runner.Common/ActionCommand.cs).
std::string workflow_data(std::string_view text);
/// Text escaped for a property of a workflow command: also colons and commas.
std::string workflow_property(std::string_view text);

}  // namespace seqpoint::io::text
