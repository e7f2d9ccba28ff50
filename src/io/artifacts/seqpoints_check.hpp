/// \file
/// Figures of SeqPoints that follow from others: written and checked by the same functions.
#pragma once

#include "io/artifacts/json.hpp"

namespace seqpoint::io::artifacts {

/// Of the run. Nine decimals: finer than a weight's millionth of an iteration in any run.
double share(const select::Weight&, std::uint64_t iterations);

/// Percent; infinite where it is not known. Of the parts as they are written, so that who reads those finds the same.
double expected_error_pct(const select::ExpectedError&);

/// Throws InputError, at the key that is to blame, where a figure of the file does not follow from the selection that
/// was read from it, or an iteration is beyond those of a run that was batched here.
void require_consistent(const select::Selection&, const JsonReader&);

}  // namespace seqpoint::io::artifacts
