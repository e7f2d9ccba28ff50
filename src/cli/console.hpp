/// \file
/// What people are told: everything on standard error, so that standard output holds the result and nothing else.
#pragma once

#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace seqpoint::cli {

enum class Verbosity { quiet, normal, verbose };

/// Options every command has.
struct ConsoleOptions {
  bool quiet = false;
  bool verbose = false;
  std::string color = "auto";  ///< auto, always, never
};

class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void configure(const ConsoleOptions& options);
  bool verbose() const { return verbosity_ == Verbosity::verbose; }

  void detail(const std::string& text);   ///< with -v only
  void note(const std::string& text);     ///< not with -q
  void warn(const std::string& text);     ///< not with -q
  void error(const std::string& text, const std::string& hint = {});

 private:
  std::shared_ptr<spdlog::logger> log_;
  Verbosity verbosity_ = Verbosity::normal;
};

}  // namespace seqpoint::cli
