/// \file
/// The files of a plan's folder.
#pragma once

#include <string>
#include <vector>

#include "cli/options/plan_inputs.hpp"
#include "io/artifacts/plan_folder.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::cli::commands {

/// What is written: everything but plan.json, which comes last.
struct Contents {
  std::vector<io::manifests::NewFile> files;
  std::vector<io::manifests::NewLink> links;
  io::artifacts::TaskFiles whole;
  std::vector<io::artifacts::TaskFiles> tasks;
  std::string format;
  std::size_t lost_paths = 0;
  std::string lost_path;  ///< one of them
};

/// The manifests: of the whole plan, and of every task where there are several.
Contents make_manifests(const options::PlannedRun&, const select::Plan&);

std::size_t points_of(const select::Plan&);
/// How much is planned: points, measurements, steps, tasks.
std::string extent_text(const select::Plan&);
/// What would be written, a line a file, and how much is planned.
std::string listing(const Contents&, const select::Plan&);
/// How long it would take, each batch run `accumulation` times. `measured`: what the expected cost is of, "runtime_s of
/// run.csv".
std::string times_text(const select::Plan&, const select::ExpectedCost&, const trace::RunSummary& whole,
                       std::uint64_t accumulation, const std::string& measured);

}  // namespace seqpoint::cli::commands
