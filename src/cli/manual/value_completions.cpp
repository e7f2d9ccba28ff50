// What can stand behind an option, beyond what its placeholder says.
#include <array>

#include "cli/manual/command_line.hpp"
#include "seqpoint/batches.hpp"
#include "seqpoint/front_end.hpp"
#include "seqpoint/io/profiles.hpp"
#include "seqpoint/io/readers.hpp"
#include "seqpoint/io/schemas.hpp"
#include "seqpoint/selection.hpp"

namespace seqpoint::cli {
namespace {

template <class Rows>
std::vector<Word> named_rows(const Rows& rows) {
  std::vector<Word> words;
  for (const auto& row : rows) words.push_back({std::string(row.name), std::string(row.summary)});
  return words;
}

std::vector<Word> sampler_words() { return named_rows(samplers()); }
std::vector<Word> method_words() { return named_rows(methods()); }
std::vector<Word> format_words() { return named_rows(readers()); }
std::vector<Word> profile_words() { return named_rows(profile_readers()); }
std::vector<Word> front_end_words() { return named_rows(front_ends()); }

std::vector<Word> schema_words() {
  std::vector<Word> words;
  for (const Schema& schema : schemas()) words.push_back({std::string(schema.kind), ""});
  return words;
}

std::vector<Word> unit_words() {
  return {{"seconds", ""}, {"ms", ""}, {"samples", ""}, {"frames", ""}, {"tokens", ""}, {"bytes", ""}};
}

std::vector<Word> signature_words() {
  return {{"padded", "lengths padded to the longest"}, {"varlen", "training without padding"}};
}

std::vector<Word> split_words() {
  return {{"whitespace", "as Python's split()"}, {"spaces", "runs of blanks"}, {"each-space", "count(' ') + 1"}};
}

std::vector<Word> time_words() {
  return {{"host", "the step on the CPU"}, {"gpu-busy", "the union of its device operations"},
          {"gpu-sum", "their sum"}, {"gpu-span", "from the first start to the last end"}};
}

std::vector<Word> breakdown_words() { return {{"kernel", ""}, {"operator", ""}, {"category", ""}}; }
std::vector<Word> service_words() { return {{"github", "GitHub Actions"}}; }
std::vector<Word> color_words() { return {{"auto", "on a terminal"}, {"always", "in pipes and files too"}, {"never", "plain text"}}; }
std::vector<Word> shell_words() { return {{"bash", ""}, {"zsh", ""}, {"fish", ""}}; }

/// The first row that fits decides; an empty command fits all.
struct WordRow {
  std::string_view command, option;
  std::vector<Word> (*words)();
};

constexpr std::array kWords{
    WordRow{"inspect", "--format", profile_words},
    WordRow{"project", "--format", profile_words},
    WordRow{"scan", "--format", format_words},
    WordRow{"select", "--format", format_words},
    WordRow{"", "--sampler", sampler_words},
    WordRow{"", "--method", method_words},
    WordRow{"", "--front-end", front_end_words},
    WordRow{"", "--length-unit", unit_words},
    WordRow{"", "--signature", signature_words},
    WordRow{"", "--split", split_words},
    WordRow{"", "--time-source", time_words},
    WordRow{"", "--by", breakdown_words},
    WordRow{"", "--ci", service_words},
    WordRow{"", "--color", color_words},
    WordRow{"completion", "shell", shell_words},
    WordRow{"schema", "kind", schema_words},
};

struct PlaceholderRow {
  std::string_view placeholder;
  Takes takes;
};

constexpr std::array kPlaceholders{
    PlaceholderRow{"FILE", Takes::file},
    PlaceholderRow{"LENGTHS", Takes::file},
    PlaceholderRow{"MANIFEST", Takes::file},
    PlaceholderRow{"PREFIX", Takes::file},
    PlaceholderRow{"PROFILE", Takes::file},
    PlaceholderRow{"PROJECTION", Takes::file},
    PlaceholderRow{"SEQPOINTS", Takes::file},
    PlaceholderRow{"TRACE", Takes::file},
    PlaceholderRow{"NAME=FILE", Takes::named_file},
    PlaceholderRow{"NAME=TRACE", Takes::named_file},
    PlaceholderRow{"DIR", Takes::folder},
};

}  // namespace

std::vector<Word> words_of(std::string_view command, std::string_view option) {
  for (const WordRow& row : kWords)
    if (row.option == option && (row.command.empty() || row.command == command)) return row.words();
  return {};
}

Takes takes_of(std::string_view placeholder) {
  for (const PlaceholderRow& row : kPlaceholders)
    if (row.placeholder == placeholder) return row.takes;
  return Takes::text;
}

}  // namespace seqpoint::cli
