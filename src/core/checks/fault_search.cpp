#include "core/checks/fault_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/linear_algebra.hpp"

namespace seqpoint::checks {
namespace {

/// The strongest evidence of one fault.
struct Strongest {
  std::size_t pattern = 0;
  double score = 0;       ///< without its sign
  std::size_t tests = 0;  ///< patterns that can be distinguished
};

/// For each fault its pattern with the largest score in the direction that counts as a fault, the largest score first.
/// Faults without a score above 0 are left out.
std::vector<Strongest> strongest_of_each(const Remainder& values, std::span<const Pattern> patterns) {
  std::map<Fault, Strongest> found;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::optional<double> score = values.score(patterns[i].values);
    if (!score) continue;
    Strongest& best = found[patterns[i].fault];
    ++best.tests;
    const Amount amount = patterns[i].amount;
    const double size = amount == Amount::any ? std::abs(*score) : amount == Amount::above_zero ? *score : -*score;
    if (size > best.score) best = {i, size, best.tests};
  }
  std::vector<Strongest> all;
  for (const auto& [fault, strongest] : found)
    if (strongest.score > 0) all.push_back(strongest);
  std::ranges::stable_sort(all, std::greater{}, &Strongest::score);
  return all;
}

}  // namespace

std::vector<FoundPattern> find_patterns(Remainder values, std::span<const Pattern> patterns, const PatternTest& test,
                                        const AlarmLevel& level) {
  constexpr std::size_t kMaxNamed = 10;  // whoever corrects so many runs the command again
  std::vector<FoundPattern> found;
  while (found.size() < kMaxNamed) {
    std::optional<FoundPattern> next;
    for (const Strongest& strongest : strongest_of_each(values, patterns)) {
      const Pattern& pattern = patterns[strongest.pattern];
      const double probability = std::min(1.0, test(values, pattern) * static_cast<double>(strongest.tests));
      if (probability < level(pattern.fault)) next = {strongest.pattern, probability};
      if (next) break;
    }
    if (!next) break;
    found.push_back(*next);
    values.take_out(patterns[next->pattern].values);
  }
  return found;
}

std::optional<double> least_found(const Remainder& values, const Pattern& pattern, const PatternTest& test,
                                  double level, double least, double most) {
  constexpr int kHalvings = 14;  // bisections of ln(most / least): ln(1e7) / 2^14 is one part in a thousand
  const auto is_found = [&](double amount) {
    Remainder with = values;
    with.set_amount(pattern.values, amount);
    return test(with, pattern) < level;
  };
  if (!is_found(most)) return std::nullopt;
  if (is_found(least)) return least;
  double none = least, found = most;
  for (int halving = 0; halving < kHalvings; ++halving) {
    const double between = std::sqrt(none * found);
    (is_found(between) ? found : none) = between;
  }
  return found;
}

Eigen::VectorXd amounts_of(const Remainder& values, std::span<const Pattern> patterns,
                           const std::vector<FoundPattern>& found) {
  if (found.empty()) return {};
  Eigen::MatrixXd own(values.values().size(), found.size());
  for (std::size_t f = 0; f < found.size(); ++f)
    own.col(f) = values.own_part(patterns[found[f].pattern].values).value();
  return LeastSquares(own).solve(values.values());
}

}  // namespace seqpoint::checks
