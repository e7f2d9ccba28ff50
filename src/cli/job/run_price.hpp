/// \file
/// The price of a run: points or whole epochs, and whether another process is worth it.
#pragma once

#include <cstdint>

#include "cli/job/run_state.hpp"

namespace seqpoint::cli::job {

/// The batches that two processes run of these points.
std::uint64_t planned_by(const select::Selection&);
/// The job with the number of batches to measure that is best by what the order has shown, and no more than --max-time
/// allows, which counts what was spent, start-ups and batches. Nothing is changed if points were asked for.
io::artifacts::JobRequest within_price(RunState&, const Member&);
/// Chooses the way once, before anything is measured, and prints the prices: whole epochs if all that points take costs
/// more than an epoch of each build, the orders included, unless only points are within --max-time.
void choose_way(RunState&);
/// Warns if no number of processes reaches --precision.
void report_floor(const RunState&, const Outcome&);
/// Whether another process of each build is worth its price: go_on, gain or price. An explicit --max-time replaces the
/// price of an epoch; a comparison goes on until it is decided, also by whole epochs.
measuring::Stop worth(const RunState&, std::uint64_t processes, const Outcome&);
/// Warns if measuring took longer than the epochs: they are timed as a whole in less time.
void warn_of_price(const RunState&, const Outcome&);

}  // namespace seqpoint::cli::job
