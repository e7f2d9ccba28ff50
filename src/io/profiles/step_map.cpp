// The user's own tables: one that identifies steps, and one of categories, category,pattern.
#include <fmt/core.h>

#include <algorithm>

#include "io/profiles/profile_formats.hpp"
#include "io/text/csv.hpp"
#include "io/text/csv_table.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles {
namespace {

constexpr auto kStepMapForm =
    "a map has a column 'key' (a step's name) or 'index' (its place, from 0), and 'point' or 'seqlen', say";

/// Columns that identify a step.
std::vector<std::size_t> identity_columns(const text::CsvTable& table) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns().size(); ++c)
    if (profile::is_identity_field(table.columns()[c])) columns.push_back(c);
  return columns;
}

}  // namespace

profile::StepMap read_step_map(stream::Input input) {
  profile::StepMap map;
  map.source = input.name();
  text::CsvTable table(input);
  const auto key = table.find("key"), index = table.find("index"), selection = table.find("selection");
  const std::vector<std::size_t> columns = identity_columns(table);
  if ((!key && !index) || columns.empty())
    throw InputError(
        {input.name(), 1},
        !key && !index ? "has neither a column 'key' nor 'index'" : "has no column that says what a step is",
        kStepMapForm);
  while (table.next()) {
    profile::StepIdentity identity;
    for (const std::size_t c : columns) {
      const std::string value(text::trim(text::unquoted(table.field(c))));
      if (!value.empty() && !profile::set_field(identity, table.columns()[c], value))
        table.problem(c, fmt::format("\"{}\" is not a whole number", value));
    }
    text::add_distinct(table, selection, map.selections);
    if (identity.empty() && !index) continue;  // a position without an identity is warm-up, as in a plan
    const bool is_new = key ? map.by_key.emplace(text::trim(text::unquoted(table.field(*key))), identity).second
                            : map.by_index.emplace(table.integer(*index), identity).second;
    if (!is_new) table.problem(key ? *key : *index, "stands in the map twice");
  }
  table.problems().throw_if_any(kStepMapForm);
  const auto named = [](const auto& step) { return !step.second.empty(); };
  if (std::none_of(map.by_key.begin(), map.by_key.end(), named) &&
      std::none_of(map.by_index.begin(), map.by_index.end(), named))
    throw InputError({input.name()}, "names no step", kStepMapForm);
  return map;
}

profile::Categories read_categories(stream::Input input) {
  constexpr auto kForm =
      "the columns are category and pattern, for example GEMM,gemm|cublas; the first pattern that is found decides";
  text::RecordReader records(input, text::kCommas);
  if (!records.next()) throw InputError({input.name()}, "is empty: it has neither a header nor rows");
  const std::vector<std::string> header = text::header_names(records.fields());
  const std::size_t category = text::index_of(header, "category"), pattern = text::index_of(header, "pattern");
  if (category == header.size() || pattern == header.size())
    throw InputError({input.name(), 1}, "has no columns 'category' and 'pattern'", kForm);
  std::vector<profile::Categories::Rule> rules;
  while (records.next()) {
    if (const std::string problem = text::width_problem(records.fields().size(), header.size()); !problem.empty())
      throw InputError({input.name(), records.line()}, problem, kForm);
    rules.push_back({.category = std::string(text::trim(text::unquoted(records.fields()[category]))),
                     .expression = text::unquoted(records.fields()[pattern]),
                     .line = records.line()});
    if (rules.back().category.empty() || rules.back().expression.empty())
      throw InputError({input.name(), records.line()}, "has an empty field", kForm);
  }
  if (rules.empty()) throw InputError({input.name()}, "names no category", kForm);
  return {rules, input.name()};
}

}  // namespace seqpoint::io::profiles
