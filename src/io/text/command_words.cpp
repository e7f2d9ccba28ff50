#include "io/text/command_words.hpp"

#include <re2/re2.h>

namespace seqpoint::io::text {

// --- Words as they are typed in a POSIX shell

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string shell_words(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = word.find_first_of(" \t\n'\"$`\\|&;<>()*?[]{}~#!") == std::string::npos && !word.empty();
    text += (text.empty() ? "" : " ") + (plain ? word : shell_word(word));
  }
  return text;
}

// --- The user's commands without their secrets, for files, messages and exports

namespace {

constexpr auto kHidden = "***";

/// The name of a secret. Short words count only as the last part of a name: `--api-key`, but not `--monkey`; and the
/// plural `--max-tokens` is a number.
constexpr auto kName =
    "(?:[-A-Za-z0-9_.]*?(?:token|secrets?|password|passwd|passphrase|api_?key|access_?key|credentials?)|"
    "(?:[-A-Za-z0-9_.]*[-_.])?(?:key|pass|pwd|pat|auth))";
constexpr auto kValue = R"RE((?:"[^"]*"|'[^']*'|[^\s'";&|]+))RE";
constexpr auto kBefore = "(?i)((?:^|[^-A-Za-z0-9_.])";  // the name begins here

/// `://user:password@`: a password may contain a slash.
const re2::RE2& credentials() {
  static const re2::RE2 kPattern(R"RE(://(?:[^\s/?#'"@:]*:[^\s'"]*|[^\s/?#'"]*)@)RE");
  return kPattern;
}

/// A name and its value, with a sign or quotes between them.
const re2::RE2& assignment() {
  static const re2::RE2 kPattern(std::string(kBefore) + kName + R"RE(["']?\s*[=:]\s*))RE" + kValue);
  return kPattern;
}

/// An option and its value after blanks. What begins with a hyphen is the next option.
const re2::RE2& option() {
  static const re2::RE2 kPattern(std::string(kBefore) + "-{1,2}" + kName + R"RE(\s+))RE" +
                                 R"RE((?:"[^"]*"|'[^']*'|[^-\s'";&|][^\s'";&|]*))RE");
  return kPattern;
}

/// A word that is an option whose value follows.
bool is_option(const std::string& word) {
  static const re2::RE2 kPattern(std::string("(?i)--?") + kName);
  return re2::RE2::FullMatch(word, kPattern);
}

}  // namespace

std::string without_secrets(std::string_view text) {
  std::string shown(text);
  re2::RE2::GlobalReplace(&shown, credentials(), std::string("://") + kHidden + "@");
  re2::RE2::GlobalReplace(&shown, assignment(), std::string("\\1") + kHidden);
  re2::RE2::GlobalReplace(&shown, option(), std::string("\\1") + kHidden);
  return shown;
}

std::vector<std::string> without_secrets(std::span<const std::string> words) {
  std::vector<std::string> shown;
  bool is_value = false;
  for (const std::string& word : words) {
    shown.push_back(is_value && !word.starts_with('-') ? kHidden : without_secrets(word));
    is_value = is_option(word);
  }
  return shown;
}

}  // namespace seqpoint::io::text
