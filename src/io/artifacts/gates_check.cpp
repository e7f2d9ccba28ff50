#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/artifacts/projection_check.hpp"
#include "seqpoint/project/gate.hpp"

namespace seqpoint::io::artifacts {
namespace {

class GatesCheck {
 public:
  GatesCheck(const project::Projection& projection, const JsonReader& reader)
      : projection_(projection), against_earlier_(compares_with_earlier(reader)), reader_(reader) {}

  void run(const project::Check& stated, const std::string& path) const {
    const std::optional<project::Check> expected = made_again(stated, path);
    if (!stated.value &&
        (stated.verdict == project::Verdict::holds || stated.verdict == project::Verdict::inconclusive))
      reader_.fail(path + "value", "is missing, but the verdict is of one");
    if (!expected) return;
    const auto ends = [](const project::Check& check) {
      return check.interval.value_or(project::Interval{std::nan(""), std::nan("")});
    };
    require(path + "value", stated.value.value_or(std::nan("")), expected->value.value_or(std::nan("")));
    require(path + "low", ends(stated).low, ends(*expected).low);
    require(path + "high", ends(stated).high, ends(*expected).high);
    if (stated.verdict != expected->verdict)
      reader_.fail(path + "verdict", "is not what follows from value, low, high and limit");
  }

 private:
  /// Where nothing says so, the reference may be either.
  static bool compares_with_earlier(const JsonReader& reader) {
    if (!reader.root().contains("provenance")) return true;
    const auto options = read_provenance(reader).options;
    return std::any_of(options.begin(), options.end(), [](const auto& option) { return option.first == "against"; });
  }

  /// The check as the figures give it; nothing where they do not say.
  std::optional<project::Check> made_again(const project::Check& stated, const std::string& path) const {
    if (stated.gate == project::Gate::require_coverage)
      return same_subject(project::check_coverage(projection_, stated.limit), stated, path);
    if (stated.gate != project::Gate::max_regression) return std::nullopt;
    if (!against_earlier_) {
      const project::Check check = same_subject(project::check_regressions(projection_, stated.limit), stated, path);
      // An interval that reaches beyond all numbers is not in the file.
      if (check.interval.has_value() == stated.interval.has_value()) return check;
    }
    if (!stated.value) return std::nullopt;
    const auto speedup = [](double growth) { return 1 / (1 + growth); };  // what the check is of
    std::optional<project::Interval> interval;
    if (stated.interval) interval = project::Interval{speedup(stated.interval->high), speedup(stated.interval->low)};
    return project::check_speedup(speedup(*stated.value), interval, stated.note, stated.limit);
  }

  project::Check same_subject(const std::vector<project::Check>& checks, const project::Check& stated,
                              const std::string& path) const {
    for (const project::Check& check : checks)
      if (check.configuration == stated.configuration && check.metric == stated.metric) return check;
    reader_.fail(path + "configuration", "is " + stated.configuration + ", which has nothing of the kind");
  }

  /// Growths are small beside the 1 that they are counted from.
  void require(const std::string& path, double stated, double expected) const {
    if (std::isfinite(stated) && std::isfinite(expected) ? !same_figure(stated, expected, 1)
                                                         : std::isfinite(stated) != std::isfinite(expected))
      reader_.fail(path, disagreement(stated, expected));
  }

  const project::Projection& projection_;
  const bool against_earlier_;
  const JsonReader& reader_;
};

}  // namespace

void require_consistent(const project::Gates& gates, const project::Projection& projection, const JsonReader& reader) {
  if (gates.checks.empty()) return;
  const GatesCheck check(projection, reader);
  for (std::size_t i = 0; i < gates.checks.size(); ++i) check.run(gates.checks[i], "gates[" + std::to_string(i) + "].");
}

}  // namespace seqpoint::io::artifacts
