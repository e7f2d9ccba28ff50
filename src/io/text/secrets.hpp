/// \file
/// Texts of the user without secrets: commands, variables, URLs, and what a job prints.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::text {

/// The secrets of a run's commands and variables, and texts without them: `***` is in place of
/// - users and passwords in URLs, and signatures in their queries,
/// - values whose option, variable, header or key has a name that ends like that of a secret: `--hub-token X`,
///   `WANDB_API_KEY=X`, `"password": "X"`, `Authorization: Bearer X`; also if the text is a list, `'--hub-token', 'X'`,
/// - tokens with a known beginning: `hf_`, `ghp_`, `AKIA`,
/// - in commands the value of `-p`, unless its program is known for another meaning,
/// - the values that were found so in the commands and variables, wherever they stand.
class Secrets {
 public:
  /// From here on the secrets of this command are known: program and arguments.
  void add(std::span<const std::string> command);
  /// The same for a variable of the environment.
  void add_variable(const std::string& name, std::string_view value);

  std::string hidden_in(std::string_view text) const;
  /// The words of a command, likewise: an option and its value may be two words.
  std::vector<std::string> hidden_in(std::span<const std::string> command) const;

 private:
  struct LongestFirst {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  /// Adds a value in the forms in which a job may print it, unless it is too short.
  void know(const std::string& value);
  std::string without_known(std::string_view text) const;

  std::set<std::string, LongestFirst> known_;
};

/// The same without known values.
std::string without_secrets(std::string_view text);

}  // namespace seqpoint::io::text
