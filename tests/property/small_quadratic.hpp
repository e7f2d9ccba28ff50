/// \file
/// Small quadratic programs, solved without cleverness: every set of points that may be above zero, each by plain
/// elimination in long double, and the best of those whose solution is allowed.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace seqpoint::testing {

/// v'Qv / 2 - r'v over v >= 0 with A v = 1; a row of `a` a constraint.
struct Program {
  Eigen::MatrixXd q;
  Eigen::VectorXd r;
  Eigen::MatrixXd a;
  Eigen::Index points() const { return q.rows(); }

  double objective(const Eigen::VectorXd& v) const { return v.dot(q * v) / 2 - r.dot(v); }
};

using Row = std::vector<long double>;

/// Elimination with partial pivoting; nothing for a singular matrix.
inline std::optional<Row> eliminated(std::vector<Row> matrix, Row right) {
  const std::size_t n = right.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(matrix[r][c]) > std::abs(matrix[pivot][c])) pivot = r;
    if (std::abs(matrix[pivot][c]) < 1e-13L) return {};
    std::swap(matrix[c], matrix[pivot]);
    std::swap(right[c], right[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const long double factor = matrix[r][c] / matrix[c][c];
      for (std::size_t j = c; j < n; ++j) matrix[r][j] -= factor * matrix[c][j];
      right[r] -= factor * right[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t j = c + 1; j < n; ++j) right[c] -= matrix[c][j] * right[j];
    right[c] /= matrix[c][c];
  }
  return right;
}

/// The minimum where exactly these points may differ from zero, whatever its signs.
inline std::optional<Row> minimum_over(const Program& program, const std::vector<Eigen::Index>& points) {
  const std::size_t n = points.size(), m = static_cast<std::size_t>(program.a.rows());
  std::vector<Row> matrix(n + m, Row(n + m));
  Row right(n + m, 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) matrix[i][j] = program.q(points[i], points[j]);
    for (std::size_t c = 0; c < m; ++c)
      matrix[i][n + c] = matrix[n + c][i] = program.a(static_cast<Eigen::Index>(c), points[i]);
    right[i] = program.r[points[i]];
  }
  return eliminated(std::move(matrix), std::move(right));
}

/// The best v there is; nothing where none holds the constraints.
inline std::optional<Eigen::VectorXd> best_of_every_set(const Program& program) {
  std::optional<Eigen::VectorXd> best;
  if (program.a.rows() == 0) best = Eigen::VectorXd::Zero(program.points());
  for (std::uint32_t set = 1; set < 1U << program.points(); ++set) {
    std::vector<Eigen::Index> points;
    for (Eigen::Index p = 0; p < program.points(); ++p)
      if ((set >> p & 1U) != 0) points.push_back(p);
    const auto solved = minimum_over(program, points);
    if (!solved) continue;
    Eigen::VectorXd v = Eigen::VectorXd::Zero(program.points());
    for (std::size_t i = 0; i < points.size(); ++i) v[points[i]] = static_cast<double>((*solved)[i]);
    if (v.minCoeff() >= 0 && (!best || program.objective(v) < program.objective(*best))) best = v;
  }
  return best;
}

}  // namespace seqpoint::testing
