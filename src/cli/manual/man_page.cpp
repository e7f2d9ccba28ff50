// Manual pages, in the macros of man(7).
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "cli/exit.hpp"
#include "cli/manual/command_line.hpp"
#include "cli/split.hpp"
#include "seqpoint/version.hpp"

namespace seqpoint::cli::manual {
namespace {

struct Variable {
  std::string_view name, meaning;
};
constexpr std::array kEnvironment{
    Variable{"NO_COLOR", "Set and not empty: no colours and plain characters, unless --color says otherwise."},
    Variable{"TERM", "If it is dumb or missing: no colours, plain characters, no progress."},
    Variable{"GITHUB_STEP_SUMMARY", "Where --ci github adds its job summary."},
};

/// The code point that begins at `at`, which is moved behind it. The text is UTF-8 of our own.
std::uint32_t take_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  std::uint32_t point = first & (0x3FU >> more);
  for (int i = 0; i < more && at < text.size(); ++i)
    point = point << 6U | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  return point;
}

/// Text that roff shows as it is. A hyphen is a minus, so that options can be copied.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t point = take_code_point(text, at);
    if (point == '\\')
      out += "\\e";
    else if (point == '-')
      out += "\\-";
    else if (point == '\'')
      out += "\\(aq";
    else if (point == '`')
      out += "\\(ga";
    else if (point == '^')
      out += "\\(ha";
    else if (point == '~')
      out += "\\(ti";
    else if (point < 0x80)
      out += static_cast<char>(point);
    else {
      std::array<char, 16> name{};
      std::snprintf(name.data(), name.size(), "\\[u%04X]", static_cast<unsigned>(point));
      out += name.data();
    }
  }
  return out;
}

/// A line of its own: one that begins with a dot would be a request.
std::string line_of(std::string_view text) { return (text.starts_with('.') ? "\\&" : "") + roff(text) + "\n"; }

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

/// What --help ends with, apart.
struct Footer {
  std::vector<std::string> examples, remarks;  ///< lines
};

Footer footer_of(const CommandEntry& command) {
  Footer footer;
  bool in_examples = false;
  for (const std::string& line : split(command.footer, '\n')) {
    in_examples = line == "Examples:" || (in_examples && line.starts_with("  "));
    if (line == "Examples:") continue;
    (in_examples ? footer.examples : footer.remarks).push_back(line);
  }
  return footer;
}

/// Indented lines stay lines, others flow.
std::string paragraphs_of(const std::vector<std::string>& lines) {
  std::string text;
  bool literal = false;
  for (const std::string& line : lines) {
    const bool indented = line.starts_with("  ");
    if (indented != literal) text += indented ? ".PP\n.EX\n" : ".EE\n.PP\n";
    literal = indented;
    text += line_of(indented ? line.substr(2) : line);
  }
  return text + (literal ? ".EE\n" : "");
}

std::string synopsis_of(const CommandEntry& command, bool is_program) {
  if (is_program) return "\\fBseqpoint\\fR [\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...\n";
  std::string text = "\\fBseqpoint " + roff(command.name) + "\\fR [\\fIOPTIONS\\fR]";
  for (const OptionEntry& positional : command.positionals) {
    const std::string name = italic(positional.placeholder) + (positional.repeatable ? "..." : "");
    text += " " + (positional.required ? name : "[" + name + "]");
  }
  return text + "\n";
}

std::string completions_list(const std::vector<options::Choice>& completions) {
  const bool explained = std::any_of(completions.begin(), completions.end(),
                                     [](const options::Choice& word) { return !word.summary.empty(); });
  std::string text;
  for (const options::Choice& word : completions)
    text += explained ? ".TP\n" + bold(word.name) + "\n" + line_of(word.summary)
                      : (text.empty() ? "One of: " : ", ") + bold(word.name);
  return explained ? ".RS\n" + text + ".RE\n" : ".br\n" + text + ".\n";
}

