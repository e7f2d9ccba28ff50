// Clusters of signatures, a representative of each found by search, and weights calibrated to whole-run totals.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "bins.hpp"
#include "cost_model.hpp"
#include "methods.hpp"
#include "representatives.hpp"
#include "seqpoint/error.hpp"
#include "signature_groups.hpp"
#include "weight_fit.hpp"

namespace seqpoint {
namespace {

constexpr double kMaxError = 0.01;
/// Of a search. The first search does without where batch sizes do not vary, and searches for another selection of one length do
/// too: a lower objective did not make for smaller errors on measured epochs, and representatives stay near their clusters' centres.
constexpr int kRestarts = 40;
/// Where they vary: features have one dimension more, and count twice as much beside all else.
constexpr WeightDemands kManyBatchSizes{.ridge = 5e-5, .noise = 0.0106, .rare = 0.0071, .local = 0.0212};
/// There, of one measurement, where points are few: constraints take most of what there is to choose, and would leave one of five
/// points with half of the weight.
constexpr double kNoiseOfFew = 0.15;
/// What a selection may miss of the totals of the model's shapes, RMS, as a share. One that misses more gives way to one that does
/// not, or, if points are not few, to one that misses much less. It is searched for with these weights of the shapes, one after the
/// other: far apart first, then those between.
constexpr double kMissed = 4e-4;
constexpr double kMuchLess = 0.7;
constexpr std::array kShapes{8.0, 64.0, 512.0, 4096.0, 32768.0, 262144.0, 2.83, 22.6, 181.0, 1448.0, 11585.0, 92682.0};
/// It has to keep this much of n_eff, less where batch sizes vary: constraints leave less to choose among there. Noise would take
/// back what is gained, and more.
constexpr double kEffectiveKept = 0.95;
constexpr double kEffectiveKeptOfMany = 0.85;
/// So much of that where nothing else is found for one length and points are not few. Of pairs, measured epochs came out worse for it.
constexpr double kLastResort = 0.8;
/// And to miss at most so many times as much of the features' totals: the costs of source and target differ.
constexpr double kLost = 2;
/// One whose n_eff is below that of `bins` gives way to one that is not, or is less so: searched for with so many times the noise, and
/// such weights of the shapes.
constexpr std::array<std::pair<double, double>, 9> kEvener{
    {{4, 0}, {4, 8}, {4, 512}, {16, 0}, {16, 8}, {16, 512}, {8, 64}, {32, 64}, {32, 512}}};

/// A set of points: one group a cluster, the next best groups of the cluster, and the shares of the run.
struct Choosing {
  std::vector<std::size_t> groups;
  std::vector<std::vector<std::size_t>> alternates;
  Eigen::VectorXd share;
};

std::uint64_t weighty(const Choosing& choosing) {
  return static_cast<std::uint64_t>((choosing.share.array() > 0).count());
}

double effective(const Choosing& choosing) { return 1 / choosing.share.squaredNorm(); }

class Calibrated {
 public:
  explicit Calibrated(const Population& all)
      : all_(all),
        groups_(signature_groups(all)),
        run_(all.trace),
        measured_(all.has_statistic()),
        one_batch_size_(mostly_one_batch_size(groups_)),
        model_(cost_model(groups_, run_, measured_)),
        local_(groups_, model_, run_),
        clusters_(groups_) {
    for (std::size_t f = 0; f < kFunctions; ++f)
      for (std::size_t g = 0; g < groups_.size(); ++g) totals_[f] += model_.share[static_cast<Eigen::Index>(g)] * cost(f, g);
  }

  const std::vector<SignatureGroup>& groups() const { return groups_; }
  PointKey key(std::size_t group) const { return full_key(run_, groups_[group].signature); }

  /// The next number of points that makes a difference: more clusters than there can be are only had by giving each
  /// signature its own.
  std::uint64_t more_than(std::uint64_t k) const { return k < clusters_.most() ? k + 1 : std::max<std::uint64_t>(k + 1, groups_.size()); }

  /// The first selection of a size that is found.
  Choosing choose(std::uint64_t k) {
    if (k >= groups_.size()) return every_signature();
    cut(k);
    return searched(demands_for(members_.size()), one_batch_size_ ? 0 : kRestarts);
  }

