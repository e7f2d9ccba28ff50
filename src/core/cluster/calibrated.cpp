// Clusters of signatures, a representative of each found by search, and weights calibrated to whole-run totals.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "group_search.hpp"
#include "methods.hpp"
#include "refinement.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

constexpr double kMaxError = 0.01;

/// Selections of a run by their number of points, and how well they do on cost functions that they were not calibrated to.
class Calibrated {
 public:
  explicit Calibrated(const Population& all) : run_(all.trace), search_(all) {
    for (std::size_t f = 0; f < kFunctions; ++f)
      for (std::size_t g = 0; g < groups().size(); ++g) totals_[f] += search_.model().share[static_cast<Eigen::Index>(g)] * cost(f, g);
  }

  const std::vector<SignatureGroup>& groups() const { return search_.groups(); }
  PointKey key(std::size_t group) const { return full_key(run_, groups()[group].signature); }
  std::uint64_t more_than(std::uint64_t k) const { return search_.more_than(k); }

  /// The first selection of a size that is found.
  Choosing choose(std::uint64_t k) {
    if (k >= groups().size()) return search_.every_group();
    search_.cut(k);
    return search_.first();
  }

  /// The first of that size, or a better one.
  Choosing refine(std::uint64_t k, Choosing first) {
    if (k >= groups().size()) return first;
    search_.cut(k);
    return refined(search_, std::move(first));
  }

  /// RMS relative error over the cost functions that the number of points is judged by (METHOD 4, step 7).
  double error(const Choosing& choosing) const {
    double squares = 0;
    for (std::size_t f = 0; f < kFunctions; ++f) {
      double projected = 0;
      for (std::size_t p = 0; p < choosing.groups.size(); ++p)
        projected += choosing.share[static_cast<Eigen::Index>(p)] * cost(f, choosing.groups[p]);
      if (totals_[f] > 0) squares += (projected / totals_[f] - 1) * (projected / totals_[f] - 1);
    }
    return std::sqrt(squares / kFunctions);
  }

 private:
  /// None of them is among the features of the cost model. Without padding the work of attention is of the squares.
  static constexpr std::size_t kFunctions = 7;
  static double one_side(std::size_t f, double s) {
    constexpr std::array<double, 4> kOtherTiles{6, 20, 40, 80};
    if (f == 0) return std::pow(s, 1.2);
    if (f == 1) return std::pow(s, 1.8);
    if (f == 2) return s * (1 + 0.05 * std::sin(s / 5));
    return 20 + kOtherTiles[f - 3] * std::ceil(s / kOtherTiles[f - 3]);
  }
  double cost(std::size_t f, std::size_t g) const {
    const Signature& s = groups()[g].signature;
    if (run_.varlen()) return one_side(f, f == 1 ? std::sqrt(static_cast<double>(s.sq_tokens)) : s.src_len);
    return s.batch_size * (one_side(f, s.src_len) + (run_.paired() ? one_side(f, s.tgt_len) : 0));
  }

  const Trace& run_;
  GroupSearch search_;
  std::array<double, kFunctions> totals_{};  ///< what iterations cost on average, by each of the functions
};

/// Points that got no weight are left out: nothing is to be learnt from profiling them.
std::vector<Choice> choices_of(const Calibrated& calibrated, const Choosing& choosing, std::uint64_t iterations) {
  std::vector<Choice> choices;
  for (std::size_t p = 0; p < choosing.groups.size(); ++p) {
    const double weight = choosing.share[static_cast<Eigen::Index>(p)] * static_cast<double>(iterations);
    if (!(weight * Weight::kUnit > 1)) continue;
    Choice choice{calibrated.key(choosing.groups[p]), weight, {}, {}};
    for (const std::size_t g : choosing.alternates[p]) choice.alternates.push_back(calibrated.key(g));
    choices.push_back(std::move(choice));
  }
  std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.key < b.key; });
  return choices;
}

SizeRecord size_of(const Calibrated& calibrated, const Choosing& choosing) {
  return {weighty(choosing), calibrated.error(choosing), effective(choosing), 0, false, {}};
}

