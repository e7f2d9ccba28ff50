// Job scripts of a plan: templates of share/jobs with the plan's figures in place of @NAME@.
#include <algorithm>

#include "io/artifacts/job_templates.hpp"
#include "io/artifacts/json.hpp"
#include "io/artifacts/plan_folder.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// Replaces every `name` in `text`; `value` is not searched again.
void replace_all(std::string& text, std::string_view name, const std::string& value) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

/// A text as a YAML scalar in double quotes.
std::string yaml_text(const std::string& text) {
  std::string quoted = json_text(Json(text));
  quoted.pop_back();  // the end of the line
  return quoted;
}

/// A text as a word of a container's command: $ is doubled, because $(NAME) would be a variable.
std::string container_word(std::string_view text) {
  std::string word;
  for (const char c : text) word += c == '$' ? "$$" : std::string(1, c);
  return word;
}

}  // namespace

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

NewFile job_script(std::string_view name, const PlanDocument& document, const std::string& folder) {
  const auto found = std::ranges::find(job_templates(), name, &JobTemplate::name);
  std::string text(found->text);
  const std::size_t processes = document.plan.processes.size();
  replace_all(text, "@SELECTION@", "# Selection: " + document.selection.digest);
  replace_all(text, "@LAST@", std::to_string(processes - 1));
  replace_all(text, "@PROCESSES@", std::to_string(processes));
  replace_all(text, "@FOLDER@", shell_word(folder));
  replace_all(text, "@FOLDER_TEXT@", yaml_text(folder));
  replace_all(text, "@PROCESS_SCRIPT@", yaml_text(container_word(folder + "/process.sh")));
  return {.name = std::string(name), .bytes = std::move(text), .executable = name.ends_with(".sh")};
}

}  // namespace seqpoint::io::artifacts
