// Compares the number of steps that a log states with the run's.
#include <fmt/core.h>

#include "io/profiles/profile_formats.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles {

void require_stated_steps(const LogReport& log, const std::string& source, std::uint64_t steps, std::uint64_t epochs,
                          const std::string& run) {
  if (!log.stated) return;
  const StatedSteps& stated = *log.stated;
  const std::uint64_t parts = stated.of_epoch ? epochs : 1;
  if (stated.steps * parts == steps || (stated.may_be_last && (stated.steps + 1) * parts == steps)) return;
  throw InputError({source, stated.line, "of"},
                   fmt::format("says that there are {} steps in {}, and {} has {}", stated.steps,
                               stated.of_epoch ? "an epoch" : "all", run, steps),
                   "give the run that is logged, all epochs of it; a pattern without the group 'of' compares nothing");
}

}  // namespace seqpoint::io::profiles
