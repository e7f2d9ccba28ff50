/// \file
/// The steps among a profile's named ranges.
#pragma once

#include <string_view>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/profile/timeline.hpp"

namespace seqpoint::io::profiles::engine {

/// A named range on a host thread; the name is one of Timeline::names.
struct NamedRange {
  std::int64_t start = 0, end = 0;
  std::uint32_t name = 0, process = 0, thread = 0;
};

/// Whether a name begins like `ProfilerStep#5`, with or without blanks around `#`: a step of torch.profiler.
bool is_profiler_step(std::string_view name);

/// Adds the steps to `timeline.windows`: profiler steps if there are any, else the outermost ranges whose names can be
/// those of steps by `rules`. Ranges of other names become labels. If steps overlap, or there are none, a note in
/// `profile` names ranges.
void choose_steps(std::vector<NamedRange> ranges, const profile::NameRules& rules, profile::Timeline& timeline,
                  profile::StepProfile& profile);

}  // namespace seqpoint::io::profiles::engine
