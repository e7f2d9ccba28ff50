// What may stand where somebody types, and the scripts by which shells ask for it. The first line of an answer says
// what the others are, and how many characters of the word stand before them: "words 9", then a word a line, with its
// meaning behind a tab; "files 0" and "folders 0", which shells know themselves.
#include <fmt/core.h>

#include <algorithm>

#include "cli/manual/command_line.hpp"

namespace seqpoint::cli::manual {
namespace {

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string answer_of(const char* kind, std::string_view before) {
  return fmt::format("{} {}\n", kind, characters_of(before));
}

std::string words_of(const std::vector<options::Choice>& choices, std::string_view typed,
                     std::string_view before = {}) {
  std::string text = answer_of("words", before);
  for (const options::Choice& choice : choices)
    if (choice.name.starts_with(typed)) text += fmt::format("{}\t{}\n", choice.name, choice.summary);
  return text;
}

/// What completes a value that begins behind `begin` characters of the word.
std::string value_of(const OptionEntry& option, std::string_view word, std::size_t begin) {
  const std::string_view typed = word.substr(begin);
  switch (option.kind) {
    case ValueKind::listed: return words_of(option.completions, typed, word.substr(0, begin));
    case ValueKind::folder: return answer_of("folders", word.substr(0, begin));
    case ValueKind::file: return answer_of("files", word.substr(0, begin));
    case ValueKind::named_file: {
      const std::size_t equals = typed.find('=');
      return equals == std::string_view::npos ? "" : answer_of("files", word.substr(0, begin + equals + 1));
    }
    case ValueKind::text:
    case ValueKind::nothing: break;
  }
  return "";  // nobody knows
}

/// Null where the command has no option of that name that takes a value.
const OptionEntry* find_with_value(const CommandEntry& command, std::string_view name) {
  const auto found = std::ranges::find_if(command.options, [&](const OptionEntry& option) {
    return option.kind != ValueKind::nothing && std::ranges::find(option.names, name) != option.names.end();
  });
  return found == command.options.end() ? nullptr : &*found;
}

/// What is typed, up to the cursor, without the word there; null where no command has that name.
const CommandEntry* command_of(const CommandLine& line, std::span<const std::string_view> before) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (find_with_value(line.program, before[i]) != nullptr)
      ++i;
    else if (!before[i].starts_with('-')) {
      const auto named = std::ranges::find(line.commands, before[i], &CommandEntry::name);
      if (before[i] == options::kConfigCommand && i + 1 < before.size()) continue;  // another command comes
      return named == line.commands.end() ? nullptr : &*named;
    }
  }
  return &line.program;
}

std::vector<options::Choice> option_names(const CommandEntry& command) {
  std::vector<options::Choice> names;
  for (const OptionEntry& option : command.options)
    for (const std::string& name : option.names) names.push_back({name, option.help});
  return names;
}

std::vector<options::Choice> command_names(const CommandLine& line) {
  std::vector<options::Choice> names;
  for (const CommandEntry& command : line.commands) names.push_back({command.name, command.summary});
  return names;
}

constexpr Shell kBash{"bash", R"~(# bash completion for seqpoint, made by `seqpoint completion bash`.

_seqpoint() {
  local i word kind words=() cur=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  # bash cuts words at '=' (COMP_WORDBREAKS).
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' || ${COMP_WORDS[i - 1]} == '=' ]] && ((${#words[@]})); then words[-1]+=$word; else words+=("$word"); fi
  done
  [[ $cur == '=' ]] && cur=
  {
    read -r kind _
    case $kind in
      words) while IFS=$'\t' read -r word _; do COMPREPLY+=("$word"); done ;;
      files | folders)
        compopt -o filenames 2>/dev/null
        kind=${kind/files/-f} kind=${kind/folders/-d}
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$kind" -- "$cur") ;;
    esac
  } < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]}" 2>/dev/null)
}

complete -F _seqpoint seqpoint
)~"};

constexpr Shell kZsh{"zsh", R"~(#compdef seqpoint
# zsh completion for seqpoint, made by `seqpoint completion zsh`.

_seqpoint() {
  local -a answer list
  local line
  answer=("${(@f)$(_call_program seqpoint ${(q)~words[1]} __complete "${(@)words[2,CURRENT-1]}" ${(q)${(Q)PREFIX}})}")
  compset -p ${answer[1]##* }
  case ${answer[1]%% *} in
    files) _files ;;
    folders) _files -/ ;;
    words)
      for line in $answer[2,-1]; do list+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}"); done
      _describe -t values value list ;;
  esac
}

# Autoloaded from fpath, or read with `source`.
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _seqpoint "$@"; else compdef _seqpoint seqpoint; fi
)~"};

constexpr Shell kFish{"fish", R"~(# fish completion for seqpoint, made by `seqpoint completion fish`.

function __seqpoint_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l answer ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
    set -l kind (string split ' ' -- $answer[1])
    set -q kind[2]; or return
    set -l before (string sub -l $kind[2] -- "$typed")
    set -l rest (string sub -s (math $kind[2] + 1) -- "$typed")
    switch $kind[1]
        case words
            string replace -r -- '^' "$before" $answer[2..-1]
        case files
            for path in (__fish_complete_path "$rest")
                echo $before$path
            end
        case folders
            for path in (__fish_complete_directories "$rest")
                echo $before$path
            end
    end
end

complete -c seqpoint -f -a '(__seqpoint_complete)'
)~"};

}  // namespace

const std::array<Shell, 3> kShells{kBash, kZsh, kFish};

std::string complete(const CommandLine& line, std::span<const std::string_view> words) {
  if (words.empty()) return "";
  const std::string_view word = words.back();
  const auto before = words.first(words.size() - 1);
  const CommandEntry* const command = command_of(line, before);
  if (command == nullptr) return "";
  if (const OptionEntry* const option = before.empty() ? nullptr : find_with_value(*command, before.back()))
    return value_of(*option, word, 0);
  const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
  if (equals != std::string_view::npos) {
    const OptionEntry* const option = find_with_value(*command, word.substr(0, equals));
    return option == nullptr ? "" : value_of(*option, word, equals + 1);
  }
  if (word.starts_with('-')) return words_of(option_names(*command), word);
  if (command == &line.program) return words_of(command_names(line), word);
  return command->positionals.empty() ? "" : value_of(command->positionals.front(), word, 0);
}

}  // namespace seqpoint::cli::manual
