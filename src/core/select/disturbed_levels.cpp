#include "core/select/disturbed_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace seqpoint::select {
namespace {

/// A point of numerical integration.
struct Node {
  double at = 0, width = 0;
};

/// The density of the level of an undisturbed process at `nodes`: the product over the processes of the density of
/// their levels, given that of an undisturbed one.
class LevelDensity {
 public:
  LevelDensity(std::span<const double> logs, double deviation, Tail tail)
      : logs_(logs), deviation_(deviation), tail_(tail) {
    std::vector<double> sorted(logs.begin(), logs.end());
    std::ranges::sort(sorted);
    // Where all were disturbed, the density falls with the distance below the fastest process.
    const double farthest = 20 * kMeanDisturbance / static_cast<double>(logs.size());
    double end = sorted.front() - kFar * deviation_;
    add_panels(end - farthest, end, kMeanDisturbance / 2);
    for (const double level : sorted) {
      const double begin = level - kFar * deviation_;
      if (begin > end) add_panels(end, begin, kMeanDisturbance / 2);
      add_panels(std::max(begin, end), level + kFar * deviation_, 1.5 * deviation_);
      end = level + kFar * deviation_;
    }
    if (tail_ == Tail::both) add_panels(end, end + farthest, kMeanDisturbance / 2);
    evaluate();
  }

  LevelMoments moments() const {
    double sum = 0, mean = 0, variance = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      sum += mass_[i];
      mean += mass_[i] * nodes_[i].at;
    }
    mean /= sum;
    for (std::size_t i = 0; i < nodes_.size(); ++i) variance += mass_[i] * std::pow(nodes_[i].at - mean, 2);
    return {ln_highest_ + std::log(sum), mean, variance / sum};
  }

  /// The probability that the process was disturbed.
  double disturbed(std::size_t process) const {
    double sum = 0, disturbed = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (mass_[i] == 0) continue;
      const double beyond = logs_[process] - nodes_[i].at, off = tails(beyond);
      sum += mass_[i];
      disturbed += mass_[i] * off / (off + usual(beyond));
    }
    return disturbed / sum;
  }

 private:
  /// Distance beyond which a normal density does not count, in standard deviations.
  static constexpr double kFar = 8;
  /// Abscissas and weights of Gauss-Legendre integration with eight nodes, from -1 to 1 (Abramowitz & Stegun, table
  /// 25.4).
  static constexpr std::array<double, 4> kAbscissas{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                                    0.9602898564975363},
      kWeights{0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

  /// Adds nodes from `begin` to `end` in panels of at most this length; none if the range is empty.
  void add_panels(double begin, double end, double length) {
    if (!(end > begin)) return;
    const double panels = std::ceil((end - begin) / length), half = (end - begin) / panels / 2;
    for (double panel = 0; panel < panels; ++panel) {
      const double middle = begin + (2 * panel + 1) * half;
      for (std::size_t i = 0; i < kAbscissas.size(); ++i)
        for (const double side : {-1.0, 1.0})
          nodes_.push_back({middle + side * kAbscissas[i] * half, kWeights[i] * half});
    }
  }

  /// The density of an undisturbed process, times their share.
  double usual(double beyond) const {
    const double z = beyond / deviation_;
    const double share = tail_ == Tail::both ? 2 * kDisturbedShare : kDisturbedShare;
    return (1 - share) * std::exp(-0.5 * z * z) / (deviation_ * std::sqrt(2 * std::numbers::pi));
  }
  /// The density of a disturbed one, times their share.
  double tails(double beyond) const { return slower(beyond) + (tail_ == Tail::both ? slower(-beyond) : 0); }
  /// One tail of it: a normal plus an exponential value.
  double slower(double beyond) const {
    const double ratio = deviation_ / kMeanDisturbance;
    return kDisturbedShare / (2 * kMeanDisturbance) * std::exp(0.5 * ratio * ratio - beyond / kMeanDisturbance) *
           std::erfc((ratio - beyond / deviation_) / std::numbers::sqrt2);
  }

  /// Sets the logarithm of the highest density, and the mass at each node over it.
  void evaluate() {
    ln_highest_ = -std::numeric_limits<double>::infinity();
    for (const Node& node : nodes_) {
      double ln = 0;
      for (const double level : logs_) ln += std::log(usual(level - node.at) + tails(level - node.at));
      mass_.push_back(ln);
      ln_highest_ = std::max(ln_highest_, ln);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) mass_[i] = nodes_[i].width * std::exp(mass_[i] - ln_highest_);
  }

  std::span<const double> logs_;
  double deviation_;
  Tail tail_;
  std::vector<Node> nodes_;
  std::vector<double> mass_;
  double ln_highest_ = 0;
};

}  // namespace

LevelMoments undisturbed_level(std::span<const double> logs, double deviation, Tail tail) {
  return LevelDensity(logs, deviation, tail).moments();
}

std::vector<double> disturbed_probabilities(std::span<const double> logs, double deviation, Tail tail) {
  const LevelDensity density(logs, deviation, tail);
  std::vector<double> found;
  for (std::size_t process = 0; process < logs.size(); ++process) found.push_back(density.disturbed(process));
  return found;
}

double ln_evidence_of_drift(std::span<const double> sums, double deviation) {
  constexpr std::array kTimes{2.0, 4.0, 8.0, 16.0};
  const auto rounds = static_cast<double>(sums.size());
  double mean = 0, squares = 0, density = 0;
  for (const double sum : sums) mean += sum / rounds;
  for (const double sum : sums) squares += (sum - mean) * (sum - mean);
  std::array<double, kTimes.size()> ln{};
  for (std::size_t i = 0; i < kTimes.size(); ++i) {
    const double variance = std::pow(kTimes.at(i) * deviation, 2);
    ln.at(i) = -(rounds - 1) / 2 * std::log(2 * std::numbers::pi * variance) - squares / (2 * variance);
  }
  const double highest = std::ranges::max(ln);
  for (const double one : ln) density += std::exp(one - highest) / static_cast<double>(kTimes.size());
  return highest + std::log(density) - std::log(rounds) / 2;
}

}  // namespace seqpoint::select
