/// \file
/// Lines of JSON that one program wrote mostly differ in their strings and numbers only. The rest of a line is its
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
  /// `id`: the caller's own number for it. `raw`: as written; a string with its quotes.
  WantedValue(std::size_t id, std::string_view raw) : id_(static_cast<std::uint32_t>(id)) {
    set(raw.data(), raw.data() + raw.size());
  }
  void set(const char* begin, const char* end) {
    begin_ = begin;
    size_ = static_cast<std::uint32_t>(end - begin);
  }

  std::size_t id() const { return id_; }
  std::string_view raw() const { return {begin_, size_}; }
  bool is_text() const { return size_ > 1 && *begin_ == '"'; }
  /// A string's characters, if it has no escapes.
  std::string_view text() const { return {begin_ + 1, size_ - 2}; }

 private:
  // Not a std::string_view: it is loaded as one wide value, which stalls right after two narrow stores.
  const char* begin_ = nullptr;
  std::uint32_t size_ = 0;  // lines are shorter than 4 GiB
  std::uint32_t id_ = 0;
};

/// All of a line but its strings and numbers, and which of these are wanted.
///
/// A line that matches is one JSON object as simdjson's On-Demand API takes it: the same brackets, keys, words and line
/// end as in the line that the template was made from, whole strings of valid UTF-8 without control characters between
/// them, and characters of numbers where numbers are. As there, what stands after a backslash and whether a number is
/// well formed is left to the caller; a wanted string has no backslash.
class LineTemplate {
 public:
  /// The template of a line that simdjson accepts, given with its line end; the wanted values are views of it. Nothing
  /// for a line with an escape in a key or in a wanted value, with very many values, without line end, or with a value
  /// wanted twice.
  static std::optional<LineTemplate> of(std::string_view line, std::span<const WantedValue> wanted);

  /// Where the line ends that begins at `line`, if it matches; null if it does not. The text needs a control
  /// character, or a zero after its end, with as many readable bytes after it as Block::kPadding says.
  const char* match(const char* line);
  /// The wanted values of the line matched last, in the order of the text.
  std::span<const WantedValue> values() const { return {values_.data(), wanted_}; }

 private:
  friend class LineTemplateParser;

  /// Some fixed text and the value after it.
  struct Part {
    enum class Kind : std::uint8_t { string, number, word, none };
    std::size_t begin = 0, size = 0;  ///< of the fixed text, in `fixed_`; before a string it includes the opening quote
    Kind kind = Kind::none;
    std::uint8_t slot = 0;       ///< in `values_`; the last one is for all unwanted values
    std::uint8_t word_size = 0;  ///< of a wanted true, false or null, with which the next fixed text begins
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
    const char* end = nullptr;              ///< of the line; null: it matches none
    std::span<const WantedValue> values{};  ///< as LineTemplate::values()
    bool same_template = false;             ///< as the line before it
  };
  /// The match of the line that begins at `line`, as LineTemplate::match().
  Match match(const char* line);
  /// Adds the template of a line. Where there are too many, the least recently matched one is removed.
  void add(std::string_view line, std::span<const WantedValue> wanted);

 private:
  std::vector<LineTemplate> templates_;  ///< the one matched last is the first
  bool last_matched_first_ = false;      ///< the last line matched the first template
};

}  // namespace seqpoint::io::json
