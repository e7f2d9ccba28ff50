/// \file
/// What measuring costs beside a whole epoch, and what the next process would bring.
#pragma once

#include <cstdint>
#include <optional>

#include "core/project/projection.hpp"

namespace seqpoint::measuring {

/// Seconds of a process of one build, or of one of each build, with start-up.
struct Price {
  double points_s = 0;                                   ///< a process that measures the points
  double start_s = 0;                                    ///< all in it but its batches
  double steady_s = 0;                                   ///< an epoch, without start-up
  double epoch_s() const { return start_s + steady_s; }  ///< a process that runs a whole epoch

  /// Adds the price of another build.
  Price& operator+=(const Price&);
};

/// What the order has shown of a job before anything is measured.
struct Pace {
  double start_s = 0;   ///< until it has trained on its first batch
  double batch_s = 0;   ///< of a batch of the epoch's mean size; 0: not known
  double loader_s = 0;  ///< until its loader has started and delivered a batch
};

/// The fewest batches in a row that a process runs after its points, and the least before them
/// (python/seqpoint_companion/loop/stretch.py).
inline constexpr std::uint64_t kInARow = 21;
/// Seconds of warm-up that a process has at least, and its batches: two windows of two after the first
/// (python/seqpoint_companion/steady.py).
inline constexpr double kLeastWarmUp = 0.5;
inline constexpr double kWarmUpBatches = 5;
/// Times that a process starts its loader anew: for the plan, and for the batches in a row.
inline constexpr double kLoaderStarts = 2;
/// Seconds of each process in which its job does not run: it ends, files are looked at, its measurements are projected.
inline constexpr double kOwnWork = 0.5;
/// A start-up of so many seconds is saved where it can be: the process that has made the order goes on to measure. A
/// process for each work is simpler, so that shorter ones are paid.
inline constexpr double kLongStart = 10;
/// The fewest batches that are planned for a process: with fewer, hardly any is measured after its first execution.
inline constexpr std::uint64_t kFewestPlanned = 16;

/// The way to an answer.
enum class Way { points, epochs };

/// Where no time is known: points, unless a process that runs `planned` batches of them, after its warm-up and before
/// its batches in a row, runs as many as the epoch has.
Way way_of(std::uint64_t planned, std::uint64_t iterations);
/// The price of a process of a plan of which two processes run as much as `planned` batches of the epoch's mean size.
Price price_by(const Pace&, double planned, std::uint64_t iterations);
/// The cheaper way to a result. It takes `points` processes of points, or whole epochs in `epochs` processes: one
/// process cannot show how far processes differ. What was spent before counts for neither. `saved_s`: start-ups that
/// points save, if the process that made the order goes on. Equal prices: points.
Way way_of(const Price&, std::uint64_t points, std::uint64_t epochs, double saved_s);
/// The batches of a process at which q processes buy the smallest variance for their price. The variance
/// (tau^2 + sigma^2 / m) / q of q processes of m batches each, at a price of q (S + w c + m c), is smallest for
///
///   m = (sigma / tau) sqrt((S + w c) / c)
///
/// S: start-up and kLeastWarmUp; c: a batch; sigma: noise of a batch; tau: the median of `between`; w: the batch before
/// the first point.
/// Source: two-stage sampling (Cochran, Sampling Techniques, 1977). At least kFewestPlanned; at most
/// select::kMaxExecutions, and a quarter of the epoch. The pace is known.
std::uint64_t batches_of_process(const Pace&, const select::BetweenProcesses& between, std::uint64_t iterations);
/// The batches that two processes may run so that they end within `seconds`; at least as many as twice kFewestPlanned.
std::uint64_t affordable(const Pace&, double seconds);

/// What a run says before it measures: seconds since the command was typed, all builds and starts included.
struct SaidPrice {
  double about_s = 0,  ///< with the processes that a result needs
      most_s = 0;      ///< what it keeps, unless an option asks for more; 0: nothing was said
  bool operator==(const SaidPrice&) const = default;
};
/// `needed_s`: of the processes that a result needs, which always run; `round_s`: of one more of each build. The most
/// has room for that one: it is run where it pays, or the time is there for needed ones that take longer than foreseen.
SaidPrice price_said(double spent_s, double needed_s, double round_s);
/// Whether a further round, which takes `round_s`, would end within what was said to be the most.
bool fits(const SaidPrice&, double spent_s, double round_s);

/// Whether another process of each build would make measuring cost more than a whole epoch of each, one start-up aside.
/// `spent_s`: seconds so far.
bool exceeds_epoch(const Price&, double spent_s);

/// A process that narrows an interval by less than this share is not worth its price. Reason: a tenth is where a
/// reader sees a difference: "± 2.0 %" instead of "± 2.2 %".
inline constexpr double kLeastGain = 0.1;

/// The half-width after `processes` processes in all, a share of the total, if processes differ by ProcessPart::spread
/// and measure as the n present ones do:
///
///   H(q)^2 = L(q)^2 + M^2 n / q + S^2
///
/// L: of q levels and of the epoch's own, by their prior; M: of the measurements; S: half_width_steady.
double half_width_after(const project::ProcessPart&, std::uint64_t processes);
/// The half-width after one more process, as a share of the one now. An upper estimate of the gain: H(n + 1) / H(n)
/// with S taken to be noise of measurements, too. 1 if there is no half-width. `now`: the half-width of the result. If
/// it is wider than H(n) by more than kApart, two processes are far apart, and the next one shows which was disturbed:
/// then H(n + 1) over it.
double narrowing(const project::ProcessPart&, double now);
/// By this factor an interval is wider than levels explain. Reason: one disturbed process makes it twice as wide.
inline constexpr double kApart = 1.5;
/// The limit of H(q) for many processes, because an epoch is one more process: z^2 spread^2 + S^2, squared, with the
/// normal quantile z.
double least_half_width(const project::ProcessPart&);
/// The processes of each build, in all, after which what the rule's precision is of is probably as precise: the
/// smallest such number above the present one. That of a change is the ratio of two builds, whose interpolation errors
/// cancel. Nothing: more than kMaxPlannedProcesses, or a build has no interval.
std::optional<std::uint64_t> processes_for(const project::Projection&, double precision);

}  // namespace seqpoint::measuring
