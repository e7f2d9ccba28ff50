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

}  // namespace seqpoint::bench
