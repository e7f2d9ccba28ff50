#include "io/json/line_template.hpp"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "io/json/byte_scan.hpp"
#include "io/json/json_scan.hpp"

namespace seqpoint::io::json {
namespace {

constexpr std::size_t kMaxParts = 200, kMaxTemplates = 8, kDeepest = 32;

/// The closing quote of the string whose characters begin at `text`; null if a control character, or a backslash
/// without `may_escape`, comes first. Sets `ascii` to false if bytes above 127 are possible in the string.
const char* closing_quote(const char* text, bool may_escape, bool& ascii) {
  for (;;) {
    const PlainText plain = end_of_plain_text(text);
    ascii = ascii && plain.ascii;
    if (*plain.end == '"') return plain.end;
    const auto escaped = static_cast<unsigned char>(plain.end[1]);
    if (!may_escape || *plain.end != '\\' || escaped < 0x20) return nullptr;
    ascii = ascii && escaped < 0x80;
    text = plain.end + 2;
  }
}

}  // namespace

/// Parses a line, more strictly than simdjson.
class LineTemplateParser {
 public:
  LineTemplateParser(std::string_view line, std::span<const WantedValue> wanted) : line_(line), wanted_(wanted) {}

  /// The template; nothing if LineTemplate::of() has none for the line.
  std::optional<LineTemplate> parse() {
    skip_blanks();
    if (peek() != '{' || !parse_value(0)) return std::nullopt;
    skip_blanks();
    if (at_ != line_.size() || !line_.ends_with('\n') || template_.values_.size() != wanted_.size())
      return std::nullopt;
    add_part(Kind::none, at_);
    template_.wanted_ = wanted_.size();
    template_.values_.emplace_back();
    for (LineTemplate::Part& part : template_.parts_)
      part.slot = std::min(part.slot, static_cast<std::uint8_t>(template_.wanted_));
    template_.fixed_.append(kPadding, '\0');
    return std::move(template_);
  }

 private:
  using Kind = LineTemplate::Part::Kind;
  static constexpr std::size_t kPadding = 16;  // that begins_with() may read
  static constexpr std::uint8_t kUnwanted = 255;

  /// The next character; '\0' at the end of the line.
  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  /// Consumes the next character if it is `c`. Returns whether it was.
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() { at_ = json::skip_blanks(line_, at_); }

  /// Parses a value inside `depth` arrays and objects. False if it is invalid or too deep, if the line has too many
  /// values, or for an escape in a key or a wanted string.
  bool parse_value(std::size_t depth) {
    if (depth > kDeepest || template_.parts_.size() > kMaxParts) return false;
    switch (peek()) {
      case '{': return parse_members('}', depth);
      case '[': return parse_members(']', depth);
      case '"': return parse_string();
      default: return is_number_character(peek()) ? parse_number() : parse_word();
    }
  }

  /// Parses from the opening bracket on: the members of an object (`closing` is a brace), or the elements of an array.
  bool parse_members(char closing, std::size_t depth) {
    ++at_;
    skip_blanks();
    if (accept(closing)) return true;
    do {
      skip_blanks();
      if (closing == '}' && !parse_key()) return false;
      if (!parse_value(depth + 1)) return false;
      skip_blanks();
    } while (accept(','));
    return accept(closing);
  }

  /// Parses a key and its colon. False if the key contains an escape.
  bool parse_key() {
    bool escapes = false;
    if (peek() != '"' || !skip_string(escapes) || escapes) return false;
    skip_blanks();
    if (!accept(':')) return false;
    skip_blanks();
    return true;
  }

