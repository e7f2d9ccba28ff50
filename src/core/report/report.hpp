/// \file
/// Stage 8: the figures of a page about a run, its points and its projection: counted and binned, not yet drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/diagnose/diagnosis.hpp"
#include "core/evaluate/evaluation.hpp"
#include "core/forecast/forecast.hpp"
#include "core/project/projection.hpp"
#include "core/select/select.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint::report {

/// The quantity on the axis of lengths: the only length, the source length, the sum of both lengths of a pair, or
/// without padding the tokens of an iteration.
enum class LengthAxis { length, source, both, tokens };
/// The axis for a run. For pairs the sum of both lengths, or the source length if points leave the target length open;
/// without padding the tokens.
LengthAxis length_axis(const trace::RunSummary&, std::span<const select::Point>);
/// The length of a shape on that axis.
std::uint64_t length_on(LengthAxis, const trace::Shape&);

/// The smallest of 1, 2, 5, 10, 20, 50, ... with which at most `most` >= 1 bins, which begin at multiples of that
/// width, cover all whole numbers from `low` to `high`.
std::uint64_t bin_width(std::uint64_t low, std::uint64_t high, std::uint64_t most);

/// Iterations whose length lies in a range.
struct LengthBin {
  std::uint64_t first = 0,       ///< where the range begins
      last = 0;                  ///< where it ends, inclusive
  std::uint64_t iterations = 0;  ///< iterations of such lengths
};
/// Bins of equal width from the shortest length to the longest, empty ones among them.
struct LengthHistogram {
  static constexpr std::uint64_t kMaxBins = 100;  ///< maximum on the axis of a page
  std::uint64_t width = 1;                        ///< lengths in a bin
  std::vector<LengthBin> bins;                    ///< ascending
};
/// The iterations of a run by length, in at most LengthHistogram::kMaxBins bins of a bin_width(); no bins for an empty
/// run.
LengthHistogram length_histogram(const trace::RunSummary&, LengthAxis);
/// The same for one dimension, in at most `most_bins` bins.
LengthHistogram length_histogram(const trace::RunSummary&, trace::Dimension, std::uint64_t most_bins);

/// Iterations of a run of pairs whose source and target lengths lie in two ranges.
struct PairCell {
  std::uint64_t src_first = 0,   ///< where the range of source lengths begins
      src_last = 0,              ///< where it ends, inclusive
      tgt_first = 0,             ///< where the range of target lengths begins
      tgt_last = 0;              ///< where it ends, inclusive
  std::uint64_t iterations = 0;  ///< iterations of such lengths; > 0
};
/// Source against target lengths of a run of pairs: cells of equal size, only those that contain iterations.
struct PairMap {
  static constexpr std::uint64_t kMaxCellsPerSide = 40;  ///< cells per side
  std::uint64_t src_width = 1,                           ///< source lengths in a cell
      tgt_width = 1;                                     ///< target lengths in a cell
  std::vector<PairCell> cells;                           ///< by source, then target length
};
/// The iterations of a run of pairs by both lengths. At least one iteration.
PairMap pair_map(const trace::RunSummary&);

/// A measured point on the axis of lengths. `low` and `high` are the smallest and the largest of its repeats.
struct CostPoint {
  std::string id;                      ///< of the point
  std::uint64_t length = 0;            ///< on the axis of lengths
  project::PointMeasurement measured;  ///< measurements there, in the metric's unit
};
/// The predicted cost of iterations in one bin of lengths: mean length and mean cost.
struct CurveSample {
  double length = 0,  ///< mean of the bin
      value = 0;      ///< mean predicted cost of an iteration, in the metric's unit
};
/// One iteration, or all iterations in a rectangle of length and metric.
struct CostCell {
  std::uint64_t length_first = 0,  ///< where the lengths begin
      length_last = 0;             ///< where they end, inclusive
  double low = 0,                  ///< where the values begin, in the metric's unit
      high = 0;                    ///< where the values end; the same for a single iteration
  std::uint64_t iterations = 0;    ///< in the rectangle
  std::uint64_t iteration = 0;     ///< the run's own number of the first
};
/// A metric of one configuration against length.
struct CostSeries {
  std::string configuration;       ///< its name
  std::vector<CostPoint> points;   ///< the measured points
  std::vector<CurveSample> curve;  ///< ascending; empty below two points
  bool binned = false;             ///< cells hold several iterations
  std::uint64_t iterations = 0;    ///< in the cells
  std::vector<CostCell> cells;     ///< empty if no trace has the metric
};
/// A metric against length.
struct CostFigure {
  std::string metric;              ///< name, including its unit
  std::vector<CostSeries> series;  ///< one per configuration
};

/// The total of a metric over a trace that measured all iterations, compared with the projected one.
struct MeasuredTotal {
  std::string configuration,   ///< its name
      metric,                  ///< the total's name
      source,                  ///< the trace's file
      nearest;                 ///< configuration with the nearest projected total; its own if `inside`
  double measured = 0;         ///< in the metric's own unit; not 0
  double projected = 0;        ///< projected total of the iterations: without overheads, which a trace does not include
  double difference = 0;       ///< projected / measured - 1
  std::optional<bool> inside;  ///< whether `measured` lies in the interval of `projected`; nothing: there is no
                               ///< interval
};

/// The input of a report, owned by the caller. Pointers may be null; traces are of the run itself, named after
/// configurations.
struct ReportSource {
  const trace::RunSummary* run = nullptr;            ///< never null
  const select::Selection* selection = nullptr;      ///< the points of the run
  const project::Projection* projection = nullptr;   ///< from these points
  const evaluate::Evaluation* evaluation = nullptr;  ///< evaluation of methods on the run
  std::span<const trace::NamedTrace> traces = {};    ///< measured runs
  std::vector<std::string> metrics = {};             ///< metrics to show against length; empty: the first few
  const project::Gates* gates = nullptr;             ///< gates of the projection or evaluation
  const diagnose::Diagnosis* diagnosis = nullptr;    ///< of the projection
};

/// The figures of a report. Parts without data are empty. Contains pointers into its source.
struct Report {
  static constexpr std::size_t kMaxMetrics = 4;     ///< shown against length, if none is requested
  static constexpr std::uint64_t kMaxCells = 3000;  ///< for all series together: a page with this many stays below 2 MB

  ReportSource source;                         ///< input that it was made of
  LengthAxis axis = LengthAxis::length;        ///< axis of all figures
  LengthHistogram lengths;                     ///< lengths of the run
  std::optional<PairMap> pairs;                ///< nothing: no run of pairs
  std::optional<forecast::Forecast> forecast;  ///< forecast of the first trace in the order of the selection
  std::vector<CostFigure> costs;               ///< one per metric
  std::vector<MeasuredTotal> measured_totals;  ///< by configuration and metric
  std::uint64_t metrics_left_out = 0;          ///< the number beyond kMaxMetrics
};

/// Throws InputError, with the trace as the file, if its shapes are not those of the run, equally often, in any order.
void require_same_run(const trace::NamedTrace&, const trace::RunSummary&);

/// Computes all figures. Traces may have the iterations in another order than the run that the points were chosen from;
/// figures that depend on the order are then left out. Everything that `source` points to must outlive the report.
/// Throws InputError, with the trace as the file, for a trace of another run; ParameterError for a metric that neither
/// projection nor traces have.
Report make_report(ReportSource source);

}  // namespace seqpoint::report
