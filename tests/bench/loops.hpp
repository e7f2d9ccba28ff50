/// \file
/// The bare loops that the program is compared with, each a process of its own (`seqpoint_bench --loop ...`).
#pragma once

#include <cstdint>
#include <string>

namespace seqpoint::bench {

/// Adds up one number of every JSON line by simdjson's document stream and nothing else.
int simdjson_loop(const std::string& path, bool threaded);

/// Walks the events of a trace by simdjson, the whole file in memory, and adds up the durations of kernels.
int trace_loop(const std::string& path);

/// Makes torch.randperm(n) by our generator; prints the seconds it took.
int permutation_loop(std::uint32_t n);

/// Unique lengths 1 .. `unique` that occur 1 to 20 times each in `k` clusters, one pass of the method asked for:
/// "exact" (ours) or "quadratic" (dynamic programming over every beginning of the last cluster). Prints the sum of
/// squares and the seconds it took.
int kmeans_loop(const std::string& method, std::uint32_t unique, std::uint32_t k);

}  // namespace seqpoint::bench
