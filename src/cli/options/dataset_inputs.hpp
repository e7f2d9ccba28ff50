/// \file
/// Loads the inputs that the options of reading and batching name, with messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/dataset_options.hpp"
#include "io/files.hpp"

namespace seqpoint::cli::options {

/// Reads the manifests and reports what was read, skipped and assumed. If batches were recorded, the policy becomes
/// theirs. Files that are not manifests are rejected before options of batching are checked.
io::manifests::Dataset load_dataset(DatasetOptions&, Batching, Console&);

/// A run to choose points from.
struct LoadedRun {
  trace::Trace trace;
  std::optional<lengths::Lengths> lengths;  ///< if a manifest was read; nothing for a trace
  std::vector<io::manifests::InputRecord> inputs;
  std::optional<batching::RecordedOrder> order;  ///< order of a trace with the rows of its batches
  bool is_trace() const { return !lengths; }
};

/// Reads a trace, or manifests which it batches, as load_dataset(). Throws UsageError for batching options that have no
/// effect on a trace.
LoadedRun load_run(DatasetOptions&, Console&);

/// Reads a measured run; messages about it are warnings.
io::artifacts::TraceFile load_measured_trace(const std::string& path, trace::BatchLayout, Console&);

/// Throws UsageError if an output is one of the input files: the manifests, or files that they refer to.
void refuse_to_overwrite_read(std::span<const io::manifests::InputRecord> inputs, std::span<const std::string> outputs);

/// Reports the assumptions of the sampler.
void report_assumptions(const DatasetOptions&, Console&);

}  // namespace seqpoint::cli::options
