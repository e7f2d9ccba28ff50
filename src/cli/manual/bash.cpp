// The bash completion. bash cuts words at '=' (COMP_WORDBREAKS), so --option=value and NAME=FILE come in pieces.
#include <map>

#include "cli/manual/command_line.hpp"
#include "cli/manual/text.hpp"

namespace seqpoint::cli::manual {
namespace {

constexpr std::string_view kBashHead = R"~(# bash completion for seqpoint, made by `seqpoint completion bash`.

_seqpoint_words() {  # WORD...   those that begin with what is typed
  local word
  for word in "$@"; do [[ $word == "$cur"* ]] && COMPREPLY+=("$word"); done
}

_seqpoint_paths() {  # -f: files, -d: folders only
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$cur")
}

# What the value at the cursor belongs to, in `option`; an empty one is a positional.
_seqpoint_find_option() {
  local at=$((COMP_CWORD - 1))
  option=${COMP_WORDS[at]}
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $option == '=' ]]; then
    option=${COMP_WORDS[--at]}
  else
    return
  fi
  [[ $option == -* ]] && return
  option=${COMP_WORDS[at - 1]} named=true  # NAME=FILE
  [[ $option == '=' ]] && option=${COMP_WORDS[at - 2]}
}

_seqpoint_find_command() {
  local i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
@skip@
      -*) ;;
      *) command=${COMP_WORDS[i]} && return ;;
    esac
  done
}

_seqpoint() {
  local cur=${COMP_WORDS[COMP_CWORD]} command='' option='' named=false
  COMPREPLY=()
  _seqpoint_find_command
  _seqpoint_find_option
  case $command:$option in
)~";

std::string pattern_of(const std::string& command, const OptionEntry& option) {
  std::string pattern;
  for (const std::string& name : option.names) pattern += (pattern.empty() ? "" : " | ") + command + ":" + name;
  return pattern;
}

std::string completions_action(const std::vector<Completion>& completions) {
  std::string action = "_seqpoint_words";
  for (const Completion& word : completions) action += " " + word.name;
  return action;
}

std::string action_of(const OptionEntry& option) {
  switch (option.kind) {
    case ValueKind::listed: return completions_action(option.completions);
    case ValueKind::file: return "_seqpoint_paths -f";
    case ValueKind::named_file: return "$named && _seqpoint_paths -f";
    case ValueKind::folder: return "_seqpoint_paths -d";
    case ValueKind::text:
    case ValueKind::nothing: break;
  }
  return ":";  // nobody knows
}

/// The options of a command with a value, one case an action.
std::string values_of(const CommandEntry& command, const std::string& name) {
  std::map<std::string, std::string> patterns;  // by action
  for (const OptionEntry& option : command.options) {
    if (option.kind == ValueKind::nothing) continue;
    std::string& pattern = patterns[action_of(option)];
    pattern += (pattern.empty() ? "" : " | ") + pattern_of(name, option);
  }
  std::string text;
  for (const auto& [action, pattern] : patterns)
    text += "    " + pattern + ")\n      " + action + "\n      return ;;\n";
  return text;
}

/// What stands by itself: options where a dash is typed, else positionals.
std::string rest_of(const CommandEntry& command, const std::string& name, const std::string& otherwise) {
  std::string names;
  for (const OptionEntry& option : command.options)
    for (const std::string& each : option.names) names += " " + each;
  return "    " + name + ":-*) _seqpoint_words" + names + " ;;\n    " + name + ":*) " + otherwise + " ;;\n";
}

std::string positional_action(const CommandEntry& command) {
  return command.positionals.empty() ? ":" : action_of(command.positionals.front());
}

std::string skip_of(const CommandEntry& program) {
  std::string text;
  for (const OptionEntry& option : program.options)
    if (option.kind != ValueKind::nothing)
      text += "      " + joined(option.names, " | ") +
              ") if [[ ${COMP_WORDS[i + 1]} == '=' ]]; then ((i += 2)); else ((++i)); fi ;;\n";
  return text.substr(0, text.size() - 1);
}

}  // namespace

std::string bash_completion(const CommandLine& line) {
  std::vector<Completion> commands;
  for (const CommandEntry& command : line.commands) commands.push_back({command.name, command.summary});

  std::string text = replaced(std::string(kBashHead), "@skip@", skip_of(line.program));
  text += values_of(line.program, "");
  for (const CommandEntry& command : line.commands) text += values_of(command, command.name);
  text += "  esac\n  case $command:$cur in\n" + rest_of(line.program, "", completions_action(commands));
  for (const CommandEntry& command : line.commands) text += rest_of(command, command.name, positional_action(command));
  return text + "  esac\n}\n\ncomplete -F _seqpoint seqpoint\n";
}

}  // namespace seqpoint::cli::manual