  /// Another in place of the first of that size, if that misses too much of the shapes or has a smaller n_eff than `bins`, and one
  /// is found that does not.
  Choosing refine(std::uint64_t k, const Choosing& first) {
    if (k >= groups_.size()) return first;
    cut(k);
    const Limits limits{first, effective_of_bins(all_, weighty(first))};
    return evener(missing_less(limits), limits);
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
    const Signature& s = groups_[g].signature;
    if (run_.varlen()) return one_side(f, f == 1 ? std::sqrt(static_cast<double>(s.sq_tokens)) : s.src_len);
    return s.batch_size * (one_side(f, s.src_len) + (run_.paired() ? one_side(f, s.tgt_len) : 0));
  }

  Choosing every_signature() const {
    Choosing choosing;
    choosing.groups.resize(groups_.size());
    std::iota(choosing.groups.begin(), choosing.groups.end(), std::size_t{0});
    choosing.alternates.resize(groups_.size());
    choosing.share = model_.share;
    return choosing;
  }

  WeightDemands demands_for(std::uint64_t k) const {
    WeightDemands demands = one_batch_size_ ? WeightDemands{} : kManyBatchSizes;
    if (!one_batch_size_ && k < kFewPoints) demands.noise = kNoiseOfFew;
    return demands;
  }

  /// One group of each cluster of the last cut.
  Choosing searched(const WeightDemands& demands, int restarts) const {
    const CostModel::Rows& constraints = few() ? model_.constraints_of_few : model_.constraints;
    WeightProblem problem(model_, constraints, local_, demands, deviations());
    problem.set(nearest_to_centre(), stratum_);
    Choosing choosing;
    find_representatives(problem, members_, restarts);
    choosing.alternates = alternates_of(problem, members_);
    choosing.groups = problem.groups();
    choosing.share = problem.weights();
    return choosing;
  }

  Choosing searched_again(const WeightDemands& demands) const {
    return searched(demands, one_batch_size_ && !run_.paired() ? 0 : kRestarts);
  }

  /// What another selection is held against.
  struct Limits {
    const Choosing& first;
    double effective_of_bins = 0;
  };

  bool few() const { return members_.size() < kFewPoints; }

  Choosing missing_less(const Limits& limits) const {
    const double kept = one_batch_size_ ? kEffectiveKept : kEffectiveKeptOfMany;
    Choosing best = limits.first;
    const auto take_if_better = [&](const Choosing& other, double effective_kept) {
      const double enough = few() ? kMissed : std::max(kMissed, kMuchLess * missed(best, model_.shapes));
      if (missed(other, model_.shapes) <= enough && as_good_else(other, limits, effective_kept)) best = other;
    };
    const auto done = [&] { return missed(best, model_.shapes) <= kMissed; };
    WeightDemands demands = demands_for(members_.size());
    std::vector<Choosing> others;
    for (std::size_t i = 0; i < kShapes.size() && !done(); ++i) {
      demands.shapes = kShapes[i];
      take_if_better(others.emplace_back(searched_again(demands)), kept);
    }
    for (std::size_t i = 0; i < others.size() && !run_.paired() && !few() && !done(); ++i)
      take_if_better(others[i], kLastResort * kept);
    return best;
  }

  bool as_good_else(const Choosing& other, const Limits& limits, double kept) const {
    const double before = effective(limits.first);
    const double least = std::max(kept * before, before >= limits.effective_of_bins ? limits.effective_of_bins : 0);
    return effective(other) >= least && loses_little(other, limits);
  }

  bool loses_little(const Choosing& other, const Limits& limits) const {
    return weighty(other) >= weighty(limits.first) && missed(other, model_.features) <= std::max(kMissed, kLost * missed(limits.first, model_.features));
  }

  /// The first that is not below `bins`, else the most even one.
  Choosing evener(Choosing best, const Limits& limits) const {
    const double allowed = std::max(kMissed, few() ? kLost * missed(limits.first, model_.shapes) : missed(best, model_.shapes));
    for (const auto& [noise, shapes] : kEvener) {
      if (effective(best) >= limits.effective_of_bins) break;
      WeightDemands demands = demands_for(members_.size());
      demands.noise *= noise;
      demands.shapes = shapes;
      Choosing other = searched_again(demands);
      if (effective(other) > effective(best) && missed(other, model_.shapes) <= allowed && loses_little(other, limits)) best = std::move(other);
    }
    return best;
  }

  /// RMS relative error of the totals of functions of the model.
  double missed(const Choosing& choosing, const CostModel::Rows& functions) const {
    Eigen::RowVectorXd errors = Eigen::RowVectorXd::Constant(functions.cols(), -1.0);
    for (std::size_t p = 0; p < choosing.groups.size(); ++p)
      errors += choosing.share[static_cast<Eigen::Index>(p)] * functions.row(static_cast<Eigen::Index>(choosing.groups[p]));
    return std::sqrt(errors.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(errors.size(), 1)));
  }

