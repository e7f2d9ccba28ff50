#include "cli/console.hpp"

#include <fmt/core.h>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

#include "cli/parameters.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "io/stream/input.hpp"
#include "io/text/escape.hpp"

namespace seqpoint::cli {
namespace {

/// Prefixes of our messages, which results lack; spdlog's own are info, debug, ...
std::string_view word_of(spdlog::level::level_enum level) {
  return level >= spdlog::level::err ? "seqpoint: error: " : level == spdlog::level::warn ? "seqpoint: warning: " : "";
}

class LevelWord : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
    const std::string_view word = word_of(message.level);
    to.append(word.data(), word.data() + word.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<LevelWord>(); }
};

/// Whether the descriptor is a terminal that can erase lines and show colours: TERM is set and not "dumb".
bool is_capable_terminal(int file_descriptor) {
  const char* const terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) != "dumb" && ::isatty(file_descriptor) != 0;
}

/// Whether a stream shows colours. `asked`: "always", "never", or "auto": on a capable terminal without NO_COLOR.
/// NO_COLOR applies if it is set and not empty (no-color.org).
bool shows_colors(const std::string& asked, int file_descriptor) {
  if (asked == "always") return true;
  const char* const no_color = std::getenv("NO_COLOR");
  return asked != "never" && (no_color == nullptr || *no_color == '\0') && is_capable_terminal(file_descriptor);
}

/// Whether the first of LC_ALL, LC_CTYPE and LANG that is not empty, as in setlocale(3), names UTF-8. False if none is
/// set.
bool is_utf8_locale() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
  }
  return false;
}

/// The text; of more than 4000 bytes the first 3000 and the last 1000, with the number of bytes left out between them.
std::string abridged(const std::string& text) {
  constexpr std::size_t kMost = 4000, kEnd = 1000;
  if (text.size() <= kMost) return text;
  return fmt::format("{} [... {} more characters ...] {}", text.substr(0, kMost - kEnd), text.size() - kMost,
                     text.substr(text.size() - kEnd));
}

/// PREFIX/share/doc/seqpoint/ of PREFIX/bin/seqpoint; empty if it does not exist.
std::string installed_folder() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path() / "share" / "doc" / "seqpoint";
  return !error && fs::is_directory(folder / "docs", error) ? folder.string() + "/" : "";
}

/// The text with the paths of documents and examples (docs/x.md, examples/x) in the folder in which they were installed
/// with this program. In a clone they stay as they are.
std::string with_documents(std::string text) {
  for (const std::string_view name : {"docs/", "examples/"})
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
      const std::string folder = begins ? installed_folder() : "";
      text.insert(at, folder);
      at += folder.size() + name.size();
    }
  return text;
}

/// The text in our words: with options instead of parameters.
std::string in_words(const std::string& text, Words words) {
  return words == Words::ours ? with_documents(message_with_options(text)) : text;
}

/// Abridges the text, and makes it one line: control characters become "?". The line
/// contains nothing that a terminal, the runner of a CI job or a reader of our messages would take for a command or
/// another message. Reason: names are the user's, and file names may contain any byte.
std::string harmless(const std::string& text) {
  std::string line = abridged(text);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return io::text::break_workflow_commands(io::text::printable(line));
}

/// The text and, unless it is empty, the hint on a second line; both made harmless.
std::string with_hint(const std::string& text, const std::string& hint) {
  return harmless(text) + (hint.empty() ? "" : "\n  hint: " + harmless(hint));
}

spdlog::level::level_enum level_of(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::silent: return spdlog::level::err;
    case Verbosity::quiet: return spdlog::level::warn;
    case Verbosity::normal: return spdlog::level::info;
    case Verbosity::verbose: return spdlog::level::debug;
  }
  return spdlog::level::info;
}

}  // namespace

Console::Console() { configure({}); }
Console::~Console() = default;

void Console::configure(const ConsoleOptions& options) {
  color_ = options.color;
  verbosity_ = options.quiet > 1   ? Verbosity::silent
               : options.quiet > 0 ? Verbosity::quiet
               : options.verbose   ? Verbosity::verbose
                                   : Verbosity::normal;
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_st>(
      shows_colors(options.color, STDERR_FILENO) ? spdlog::color_mode::always : spdlog::color_mode::never);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelWord>('*').set_pattern("%^%*%$%v");
  sink->set_formatter(std::move(formatter));
  log_ = std::make_shared<spdlog::logger>("seqpoint", std::move(sink));
  log_->set_level(level_of(verbosity_));
  log_->flush_on(spdlog::level::trace);
  // A message can fail for lack of memory: writing it is not checked.
  log_->set_error_handler([](const std::string&) { throw std::bad_alloc(); });
}

