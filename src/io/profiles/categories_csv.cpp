// The user's own categories: category,pattern.
#include "io/profiles/profile_formats.hpp"
#include "io/text/csv.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles {

profile::Categories read_categories(stream::Input input) {
  constexpr auto kForm =
      "the columns are category and pattern, for example GEMM,gemm|cublas; the first pattern that is found decides";
  text::RecordReader records(input, text::kCommas);
  const std::vector<std::string> header = text::read_header(records, input.name());
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
