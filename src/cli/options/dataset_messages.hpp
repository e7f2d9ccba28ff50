/// \file
/// Messages about the inputs of reading and batching.
#pragma once

#include "cli/console.hpp"
#include "cli/options/dataset_options.hpp"
#include "core/lengths/lengths.hpp"
#include "io/manifests/dataset.hpp"

namespace seqpoint::cli::options {

/// Reports the files and the rows that were read and left out, and warns of lengths and files that are unlikely.
/// `targets`: pairs were read. `frames`: how audio became frames.
void report_dataset(const io::manifests::Dataset&, bool targets, const lengths::FrameRule& frames, Console&);

/// Notes on assumptions: a sampler or seed that was not given, those of the sampler, and the numbering of a
/// resumed run.
void report_assumptions(const DatasetOptions&, Console&);

}  // namespace seqpoint::cli::options
