#include "cli/options/command_text.hpp"

#include <algorithm>
#include <vector>

#include "cli/options/option_group.hpp"
#include "io/text/shell_words.hpp"

namespace seqpoint::cli::options {

std::string command_of(const CLI::App& app) {
  std::vector<std::string> words{"seqpoint", app.get_name()};
  const OptionsInForce in_force = options_in_force(app);
  const auto has_result = [&](const std::string& name) {
    return std::ranges::any_of(in_force, [&](const auto& option) { return "--" + option.first == name; });
  };
  for (const CLI::Option* const option : app.get_options()) {
    const std::string name = name_of(*option);
    if (!option->get_positional() && !has_result(name)) continue;
    for (const std::string& value : option->results()) {
      if (!option->get_positional()) words.push_back(name);
      if (option->get_type_size() > 0) words.push_back(value);
    }
  }
  return io::text::shell_words(words);
}

}  // namespace seqpoint::cli::options
