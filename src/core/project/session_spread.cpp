#include "core/project/session_spread.hpp"

#include <algorithm>
#include <cmath>

#include "core/distributions.hpp"
#include "core/linear_algebra.hpp"

namespace seqpoint::project {
namespace {

/// One profile in a hundred whose sessions are alike is called apart.
constexpr double kLevel = 0.01;
/// Sessions that differ by less, as a share, do so by rounding: times are written with six digits or so.
constexpr double kRounding = 1e-6;

/// SumsWithinPoints of squares and products once the level of each point is taken out.
struct SumsWithinPoints {
  explicit SumsWithinPoints(std::size_t sessions)
      : products(Eigen::MatrixXd::Zero(sessions, sessions)), values(Eigen::VectorXd::Zero(sessions)) {}

  /// False where a value has no logarithm.
  bool add_point(const std::vector<double>& repeats, const std::vector<std::size_t>& sessions) {
    Eigen::VectorXd counts = Eigen::VectorXd::Zero(values.size()), of_session = counts;
    double sum = 0, sum_of_squares = 0;
    for (std::size_t i = 0; i < repeats.size(); ++i) {
      if (!(repeats[i] > 0)) return false;
      const double value = std::log(repeats[i]);
      ++counts[sessions[i]];
      of_session[sessions[i]] += value;
      sum += value;
      sum_of_squares += value * value;
    }
    const auto count = static_cast<double>(repeats.size());
    products.diagonal() += counts;
    products -= counts * counts.transpose() / count;
    values += of_session - counts * (sum / count);
    squares += sum_of_squares - sum * sum / count;
    degrees += count - 1;
    return true;
  }

  Eigen::MatrixXd products;  ///< of the sessions' indicators
  Eigen::VectorXd values;    ///< of these with the values
  double squares = 0, degrees = 0;
};

}  // namespace

std::optional<SessionSpread> spread_of_sessions(const profile::Measurements& measured, std::size_t metric) {
  const std::size_t sessions = measured.session_names.size();
  if (sessions < 2 || sessions > kMostSessions) return std::nullopt;
  SumsWithinPoints sums(sessions);
  for (std::size_t p = 0; p < measured.values[metric].size(); ++p)
    if (!measured.values[metric][p].empty() &&
        !sums.add_point(measured.values[metric][p], measured.sessions[metric][p]))
      return std::nullopt;
  const LeastSquares solver(sums.products);
  const Eigen::VectorXd effects = solver.solve(sums.values);
  const auto between = static_cast<double>(solver.rank());
  const double within = sums.degrees - between, explained = effects.dot(sums.values);
  if (between == 0 || within < 1) return std::nullopt;
  const double noise = std::max(sums.squares - explained, 0.0) / within;
  SessionSpread spread{.variance = std::max(explained - between * noise, 0.0) / sums.products.trace(),
                       .degrees = between};
  Eigen::Index low = 0, high = 0;
  spread.ratio = std::exp(effects.maxCoeff(&high) - effects.minCoeff(&low));
  spread.significant = spread.ratio > 1 + kRounding && f_tail(explained / between / noise, between, within) < kLevel;
  spread.low = static_cast<std::size_t>(low);
  spread.high = static_cast<std::size_t>(high);
  return spread;
}

}  // namespace seqpoint::project
