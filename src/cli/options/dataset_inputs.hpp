/// \file
/// What the options of reading and batching load, told as it is read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/dataset_options.hpp"
#include "io/files.hpp"

namespace seqpoint::cli::options {

/// Reads the manifests and tells the user what was read, skipped and assumed. Where batches were recorded, the policy
/// is that of these from then on. What is no manifest is refused before options of batching are.
io::manifests::Dataset load_dataset(DatasetOptions&, Batching, Console&);

/// A run to choose points from.
struct LoadedRun {
  trace::Trace trace;
  std::optional<lengths::Lengths> lengths;  ///< where a manifest was read; nothing for a trace
  std::vector<io::manifests::InputRecord> inputs;
  std::optional<batching::RecordedOrder> order;  ///< of a trace that has the rows of its batches
  bool is_trace() const { return !lengths; }
};

/// Reads a trace, or manifests which it batches, as load_dataset(). Throws UsageError for batching options that a trace
/// has no use for.
LoadedRun load_run(DatasetOptions&, Console&);

/// Reads a run that was measured; what is to be said of it are warnings.
io::artifacts::TraceFile load_measured_trace(const std::string& path, trace::BatchLayout, Console&);

/// Throws UsageError where an output is one of the files that were read: the manifests, what they bring along.
void refuse_to_overwrite_read(std::span<const io::manifests::InputRecord> inputs, std::span<const std::string> outputs);

/// Says what the sampler takes for granted.
void report_assumptions(const DatasetOptions&, Console&);

}  // namespace seqpoint::cli::options
