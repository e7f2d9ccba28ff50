#include "representatives.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "seqpoint/rng.hpp"

namespace seqpoint {
namespace {

using Members = std::vector<std::vector<std::size_t>>;

constexpr int kMostSweeps = 6;
constexpr double kMostCandidates = 64;
constexpr int kDrawnAnew = 2;
constexpr std::size_t kAlternates = 3;
/// Multiplications that the search may take, about.
constexpr double kMostWork = 4e8;
/// By how much, as a share, an objective has to fall to count as lower.
constexpr double kLower = 1e-6;
/// An attempt whose objective is that much above the best, after a sweep, is given up.
constexpr double kHopeless = 1.1;

/// Multiplications for one candidate.
double work_of_one(double k) { return k * k * k / 3 + 60 * k * k; }

/// At equal steps of the cluster's order, all of them where they are few.
Members candidates_of(const Members& members) {
  const auto k = static_cast<double>(members.size());
  const auto most = static_cast<std::size_t>(std::min(kMostCandidates, kMostWork / (kMostSweeps * k * work_of_one(k))));
  Members some(members.size());
  for (std::size_t c = 0; c < members.size() && most > 1; ++c) {
    const std::size_t n = std::min(most, members[c].size());
    for (std::size_t i = 0; i < n; ++i) some[c].push_back(members[c][i * (members[c].size() - 1) / std::max<std::size_t>(n - 1, 1)]);
  }
  return some;
}

/// As many of these restarts as can be afforded.
int affordable(int restarts, const Members& candidates) {
  double all = 0;
  for (const auto& cluster : candidates) all += static_cast<double>(cluster.size());
  const double once = kMostSweeps * all * work_of_one(static_cast<double>(candidates.size()));
  return once > 0 ? static_cast<int>(std::min<double>(restarts, kMostWork / once)) : 0;
}

class Search {
 public:
  Search(WeightProblem& problem, const Members& candidates) : problem_(problem), candidates_(candidates), least_(problem.objective()) {}

  /// Until no replacement helps, or until there is little hope of an objective below `to_beat`.
  double descend(double to_beat) {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      const double before = least_;
      for (std::size_t p = 0; p < problem_.size(); ++p) improve(p);
      if (!(least_ < before) || least_ > kHopeless * to_beat) break;
    }
    return least_;
  }

 private:
  void improve(std::size_t p) {
    const std::size_t was = problem_.group(p);
    if (candidates_[p].empty() || candidates_[p] == std::vector{was}) return;
    std::size_t chosen = was;
    problem_.leave_out(p);
    for (const std::size_t candidate : candidates_[p]) {
      if (candidate == was || problem_.objective_without_signs(candidate) > least_) continue;
      problem_.replace(p, candidate);
      const double objective = problem_.objective();
      if (!(objective < least_ * (1 - kLower))) continue;
      least_ = objective;
      chosen = candidate;
    }
    problem_.replace(p, chosen);
  }

  WeightProblem& problem_;
  const Members& candidates_;
  double least_;
};

/// The best replacements of point p, best first.
std::vector<std::size_t> next_best(WeightProblem& problem, std::size_t p, const std::vector<std::size_t>& candidates) {
  const std::size_t chosen = problem.group(p);
  std::vector<std::pair<double, std::size_t>> ranked;
  for (const std::size_t candidate : candidates) {
    if (candidate == chosen) continue;
    problem.replace(p, candidate);
    ranked.emplace_back(problem.objective(), candidate);
  }
  problem.replace(p, chosen);
  const std::size_t kept = std::min(kAlternates, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end());
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < kept; ++i) best.push_back(ranked[i].second);
  return best;
}

/// Some groups replaced by others of their clusters.
std::vector<std::size_t> disturbed(std::vector<std::size_t> groups, const Members& members, Mt19937& random) {
  for (int i = 0; i < kDrawnAnew; ++i) {
    const std::size_t p = random() % groups.size();
    groups[p] = members[p][random() % members[p].size()];
  }
  return groups;
}

}  // namespace

void find_representatives(WeightProblem& problem, const Members& members, int restarts) {
  const Members candidates = candidates_of(members);
  double least = Search(problem, candidates).descend(std::numeric_limits<double>::infinity());
  std::vector<std::size_t> best = problem.groups();
  Mt19937 random(1);
  for (int left = affordable(restarts, candidates); left > 0; --left) {
    problem.set(disturbed(best, members, random));
    const double objective = Search(problem, candidates).descend(least);
    if (!(objective < least * (1 - kLower))) continue;
    least = objective;
    best = problem.groups();
  }
  problem.set(best);
}

Members alternates_of(WeightProblem& problem, const Members& members) {
  const Members candidates = candidates_of(members);
  Members alternates;
  for (std::size_t p = 0; p < problem.size(); ++p) alternates.push_back(next_best(problem, p, candidates[p]));
  return alternates;
}

}  // namespace seqpoint
