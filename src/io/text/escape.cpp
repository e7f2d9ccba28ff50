#include "io/text/escape.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace seqpoint::io::text {
namespace {

constexpr auto kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Whether a byte belongs to a UTF-8 character, but is not its first.
bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Removes one character from valid UTF-8, and returns it.
std::string_view take_character(std::string_view& text) {
  std::size_t size = 1;
  while (size < text.size() && is_continuation(text[size])) ++size;
  const std::string_view character = text.substr(0, size);
  text.remove_prefix(size);
  return character;
}

/// `text` with every character replaced by the result of `of`.
template <class Of>
std::string map_characters(std::string_view text, Of of) {
  const std::string valid = valid_utf8(text);
  std::string out;
  for (std::string_view rest = valid; !rest.empty();) out += of(take_character(rest));
  return out;
}

/// Invisible characters that set the direction of the text after them, so that it reads as another text.
constexpr std::array<std::string_view, 12> kDirections{"\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C",
                                                       "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"};

bool is_direction(std::string_view character) { return std::ranges::find(kDirections, character) != kDirections.end(); }

/// C0, DEL and C1, which a terminal may execute, and directions.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  if (character.size() == 2 && first == 0xC2) return static_cast<unsigned char>(character[1]) < 0xA0;
  return is_direction(character);
}

/// A character of two or three bytes as JSON escapes it: `\u202e`.
std::string json_escape(std::string_view character) {
  unsigned code = static_cast<unsigned char>(character[0]) & (character.size() == 2 ? 0x1FU : 0x0FU);
  for (const char byte : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(byte) & 0x3FU);
  return fmt::format("\\u{:04x}", code);
}

bool is_line_end_or_tab(std::string_view character) {
  return character == "\n" || character == "\r" || character == "\t";
}
bool is_ascii_graphic(char c) { return c > ' ' && c < '\x7f'; }
bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

std::string xml_character(std::string_view c) {
  if (c == "&") return "&amp;";
  if (c == "<") return "&lt;";
  if (c == ">") return "&gt;";
  if (c == "\"") return "&quot;";
  if (c == "\n") return "&#10;";  // unescaped line ends of an attribute would be read as blanks
  if (c == "\r") return "&#13;";
  if (c == "\t") return "&#9;";
  const bool forbidden = is_control(c) || c == "\xEF\xBF\xBE" || c == "\xEF\xBF\xBF";  // U+FFFE, U+FFFF
  return forbidden ? kReplacement : std::string(c);
}

std::string markdown_character(std::string_view c) {
  if (c == "&") return "&amp;";
  if (c == "<") return "&lt;";
  if (c == ">") return "&gt;";
  constexpr std::string_view kMarkup = "\\`*[]|~!$";
  return (c.size() == 1 && kMarkup.find(c[0]) != std::string_view::npos ? "\\" : "") + std::string(c);
}

}  // namespace

bool is_utf8(std::string_view text) { return valid_utf8(text) == text; }

std::string valid_utf8(std::string_view text) {
  using nlohmann::json;
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return std::string(text);
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::string escaped_directions(std::string json) {
  if (json.find_first_of("\xD8\xE2") == std::string::npos) return json;  // the first bytes of all directions
  return map_characters(json, [](std::string_view c) { return is_direction(c) ? json_escape(c) : std::string(c); });
}

std::string printable(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; })) return std::string(text);
  return map_characters(text, [](std::string_view c) { return is_control(c) ? " " : std::string(c); });
}

std::size_t columns_of_text(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !is_continuation(byte); }));
}

std::string break_workflow_commands(std::string text) {
  for (auto at = text.find("##["); at != std::string::npos; at = text.find("##[", at)) text.insert(at + 2, " ");
  const auto first = std::find_if(text.begin(), text.end(), is_ascii_graphic);  // after white space of any alphabet
  const auto at = static_cast<std::size_t>(first - text.begin());
  if (text.compare(at, 2, "::") == 0) text.insert(at + 1, " ");
  return text;
}

std::string markdown_cell(std::string_view text) {
  const std::string line = printable(text);
  std::string out;
  char before = ' ';
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view c = take_character(rest);
    // An underscore inside a word is literal; elsewhere it means emphasis.
    const bool inside = is_word(before) && !rest.empty() && is_word(rest[0]);
    out += c == "_" && !inside ? "\\_" : markdown_character(c);
    before = c.back();
  }
  return out;
}

std::string csv_text_cell(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool formula =
      first != std::string_view::npos && std::string_view("=+-@").find(text[first]) != std::string_view::npos;
  const std::string cell = map_characters((formula ? "'" : "") + std::string(text), [](std::string_view c) {
    return is_control(c) && !is_line_end_or_tab(c) ? kReplacement : std::string(c);
  });
  const bool plain = cell.find_first_of(",\"\r\n") == std::string::npos && !cell.starts_with("::");
  if (plain) return cell;
  return '"' + map_characters(cell, [](std::string_view c) { return c == "\"" ? "\"\"" : std::string(c); }) + '"';
}

std::string xml_text(std::string_view text) { return map_characters(text, xml_character); }

std::string workflow_data(std::string_view text) {
  return map_characters(text, [](std::string_view c) -> std::string {
    if (c == "%") return "%25";
    if (c == "\r") return "%0D";
    if (c == "\n") return "%0A";
    return is_control(c) ? " " : std::string(c);
  });
}

std::string workflow_property(std::string_view text) {
  return map_characters(workflow_data(text), [](std::string_view c) -> std::string {
    if (c == ":") return "%3A";
    if (c == ",") return "%2C";
    return std::string(c);
  });
}

}  // namespace seqpoint::io::text
