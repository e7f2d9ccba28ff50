/// \file
/// A process's second measurement: consecutive batches that it ran after its points, as an epoch runs them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/profile/measure.hpp"
#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::project {

/// The confidence of the range that a stretch is expected in. Reason: of a run of six processes, the most that one has
/// by default, at most 2 % raise a false alarm.
inline constexpr double kStretchConfidence = 1 - 0.02 / 6;

/// Points and stretches that are farther apart than this factor are not one job measured twice: no bias of a plan
/// is so large.
inline constexpr double kFarthestStretch = 1.5;

/// The consecutive batches of one process, with their times `runtime_s`.
struct ConsecutiveBatches {
  std::size_t process = 0;       ///< position in Measurements::process_names
  trace::Trace batches{};        ///< in the order in which they ran
  std::set<trace::Shape> known;  ///< shapes that the process had run before
};

/// Consecutive batches beside what the points of the same process predict.
struct Stretch {
  std::size_t process = 0;  ///< position in Measurements::process_names
  std::uint64_t batches = 0;
  double predicted_s = 0;              ///< with the cold start of new shapes, if there is one
  double took_s = 0;                   ///< above 0
  std::optional<Interval> expected{};  ///< of `took_s`, with kStretchConfidence; nothing: the points do not determine
                                       ///< the cost of these shapes

  /// Whether it took less or more time than expected.
  bool is_off() const { return expected && (took_s < expected->low || expected->high < took_s); }
  /// Took over predicted.
  double ratio() const { return took_s / predicted_s; }
};

/// Compares the consecutive batches of processes with their points, in the metric `runtime_s`, and adds them to
/// `measured`: they are a part of every projection from then on. Nothing of batches without times above 0, and of
/// shapes whose cost the points do not determine. A cold start that stretches with new shapes deny is taken back
/// (docs/method.md). Uses `median` and `between_processes` of the parameters. Throws InputError for shapes of another
/// kind than the selection's.
std::vector<Stretch> add_stretches(const select::Selection&, profile::Measurements& measured,
                                   std::span<const ConsecutiveBatches>, const ProjectParams&);

/// The finding about a stretch that is off; `file`: of its batches.
Finding stretch_finding(const Stretch&, const std::string& file);

}  // namespace seqpoint::project
