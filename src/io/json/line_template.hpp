/// \file
/// JSON lines from one program mostly differ in their strings and numbers only. The rest of a line is its
/// template: later lines are compared with it byte by byte, which takes a fraction of the time of parsing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::json {

/// A value of a record that a caller wants: a string, number, true, false or null.
class WantedValue {
 public:
  WantedValue() = default;
  /// `id`: the caller's own number for the value. `raw`: the value as written; a string with its quotes.
  WantedValue(std::size_t id, std::string_view raw) : id_(static_cast<std::uint32_t>(id)) {
    set(raw.data(), raw.data() + raw.size());
  }
  /// Sets raw() to the bytes from `begin` to before `end`.
  void set(const char* begin, const char* end) {
    begin_ = begin;
    size_ = static_cast<std::uint32_t>(end - begin);
  }

  std::size_t id() const { return id_; }
  std::string_view raw() const { return {begin_, size_}; }
  bool is_text() const { return size_ > 1 && *begin_ == '"'; }
  /// The characters of a string without escapes. Only if is_text().
  std::string_view text() const { return {begin_ + 1, size_ - 2}; }

 private:
  // Not a std::string_view: it is loaded as one wide value, which stalls right after two narrow stores.
  const char* begin_ = nullptr;
  std::uint32_t size_ = 0;  // lines are shorter than 4 GiB
  std::uint32_t id_ = 0;
};

/// A line without its strings and numbers, and which of these are wanted.
///
/// A line that matches is one JSON object for simdjson's On-Demand API: the same brackets, keys, words and line end as
/// in the template's line, whole strings of valid UTF-8 without control characters, and characters of numbers in place
/// of numbers. As with simdjson, the caller has to check escapes and the form of numbers; a wanted string has no
/// backslash.
class LineTemplate {
 public:
  /// The template of a line that the caller has parsed with simdjson, given with its line end; `wanted`: views of its
  /// values. Nothing for a line with an escape in a key or in a wanted value, with more than 200 values, nested deeper
  /// than 32 levels, without line end, or with a value wanted twice.
  static std::optional<LineTemplate> of(std::string_view line, std::span<const WantedValue> wanted);

  /// The end of the line that begins at `line`, after its line end, if the line matches; null if it does not. The text
  /// needs a control character, or a zero after its end, followed by Block::kPadding readable bytes.
  const char* match(const char* line);
  /// The wanted values of the line matched last, in the order of the text. Views of that line; ids as in of().
  std::span<const WantedValue> values() const { return {values_.data(), wanted_}; }

 private:
  friend class LineTemplateParser;

  /// Some fixed text and the value after it.
  struct Part {
    enum class Kind : std::uint8_t { string, number, word, none };
    std::size_t begin = 0, size = 0;  ///< of the fixed text, in `fixed_`; before a string it includes the opening quote
    Kind kind = Kind::none;
    std::uint8_t slot = 0;       ///< in `values_`; the last one is for all unwanted values
    std::uint8_t word_size = 0;  ///< size of a wanted true, false or null, with which the next fixed text begins
  };

  std::string fixed_;  ///< all fixed text, with padding for begins_with()
  std::vector<Part> parts_;
  std::vector<WantedValue> values_;
  std::size_t wanted_ = 0;  ///< number of wanted values
};

/// Templates of the latest lines of an input.
class LineTemplates {
 public:
  struct Match {
    const char* end = nullptr;              ///< end of the line; null: it matches none
    std::span<const WantedValue> values{};  ///< as LineTemplate::values()
    bool same_template = false;             ///< same template as the previous line's
  };
  /// The match of the line that begins at `line`: templates are tried from the most recently matched to the least.
  Match match(const char* line);
  /// Adds the template of a line, if LineTemplate::of() makes one. The ninth replaces the one that has not matched for
  /// the longest time.
  void add(std::string_view line, std::span<const WantedValue> wanted);

 private:
  std::vector<LineTemplate> templates_;  ///< the one matched last is the first
  bool last_matched_first_ = false;      ///< the last line matched the first template
};

}  // namespace seqpoint::io::json
