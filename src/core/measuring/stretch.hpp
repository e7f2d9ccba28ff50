/// \file
/// A process's own test: consecutive batches that it ran as an epoch runs them, compared with what its points predict.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/project/projection.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::measuring {

/// The confidence of the range that a stretch is expected in. Reason: of a run of six processes, the most that one has
/// by default, at most 2 % raise a false alarm.
inline constexpr double kStretchConfidence = 1 - 0.02 / 6;

/// Consecutive batches of one process.
struct Stretch {
  std::uint64_t batches = 0;
  double predicted_s = 0;                       ///< by the process's points, with the cold start of new shapes
  double took_s = 0;                            ///< above 0
  std::optional<project::Interval> expected{};  ///< of `took_s`, with kStretchConfidence; nothing: the points do not
                                                ///< determine the cost of these shapes

  /// Whether it took less or more time than expected.
  bool is_off() const { return expected && (took_s < expected->low || expected->high < took_s); }
  /// Took over predicted.
  double ratio() const { return took_s / predicted_s; }
};

/// Compares a stretch with the projection of `process`, the measurements of the same process at the points, for its
/// batches. The stretch has a level of its own, as another process would: within a process, stretches of 20 batches
/// differ as much as processes do (docs/method.md). Shapes that are not in `known`, those that the process ran before,
/// have a cold start: about the mean of the points, from nothing to twice that. Nothing if the stretch has no batch, or
/// a batch without a time above 0. Throws as project::project_onto().
std::optional<Stretch> compare_stretch(const select::Selection&, const project::NamedMeasurements& process,
                                       std::set<trace::Shape> known, const trace::Trace& stretch,
                                       project::ProjectParams);

/// What stretches have in common: that they take longer, or less, than their points predict.
struct Bias {
  std::uint64_t stretches = 0;
  double ratio = 1;           ///< the geometric mean of took over predicted
  project::Interval range{};  ///< of the mean, with kBiasConfidence
};

inline constexpr double kBiasConfidence = 0.99;
/// Stretches of fewer processes deceive: short series of one sign come by chance.
inline constexpr std::size_t kFewestForBias = 4;
/// A share; what a result aims at. Smaller ones matter to no result.
inline constexpr double kLeastBias = 0.02;

/// The bias of stretches by the t interval of the mean of ln(took / predicted). Nothing if there are too few, if it is
/// too small, or if the interval contains no bias at all.
std::optional<Bias> find_bias(const std::vector<Stretch>&);

/// The finding about a stretch that is off; `file`: of its batches.
Finding stretch_finding(const Stretch&, const std::string& file);

/// Extends intervals so that they contain what the stretches say, if one of them is off, or all have a bias: for each
/// configuration that has stretches, its time times the mean ratio of them; for a speedup both sides. The mean is of
/// all its stretches, because one process in several may be disturbed. The values stay: a stretch checks an estimate,
/// it is none. Returns whether there was a reason to.
bool widen(project::Projection&, const std::map<std::string, std::vector<Stretch>>& by_configuration);

}  // namespace seqpoint::measuring
