#include "cli/parameters.hpp"

#include <algorithm>
#include <set>

#include "cli/commands/command.hpp"
#include "core/batching/batches.hpp"

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

/// Whether an option of single samplers has the name, which is then a key of --sampler, and no command has it.
bool is_key(std::string_view name) {
  const auto has = [name](const batching::Sampler& sampler) {
    return std::ranges::find(sampler.options, name, &OptionSpec::name) != sampler.options.end();
  };
  return std::ranges::any_of(batching::samplers(), has) && !is_known(option_of(name));
}

/// The text with every `name` in backquotes replaced by its option, or by the name of a sampler's key, if it satisfies
/// `is_parameter_name`. Other text in backquotes is unchanged.
template <class IsName>
std::string replaced(std::string_view text, IsName is_parameter_name) {
  constexpr char kMark = '`';
  std::string out;
  for (std::size_t begin = text.find(kMark); begin != std::string_view::npos; begin = text.find(kMark)) {
    const std::size_t end = std::min(text.find(kMark, begin + 1), text.size());
    const std::string_view name = text.substr(begin + 1, end - begin - 1);
    const bool is_parameter = end < text.size() && is_name(name) && is_parameter_name(name);
    out += text.substr(0, is_parameter ? begin : end);
    if (is_parameter) out += is_key(name) ? std::string(name) : option_of(name);
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
  return replaced(text, [](std::string_view) { return true; });
}

std::string message_with_options(std::string_view text) {
  return replaced(text, [](std::string_view name) { return is_known(option_of(name)) || is_key(name); });
}

}  // namespace seqpoint::cli
