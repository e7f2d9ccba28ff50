/// \file
/// What `plan` reads: the run of the points, made again from the manifests by the options that the artefact has kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/dataset_options.hpp"
#include "io/artifacts/plan_folder.hpp"
#include "seqpoint/io/files.hpp"

namespace seqpoint::cli::options {

/// The data set that the points were selected from.
struct PlannedRun {
  DatasetOptions options;
  io::manifests::Dataset dataset;
  std::vector<std::string> manifests, targets;  ///< one path a file
};

/// States the version in force in what an artefact keeps, where the sampler's default is another than it was in 1.0.
void name_version(OptionsInForce&, const batching::BatchPolicy&);

/// Where what the points were selected from is now. Manifests are named again; of the others, empty says that they are
/// where they were.
struct PlannedPaths {
  std::vector<std::string> manifests, targets;
  std::string order;
};

/// Reads manifests as they were read for the selection. Where the points are of a trace that has the rows of its
/// batches, it is the order of these manifests. Throws InputError where something has changed since, unless `force`d,
/// and where the points are of a trace without rows.
PlannedRun load_planned_run(const io::artifacts::SeqpointsFile&, const PlannedPaths&, bool force, Console&);

/// Throws InputError unless manifests in a folder hold the lengths of these rows of the run.
void require_same_lengths(const PlannedRun&, const std::string& folder, const io::artifacts::TaskFiles&,
                          const std::vector<std::uint32_t>& rows);

}  // namespace seqpoint::cli::options
