#include "io/text/secrets.hpp"

#include <re2/re2.h>

#include <array>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>

namespace seqpoint::io::text {
namespace {

constexpr auto kHidden = "***";

/// Bytes from which on a value is replaced wherever it stands. Shorter ones are numbers and words too often (`1234`,
/// `admin`): without them a log could not be read, and hardly anything were hidden.
constexpr std::size_t kShortestKnown = 6;

/// The name of a secret. Short words count only as the last part of a name: `--api-key`, but not `--monkey`; and the
/// plural `--max-tokens` is a number.
constexpr auto kName =
    "(?:[-A-Za-z0-9_.]*?(?:token|secrets?|password|passwd|passphrase|api_?key|access_?key|credentials?|authorization)|"
    "(?:[-A-Za-z0-9_.]*[-_.])?(?:key|pass|pwd|pat|auth))";
constexpr auto kQuoted = R"RE("[^"]*"|'[^']*')RE";
constexpr auto kScheme = R"RE((?:bearer|basic|digest|token)\s+)RE";
constexpr auto kBefore = "(?:^|[^-A-Za-z0-9_.])";                  // a name begins here
constexpr auto kWordAfterBlank = R"RE([^-\s'";&|][^\s'";&|]*)RE";  // what begins with a hyphen is the next option

/// A pattern of bytes, because arguments may be no UTF-8: its first group stays, its second is a secret.
class Pattern {
 public:
  Pattern(const std::string& before, const std::string& value, const std::string& after = "")
      : expression_("(" + before + ")(" + value + ")" + after, re2::RE2::Latin1) {}
  const re2::RE2& expression() const { return expression_; }

 private:
  re2::RE2 expression_;
};

/// `://user:password@`: a password may contain a slash.
const Pattern& credentials() {
  static const Pattern kPattern("://", R"RE([^\s/?#'"@:]*:[^\s'"]*|[^\s/?#'"]*)RE", "@");
  return kPattern;
}

const std::array<Pattern, 5>& patterns() {
  using namespace std::string_literals;
  static const std::array<Pattern, 5> kPatterns{
      // A name and its value, with a sign or quotes between them.
      Pattern("(?i)"s + kBefore + kName + R"RE(["']?\s*[=:]\s*)RE",
              kQuoted + "|(?i:"s + kScheme + R"RE()?[^\s'";&|]+)RE"),
      // An option and its value after blanks, or as the next one of a list.
      Pattern("(?i)"s + kBefore + "-{1,2}" + kName + R"RE((?:\s+|["'],\s*))RE", kQuoted + "|"s + kWordAfterBlank),
      Pattern(R"RE((?i)\bbearer\s+)RE", R"RE([-A-Za-z0-9._~+/=]{8,})RE"),
      Pattern(R"RE((?i)[?&](?:[-a-z0-9_.]*[-_.])?(?:sig|signature|credential)=)RE", R"RE([^\s&'"#]+)RE"),
      Pattern("(?:^|[^A-Za-z0-9_])",
              "hf_[a-z]*[A-Z0-9][A-Za-z0-9]{5,}|gh[oprsu]_[A-Za-z0-9]{8,}|github_pat_[A-Za-z0-9_]{8,}|"
              "glpat-[-A-Za-z0-9_]{8,}|xox[abeoprs]-[-A-Za-z0-9]{8,}|sk-(?:[a-z]+[0-9]*-)?[A-Za-z0-9_]{20,}|"
              "(?:AKIA|ASIA)[A-Z0-9]{12,}|eyJ[-A-Za-z0-9_]{8,}\\.[-A-Za-z0-9_]{8,}\\.[-A-Za-z0-9_]*"),
  };
  return kPatterns;
}

/// `-p X` in a command: often a password.
const Pattern& short_option() {
  using namespace std::string_literals;
  static const Pattern kPattern(R"RE((?:^|\s)-p\s+)RE", kQuoted + "|"s + kWordAfterBlank);
  return kPattern;
}

/// Whether -p has another meaning: its value is a number, such as a port; or it is the first one behind a program that
/// takes a partition, an environment or nothing. `before`: the command up to it.
bool is_other_p(std::string_view before, std::string_view value) {
  static const re2::RE2 kProgram(
      R"RE((?:^|[\s/])(?:conda|cp|mamba|micromamba|mkdir|salloc|sbatch|scp|srun|uv)(?:\s|$))RE");
  static const re2::RE2 kOption(R"RE((?:^|\s)-p(?:\s|$))RE");
  if (value.find_first_not_of("0123456789.:,") == std::string_view::npos) return true;
  const std::size_t end_of_other = before.find_last_of(";&|\n(");  // npos + 1 is 0
  const std::string command(before.substr(end_of_other + 1));
  return re2::RE2::PartialMatch(command, kProgram) && !re2::RE2::PartialMatch(command, kOption);
}

/// A word that is an option whose value follows.
bool is_option(const std::string& word) {
  static const re2::RE2 kPattern(std::string("(?i)--?") + kName);
  return re2::RE2::FullMatch(word, kPattern);
}

bool is_secret_variable(const std::string& name) {
  static const re2::RE2 kPattern(std::string("(?i)") + kName);
  return name != "PWD" && re2::RE2::FullMatch(name, kPattern);
}

/// Receives a secret, and what is before it in the text.
using Found = std::function<void(std::string_view before, std::string_view value)>;

/// The text with *** in place of the pattern's values, except those that `stays` is true for.
std::string replaced(std::string_view text, const Pattern& pattern, const Found& found,
                     bool (*stays)(std::string_view before, std::string_view value) = nullptr) {
  std::string shown;
  std::array<re2::StringPiece, 3> parts;
  std::size_t at = 0;
  while (at < text.size() && pattern.expression().Match({text.data(), text.size()}, at, text.size(),
                                                        re2::RE2::UNANCHORED, parts.data(), parts.size())) {
    const auto match = static_cast<std::size_t>(parts[0].data() - text.data());
    const auto begin = static_cast<std::size_t>(parts[2].data() - text.data());
    const std::string_view value = text.substr(begin, parts[2].size());
    const bool is_hidden = stays == nullptr || !stays(text.substr(0, match), value);
    shown += text.substr(at, begin - at);
    shown += is_hidden ? kHidden : value;
    if (is_hidden) found(text.substr(match, begin - match), value);
    at = begin + value.size();
  }
  return at < text.size() ? shown.append(text.substr(at)) : shown;
}

/// The text without the secrets that it shows itself. `found` receives them: of a URL the password.
std::string without_own(std::string_view text, const Found& found) {
  const Found found_in_url = [&](std::string_view before, std::string_view value) {
    if (const std::size_t colon = value.find(':'); colon != std::string_view::npos)
      found(before, value.substr(colon + 1));
  };
  std::string shown = replaced(text, credentials(), found_in_url);
  for (const Pattern& pattern : patterns()) shown = replaced(shown, pattern, found);
  return shown;
}

/// The same for the words of a command. One with blanks may be a shell's text.
std::vector<std::string> without_own(std::span<const std::string> command, const Found& found) {
  std::vector<std::string> shown;
  std::string before;
  for (std::size_t w = 0; w < command.size(); ++w) {
    const std::string& word = command[w];
    const std::string& option = w > 0 ? command[w - 1] : "";
    const bool is_value =
        !word.starts_with('-') && (is_option(option) || (option == "-p" && !is_other_p(before, word)));
    if (is_value) found(option, word);
    shown.push_back(is_value ? kHidden : replaced(without_own(word, found), short_option(), found, is_other_p));
    before += option + " ";
  }
  return shown;
}

/// A value without its quotes, and without the scheme before a token.
std::string bare(std::string_view value) {
  static const re2::RE2 kAtBegin(std::string("(?i)") + kScheme, re2::RE2::Latin1);
  const bool quoted = value.size() > 1 && value.front() == value.back() && (value[0] == '"' || value[0] == '\'');
  if (quoted) value = value.substr(1, value.size() - 2);
  re2::StringPiece rest(value.data(), value.size());
  re2::RE2::Consume(&rest, kAtBegin);
  return std::string(rest);
}

/// A text with %40 and its like as the characters that they stand for.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned code = 0;
    const char* const digits = text.data() + at + 1;
    const bool escaped =
        text[at] == '%' && at + 2 < text.size() && std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    decoded += escaped ? static_cast<char>(code) : text[at];
    if (escaped) at += 2;
  }
  return decoded;
}

/// A text as it is inside the quotes of JSON, and mostly of Python.
std::string escaped(const std::string& text) {
  using nlohmann::json;
  const std::string quoted = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

void Secrets::know(const std::string& value) {
  for (const std::string& form : {value, escaped(value), percent_decoded(value)})
    if (form.size() >= kShortestKnown) known_.insert(form);
  const std::size_t end = value.find('\n');  // a log is read by lines
  if (end == std::string::npos) return;
  know(value.substr(0, end));
  know(value.substr(end + 1));
}

void Secrets::add(std::span<const std::string> command) {
  without_own(command, [this](std::string_view, std::string_view value) { know(bare(value)); });
}

void Secrets::add_variable(const std::string& name, std::string_view value) {
  if (is_secret_variable(name)) know(std::string(value));
  without_own(value, [this](std::string_view, std::string_view part) { know(bare(part)); });
}

std::string Secrets::without_known(std::string_view text) const {
  std::string shown(text);
  for (const std::string& value : known_)
    for (std::size_t at = 0; (at = shown.find(value, at)) != std::string::npos;)
      shown.replace(at, value.size(), kHidden);
  return shown;
}

std::string Secrets::hidden_in(std::string_view text) const {
  return without_known(without_own(text, [](std::string_view, std::string_view) {}));
}

std::vector<std::string> Secrets::hidden_in(std::span<const std::string> command) const {
  std::vector<std::string> shown = without_own(command, [](std::string_view, std::string_view) {});
  for (std::string& word : shown) word = without_known(word);
  return shown;
}

std::string without_secrets(std::string_view text) { return Secrets().hidden_in(text); }

}  // namespace seqpoint::io::text
