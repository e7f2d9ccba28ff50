/// \file
/// Stage 8: the figures of a page about a run, its points and its projection: counted and binned, not yet drawn.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/evaluate/evaluation.hpp"
#include "core/findings/diagnosis.hpp"
#include "core/profile/measure.hpp"
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
/// The iterations in a range of lengths.
struct CostBand {
  std::uint64_t first = 0,       ///< where the lengths begin
      last = 0;                  ///< where they end, inclusive
  std::uint64_t iterations = 0;  ///< in the range; > 0
  double low = 0,                ///< 10 % of them are below, in the metric's unit
      median = 0,                ///< half of them are below
      high = 0;                  ///< 90 % of them are below
};
/// An iteration far from the others of its band: beyond its quartiles by more than 1.5 times their distance (Tukey).
struct CostOutlier {
  std::uint64_t iteration = 0,  ///< the run's own number
      length = 0;               ///< on the axis of lengths
  double value = 0;             ///< in the metric's unit
};
/// A metric of one configuration against length.
struct CostSeries {
  static constexpr std::size_t kMaxOutliers = 100;  ///< the farthest from their medians
  std::string configuration;                        ///< its name
  std::vector<CostPoint> points;                    ///< the measured points
  std::vector<CurveSample> curve;                   ///< ascending; empty below two points
  std::vector<CostBand> bands;                      ///< ascending; empty if no trace has the metric
  std::vector<CostOutlier> outliers;                ///< by iteration, at most kMaxOutliers
  std::uint64_t outliers_left_out = 0;              ///< the number of others
};
/// A metric against length.
struct CostFigure {
  std::string metric;              ///< name, including its unit
  std::vector<CostSeries> series;  ///< one per configuration
};

/// Measured iterations in a row, of a run whose iterations all have one shape.
struct OrderedBatch {
  std::string configuration,  ///< its name
      process;                ///< its file, with the number of the process if the file has several
  std::uint64_t number = 0;   ///< of the first of them in the process, from 1
  double seconds = 0;         ///< mean time
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
  const findings::Diagnosis* diagnosis = nullptr;    ///< of the projection
  /// The tables that were measured, by configuration.
  std::vector<std::pair<std::string, std::span<const profile::ProfileTable>>> tables = {};
  bool any_draw = false;  ///< whether the traces may be other draws of the run
};

/// The figures of a report. Parts without data are empty. Contains pointers into its source.
struct Report {
  static constexpr std::size_t kMaxMetrics = 4;  ///< shown against length, if none is requested

  ReportSource source;                         ///< input that it was made of
  LengthAxis axis = LengthAxis::length;        ///< axis of all figures
  LengthHistogram lengths;                     ///< lengths of the run
  std::vector<CostFigure> costs;               ///< one per metric; empty if all iterations have one shape
  std::vector<OrderedBatch> order;             ///< by process; empty unless all iterations have one shape
  std::vector<MeasuredTotal> measured_totals;  ///< by configuration and metric
  std::uint64_t metrics_left_out = 0;          ///< the number beyond kMaxMetrics
};

// --- Parts of a report

/// The measured and projected totals of configurations whose trace of the same name has the metric in every iteration;
/// totals of 0 are left out. None without a projection, or if the projection is for another run.
std::vector<MeasuredTotal> measured_totals(const ReportSource&);

// --- A report

/// Throws InputError, with the trace as the file, if its shapes are not those of the run, equally often, in any order.
void require_same_run(const trace::NamedTrace&, const trace::RunSummary&);

/// Computes all figures. Traces may have the iterations in another order than the run that the points were chosen from.
/// Everything that `source` points to must outlive the report. Throws InputError, with the trace as the file, for a
/// trace of another run, unless any draw is one; ParameterError for a metric that neither projection nor traces have.
Report make_report(ReportSource source);

}  // namespace seqpoint::report
