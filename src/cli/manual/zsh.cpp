// The zsh completion, for _arguments and _describe.
#include <map>

#include "cli/manual/command_line.hpp"
#include "cli/manual/text.hpp"

namespace seqpoint::cli::manual {
namespace {

constexpr std::string_view kZshHead = R"~(#compdef seqpoint
# zsh completion for seqpoint, made by `seqpoint completion zsh`.

_seqpoint_named_file() {  # NAME=FILE
  if compset -P '*='; then _files; else _message 'NAME=FILE'; fi
}

)~";

/// In single quotes.
std::string zsh_quoted(std::string_view text) { return "'" + replaced(std::string(text), "'", "'\\''") + "'"; }

/// Lists of completions are functions; equal lists are one.
class CompletionLists {
 public:
  std::string function_of(const std::vector<Completion>& completions, const std::string& name) {
    std::string rows;
    for (const Completion& word : completions)
      rows += "    " +
              zsh_quoted(escaped(word.name, ":\\") + (word.summary.empty() ? "" : ":" + escaped(word.summary, "\\"))) +
              "\n";
    const auto known = names_.find(rows);
    if (known != names_.end()) return known->second;
    std::string function = "_seqpoint_words_" + std::to_string(names_.size() + 1);
    names_[rows] = function;
    text_ +=
        function + "() {\n  local -a list=(\n" + rows + "  )\n  _describe -t " + name + " " + name + " list\n}\n\n";
    return function;
  }
  const std::string& text() const { return text_; }

 private:
  std::map<std::string, std::string> names_;  // by the list's text
  std::string text_;
};

std::string action_of(const OptionEntry& option, CompletionLists& lists) {
  switch (option.kind) {
    case ValueKind::listed: return lists.function_of(option.completions, "values");
    case ValueKind::file: return "_files";
    case ValueKind::named_file: return "_seqpoint_named_file";
    case ValueKind::folder: return "_files -/";
    case ValueKind::text:
    case ValueKind::nothing: break;
  }
  return " ";  // shows the message, completes nothing
}

/// What of the command line rules the option out: nothing if it may be repeated, else its own names.
std::string exclusion_of(const OptionEntry& option) {
  return option.repeatable ? "*" : "(" + joined(option.names, " ") + ")";
}

/// `'(--seed)--seed=[help]:S: '`, and with several names `'(-o --output)'{-o+,--output=}'[help]:FILE:_files'`.
std::string spec_of(const OptionEntry& option, const std::string& rest) {
  std::vector<std::string> names;
  for (const std::string& name : option.names)
    names.push_back(name + (option.kind == ValueKind::nothing ? "" : name.starts_with("--") ? "=" : "+"));
  if (names.size() == 1) return zsh_quoted(exclusion_of(option) + names.front() + rest);
  return zsh_quoted(exclusion_of(option)) + "{" + joined(names, ",") + "}" + zsh_quoted(rest);
}

std::string message_of(const OptionEntry& option, CompletionLists& lists) {
  return ":" + escaped(option.placeholder, ":\\") + ":" + action_of(option, lists);
}

std::string specs_of(const CommandEntry& command, const std::string& indent, CompletionLists& lists) {
  std::string text;
  for (const OptionEntry& option : command.options)
    text += indent +
            spec_of(option, "[" + escaped(option.help, "[]\\:") + "]" +
                                (option.kind == ValueKind::nothing ? "" : message_of(option, lists))) +
            " \\\n";
  for (const OptionEntry& positional : command.positionals)
    text += indent + zsh_quoted((positional.repeatable ? "*" : "") + message_of(positional, lists)) + " \\\n";
  return text.substr(0, text.size() - 3) + "\n";
}

}  // namespace

std::string zsh_completion(const CommandLine& line) {
  CompletionLists lists;
  std::vector<Completion> commands;
  for (const CommandEntry& command : line.commands) commands.push_back({command.name, command.summary});
  const std::string list_commands = lists.function_of(commands, "commands");

  std::string body =
      "_seqpoint() {\n  local curcontext=\"$curcontext\" state\n  local -a line\n  _arguments -C -s \\\n";
  body += specs_of(line.program, "    ", lists);
  body.pop_back();
  body += " \\\n    '1:command:" + list_commands +
          "' \\\n    '*::argument:->arguments'\n  [[ $state == arguments ]] || return\n";
  body += "  case $line[1] in\n";
  for (const CommandEntry& command : line.commands)
    body += "    " + command.name + ")\n      _arguments -s \\\n" + specs_of(command, "        ", lists) + "      ;;\n";
  body +=
      "  esac\n}\n\n"
      "# Autoloaded from fpath, or read with `source`.\n"
      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _seqpoint \"$@\"; else compdef _seqpoint seqpoint; fi\n";
  return std::string(kZshHead) + lists.text() + body;
}

}  // namespace seqpoint::cli::manual
