/// \file
/// Options of the commands that read a manifest and batch it.
#pragma once

#include <string>
#include <vector>

#include "cli/options/option_group.hpp"
#include "core/batching/batches.hpp"
#include "core/trace/trace.hpp"
#include "io/files.hpp"

namespace seqpoint::cli::options {

struct DatasetOptions {
  std::vector<std::string> manifests;
  std::vector<std::string> targets;
  io::manifests::ReadOptions read;
  batching::BatchPolicy batching;
  trace::SignatureRule signature;
  bool names_sampler = false;                    ///< else batching.sampler is a guess
  std::vector<const CLI::Option*> of_manifests;  ///< options that only manifests have a use for
};

/// The positional manifests, with their help, and every option of reading and batching.
void add_dataset_options(CLI::App&, DatasetOptions&, const std::string& manifest_help);

/// Whether samples are batched. What the input is, only reading it shows.
enum class Batching { never, unless_trace, always };

/// Everything that can be refused before anything is read: samplers' options, outputs that are inputs.
void require_valid(const CLI::App&, const DatasetOptions&, const std::vector<std::string>& outputs, Batching);
/// The same but for what options exclude each other.
void require_valid(const DatasetOptions&, const std::vector<std::string>& outputs, Batching);

/// Throws UsageError for options that only a manifest has a use for. Of a trace, --format says that it is one,
/// --batch-size fills a missing column, --signature says which columns count.
void refuse_dataset_options(const DatasetOptions&, const std::string& trace);

/// Throws the UsageError of a run that has no iterations.
[[noreturn]] void refuse_empty_run(const batching::BatchPolicy&);

}  // namespace seqpoint::cli::options
