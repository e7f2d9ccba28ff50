/// \file
/// Messages as values: what reading and computing have to say is printed when they are done.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/console.hpp"

namespace seqpoint::cli {

/// Messages in their order. Their kinds and texts are those of Console.
class Messages {
 public:
  void detail(std::string text) { add(Kind::detail, std::move(text)); }
  void note(std::string text) { add(Kind::note, std::move(text)); }
  void warn(std::string text, std::string hint = {}) { add(Kind::warning, std::move(text), std::move(hint)); }
  void print(Console&) const;

 private:
  enum class Kind { detail, note, warning };
  struct Message {
    Kind kind;
    std::string text, hint;
  };
  void add(Kind kind, std::string text, std::string hint = {}) {
    messages_.push_back({kind, std::move(text), std::move(hint)});
  }

  std::vector<Message> messages_;
};

/// The result of `work(messages)`. Then its messages are printed, also if it throws: they come before the error.
template <class Function>
auto told(Console& console, const Function& work) {
  Messages messages;
  const auto attempt = [&] {
    try {
      return work(messages);
    } catch (...) {
      messages.print(console);
      throw;
    }
  };
  if constexpr (std::is_void_v<decltype(work(messages))>) {
    attempt();
    messages.print(console);
  } else {
    auto result = attempt();
    messages.print(console);
    return result;
  }
}

}  // namespace seqpoint::cli
