/// \file
/// Runs `seqpoint scan --rows` in this process, on lengths from a list, and reads back the batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/lengths/lengths.hpp"

namespace seqpoint::testing {

/// One row of the trace that `scan --rows` wrote.
struct ScannedIteration {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;  ///< under gradient accumulation
  std::uint32_t src_len = 0;
  std::uint32_t tgt_len = 0;  ///< 0 in a run of one length
  std::uint32_t batch_size = 0;
  std::uint64_t tokens = 0;
  std::uint64_t sq_tokens = 0;                    ///< with --shape varlen
  std::vector<std::vector<std::uint32_t>> ranks;  ///< dataset rows of each rank
};

/// `options`: everything after the manifest; own options of the sampler may be written as `--key value`, as in vectors.
/// Fails the current test unless the command ends with 0.
std::vector<ScannedIteration> scan_rows(const std::vector<std::uint32_t>& lengths,
                                        const std::vector<std::string>& options);
/// The same of pairs; where there are seconds, the manifest has those and nothing else.
std::vector<ScannedIteration> scan_rows(const lengths::Lengths& lengths, const std::vector<std::string>& options);

/// The same of a manifest there is.
std::vector<ScannedIteration> scan_rows_of_file(const std::string& manifest, const std::vector<std::string>& options);

/// The exit status of the same command; what it says and writes is thrown away.
int scan_status(const lengths::Lengths& lengths, const std::vector<std::string>& options);

/// The batches of rank 0: epoch (from that of the first iteration on), batch, row.
using Epochs = std::vector<std::vector<std::vector<std::uint32_t>>>;
Epochs epochs_of(const std::vector<ScannedIteration>& iterations);

/// The same whatever their epoch.
std::vector<std::vector<std::uint32_t>> batches_of(const std::vector<ScannedIteration>& iterations);

/// The batches of every rank: rank, batch, row.
std::vector<std::vector<std::vector<std::uint32_t>>> ranks_of(const std::vector<ScannedIteration>& iterations);

/// The same for pairs: `src` and `tgt` are as many.
std::vector<ScannedIteration> scan_rows(const std::vector<std::uint32_t>& src, const std::vector<std::uint32_t>& tgt,
                                        const std::vector<std::string>& options);

}  // namespace seqpoint::testing
