/// \file
/// Options that belong to one sampler or one method. A row of the table of samplers (methods) lists its own, so the
/// command line, the lists of `seqpoint samplers` and the checks all follow from that row.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint {

/// The known name that a mistyped one most likely stands for: within 2 letters, or a third of them if that is more, and
/// not more than half; of letters that are wrong, missing, too many, or two that changed places. The first of the
/// nearest;
/// "" where there is none.
std::string_view nearest_name(std::string_view given, std::span<const std::string_view> known);

/// The way out of a name that a list does not have: "did you mean sorted? one of: sequential, sorted".
std::string names_hint(std::string_view given, std::span<const std::string_view> known);
std::string names_hint(std::string_view given, std::initializer_list<std::string_view> known);

/// The names of the rows of a table.
template <class Rows>
std::vector<std::string_view> row_names(const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

/// One option as its framework (or METHOD) names it.
struct OptionSpec {
  enum class Kind { flag, count, number, text };
  std::string_view name;           ///< without dashes: "generator-seed"
  Kind kind;                       ///< a flag takes no value
  std::string_view default_value;  ///< shown to the user; "" where there is none
  std::string_view help;           ///< one line
};

/// `N`, `X` or `TEXT`: what stands for the value in lists of options; "" for a flag.
std::string_view placeholder(OptionSpec::Kind kind);

/// What the user set, by option name. A flag that is set has the value "true".
class OptionValues {
 public:
  void set(std::string name, std::string value) { values_[std::move(name)] = std::move(value); }
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  std::optional<std::string_view> text(std::string_view name) const;
  /// A whole number, or nothing where the option was not set. Throws UsageError that names the option.
  std::optional<std::uint64_t> count(std::string_view name) const;
  std::uint64_t count_or(std::string_view name, std::uint64_t otherwise) const {
    return count(name).value_or(otherwise);
  }
  /// A finite number of 0 or more, with or without a fraction.
  std::optional<double> number(std::string_view name) const;
  /// Whole numbers with commas between them; empty where the option was not set.
  std::vector<std::uint64_t> counts(std::string_view name) const;
  /// One of `words`, the first of them where the option was not set. Throws UsageError that lists them.
  std::string_view one_of(std::string_view name, std::span<const std::string_view> words) const;
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

  /// Throws UsageError if an option is set that `known` does not list. `owner` is the row's name in the message.
  void require_known(std::span<const OptionSpec> known, std::string_view owner) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace seqpoint
