// Samples: from all iterations alike; one from each stratum of equal padded tokens, at random or its middle; and least
// squares from those.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/algebra.hpp"
#include "core/rng/rng.hpp"
#include "core/select/cost_model.hpp"
#include "core/select/methods/methods.hpp"
#include "core/select/population.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::select::methods {
namespace {

/// Weights that least squares would make negative are kept at 0 by a search that is cubic in the points; this is its
/// limit.
constexpr std::size_t kMaxBoundedWeights = 500;
/// Share of the iterations that counts as zero weight.
constexpr double kNoWeight = 1e-9;

/// A generator seeded with params.seed. Every phase has random numbers of its own.
rng::NumpyRandom generator_of(const Population& all, const SelectParams& params) {
  std::vector<std::uint32_t> seed{static_cast<std::uint32_t>(params.seed),
                                  static_cast<std::uint32_t>(params.seed >> 32U)};
  if (all.phase > 0) seed.push_back(static_cast<std::uint32_t>(all.phase));
  return rng::NumpyRandom{std::span<const std::uint32_t>(seed)};
}

/// The number of iterations to draw: `points`, clamped to the iterations with a note. Sets the parameters of the
/// record.
std::uint64_t sample_size(const Population& all, const SelectParams& params, MethodRecord& record,
                          std::vector<std::string>& notes) {
  const std::uint64_t size = std::min(*params.points, all.iterations());
  if (size < *params.points)
    notes.push_back("`points` " + std::to_string(*params.points) + " is more than the run's " +
                    counted(size, "iteration") + ": clamped to " + std::to_string(size));
  record.parameters = {{"points", static_cast<double>(size)}, {"method-seed", static_cast<double>(params.seed)}};
  return size;
}

/// A drawn iteration, and its weight.
struct Drawn {
  std::size_t position = 0;  ///< in the trace
  double share = 0;          ///< share of the iterations
};

/// The drawn iterations in the order of the run, without those of negligible share.
std::vector<Choice> choices_of(const Population& all, std::vector<Drawn> drawn) {
  std::ranges::sort(drawn, {}, &Drawn::position);
  std::vector<Choice> choices;
  for (const auto& [position, share] : drawn)
    if (share > kNoWeight)
      choices.push_back({.shape = all.trace.shapes[position],
                         .weight = share * static_cast<double>(all.iterations()),
                         .length_group = {},
                         .position = position});
  return choices;
}

/// The first K of a Fisher-Yates shuffle of the iterations, with equal weights.
std::vector<Choice> choose_random(const Population& all, const SelectParams& params, MethodRecord& record,
                                  std::vector<std::string>& notes) {
  const std::uint64_t size = sample_size(all, params, record, notes);
  std::vector<std::size_t> order(all.iterations());
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng::NumpyRandom random = generator_of(all, params);
  std::vector<Drawn> drawn;
  for (std::size_t i = 0; i < size; ++i) {
    std::swap(order[i], order[i + random.interval(order.size() - 1 - i)]);
    drawn.push_back({order[i], 1 / static_cast<double>(size)});
  }
  return choices_of(all, std::move(drawn));
}

/// The iterations in order of their padded tokens, cut into parts of equal tokens; an iteration belongs to the part
/// that contains its middle. Empty parts are left out.
std::vector<std::vector<std::size_t>> strata_of(const trace::Trace& trace, std::uint64_t parts) {
  std::vector<std::pair<double, std::size_t>> sizes;
  double total = 0, before = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    sizes.emplace_back(shape_size(trace.shapes[i]), i);
    total += sizes.back().first;
  }
  std::ranges::sort(sizes);
  std::vector<std::vector<std::size_t>> strata(parts);
  for (const auto& [size, i] : sizes) {
    const auto part = static_cast<std::uint64_t>(static_cast<double>(parts) * ((before + size / 2) / total));
    strata[std::min(part, parts - 1)].push_back(i);
    before += size;
  }
  std::erase_if(strata, [](const auto& stratum) { return stratum.empty(); });
  return strata;
}

/// A random iteration of each stratum, with the stratum's share of the iterations.
std::vector<Drawn> draw_from_strata(const Population& all, const SelectParams& params, std::uint64_t size) {
  rng::NumpyRandom random = generator_of(all, params);
  std::vector<Drawn> drawn;
  for (const std::vector<std::size_t>& stratum : strata_of(all.trace, size))
    drawn.push_back({stratum[random.interval(stratum.size() - 1)],
                     static_cast<double>(stratum.size()) / static_cast<double>(all.iterations())});
  return drawn;
}

/// The iteration of each stratum at which half of its padded tokens are passed, with the stratum's share of the
/// iterations.
std::vector<Drawn> middles_of_strata(const Population& all, std::uint64_t size) {
  std::vector<Drawn> middles;
  for (const std::vector<std::size_t>& stratum : strata_of(all.trace, size)) {
    const auto tokens = [&](std::size_t i) { return shape_size(all.trace.shapes[i]); };
    double left = 0;
    for (const std::size_t i : stratum) left += tokens(i) / 2;
    auto middle = stratum.begin();
    while (middle + 1 != stratum.end() && left > tokens(*middle)) left -= tokens(*middle++);
    middles.push_back({*middle, static_cast<double>(stratum.size()) / static_cast<double>(all.iterations())});
  }
  return middles;
}

