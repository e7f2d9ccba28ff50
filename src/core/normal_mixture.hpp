/// \file
/// Mixtures of normal distributions with mean 0.
#pragma once

#include <Eigen/Core>

namespace seqpoint {

/// The h for which a value of the mixture lies within +-h with this probability, in (0, 1). `weight`: adds up to 1.
/// `variance`: of each component, >= 0; returns 0 if all are 0.
double normal_mixture_half_width(const Eigen::ArrayXd& weight, const Eigen::ArrayXd& variance, double confidence);

}  // namespace seqpoint
