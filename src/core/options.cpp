#include "seqpoint/options.hpp"

#include <charconv>

#include "seqpoint/error.hpp"

namespace seqpoint {

std::optional<std::string_view> OptionValues::text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint64_t> OptionValues::count(std::string_view name) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), value);
  if (error != std::errc{} || end != given->data() + given->size())
    throw UsageError("--" + std::string(name) + ": '" + std::string(*given) + "' is not a whole number of 0 or more");
  return value;
}

void OptionValues::require_known(std::span<const OptionSpec> known, std::string_view owner) const {
  for (const auto& [name, value] : values_) {
    bool found = false;
    for (const OptionSpec& spec : known) found = found || spec.name == name;
    if (found) continue;
    std::string hint;
    for (const OptionSpec& spec : known) hint += (hint.empty() ? "it has --" : ", --") + std::string(spec.name);
    throw UsageError("--" + name + " is not an option of " + std::string(owner), hint);
  }
}

}  // namespace seqpoint