/// The v nearest to the shares d, by the sum of (v - d)^2 / d, that meets A v = 1; empty if one would be negative.
Eigen::VectorXd nearest_weights(const Eigen::VectorXd& d, const Eigen::MatrixXd& a) {
  const Eigen::MatrixXd weighted = a * d.asDiagonal();
  const Eigen::VectorXd missed = 1 - (a * d).array();
  const Eigen::VectorXd v = d + weighted.transpose() * least_squares(weighted * a.transpose(), missed);
  const bool met = ((a * v).array() - 1).abs().maxCoeff() < kNoWeight;
  return met && v.minCoeff() >= 0 ? v : Eigen::VectorXd();
}

/// Weights for the total that least squares predicts from the drawn iterations, each weighted by its share: v'y is t'b
/// + sum d (y - F b), and the second part is 0 if F contains a constant. No weight is negative; if that is impossible
/// with all functions, the last are left out, down to d itself. `functions`: of mean 1 over the run, the first a
/// constant; rows: the drawn iterations.
Eigen::VectorXd least_squares_weights(const Eigen::VectorXd& d, const Eigen::MatrixXd& functions) {
  for (Eigen::Index used = functions.cols(); used > 1; --used) {
    const Eigen::MatrixXd a = functions.leftCols(used).transpose();
    Eigen::VectorXd v = nearest_weights(d, a);
    if (v.size() == 0 && static_cast<std::size_t>(d.size()) <= kMaxBoundedWeights)
      v = nonnegative_minimum(d.cwiseInverse().asDiagonal(), Eigen::VectorXd::Ones(d.size()), a);
    if (v.size() > 0) return v;
  }
  return d;
}

/// The functions of a model that a method fits.
using Functions = Eigen::MatrixXd (*)(const ModelShapes&);

/// The drawn iterations with least_squares_weights() for these functions, in place of their shares.
std::vector<Choice> choose_by_least_squares(const Population& all, std::vector<Drawn> drawn, Functions functions) {
  Eigen::VectorXd shares(drawn.size());
  std::vector<trace::ShapeCount> at;
  for (const Drawn& one : drawn) {
    shares[static_cast<Eigen::Index>(at.size())] = one.share;
    at.push_back({all.trace.shapes[one.position], 1});
  }
  const CostModel model(trace::summarise(all.trace));
  const Eigen::VectorXd weights = least_squares_weights(shares, functions(model.shapes_of(at)));
  for (std::size_t p = 0; p < drawn.size(); ++p) drawn[p].share = weights[static_cast<Eigen::Index>(p)];
  return choices_of(all, std::move(drawn));
}

/// 1 and relative size.
Eigen::MatrixXd constant_and_size(const ModelShapes& rows) {
  Eigen::MatrixXd functions(rows.relative_size.size(), 2);
  functions << Eigen::VectorXd::Ones(functions.rows()), rows.relative_size;
  return functions;
}

std::vector<Choice> choose_stratified(const Population& all, const SelectParams& params, MethodRecord& record,
                                      std::vector<std::string>& notes) {
  const std::uint64_t size = sample_size(all, params, record, notes);
  return choose_by_least_squares(all, draw_from_strata(all, params, size), constant_and_size);
}

std::vector<Choice> choose_regression(const Population& all, const SelectParams& params, MethodRecord& record,
                                      std::vector<std::string>& notes) {
  const std::uint64_t size = sample_size(all, params, record, notes);
  return choose_by_least_squares(all, draw_from_strata(all, params, size),
                                 [](const ModelShapes& rows) -> Eigen::MatrixXd { return rows.free_functions; });
}

/// 1, b s and b s^2; for pairs 1, b s and b t; without padding 1, tokens and squares.
Eigen::MatrixXd three_functions(const ModelShapes& rows) { return rows.free_functions.leftCols(3); }

std::vector<Choice> choose_midpoints(const Population& all, const SelectParams& params, MethodRecord& record,
                                     std::vector<std::string>& notes) {
  const std::uint64_t size = sample_size(all, params, record, notes);
  std::erase_if(record.parameters, [](const auto& one) { return one.first == "method-seed"; });
  return choose_by_least_squares(all, middles_of_strata(all, size), three_functions);
}

constexpr auto kRequired = Method::Points::required;

}  // namespace

const Method kRandom{.name = "random",
                     .summary = "iterations drawn at random, without replacement",
                     .source = "simple random sampling",
                     .points = kRequired,
                     .picks_iterations = true,
                     .is_random = true,
                     .choose = choose_random};
const Method kStratified{.name = "stratified",
                         .summary =
                             "a random iteration of each of K strata of equal padded tokens; a line through "
                             "cost by padded tokens gives the total",
                         .source = "stratified sampling with an auxiliary total (Cochran 1977)",
                         .points = kRequired,
                         .picks_iterations = true,
                         .is_random = true,
                         .choose = choose_stratified};
const Method kRegression{.name = "regression",
                         .summary =
                             "the same random iterations; least squares on the functions that weights of "
                             "calibrated meet",
                         .source = "least squares",
                         .points = kRequired,
                         .picks_iterations = true,
                         .is_random = true,
                         .choose = choose_regression};
const Method kMidpoints{.name = "midpoints",
                        .summary =
                            "the middle iteration of each of K parts of equal padded tokens, sorted by them; weights "
                            "meet the totals of 1, b s and b s^2 (pairs: b t)",
                        .source = "a plain rule of twenty lines",
                        .points = kRequired,
                        .picks_iterations = true,
                        .choose = choose_midpoints};

}  // namespace seqpoint::select::methods
