/// \file
/// Clusters made better one group at a time.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace seqpoint {

/// Moves one group after the other into the cluster where  sum_c SS_c / SS + weight sum_c m_c^2  falls most, as long as it falls
/// (the exchange method: Spaeth 1977; at most 100 rounds, fewer of very many groups). SS_c is the sum of squared distances to the mean of cluster c, SS that of all
/// groups, m_c the cluster's share of the mass. A cluster keeps its last group; of equally good clusters the first is taken.
/// `at`: groups x dimensions; `count`, `mass`: one a group, > 0 and >= 0; `label`: the cluster of each group, from 0.
void exchange(const Eigen::ArrayXXd& at, const Eigen::ArrayXd& count, const Eigen::ArrayXd& mass, double weight,
              std::vector<std::uint32_t>& label);

}  // namespace seqpoint
