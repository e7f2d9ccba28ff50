/// \file
/// Loads the inputs that the options of reading and batching name, and prints messages about them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/dataset_options.hpp"
#include "core/lengths/lengths.hpp"
#include "io/artifacts/files.hpp"
#include "io/manifests/dataset.hpp"

namespace seqpoint::cli::options {

/// Reads the manifests; reports the rows read and left out, and unlikely lengths. With a sampler that replays a
/// recorded order, also reads the order and sets the policy from it. Options of batching are checked only with
/// Batching::always, after files that are not manifests were rejected.
io::manifests::Dataset load_dataset(DatasetOptions&, Batching, Console&);

/// A run to choose points from.
struct LoadedRun {
  trace::Trace trace;
  std::optional<lengths::Lengths> lengths;  ///< if a manifest was read; nothing for a trace
  std::vector<io::manifests::InputRecord> inputs;
  std::optional<batching::RecordedOrder> order;  ///< order of a trace with the rows of its batches
  bool is_trace() const { return !lengths; }
};

/// Reads a trace, or reads manifests as load_dataset() and batches them. Throws UsageError for several traces, for
/// options that have no effect on a trace, and for a run without iterations.
LoadedRun load_run(DatasetOptions&, Console&);

/// Reads a measured run; its notes are warnings.
io::artifacts::TraceFile load_measured_trace(const std::string& path, trace::BatchLayout, Console&);

/// Reports the files and the rows that were read and left out, and warns of lengths and files that are unlikely.
/// `targets`: pairs were read. `frames`: how audio became frames.
void report_dataset(const io::manifests::Dataset&, bool targets, const lengths::FrameRule& frames, Console&);

/// Notes on assumptions: a sampler or seed that was not given, those of the sampler, and the numbering of a
/// resumed run.
void report_assumptions(const DatasetOptions&, Console&);

/// Throws UsageError if an output is one of the input files: the manifests, or files that they refer to.
void refuse_to_overwrite_read(std::span<const io::manifests::InputRecord> inputs, std::span<const std::string> outputs);

}  // namespace seqpoint::cli::options