std::string entry_text(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
  std::string text = ".TP\n" + names + (names.empty() || option.placeholder.empty() ? "" : " ") +
                     (option.placeholder.empty() ? "" : italic(option.placeholder)) +
                     (option.repeatable && names.empty() ? "..." : "") + "\n";
  text += line_of(option.help + (option.default_value.empty() ? "" : " [" + option.default_value + "]"));
  return text + (option.completions.empty() ? "" : completions_list(option.completions));
}

std::string options_text(const CommandEntry& command) {
  std::string text = ".SH OPTIONS\n", group = "Options";
  for (const OptionEntry& positional : command.positionals) text += entry_text(positional);
  std::vector<std::string> groups;
  for (const OptionEntry& option : command.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  std::stable_partition(groups.begin(), groups.end(), [&](const std::string& name) { return name == group; });
  for (const std::string& name : groups) {
    if (name != group) text += ".SS " + roff(name) + "\n";
    for (const OptionEntry& option : command.options)
      if (option.group == name) text += entry_text(option);
  }
  return text;
}

std::string commands_text(const CommandLine& line) {
  std::string text = ".SH COMMANDS\n";
  for (const CommandEntry& command : line.commands)
    text += ".TP\n\\fBseqpoint\\-" + roff(command.name) + "\\fR(1)\n" + line_of(command.summary);
  return text;
}

std::string exit_text() {
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : kExitTexts)
    text += ".TP\n.B " + std::to_string(status) + "\n" + line_of(meaning);
  return text;
}

std::string environment_text() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : kEnvironment) text += ".TP\n" + bold(name) + "\n" + line_of(meaning);
  return text;
}

std::string examples_text(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = ".SH EXAMPLES\n.EX\n";
  for (const std::string& line : lines) text += line_of(line.substr(2));
  return text + ".EE\n";
}

std::string head_of(const std::string& page, const std::string& summary) {
  std::string upper = page;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  const std::string maker =
      page == "seqpoint" ? "seqpoint manual" : "seqpoint manual " + page.substr(std::string_view("seqpoint-").size());
  // Without a date: the same program makes the same pages on any day.
  return ".\\\" Made by `" + maker + "`.\n.TH " + roff(upper) + " 1 \"\" \"seqpoint " + std::string(kVersion) +
         "\" \"User Commands\"\n.SH NAME\n" + roff(page) + " \\- " + roff(summary) + "\n";
}

std::string program_page(const CommandLine& line) {
  const CommandEntry& program = line.program;
  const std::string summary =
      program.summary.ends_with('.') ? program.summary.substr(0, program.summary.size() - 1) : program.summary;
  return head_of("seqpoint", summary) + ".SH SYNOPSIS\n" + synopsis_of(program, true) + ".SH DESCRIPTION\n" +
         line_of(
             "seqpoint reads what a training run reads, works out the iterations that it will make, and picks a few of "
             "them with weights: SeqPoints. Profile only those, and it projects time, throughput and speedup of the "
             "whole run.") +
         commands_text(line) + options_text(program) + exit_text() + environment_text() +
         examples_text(footer_of(program).examples) + ".SH SEE ALSO\n" +
         line_of(
             "Documents and examples: /usr/share/doc/seqpoint, or share/doc/seqpoint where the program was installed.");
}

std::string command_page(const CommandEntry& command) {
  const Footer footer = footer_of(command);
  std::string text = head_of("seqpoint-" + command.name, command.summary) + ".SH SYNOPSIS\n" +
                     synopsis_of(command, false) + ".SH DESCRIPTION\n" + line_of(command.summary + ".");
  if (!footer.remarks.empty()) text += ".PP\n" + paragraphs_of(footer.remarks);
  return text + options_text(command) + exit_text() + examples_text(footer.examples) +
         ".SH SEE ALSO\n.BR seqpoint (1)\n";
}

}  // namespace

std::string manual_page(const CommandLine& line, std::string_view page) {
  if (page == line.program.name) return program_page(line);
  return command_page(
      *std::find_if(line.commands.begin(), line.commands.end(), [&](const CommandEntry& c) { return c.name == page; }));
}

}  // namespace seqpoint::cli::manual
