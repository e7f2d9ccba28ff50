/// \file
/// Exit statuses: part of the contract with scripts.
#pragma once

namespace seqpoint::cli {

enum Exit : int {
  kDone = 0,
  kGateFailed = 1,   ///< the work was done, but a limit that the user set does not hold
  kBadUsage = 2,
  kBadInput = 3,
  kCannotWrite = 4,  ///< or out of memory
  kOurFault = 70,
  kInterrupted = 130,
  kClosedPipe = 141
};

}  // namespace seqpoint::cli
