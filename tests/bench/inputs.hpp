/// \file
/// Manifests of any size, made from the real durations of LibriSpeech-100h: the same bytes every time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace seqpoint::bench {

/// Samples at 16 kHz of the 28,539 utterances of examples/data.
std::vector<std::uint32_t> librispeech_samples();

/// `rows` rows, the utterances over and over: a NeMo manifest, and a CSV of the same columns.
void write_jsonl(const std::string& path, std::uint64_t rows);
void write_csv(const std::string& path, std::uint64_t rows);

/// How often a length occurs in a made-up run: 1 to 20 times.
std::uint32_t times_of_length(std::uint32_t length);

/// A Megatron-LM index of so many documents, of 1 to 2000 tokens of 2 bytes.
void write_index(const std::string& path, std::uint64_t documents);

/// A trace of as many iterations, of batches of 64: the unique lengths 1 .. `unique` in turn.
void write_run(const std::string& path, std::uint64_t iterations, std::uint32_t unique);

/// The times of the first iterations of such a trace, by length alone.
void write_log(const std::string& path, std::uint64_t rows, std::uint32_t unique);

/// A profile of the points sp1, sp2, ... in turn, whose times scatter by up to `percent`.
void write_profile(const std::string& path, std::uint32_t points, std::uint64_t rows, std::uint32_t percent);

/// A PyTorch trace of at least that many bytes: a step of 160 operators, launches and kernels over and over, with the
/// arguments that a real one has.
void write_trace(const std::string& path, std::uint64_t bytes);

/// Lengths one a line to standard output: what is piped into `seqpoint scan -`.
void stream_lengths(std::uint64_t rows);

}  // namespace seqpoint::bench
