/// \file
/// Options of the commands that read and batch a manifest.
#pragma once

#include <string>
#include <vector>

#include "cli/options/option_group.hpp"
#include "core/batching/batches.hpp"
#include "core/trace/trace.hpp"
#include "io/manifests/dataset.hpp"

namespace seqpoint::cli::options {

struct DatasetOptions {
  std::vector<std::string> manifests;
  std::vector<std::string> targets;
  io::manifests::ReadOptions read;
  batching::BatchPolicy batching;
  trace::ShapeRule shape;
  bool names_sampler = false;                    ///< else batching.sampler is a guess
  std::vector<const CLI::Option*> of_manifests;  ///< options that apply to manifests only
};

/// The positional manifests, with their help, and every option of reading and batching.
void add_dataset_options(CLI::App&, DatasetOptions&, const std::string& manifest_help);

/// Whether samples are batched. The kind of input is known only after reading it.
enum class Batching { never, unless_trace, always };

/// Makes all checks that need no input: samplers' options, outputs that are inputs.
void require_valid(const CLI::App&, const DatasetOptions&, const std::vector<std::string>& outputs, Batching);
/// The same without checking which options exclude --sampler recorded.
void require_valid(const DatasetOptions&, const std::vector<std::string>& outputs, Batching);

/// Throws UsageError for given options that apply to manifests only. Options that also apply to a trace: --format
/// declares the trace, --batch-size and --grad-accumulation replace missing columns, --shape selects the columns of
/// the shape.
void refuse_dataset_options(const DatasetOptions&, const std::string& trace);

/// Throws the UsageError for a run without iterations.
[[noreturn]] void refuse_empty_run(const batching::BatchPolicy&);

}  // namespace seqpoint::cli::options
