#include "console.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string_view>

#include "io/views/escape.hpp"

namespace seqpoint::cli {
namespace {

/// The words of our messages; spdlog's own are info, debug, ...
class LevelWord : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
    const std::string_view word = message.level >= spdlog::level::err    ? "error"
                                  : message.level == spdlog::level::warn ? "warning"
                                  : message.level == spdlog::level::info ? "note"
                                                                         : "detail";
    to.append(word.data(), word.data() + word.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<LevelWord>(); }
};

/// NO_COLOR counts when it is set and not empty (no-color.org).
spdlog::color_mode color_mode(const std::string& asked) {
  if (asked == "always") return spdlog::color_mode::always;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  if (asked == "never" || (no_color != nullptr && *no_color != '\0') || dumb || ::isatty(STDERR_FILENO) == 0)
    return spdlog::color_mode::never;
  return spdlog::color_mode::always;
}

/// Text of the user's that a terminal, or the runner of a job, would take for commands. Messages may have several lines.
std::string harmless(std::string text) {
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < ' ' && c != '\n') || c == '\x7f') c = '?';
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += no_command(printable(line)) + "\n";
  return out.substr(0, out.size() - (out.empty() ? 0 : 1));
}

}  // namespace

Console::Console() { configure({}); }
Console::~Console() = default;

void Console::configure(const ConsoleOptions& options) {
  verbosity_ = options.quiet ? Verbosity::quiet : options.verbose ? Verbosity::verbose : Verbosity::normal;
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_st>(color_mode(options.color));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelWord>('*').set_pattern("seqpoint: %^%*%$: %v");
  sink->set_formatter(std::move(formatter));
  log_ = std::make_shared<spdlog::logger>("seqpoint", std::move(sink));
  log_->set_level(verbosity_ == Verbosity::quiet     ? spdlog::level::err
                  : verbosity_ == Verbosity::verbose ? spdlog::level::debug
                                                     : spdlog::level::info);
  log_->flush_on(spdlog::level::trace);
}

void Console::detail(const std::string& text) { log_->debug("{}", harmless(text)); }
void Console::note(const std::string& text) { log_->info("{}", harmless(text)); }
void Console::warn(const std::string& text) { log_->warn("{}", harmless(text)); }

void Console::error(const std::string& text, const std::string& way_out) {
  log_->error("{}{}", harmless(text), way_out.empty() ? "" : "\n  hint: " + harmless(way_out));
}

}  // namespace seqpoint::cli
