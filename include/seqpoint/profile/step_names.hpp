/// \file
/// Which point or iteration a profiler step measures: by its name, a pattern or a table of the user's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seqpoint/profile/steps.hpp"

namespace seqpoint::profile {

/// The one name of a field that has others: `src_len` of `seqlen`, `seq_len`, `SL` and `sl`, `iteration` of `iter`; any
/// other word as it is. Also of the columns of traces, profiles and maps.
std::string_view canonical_field(std::string_view field);
/// Sets the field of that name: `point`, `src_len`, `tgt_len`, `batch_size`, `tokens`, `sq_tokens`, `iteration`, or of
/// another name that canonical_field() knows. False for any other name, and for a value that is no whole number where
/// the field is one, or too large for it.
bool set_field(StepIdentity& identity, std::string_view field, std::string_view value);
/// Whether set_field() knows a field of that name.
bool is_identity_field(std::string_view field);

/// The identity that a name states: `seqlen=42`, `src_len 213, tgt_len 198`, `iter:17`, `batch_size=64`, `tokens=900
/// sq_tokens=81000`, a point's id (`sp3`) that stands alone. A profiler's own step number is not used. A name that
/// contradicts itself gives an empty identity.
StepIdentity identity_in_name(std::string_view name);

/// A regular expression of RE2 whose groups are named after the fields: `SL(?<seqlen>\d+)`.
class NamePattern {
 public:
  /// Throws ParameterError for what is no expression, has no named group, or names a group that is no field.
  explicit NamePattern(const std::string& expression);
  ~NamePattern();
  /// What is moved from may only be assigned to or destroyed.
  NamePattern(NamePattern&&) noexcept;
  /// What is moved from may only be assigned to or destroyed.
  NamePattern& operator=(NamePattern&&) noexcept;

  /// What the groups of the first match say, anywhere in the name; empty where it does not match. Throws ParameterError
  /// where a group holds no value of its field.
  StepIdentity identity(std::string_view name) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

/// The user's table of steps, by name or by position.
struct StepMap {
  std::string source;                                       ///< its file, for errors
  std::map<std::string, StepIdentity, std::less<>> by_key;  ///< by the step's name in the profile
  /// By the position among the measured steps of a configuration, from 0; an empty identity: warm-up.
  std::map<std::uint64_t, StepIdentity> by_index;
  /// Digests of the selections that rows say they are of, each with the first line that does; empty: they do not say.
  std::vector<std::pair<std::string, std::uint64_t>> selections{};
};

/// How steps are identified. The user's table and pattern take precedence over names. Empty: names alone.
struct NameRules {
  std::optional<NamePattern> pattern;  ///< `--match`
  std::optional<StepMap> map;          ///< `--map`

  /// The identity of a step: from the table, else the pattern, else the step's own fields, else its name, else its
  /// labels. Empty where none says it. Throws ParameterError as NamePattern::identity().
  StepIdentity identity(const ProfiledStep& step) const;
  /// Whether a range of that name can be a step.
  bool names_step(std::string_view name) const;
};

}  // namespace seqpoint::profile