bool Console::shows_progress() const { return verbosity_ >= Verbosity::normal && is_capable_terminal(STDERR_FILENO); }

bool Console::shows_blocks(int file_descriptor) const {
  return shows_colors(color_, file_descriptor) && (color_ == "always" || is_utf8_locale());
}

std::string Console::with_colored_verdicts(std::string text, int file_descriptor) const {
  if (!shows_colors(color_, file_descriptor)) return text;
  constexpr std::string_view kBold = "\x1b[1m", kPlain = "\x1b[0m", kEpoch = "epoch ";
  if (const std::size_t at = text.starts_with(kEpoch) ? 0 : text.find("\nepoch ") + 1; text.find(kEpoch, at) == at) {
    const std::size_t end = std::min(text.find("   9", at), text.find('\n', at));  // before "95 %: ..."
    text.insert(std::min(end, text.size()), kPlain).insert(at, kBold);
  }
  struct Verdict {
    std::string_view word, color;
  };
  for (const auto& [word, color] :
       {Verdict{"PASS", "\x1b[1;32m"}, {"FAIL", "\x1b[1;31m"}, {"INCONCLUSIVE", "\x1b[1;33m"}})
    for (std::size_t at = 0; (at = text.find(std::string(word) + ' ', at)) != std::string::npos; at += word.size()) {
      if (at > 0 && text[at - 1] != '\n') continue;
      text.replace(at, word.size(), fmt::format("{}{}\x1b[0m", color, word));
      at += color.size();
    }
  return text;
}

std::string Console::fitting(const std::string& text, std::size_t prefix) const {
  constexpr std::size_t kIndent = 2;
  const auto columns = columns_of_terminal(STDERR_FILENO);
  if (!columns || *columns <= prefix + kIndent) return text;
  return folded(std::string(prefix, '>') + text, *columns, kIndent).substr(prefix);
}

void Console::say(int level, const std::string& text) {
  const ProgressPause pause;
  const auto its_level = static_cast<spdlog::level::level_enum>(level);
  const std::string lines = its_level > spdlog::level::debug ? fitting(text, word_of(its_level).size()) : text;
  log_->log(its_level, "{}", with_colored_verdicts(lines, STDERR_FILENO));
}

void Console::detail(const std::string& text) { say(spdlog::level::debug, harmless(message_with_options(text))); }

void Console::detail(const std::string& title, const std::string& lines) {
  std::string text = harmless(message_with_options(title)) + ":";
  for (std::string_view rest = lines; !rest.empty();)
    text += "\n" + harmless(message_with_options(std::string(io::stream::take_line(rest))));
  say(spdlog::level::debug, text);
}

void Console::note(const std::string& text) {
  say(spdlog::level::info, harmless(wording_(message_with_options(text))));
}

void Console::warn(const std::string& text, const std::string& hint, const std::string& file) {
  const std::string message = wording_(in_words(text, Words::ours)), way_out = wording_(in_words(hint, Words::ours));
  warnings_.push_back({.message = message, .file = file, .hint = way_out});
  say(spdlog::level::warn, with_hint(message, way_out));
}

void Console::error(const std::string& text, const std::string& hint, Words words) {
  say(spdlog::level::err, with_hint(in_words(text, words), in_words(hint, words)));
}

void Console::verdict(const std::string& text, const std::string& hint, Verbosity least) {
  if (verbosity_ < least) return;
  const ProgressPause pause;
  fmt::print(stderr, "{}\n", with_colored_verdicts(fitting(with_hint(text, hint)), STDERR_FILENO));
}

void Console::line(const std::string& text, Verbosity least) {
  if (verbosity_ < least) return;
  const ProgressPause pause;
  const auto columns = columns_of_terminal(STDERR_FILENO);
  fmt::print(stderr, "{}\n", columns ? folded(harmless(text), *columns, kStepColumns) : harmless(text));
}

}  // namespace seqpoint::cli
