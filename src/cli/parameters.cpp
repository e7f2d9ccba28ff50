#include "cli/parameters.hpp"

#include <algorithm>
#include <set>

#include "cli/commands/command.hpp"

namespace seqpoint::cli {
namespace {

/// Whether a text has the form of a parameter or option: lower case letters, digits, _ and -, with a letter first.
bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// Whether a command has the option. The list is made at the first message with a name in backquotes, which is rare.
bool is_known(const std::string& option) {
  static const std::set<std::string> kAll = commands::all_options();
  return kAll.contains(option);
}

/// The text with every `name` in backquotes replaced by its option, backquotes removed, if the option satisfies
/// `is_option`. Other text in backquotes is unchanged.
template <class IsOption>
std::string replaced(std::string_view text, IsOption is_option) {
  constexpr char kMark = '`';
  std::string out;
  for (std::size_t begin = text.find(kMark); begin != std::string_view::npos; begin = text.find(kMark)) {
    const std::size_t end = std::min(text.find(kMark, begin + 1), text.size());
    const std::string_view name = text.substr(begin + 1, end - begin - 1);
    const bool is_parameter = end < text.size() && is_name(name) && is_option(option_of(name));
    out += text.substr(0, is_parameter ? begin : end);
    if (is_parameter) out += option_of(name);
    text.remove_prefix(is_parameter ? end + 1 : end);
  }
  return out + std::string(text);
}

}  // namespace

std::string option_of(std::string_view parameter) {
  std::string option = "--" + std::string(parameter);
  std::ranges::replace(option, '_', '-');
  return option;
}

std::string with_options(std::string_view text) {
  return replaced(text, [](const std::string&) { return true; });
}

std::string message_with_options(std::string_view text) { return replaced(text, is_known); }

}  // namespace seqpoint::cli
