/// \file
/// Exit statuses: part of the contract with scripts.
#pragma once

#include <array>

namespace seqpoint::cli {

enum Exit : int {
  kDone = 0,
  kGateFailed = 1,  ///< the work was done, but a limit that the user set is exceeded, or the measurements are
                    ///< insufficient for a result
  kBadUsage = 2,
  kBadInput = 3,
  kCannotWrite = 4,  ///< or the system has no memory or threads left
  kOurFault = 70,
  kInterrupted = 130,
  kClosedPipe = 141
};

/// Descriptions of them in --help and the manual.
struct ExitText {
  Exit status;
  const char* meaning;
};
inline constexpr std::array kExitTexts{
    ExitText{kDone, "done"},
    ExitText{kGateFailed, "a limit that you set does not hold, or too little was measured"},
    ExitText{kBadUsage, "bad usage"},
    ExitText{kBadInput, "bad input"},
    ExitText{kCannotWrite, "cannot write"},
    ExitText{kOurFault, "internal error"},
    ExitText{kInterrupted, "interrupted"},
    ExitText{kClosedPipe, "closed pipe"},
};

}  // namespace seqpoint::cli