  void cut(std::uint64_t k) {
    const Clustering clustering = clusters_.cut(k);
    members_.assign(clustering.size, {});
    stratum_ = Eigen::VectorXd::Zero(clustering.size);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      members_[clustering.cluster[g]].push_back(g);
      stratum_[clustering.cluster[g]] += model_.share[static_cast<Eigen::Index>(g)];
    }
  }

  /// How far each group's measured cost lies from its cluster's, in proportion to size. Noise and jagged cost in a
  /// representative would be multiplied by the weight of all it stands for.
  Eigen::ArrayXd deviations() const {
    if (!measured_) return {};
    Eigen::ArrayXd deviation = Eigen::ArrayXd::Zero(model_.size.size());
    for (const auto& cluster : members_) {
      double cost = 0, size = 0;
      for (const std::size_t g : cluster) {
        cost += groups_[g].sum;
        size += model_.size[static_cast<Eigen::Index>(g)] * model_.count[static_cast<Eigen::Index>(g)];
      }
      for (const std::size_t g : cluster) {
        const auto i = static_cast<Eigen::Index>(g);
        const double expected = cost / size * model_.size[i] * model_.count[i];
        if (expected > 0 && std::isfinite(expected)) deviation[i] = groups_[g].sum / expected - 1;
      }
    }
    return deviation;
  }

  /// Squared distance of a group to the centre of its cluster; each dimension in units of the centre's own.
  std::vector<double> distances(const std::vector<std::size_t>& cluster) const {
    const auto position = [&](std::size_t g) {
      const Signature& s = groups_[g].signature;
      return Eigen::Array3d(s.src_len, s.second(), s.batch_size);
    };
    Eigen::Array3d centre = Eigen::Array3d::Zero();
    double count = 0;
    for (const std::size_t g : cluster) {
      centre += static_cast<double>(groups_[g].count) * position(g);
      count += static_cast<double>(groups_[g].count);
    }
    centre /= count;
    std::vector<double> squared;
    for (const std::size_t g : cluster) squared.push_back(((position(g) - centre) / centre.max(1.0)).square().sum());
    return squared;
  }

  std::vector<std::size_t> nearest_to_centre() const {
    std::vector<std::size_t> nearest;
    for (const auto& cluster : members_) {
      const std::vector<double> squared = distances(cluster);
      nearest.push_back(cluster[static_cast<std::size_t>(std::min_element(squared.begin(), squared.end()) - squared.begin())]);
    }
    return nearest;
  }

  const Population& all_;
  std::vector<SignatureGroup> groups_;
  const Trace& run_;
  bool measured_;
  bool one_batch_size_;
  CostModel model_;
  LocalProcess local_;
  SignatureClusters clusters_;
  std::array<double, kFunctions> totals_{};        ///< what iterations cost on average, by each of the functions
  std::vector<std::vector<std::size_t>> members_;  ///< groups of each cluster
  Eigen::VectorXd stratum_;                        ///< clusters' shares of the run
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

/// The size of which least error is expected; the smallest where none can be afforded. More points are dearer, but for an odd
/// one: after a few that cannot be afforded the others are not looked at.
constexpr int kFewTooDear = 4;
Choosing judged(Calibrated& calibrated, const ChoiceJudge& judge, std::uint64_t iterations, MethodRecord& record) {
  const std::uint64_t last = std::min<std::uint64_t>(kMostGrown, calibrated.groups().size());
  Choosing best;
  std::size_t taken = 0;
  int too_dear = 0;
  for (std::uint64_t k = 1; k <= last && too_dear < kFewTooDear; k = calibrated.more_than(k)) {
    Choosing choosing = calibrated.refine(k, calibrated.choose(k));
    record.sizes.push_back(size_of(calibrated, choosing));
    record.sizes.back().expected = judge(choices_of(calibrated, choosing, iterations), record.sizes.back().error);
    const auto& expected = record.sizes.back().expected;
    const auto& least = record.sizes[taken].expected;
    too_dear = expected ? 0 : too_dear + 1;
    if (k > 1 && (!expected || (least && !(*expected < *least)))) continue;
    best = std::move(choosing);
    taken = record.sizes.size() - 1;
  }
  record.sizes[taken].taken = true;
  return best;
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
