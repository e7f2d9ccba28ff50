// The user's own categories: category,pattern.
#include "io/text/csv.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/profiles/profile_formats.hpp"

namespace seqpoint {

Categories read_categories(Input input) {
  constexpr auto kForm =
      "the columns are category and pattern, for example GEMM,gemm|cublas; the first pattern that is found decides";
  RecordReader records(input, kCommas);
  const std::vector<std::string> header = read_header(records, input.name());
  const std::size_t category = index_of(header, "category"), pattern = index_of(header, "pattern");
  if (category == header.size() || pattern == header.size())
    throw InputError({input.name(), 1}, "has no columns 'category' and 'pattern'", kForm);
  std::vector<Categories::Rule> rules;
  while (records.next()) {
    if (const std::string problem = width_problem(records.fields().size(), header.size()); !problem.empty())
      throw InputError({input.name(), records.line()}, problem, kForm);
    rules.push_back({.category = std::string(trim(unquoted(records.fields()[category]))),
                     .expression = unquoted(records.fields()[pattern]),
                     .line = records.line()});
    if (rules.back().category.empty() || rules.back().expression.empty())
      throw InputError({input.name(), records.line()}, "has an empty field", kForm);
  }
  if (rules.empty()) throw InputError({input.name()}, "names no category", kForm);
  return {rules, input.name()};
}

}  // namespace seqpoint
