/// \file
/// Mixtures of normal distributions about 0.
#pragma once

#include <Eigen/Core>

namespace seqpoint {

/// The h for which a value of the mixture lies within +-h with this probability, in (0, 1). `weight`: adding up to 1.
/// `variance`: of each component, >= 0; 0 where all are 0.
double normal_mixture_half_width(const Eigen::ArrayXd& weight, const Eigen::ArrayXd& variance, double confidence);

}  // namespace seqpoint
