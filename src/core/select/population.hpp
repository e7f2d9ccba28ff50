/// \file
/// The input of every method: the run's iterations grouped by sequence length, with the metric of each group.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/select/select.hpp"

namespace seqpoint::select {

/// All iterations of one length (trace::length_dimension).
struct LengthGroup {
  std::uint32_t length = 0;
  std::uint64_t count = 0;  ///< iterations, >= 1
  double sum = 0;           ///< sum of the metric over those iterations
  std::size_t begin = 0;    ///< their first position in Population::order
  /// Mean of the metric over those iterations.
  double mean() const { return sum / static_cast<double>(count); }
};

/// A run as input of the methods. The metric is the requested measured column, else the length itself.
struct Population {
  const trace::Trace& trace;
  std::vector<LengthGroup> groups;  ///< ascending by length; at least one
  double total = 0;                 ///< total of the metric over the run

  std::uint64_t iterations() const { return trace.size(); }
  std::uint32_t shortest() const { return groups.front().length; }
  std::uint32_t longest() const { return groups.back().length; }
  /// Positions in the trace of the iterations of a group, in the order of the run.
  std::span<const std::size_t> positions_of(const LengthGroup& group) const {
    return std::span(order).subspan(group.begin, group.count);
  }
  bool has_metric() const { return metric != nullptr; }
  /// The metric of the iteration at position i of the trace.
  double value_at(std::size_t i) const { return metric != nullptr ? metric->values[i] : trace.shapes[i].length(); }

  const trace::Metric* metric = nullptr;  ///< null: the length replaces the metric
  std::vector<std::size_t> order{};       ///< iterations, ascending by length
  std::uint64_t phase = 0;                ///< phase of a run with phases
};

/// Groups a trace, which outlives the result. `metric` empty: the length replaces it. The sums do not depend on the
/// order of the iterations. Throws ParameterError for a column that the trace lacks, InputError (file `source`) if one
/// of its values is not finite.
Population population_of(const trace::Trace& trace, std::string_view metric, std::string_view source);

/// All iterations of one shape.
struct ShapeGroup {
  trace::Shape shape;
  std::uint64_t count = 0;  ///< iterations, >= 1
  double sum = 0;           ///< sum of the metric over them; 0 if none was requested
};

/// The iterations grouped by shape, ascending. The sums do not depend on the order of the iterations.
std::vector<ShapeGroup> shape_groups(const Population&);

/// Consecutive groups [begin, end) that one point represents.
struct Stratum {
  std::size_t begin = 0, end = 0;
};

/// A point for a length that represents `weight` iterations, to be profiled at its most frequent shape; ties go to the
/// largest, so that a short last batch is not profiled.
Choice choice_of(const Population&, const LengthGroup&, std::uint64_t weight);

/// A point for the stratum, with its iterations as weight: its length whose mean metric is nearest to the average over
/// its iterations (METHOD 2, step 4). Distances that differ by less than 1e-9 of the average are a tie, which the
/// shorter length wins.
Choice represent(const Population&, const Stratum&);

/// (projected - total) / total of the metric, negative if too little is projected. The projected total is the sum of
/// weights times the metric of each choice: the value at its position if it has one, else the mean over its length
/// group or shape. The choices are of shapes of the population. 0 if both totals are equal, also if both are 0; not
/// finite if only the true total is 0.
double in_sample_error(const Population&, const std::vector<Choice>&);

}  // namespace seqpoint::select