  /// Parses a string. False if it does not end, or is wanted and contains an escape.
  bool parse_string() {
    const std::size_t begin = at_;
    bool escapes = false;
    if (!skip_string(escapes)) return false;
    return add_part(Kind::string, begin) || !escapes;
  }
  /// Consumes a string and sets `escapes` to whether it contains a backslash. False, without consuming, if it does not
  /// end.
  bool skip_string(bool& escapes) {
    const std::size_t end = end_of_string(line_, at_);
    if (end == kIncomplete) return false;
    escapes = line_.substr(at_, end - at_).find('\\') != std::string_view::npos;
    at_ = end;
    return true;
  }
  /// Consumes characters of a number. Always true: the form of the number is not checked.
  bool parse_number() {
    const std::size_t begin = at_;
    while (is_number_character(peek())) ++at_;
    add_part(Kind::number, begin);
    return true;
  }
  /// Parses true, false or null. An unwanted word remains fixed text.
  bool parse_word() {
    for (const std::string_view word : {"true", "false", "null"}) {
      if (!line_.substr(at_).starts_with(word)) continue;
      const std::size_t begin = at_;
      at_ += word.size();
      if (wanted_at(begin) != nullptr) add_part(Kind::word, begin);
      return true;
    }
    return false;
  }

  /// The wanted value that begins at `begin`; null if none does.
  const WantedValue* wanted_at(std::size_t begin) const {
    const char* const value = line_.data() + begin;
    const auto found =
        std::find_if(wanted_.begin(), wanted_.end(), [&](const WantedValue& v) { return v.raw().data() == value; });
    return found == wanted_.end() ? nullptr : &*found;
  }

  /// Adds the fixed text between the last value and the value from `begin` to the current position, then that value.
  /// True if the value is not wanted.
  bool add_part(Kind kind, std::size_t begin) {
    const std::size_t fixed_end = kind == Kind::string ? begin + 1 : begin;
    const WantedValue* const wanted = wanted_at(begin);
    LineTemplate::Part part{template_.fixed_.size(), fixed_end - fixed_begin_, kind};
    part.slot = wanted != nullptr ? static_cast<std::uint8_t>(template_.values_.size()) : kUnwanted;
    part.word_size = kind == Kind::word ? static_cast<std::uint8_t>(at_ - begin) : 0;
    if (wanted != nullptr) template_.values_.emplace_back(wanted->id(), std::string_view{});
    template_.parts_.push_back(part);
    template_.fixed_ += line_.substr(fixed_begin_, fixed_end - fixed_begin_);
    fixed_begin_ = kind == Kind::string ? at_ - 1 : at_ - part.word_size;  // a quote and a word are compared
    return wanted == nullptr;
  }

  std::string_view line_;
  std::span<const WantedValue> wanted_;
  std::size_t at_ = 0;
  std::size_t fixed_begin_ = 0;  ///< after the last value
  LineTemplate template_;
};

std::optional<LineTemplate> LineTemplate::of(std::string_view line, std::span<const WantedValue> wanted) {
  return LineTemplateParser(line, wanted).parse();
}

const char* LineTemplate::match(const char* const line) {
  bool ascii = true;
  const char* text = line;
  for (const Part& part : parts_) {
    if (!begins_with(text, fixed_.data() + part.begin, part.size)) return nullptr;
    text += part.size;
    WantedValue& value = values_[part.slot];
    if (part.kind == Part::Kind::string) {
      const char* const quote = closing_quote(text, part.slot == wanted_, ascii);
      if (quote == nullptr) return nullptr;
      value.set(text - 1, quote + 1);
      text = quote;
    } else if (part.kind == Part::Kind::number) {
      const char* const end = end_of_number(text);
      if (end == text) return nullptr;
      value.set(text, end);
      text = end;
    } else {
      value.set(text, text + part.word_size);
    }
  }
  return ascii || simdjson::validate_utf8(line, static_cast<std::size_t>(text - line)) ? text : nullptr;
}

LineTemplates::Match LineTemplates::match(const char* line) {
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    const char* const end = templates_[i].match(line);
    if (end == nullptr) continue;
    const auto matched = templates_.begin() + static_cast<std::ptrdiff_t>(i);
    if (i > 0) std::rotate(templates_.begin(), matched, matched + 1);
    return {end, templates_.front().values(), std::exchange(last_matched_first_, true) && i == 0};
  }
  last_matched_first_ = false;
  return {};
}

void LineTemplates::add(std::string_view line, std::span<const WantedValue> wanted) {
  std::optional<LineTemplate> made = LineTemplate::of(line, wanted);
  if (!made) return;
  if (templates_.size() == kMaxTemplates) templates_.pop_back();
  templates_.insert(templates_.begin(), std::move(*made));
}

}  // namespace seqpoint::io::json
