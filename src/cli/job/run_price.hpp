/// \file
/// The price of a run: points or whole epochs, and whether another process is worth it.
#pragma once

#include <cstdint>

#include "cli/job/run_state.hpp"

namespace seqpoint::cli::job {

/// Before anything is measured: takes whole epochs if they are the cheaper way by the first batch. Prints the figures.
void choose_way(RunState&, const Member&, const select::Selection&);
/// After the first process of each build: the same by its times. Returns whether whole epochs are taken from now on.
bool choose_way(RunState&, const Outcome&);
/// Warns if no number of processes reaches --precision.
void report_floor(const RunState&, const Outcome&);
/// Whether another process of each build is worth its price: go_on, gain or price. An explicit --max-time replaces the
/// price of an epoch; a comparison goes on until it is decided, also by whole epochs.
measuring::Stop worth(const RunState&, std::uint64_t processes, const Outcome&);
/// Warns if measuring took longer than the epochs: they are timed as a whole in less time.
void warn_of_price(const RunState&, const Outcome&);

}  // namespace seqpoint::cli::job
