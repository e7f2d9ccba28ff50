/// \file
/// Options of the commands that read a manifest and batch it, and what they load.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "seqpoint/batches.hpp"
#include "seqpoint/io/artifacts.hpp"
#include "seqpoint/io/readers.hpp"
#include "seqpoint/trace.hpp"

namespace seqpoint::cli {

struct DatasetOptions {
  std::vector<std::string> manifests;
  std::vector<std::string> targets;
  ReadOptions read;
  BatchPolicy batching;
  SignatureRule signature;
};

/// Declares the positional manifests and every option of reading and batching.
void add_dataset_options(CLI::App&, DatasetOptions&);

/// Everything that can be refused before anything is read: samplers' options, outputs that are inputs. `batches`: whether the
/// samples will be batched (not for a trace, nor for lengths alone).
void require_valid(const DatasetOptions&, const std::vector<std::string>& outputs, bool batches);

/// Reads the manifests and tells the user what was read, skipped and assumed.
Dataset load_dataset(const DatasetOptions&, Console&);

/// A run to choose points from.
struct LoadedRun {
  Trace trace;
  std::optional<Lengths> lengths;  ///< where a manifest was read; nothing for a trace
  std::vector<InputRecord> inputs;
  bool is_trace() const { return !lengths; }
};

/// Groups of options that only manifests have a use for.
inline const std::array<std::string, 3> kDatasetGroups{"Lengths", "Batching", "Options of single samplers"};

/// Reads a trace, or manifests which it batches. Throws UsageError for batching options that a trace has no use for.
LoadedRun load_run(const CLI::App&, const DatasetOptions&, Console&);

/// Reads a run that was measured; what is to be said of it are warnings.
TraceFile load_measured_trace(const std::string& path, SignatureKind, Console&);

/// Throws the UsageError of a run that has no iterations.
[[noreturn]] void refuse_empty_run(const BatchPolicy&);

/// Throws UsageError where an output is one of the files that were read: the manifests, what they bring along, the tokenizer.
void refuse_to_overwrite_read(const DatasetOptions&, std::span<const InputRecord> inputs, std::span<const std::string> outputs);

/// Says what the sampler takes for granted.
void tell_assumptions(const BatchPolicy&, Console&);

}  // namespace seqpoint::cli
