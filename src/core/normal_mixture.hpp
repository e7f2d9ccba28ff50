/// \file
/// Mixtures of normal distributions with mean 0.
#pragma once

#include <Eigen/Core>

namespace seqpoint {

/// The h for which a value of the mixture lies within +-h with probability `confidence`, in (0, 1). `weight`: of each
/// component, adds up to 1. `variance`: of each component, >= 0; returns 0 if all variances are 0.
double normal_mixture_half_width(const Eigen::ArrayXd& weight, const Eigen::ArrayXd& variance, double confidence);

}  // namespace seqpoint
