/// \file
/// What ROCm's CSVs of kernels have in common.
#pragma once

#include <string>

#include "io/profiles/engine/report_table.hpp"

namespace seqpoint::io::profiles::engine {

/// Without what marks a kernel descriptor: `gemm(float*) [clone .kd]`, `gemm.kd`.
std::string kernel_name(std::string name);

/// The end in a column minus `start`. Throws InputError where it is negative or no duration a step can have.
std::int64_t duration_between(const ReportTable& table, std::int64_t start, std::size_t end_column);

}  // namespace seqpoint::io::profiles::engine
