/// \file
/// Choosing points, as a function: `select` and `run` call it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/options/dataset_inputs.hpp"
#include "cli/options/dataset_options.hpp"
#include "core/select/select.hpp"

namespace seqpoint::cli::commands {

/// The values that a selection depends on.
struct SelectRequest {
  SelectRequest();  ///< the defaults of `select`
  options::DatasetOptions dataset;
  select::SelectParams params;
  select::RepeatParams repeats;
  std::string timings;  ///< a trace of timed iterations; empty: none
};

/// Points, and the run that they were chosen from.
struct Selected {
  select::Selection selection;
  options::LoadedRun run;
};

/// Reads the run and chooses points, with their batches. Prints what is unlikely about the inputs; the notes of the
/// selection are left to the caller. Throws as load_run() and select_with_repeats(), and UsageError if one of
/// `outputs` is an input.
Selected select_points(SelectRequest, Console&, std::span<const std::string> outputs = {});
/// The same for the points of a process that has measured, and further ones: select::with_first_executions().
Selected further_points(SelectRequest, const select::Selection& measured, const select::CountedFirst&, Console&);

}  // namespace seqpoint::cli::commands
