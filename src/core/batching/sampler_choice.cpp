// Samplers as users write them: NAME:KEY=VALUE,KEY=VALUE,FLAG.
#include <fmt/core.h>

#include <algorithm>

#include "core/batching/batches.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::batching {
namespace {

constexpr std::string_view kKeyLetters = "abcdefghijklmnopqrstuvwxyz-";

/// Whether a text begins with a key: `key=...`, or a flag alone.
bool begins_with_key(std::string_view text) {
  const std::size_t length = std::min(text.find_first_not_of(kKeyLetters), text.size());
  return length > 0 && (length == text.size() || text[length] == '=' || text[length] == ',');
}

/// The position of the comma before the next option, or the end: a comma that no key follows is part of a value.
std::size_t end_of_option(std::string_view text) {
  for (std::size_t at = text.find(','); at != std::string_view::npos; at = text.find(',', at + 1))
    if (begins_with_key(text.substr(at + 1))) return at;
  return text.size();
}

/// The sampler's option of that name. Throws ParameterError if there is none.
const OptionSpec& find_option(const Sampler& sampler, std::string_view name) {
  const auto found = std::ranges::find(sampler.options, name, &OptionSpec::name);
  if (found != sampler.options.end()) return *found;
  throw ParameterError("sampler", fmt::format("{} has no option '{}'", sampler.name, name),
                       sampler.options.empty() ? "it has none" : names_hint(name, row_names(sampler.options)));
}

/// Sets an option from `KEY=VALUE` or `FLAG`. Throws ParameterError for an unknown or repeated key, and for a value of
/// the wrong type.
void set_option(OptionValues& options, const Sampler& sampler, std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const OptionSpec& spec = find_option(sampler, text.substr(0, equals));
  const std::string name(spec.name);
  const bool is_flag = spec.kind == OptionSpec::Kind::flag, has_value = equals < text.size();
  if (options.has(name)) throw ParameterError(name, "is given twice");
  if (is_flag && has_value) throw ParameterError(name, "takes no value", "write " + name + " alone");
  if (!is_flag && !has_value)
    throw ParameterError(name, "needs a value", fmt::format("{}={}", name, placeholder(spec.kind)));
  options.set(name, is_flag ? "true" : std::string(text.substr(equals + 1)));
  if (spec.kind == OptionSpec::Kind::count) options.count(name);
  if (spec.kind == OptionSpec::Kind::number) options.number(name);
}

}  // namespace

SamplerChoice parse_sampler(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const Sampler& sampler = find_sampler(text.substr(0, colon));
  SamplerChoice choice{.sampler = &sampler, .options = {}};
  for (std::size_t at = colon; at < text.size();) {
    const std::string_view rest = text.substr(at + 1);
    const std::size_t end = end_of_option(rest);
    set_option(choice.options, sampler, rest.substr(0, end));
    at += 1 + end;
  }
  return choice;
}

}  // namespace seqpoint::batching