/// The fewest points whose error is small enough.
constexpr std::uint64_t kMostGrown = 64;
Choosing grow(Calibrated& calibrated, double max_error, MethodRecord& record, std::vector<std::string>& notes) {
  const std::uint64_t last = std::min<std::uint64_t>(kMostGrown, calibrated.groups().size());
  Choosing choosing;
  std::uint64_t taken = 0;
  for (std::uint64_t k = 1; k <= last; k = calibrated.more_than(k)) {
    choosing = calibrated.choose(taken = k);
    record.sizes.push_back(size_of(calibrated, choosing));
    if (record.sizes.back().error <= max_error) break;
  }
  // The others of the table are not worth the time.
  Choosing refined = calibrated.refine(taken, choosing);
  if (calibrated.error(refined) <= std::max(max_error, record.sizes.back().error)) choosing = std::move(refined);
  record.sizes.back() = size_of(calibrated, choosing);
  record.sizes.back().taken = true;
  if (record.sizes.back().error <= max_error) return choosing;
  notes.push_back("no selection of up to " + counted(last, "point") + " has an error of at most --max-error; --points K takes more");
  return choosing;
}

/// A selection, and what is expected of it.
struct Judged {
  Choosing choosing;
  SizeRecord size;
};

bool less_is_expected(const Judged& a, const Judged& b) {
  return a.size.expected && (!b.size.expected || *a.size.expected < *b.size.expected);
}

/// The first selection of a size or what refining makes of it: the latter is about totals, not about what is expected here.
Judged better_of_size(Calibrated& calibrated, const ChoiceJudge& judge, std::uint64_t iterations, std::uint64_t k) {
  const auto look = [&](Choosing choosing) {
    Judged judged{std::move(choosing), {}};
    judged.size = size_of(calibrated, judged.choosing);
    judged.size.expected = judge(choices_of(calibrated, judged.choosing, iterations), judged.size.error);
    return judged;
  };
  Judged first = look(calibrated.choose(k));
  Judged again = look(calibrated.refine(k, first.choosing));
  return less_is_expected(first, again) ? std::move(first) : std::move(again);
}

/// The size of which least error is expected; the smallest where none can be afforded. More points are dearer, but for an odd
/// one: after a few that cannot be afforded the others are not looked at.
constexpr int kFewTooDear = 4;
Choosing judged(Calibrated& calibrated, const ChoiceJudge& judge, std::uint64_t iterations, MethodRecord& record) {
  const std::uint64_t last = std::min<std::uint64_t>(kMostGrown, calibrated.groups().size());
  Judged best = better_of_size(calibrated, judge, iterations, 1);
  record.sizes.push_back(best.size);
  std::size_t taken = 0;
  int too_dear = best.size.expected ? 0 : 1;
  for (std::uint64_t k = calibrated.more_than(1); k <= last && too_dear < kFewTooDear; k = calibrated.more_than(k)) {
    Judged other = better_of_size(calibrated, judge, iterations, k);
    record.sizes.push_back(other.size);
    too_dear = other.size.expected ? 0 : too_dear + 1;
    if (!less_is_expected(other, best)) continue;
    best = std::move(other);
    taken = record.sizes.size() - 1;
  }
  record.sizes[taken].taken = true;
  return best.choosing;
}

Choosing with_points(Calibrated& calibrated, std::uint64_t points, MethodRecord& record, std::vector<std::string>& notes) {
  const std::uint64_t unique = calibrated.groups().size();
  const std::uint64_t k = std::min(points, unique);
  if (points > unique)
    notes.push_back("--points " + std::to_string(points) + " is more than the run's " + counted(unique, "unique signature") +
                    ": clamped to " + std::to_string(unique));
  record.parameters.emplace_back("points", static_cast<double>(k));
  Choosing choosing = calibrated.refine(k, calibrated.choose(k));
  record.sizes.push_back(size_of(calibrated, choosing));
  record.sizes.back().taken = true;
  return choosing;
}

std::vector<Choice> choose_calibrated(const Population& all, const SelectParams& params, MethodRecord& record,
                                      std::vector<std::string>& notes) {
  Calibrated calibrated(all);
  if (params.points)
    return choices_of(calibrated, with_points(calibrated, *params.points, record, notes), all.iterations());
  if (params.judge) return choices_of(calibrated, judged(calibrated, params.judge, all.iterations(), record), all.iterations());
  const double max_error = params.max_error.value_or(kMaxError);
  record.parameters.emplace_back("max-error", max_error);
  return choices_of(calibrated, grow(calibrated, max_error, record, notes), all.iterations());
}

}  // namespace

const Method kCalibrated{.name = "calibrated",
                         .summary = "clusters of signatures, with weights that reproduce known totals of the run",
                         .source = "calibration: Deville and Sarndal 1992; clusters: Fisher 1958; Bayesian quadrature: O'Hagan 1991",
                         .points = Method::Points::optional,
                         .takes_max_error = true,
                         .takes_statistic = true,
                         .picks_iterations = false,
                         .is_random = false,
                         .options = {},
                         .choose = choose_calibrated,
                         .judges_sizes = true};

}  // namespace seqpoint
