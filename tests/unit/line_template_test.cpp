// Lines read by templates of lines before them. What a line means is what nlohmann's parser says it means.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <random>

#include "io/json/byte_scan.hpp"
#include "io/json/line_template.hpp"
#include "io/text/short_decimal.hpp"

namespace seqpoint::testing {
namespace {

using namespace io::json;

using Json = nlohmann::json;

/// A line with what must be readable behind it.
std::string padded(const std::string& line) { return line + std::string(64, '\0'); }

/// The template of `line`, with the values that `wanted` are written as.
std::optional<LineTemplate> template_of(const std::string& line, const std::vector<std::string>& wanted) {
  std::vector<WantedValue> values;
  for (const std::string& raw : wanted)
    values.emplace_back(values.size() + 10, std::string_view(line).substr(line.find(raw), raw.size()));
  return LineTemplate::of(line, values);
}

std::size_t matched(LineTemplate& expected, const std::string& line) {
  const std::string text = padded(line);
  const char* const end = expected.match(text.data());
  return end == nullptr ? 0 : static_cast<std::size_t>(end - text.data());
}

const std::string kLine = "{\"a\": \"x y\", \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": null, \"t\": true}\n";

TEST(LineTemplate, StringsAndNumbersMayDiffer) {
  auto expected = template_of(kLine, {"1.5", "\"x y\""});
  ASSERT_TRUE(expected);
  const std::string other =
      "{\"a\": \"\", \"n\": {\"d\": -2e3, \"e\": [77, \"a \\\" ] quote\"]}, \"w\": null, \"t\": true}\n";
  const std::string text = padded(other);
  EXPECT_EQ(expected->match(text.data()), text.data() + other.size());
  ASSERT_EQ(expected->values().size(), 2U);
  EXPECT_EQ(expected->values()[0].raw(), "\"\"");
  EXPECT_EQ(expected->values()[0].id(), 11U);
  EXPECT_EQ(expected->values()[0].text(), "");
  EXPECT_EQ(expected->values()[1].raw(), "-2e3");
  EXPECT_EQ(expected->values()[1].id(), 10U);
}

TEST(LineTemplate, NothingElseMay) {
  auto expected = template_of(kLine, {"1.5", "null"});
  ASSERT_TRUE(expected);
  const std::string text = padded(kLine);  // values are views of it
  EXPECT_EQ(expected->match(text.data()), text.data() + kLine.size());
  EXPECT_EQ(expected->values()[1].raw(), "null");
  for (const char* const other : {
           "{\"b\": \"x y\", \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": null, \"t\": true}\n",   // a key
           "{\"a\": \"x y\", \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": null, \"t\": false}\n",  // a word
           "{\"a\": \"x y\", \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": 3, \"t\": true}\n",      // another kind of
                                                                                                     // value
           "{\"a\": 1, \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": null, \"t\": true}\n",
           "{\"a\": \"x y\", \"n\": {\"d\": \"1.5\", \"e\": [1, \"z\"]}, \"w\": null, \"t\": true}\n",
           "{\"a\": \"x y\", \"n\": {\"d\": , \"e\": [1, \"z\"]}, \"w\": null, \"t\": true}\n",        // no value
           "{\"a\": \"x y\", \"n\": {\"d\": 1.5, \"e\": [1, 2, \"z\"]}, \"w\": null, \"t\": true}\n",  // an element
                                                                                                       // more
           "{\"a\": \"x y\", \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": null, \"t\": true} \n",    // a blank
           "{\"a\": \"x y\", \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": null, \"t\": true}",       // no line end
           "{\"a\": \"x y\", \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": null, \"t\": true\n",      // cut short
           "{\"a\": \"x y\n", "{\"a\": \"x y", "{", "\n", "",
           "{\"a\": \"x\ty\", \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": null, \"t\": true}\n",    // a control
                                                                                                       // character
           "{\"a\": \"x \xff\", \"n\": {\"d\": 1.5, \"e\": [1, \"z\"]}, \"w\": null, \"t\": true}\n",  // no UTF-8
       })
    EXPECT_EQ(matched(*expected, other), 0U) << other;
}

TEST(LineTemplate, TextBeyondAsciiIsUtf8OrNotMatched) {
  const std::string line = "{\"text\": \"plain\", \"d\": 1}\n";
  auto expected = template_of(line, {"1"});
  ASSERT_TRUE(expected);
  const std::string good =
      "{\"text\": \"caf\xc3\xa9 \xe4\xbd\xa0\xe5\xa5\xbd, long enough to be looked at in more than one step\", \"d\": "
      "1}\n";
  EXPECT_EQ(matched(*expected, good), good.size());
  for (std::size_t i = 0; i < good.size(); ++i) {
    if (static_cast<unsigned char>(good[i]) < 0x80) continue;
    std::string bad = good;
    bad[i] = 'x';
    EXPECT_EQ(matched(*expected, bad), 0U) << i;
  }
}

TEST(LineTemplate, AWantedStringHasNoEscapes) {
  const std::string line = "{\"a\": \"x\", \"b\": \"y\"}\n", escaped = "{\"a\": \"x\", \"b\": \"\\u00e9\\\\\"}\n";
  auto wants_first = template_of(line, {"\"x\""}), wants_second = template_of(line, {"\"y\""});
  EXPECT_EQ(matched(*wants_first, escaped), escaped.size());
  EXPECT_EQ(matched(*wants_second, escaped), 0U);
  EXPECT_FALSE(template_of(escaped, {"\"\\u00e9\\\\\""}));
}

TEST(LineTemplate, WhatIsNotPlainHasNone) {
  for (const char* const line :
       {"{\"a\": 1}", "{\"\\u0061\": 1}\n", "[1]\n", "{\"a\": nul}\n", "{\"a\": 1,}\n", "{\"a\" 1}\n", "{\"a\": [1}\n",
        "{\"a\": 1} x\n", "{\"a\": \"x}\n", "{a: 1}\n", "\n", ""})
    EXPECT_FALSE(LineTemplate::of(line, {})) << line;
  const std::string line = "{\"a\": 1}\n", elsewhere = "1";
  const std::vector<WantedValue> not_in_it{{0, elsewhere}};
  EXPECT_FALSE(LineTemplate::of(line, not_in_it));
}

TEST(LineTemplates, SeveralAreRemembered) {
  LineTemplates templates;
  std::vector<std::string> lines;
  for (const char* const key : {"a", "b", "c"}) lines.push_back("{\"" + std::string(key) + "\": 1}\n");
  for (const std::string& line : lines) {
    const std::vector<WantedValue> wanted{{0, std::string_view(line).substr(6, 1)}};
    EXPECT_EQ(templates.match(padded(line).data()).end, nullptr);
    templates.add(line, wanted);
  }
  const std::string a = padded(lines[0]), c = padded(lines[2]);
  EXPECT_NE(templates.match(a.data()).end, nullptr);
  EXPECT_TRUE(templates.match(a.data()).same_template);
  EXPECT_FALSE(templates.match(c.data()).same_template);
  EXPECT_TRUE(templates.match(c.data()).same_template);
  EXPECT_EQ(templates.match(padded("[]\n").data()).end, nullptr);
  EXPECT_FALSE(templates.match(c.data()).same_template);
}

/// Escapes that no parser may refuse, and numbers likewise: a template leaves both to whoever takes the value.
std::string with_plain_values(const std::string& line) {
  std::string plain;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool part_of_number =
        !in_string && std::string_view("0123456789+-.eE").find(line[i]) != std::string_view::npos;
    const bool in_word = line[i] == 'e' && i > 0 && (line[i - 1] == 'u' || line[i - 1] == 's');
    if (in_string && line[i] == '\\') {
      plain += 'x';
      ++i;
    } else if (part_of_number && !in_word) {
      if (plain.back() != '0') plain += '0';
    } else {
      in_string ^= line[i] == '"';
      plain += line[i];
    }
  }
  return plain;
}

// Whatever damage a line takes: if it still matches, it is a whole JSON object, and its values are what a parser finds.
TEST(LineTemplate, WhatMatchesIsJson) {
  const std::string line =
      "{\"id\": \"u1 \xc3\xa9\", \"d\": 12.25, \"x\": [0.5, null, {\"k\": \"v\"}], \"text\": \"it \\\"is\\\" so, {a: "
      "[1]}\"}\n";
  const std::string_view alphabet = "\"\\{}[]:,. 019-eEnut\t\n\r\x01\x7f\x80\xc3\xa9\xff";
  auto expected = template_of(line, {"12.25", "\"u1 \xc3\xa9\""});
  ASSERT_TRUE(expected);
  std::size_t matches = 0;
  for (const unsigned seed : {1U, 2U}) {
    std::mt19937 random(seed);
    for (int i = 0; i < 200000; ++i) {
      std::string damaged = line;
      for (auto changes = random() % 3 + 1; changes > 0; --changes) {
        const std::size_t at = random() % damaged.size();
        const char byte = random() % 2 == 0 ? alphabet[random() % alphabet.size()] : damaged[random() % damaged.size()];
        if (random() % 3 == 0)
          damaged.insert(at, 1, byte);
        else if (random() % 2 == 0)
          damaged.erase(at, 1);
        else
          damaged[at] = byte;
      }
      const std::string text = padded(damaged);
      const char* const end = expected->match(text.data());
      if (end == nullptr) continue;
      ++matches;
      const std::string whole(text.data(), end);
      ASSERT_EQ(whole.find('\n'), whole.size() - 1) << "seed " << seed << ", case " << i << ": " << whole;
      ASSERT_TRUE(Json::accept(with_plain_values(whole))) << "seed " << seed << ", case " << i << ": " << whole;
      const Json parsed = Json::parse(whole, nullptr, false);
      if (parsed.is_discarded()) continue;
      ASSERT_EQ(expected->values()[0].text(), parsed["id"].get<std::string>()) << whole;
      ASSERT_EQ(Json::parse(expected->values()[1].raw()), parsed["d"]) << whole;
    }
  }
  EXPECT_GT(matches, 10000U);
}

// Every function finds the end that looking at each byte finds.
TEST(PlainText, EndsAtAQuoteABackslashOrAControlCharacter) {
  std::mt19937 random(1);
  for (int i = 0; i < 100000; ++i) {
    std::string text(random() % 200, 'x');
    const bool ascii = i % 3 != 0;
    for (char& c : text) c = static_cast<char>(0x20 + random() % (ascii ? 0x60 : 0xe0));
    for (char& c : text)
      if (c == '"' || c == '\\') c = '#';
    const std::size_t size = text.size();
    const std::string_view ends = "\"\\\n\x1f\t";
    text = padded(text + ends[random() % ends.size()]);
    const bool plain = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    for (const FindPlainTextEnd find : plain_text_functions()) {
      const PlainText found = find(text.data());
      ASSERT_EQ(found.end - text.data(), static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(found.ascii, plain);
    }
  }
}

TEST(ShortDecimal, IsWhatTheStandardLibraryReads) {
  std::mt19937 random(1);
  const std::string_view usual = "0123456789.", all = "0123456789.-+eE x\x80\xff";
  for (int i = 0; i < 2'000'000; ++i) {
    std::string text;
    for (auto size = random() % 10; size > 0; --size)
      text += i % 2 == 0 ? usual[random() % usual.size()] : all[random() % all.size()];
    const auto number = io::text::short_decimal(text);
    double expected = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    ASSERT_TRUE(!number || (whole && *number == expected)) << text;
  }
  for (const char* const text : {"0", "7", "14.085", "0.5", "00.50", "12345678", "1.234567", "123456.7"})
    EXPECT_TRUE(io::text::short_decimal(text)) << text;
  for (const char* const text : {"", ".", "1.", ".5", "1.2.3", "-1", "1e3", "123456789", "1 ", "0x1", "nan"})
    EXPECT_FALSE(io::text::short_decimal(text)) << text;
}

}  // namespace
}  // namespace seqpoint::testing
