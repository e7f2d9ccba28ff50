#include "refinement.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace seqpoint {
namespace {

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
constexpr double kLost = 3;
/// One whose n_eff is below that of `bins` gives way to one that is not, or is less so: searched for with so many times the noise, and
/// such weights of the shapes.
constexpr std::array<std::pair<double, double>, 9> kEvener{
    {{4, 0}, {4, 8}, {4, 512}, {16, 0}, {16, 8}, {16, 512}, {8, 64}, {32, 64}, {32, 512}}};

/// Where none is found in the search's own clusters: in others, with such weights of even costs, or, as n_eff is of weights, of even
/// numbers of iterations.
constexpr std::array kOtherCuts{0.5, 2.0, 0.25, 4.0};
constexpr std::array kEvenerCuts{1.0, 4.0, 16.0};

/// Such clusters cost a search of their own, of seconds where signatures and points are many: so many groups x points may be cut.
constexpr double kMostCut = 1e6;

/// Of more points too few can be tried for another selection to come of it, and each takes long.
constexpr std::size_t kMostPoints = 100;

class Refinement {
 public:
  Refinement(const GroupSearch& search, const Choosing& first)
      : search_(search),
        first_(first),
        effective_of_bins_(search.effective_of_bins(weighty(first))),
        least_(effective(first) >= effective_of_bins_ ? effective_of_bins_ : 0) {}

  Choosing missing_less() const {
    const double kept = search_.one_batch_size() ? kEffectiveKept : kEffectiveKeptOfMany;
    Choosing best = first_;
    std::vector<Choosing> others;
    const auto search = [&](const Cut& cut) {
      for (std::size_t i = 0; i < kShapes.size() && misses_much(best); ++i) {
        others.push_back(search_.again(demands({1, kShapes[i]}), cut));
        take_if_better(others.back(), kept, best);
      }
    };
    search(search_.clusters());
    for (const double weight : kOtherCuts)
      if (cuts_otherwise() && misses_much(best)) search(search_.cut_otherwise({weight, Evenness::Of::cost}));
    for (std::size_t i = 0; i < others.size() && !search_.paired() && !search_.few() && misses_much(best); ++i)
      take_if_better(others[i], kLastResort * kept, best);
    return best;
  }

  /// The first that is not below `bins`, else the most even one.
  Choosing evener(Choosing best) const {
    const double allowed = std::max(kMissed, search_.few() ? kLost * shapes_missed(first_) : shapes_missed(best));
    const auto search = [&](const Cut& cut) {
      for (std::size_t i = 0; i < kEvener.size() && is_noisy(best); ++i) {
        Choosing other = search_.again(demands(kEvener[i]), cut);
        if (effective(other) > effective(best) && shapes_missed(other) <= allowed && loses_little(other)) best = std::move(other);
      }
    };
    search(search_.clusters());
    for (const double weight : kEvenerCuts)
      if (cuts_otherwise() && is_noisy(best)) search(search_.cut_otherwise({weight, Evenness::Of::iterations}));
    return best;
  }

 private:
  /// So many times the noise, and that weight of the shapes.
  WeightDemands demands(const std::pair<double, double>& noise_and_shapes) const {
    WeightDemands demands = search_.demands();
    demands.noise *= noise_and_shapes.first;
    demands.shapes = noise_and_shapes.second;
    return demands;
  }

  double shapes_missed(const Choosing& choosing) const { return search_.missed(choosing, search_.model().shapes); }
  double features_missed(const Choosing& choosing) const { return search_.missed(choosing, search_.model().features); }
  bool cuts_otherwise() const {
    return static_cast<double>(search_.groups().size()) * static_cast<double>(search_.clusters().members.size()) <= kMostCut;
  }
  bool misses_much(const Choosing& choosing) const { return shapes_missed(choosing) > kMissed; }
  bool is_noisy(const Choosing& choosing) const { return effective(choosing) < effective_of_bins_; }

  void take_if_better(const Choosing& other, double kept, Choosing& best) const {
    const double enough = search_.few() ? kMissed : std::max(kMissed, kMuchLess * shapes_missed(best));
    const double even = std::max(kept * effective(first_), least_);
    if (shapes_missed(other) <= enough && effective(other) >= even && loses_little(other)) best = other;
  }

  bool loses_little(const Choosing& other) const {
    return weighty(other) >= weighty(first_) && features_missed(other) <= std::max(kMissed, kLost * features_missed(first_));
  }

  const GroupSearch& search_;
  const Choosing& first_;
  double effective_of_bins_;
  double least_;  ///< n_eff that nothing may take away
};

}  // namespace

Choosing refined(const GroupSearch& search, Choosing first) {
  if (first.groups.size() > kMostPoints) return first;
  const Refinement refinement(search, first);
  return refinement.evener(refinement.missing_less());
}

}  // namespace seqpoint
