#include "core/evaluate/evaluation.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "core/project/run_estimator.hpp"
#include "core/rng/rng.hpp"
#include "core/select/measurement_plan.hpp"
#include "core/select/select.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::evaluate {
namespace {

// --- Methods and their numbers of points

/// A method with its parameters, or points that were chosen elsewhere: one row of the result.
struct GridEntry {
  const select::Method* method;  ///< null: `choice` is set
  select::SelectParams params;
  std::string selected_on;            ///< configuration whose metric it uses; empty: lengths only
  const trace::Trace* visible_trace;  ///< points are chosen on this trace; its metric is used only with `selected_on`
  bool advised = false;               ///< measured as often as select::select_with_repeats() advises
  const select::Selection* choice = nullptr;  ///< one of EvaluateParams::choices

  /// False for points that were chosen elsewhere.
  bool is_random() const { return method != nullptr && method->is_random; }
};

/// Adds one entry by lengths alone, unless the method requires the metric, and one with the metric of `visible` if the
/// method can use it and params.lengths_only is not set.
void add_entries(std::vector<GridEntry>& grid, const select::Method& method, std::optional<std::uint64_t> points,
                 const EvaluateParams& params, const trace::NamedTrace& visible) {
  GridEntry entry{.method = &method, .params = {}, .selected_on = "", .visible_trace = &visible.trace};
  entry.params.method = method.name;
  entry.params.points = points;
  // `worst` requires the metric: it is not defined by lengths alone.
  const bool needs_metric = method.takes_metric && method.points == select::Method::Points::none;
  if (!needs_metric) grid.push_back(entry);
  if (!method.takes_metric || params.lengths_only) return;
  entry.params.metric = params.metric;
  entry.selected_on = visible.name;
  grid.push_back(std::move(entry));
}

/// All combinations, method by method: its numbers of points, then, if requested and unless it requires a number, as
/// advised; last the choices made elsewhere. Throws ParameterError for an unknown method.
std::vector<GridEntry> evaluation_grid(std::span<const trace::NamedTrace> traces, const EvaluateParams& params) {
  std::vector<const select::Method*> methods;
  for (const std::string& name : params.methods) methods.push_back(&select::find_method(name));
  if (params.methods.empty())
    for (const select::Method& method : select::all_methods()) methods.push_back(&method);
  const trace::NamedTrace& visible = traces.front();
  std::vector<GridEntry> grid;
  for (const select::Method* const method : methods) {
    if (method->points == select::Method::Points::none) add_entries(grid, *method, std::nullopt, params, visible);
    for (const auto& points : params.numbers_of_points)
      if (method->points == select::Method::Points::optional ||
          (method->points == select::Method::Points::required && points))
        add_entries(grid, *method, points, params, visible);
    if (!params.advised || method->points == select::Method::Points::required) continue;
    const std::size_t before = grid.size();
    add_entries(grid, *method, std::nullopt, params, visible);
    for (std::size_t i = before; i < grid.size(); ++i) grid[i].advised = true;
  }
  for (const select::Selection& choice : params.choices)
    grid.push_back(
        {.method = nullptr, .params = {}, .selected_on = "", .visible_trace = &visible.trace, .choice = &choice});
  return grid;
}

// --- Measurements of points, sampled from traces that were measured in full

/// The metric of every configuration: iterations x configurations.
using Table = Eigen::ArrayXXd;

/// How often a point is measured, and the rows of the trace from which its measurements are sampled.
struct DrawablePoint {
  std::uint64_t repeats = 1;
  std::vector<Eigen::Index> rows;
};

/// One entry per point. A point's measurements are sampled from all iterations of its shape (or length group), also
/// if the method picked one of them: the errors of methods are comparable only if all of them have the noise of sampled
/// iterations.
std::vector<DrawablePoint> drawable_points(const select::Selection& selection, const GridEntry& entry,
                                           const EvaluateParams& params) {
  const trace::Trace& trace = *entry.visible_trace;
  std::vector<DrawablePoint> drawable;
  for (const select::Point& point : selection.points) {
    DrawablePoint one{entry.advised ? point.repeats : params.repeats, {}};
    for (std::size_t i = 0; i < trace.size(); ++i)
      if (point.matches(trace.shapes[i])) one.rows.push_back(static_cast<Eigen::Index>(i));
    drawable.push_back(std::move(one));
  }
  return drawable;
}

/// The executions of one process that measures these points with their warm-up, as in select::PlanCost::executions
/// without gradient accumulation. `once`: batches of the epoch, which need no first executions that are left out.
std::uint64_t executions_of(const std::vector<DrawablePoint>& drawable, bool once) {
  select::PlanPrice price(1, 1, once);
  for (const DrawablePoint& point : drawable) price.add_point(1, point.repeats);
  return static_cast<std::uint64_t>(price.total());
}

/// One Monte-Carlo trial: the measurements of each configuration at all points, sampled with replacement, the same
/// iterations for every configuration. A row that is sampled twice has the same value twice, so it does not average out
/// either kind of noise: it is one reading, and counts are the effective sample size of the mean.
std::vector<project::MeasuredPoints> draw_measurements(const std::vector<DrawablePoint>& drawable, const Table& table,
                                                       rng::NumpyRandom& random) {
  project::MeasuredPoints shared;
  std::vector<project::MeasuredPoints> all(static_cast<std::size_t>(table.cols()));
  for (std::size_t p = 0; p < drawable.size(); ++p) {
    std::map<Eigen::Index, double> times;
    for (std::uint64_t r = 0; r < drawable[p].repeats; ++r)
      ++times[drawable[p].rows[random.interval(drawable[p].rows.size() - 1)]];
    double squares = 0;
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(table.cols());
    for (const auto& [row, often] : times) {
      const double share = often / static_cast<double>(drawable[p].repeats);
      squares += share * share;
      mean += share * table.row(row).matrix();
    }
    shared.counts.points.push_back(p);
    shared.counts.iterations.push_back(1 / squares);
    shared.counts.measurements.push_back(1 / squares);
    for (std::size_t c = 0; c < all.size(); ++c) {
      const auto column = static_cast<Eigen::Index>(c);
      all[c].values.push_back(mean[column]);
      auto& readings = all[c].readings.emplace_back();
      for (const auto& [row, often] : times) readings.emplace_back(table(row, column), static_cast<std::uint64_t>(row));
    }
  }
  for (project::MeasuredPoints& points : all) points.counts = shared.counts;
  return all;
}

// --- Scores

/// Throws InputError, with the file of `other`, if the two differ in their number of iterations or in a shape.
void require_same_iterations(const trace::NamedTrace& first, const trace::NamedTrace& other) {
  if (first.trace.size() != other.trace.size())
    throw InputError({other.source},
                     "has " + counted(other.trace.size(), "iteration") + ", " + first.source + " has " +
                         std::to_string(first.trace.size()),
                     "all traces of an evaluation must be of the same run");
  for (std::size_t i = 0; i < first.trace.size(); ++i)
    if (first.trace.shapes[i] != other.trace.shapes[i])
      throw InputError(
          {other.source},
          "iteration " + std::to_string(first.trace.iteration_number(i)) + " has another shape than in " + first.source,
          "all traces of an evaluation must be of the same run, in the same order");
}

/// A hint for the user: the measured columns of a trace, or that it has none.
std::string measured_columns(const trace::Trace& trace) {
  std::string known;
  for (const trace::Metric& metric : trace.metrics) known += (known.empty() ? "it has: " : ", ") + metric.name;
  return known.empty() ? "it has lengths only: give a trace with times, or name another column with `metric`" : known;
}

/// The metric of every iteration (rows) on every configuration (columns). Throws InputError if traces differ in their
/// iterations, or a value is not finite, or a column adds up to zero or less; ParameterError if a trace lacks the
/// metric.
Table table_of(std::span<const trace::NamedTrace> traces, const std::string& metric) {
  Table table(static_cast<Eigen::Index>(traces.front().trace.size()), static_cast<Eigen::Index>(traces.size()));
  for (std::size_t c = 0; c < traces.size(); ++c) {
    require_same_iterations(traces.front(), traces[c]);
    const trace::Metric* const column = traces[c].trace.find_metric(metric);
    if (column == nullptr)
      throw ParameterError("metric", ": " + traces[c].source + " has no measured column '" + metric + "'",
                           measured_columns(traces[c].trace));
    for (std::size_t i = 0; i < column->values.size(); ++i) {
      if (!std::isfinite(column->values[i]))
        throw InputError({traces[c].source, 0, metric},
                         "iteration " + std::to_string(traces[c].trace.iteration_number(i)) + " was not measured",
                         "an evaluation needs every batch");
      table(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)) = column->values[i];
    }
  }
  for (Eigen::Index c = 0; c < table.cols(); ++c)
    if (!(table.col(c).sum() > 0))
      throw InputError({traces[static_cast<std::size_t>(c)].source, 0, metric}, "adds up to zero or less",
                       "errors are shares of that total");
  return table;
}

/// The number of intervals, how many of them cover the truth, and the sum of their widths as shares of the truth.
struct IntervalRecord {
  std::uint64_t stated = 0, covered = 0;
  double width = 0;

  /// Does not count a missing interval.
  void add(const project::IntervalOrReason& interval, double truth) {
    if (!interval) return;
    ++stated;
    covered += interval->low <= truth && truth <= interval->high ? 1 : 0;
    width += (interval->high - interval->low) / truth;
  }
};

/// Trials x configurations of signed errors, as shares of the true total; the intervals by configuration.
struct Draws {
  Draws(std::uint64_t draws, Eigen::Index configurations)
      : totals(static_cast<Eigen::Index>(draws), configurations),
        onto(static_cast<Eigen::Index>(draws)),
        intervals_of_totals(static_cast<std::size_t>(configurations)),
        intervals_of_speedups(static_cast<std::size_t>(configurations)) {}

  Table totals, speedups;
  Eigen::ArrayXd onto;                                                     ///< errors of the other run
  std::vector<IntervalRecord> intervals_of_totals, intervals_of_speedups;  ///< the first configuration has no speedup
  IntervalRecord intervals_onto;
  bool predicted = true;           ///< whether every trial had a prediction of the other run
  std::string no_interval_reason;  ///< for the other run's total, in any trial
};

/// Bias and RMS of the errors; coverage and mean width of the intervals, nothing if there are none.
ErrorSummary summary_of(const Eigen::ArrayXd& errors, const IntervalRecord& intervals) {
  ErrorSummary summary{errors.mean(), std::sqrt(errors.square().mean())};
  if (intervals.stated == 0) return summary;
  summary.coverage = static_cast<double>(intervals.covered) / static_cast<double>(intervals.stated);
  summary.width = intervals.width / static_cast<double>(intervals.stated);
  return summary;
}

/// The geometric mean of values >= 0, at least one; 0 if one of them is 0.
double geomean(const std::vector<double>& values) {
  double logs = 0;
  for (const double value : values) {
    if (value == 0) return 0;
    logs += std::log(value);
  }
  return std::exp(logs / static_cast<double>(values.size()));
}

/// Projects a run for each trial: most trials measured every point as often as the one before, and reuse its fit.
class DrawProjector {
 public:
  /// `other`: the run to project; null: the run of the selection.
  DrawProjector(const select::Selection& selection, const trace::RunSummary* other) : estimator_(selection, other) {}

  const project::RunEstimator& estimator() const { return estimator_; }
  /// The fit for these counts; valid until the next call.
  const project::RunEstimator::Fit& fit(const project::MeasurementCounts& counts) {
    if (!last_ || last_->first != counts) last_.emplace(counts, estimator_.fit(counts));
    return last_->second;
  }

 private:
  project::RunEstimator estimator_;
  std::optional<std::pair<project::MeasurementCounts, project::RunEstimator::Fit>> last_;
};

/// The other run that is projected.
struct OtherRun {
  OtherRun(const trace::NamedTrace& run, const std::string& metric)
      : summary(trace::summarise(run.trace)), total(table_of(std::span(&run, 1), metric).sum()) {}

  trace::RunSummary summary;
  double total;  ///< total of the metric
};

class Evaluator {
 public:
  Evaluator(std::span<const trace::NamedTrace> traces, const EvaluateParams& params, const trace::NamedTrace* onto)
      : traces_(traces), params_(params), table_(table_of(traces, params.metric)), truth_(table_.colwise().sum()) {
    if (onto == nullptr) return;
    other_.emplace(*onto, params.metric);
    project::require_same_shape(trace::summarise(traces.front().trace), other_->summary, onto->source);
  }

  /// The score of one entry over all trials. Adds new notes of its selection to `notes`. Calls `drawn` after every
  /// trial.
  MethodScore score(const GridEntry& entry, std::vector<std::string>& notes, const std::function<void()>& drawn) const {
    select::Selection selection = select(entry);
    for (const std::string& note : selection.notes)
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    const std::vector<DrawablePoint> drawable = drawable_points(selection, entry, params_);
    MethodScore score;
    score.name = selection.method.name;
    score.elsewhere = entry.choice != nullptr;
    score.parameters = selection.method.parameters;
    score.selected_on = entry.selected_on;
    score.points_asked = entry.params.points;
    score.advised = entry.advised;
    score.points = selection.points.size();
    for (const DrawablePoint& point : drawable) {
      score.measurements += point.repeats;
      score.sampled_points += entry.is_random() || point.rows.size() > 1 ? 1 : 0;
    }
    const bool once = !score.elsewhere && select::find_method(selection.method.name).picks_iterations;
    score.executions = executions_of(drawable, once);
    score.effective_sample_size = select::effective_sample_size(selection);
    score.reduction = reduction(drawable, score.measurements, entry.selected_on);
    add_errors(score, draw_all(entry, std::move(selection), drawn));
    return score;
  }

 private:
  /// The points of an entry: those chosen elsewhere, as they are; else chosen on its trace, with advised repeats for
  /// one process if the entry is advised.
  select::Selection select(const GridEntry& entry) const {
    if (entry.choice != nullptr) return *entry.choice;
    if (!entry.advised) return select::select(*entry.visible_trace, entry.params, entry.selected_on);
    select::Selection advice = select::select_with_repeats(*entry.visible_trace, entry.params, {}, entry.selected_on);
    for (std::string& note : advice.notes) note = advice.method.name + ", as advised: " + note;
    return advice;
  }

  /// All trials. A random method chooses again in each trial d, with its seed + d; other methods keep `selection`.
  Draws draw_all(const GridEntry& entry, select::Selection selection, const std::function<void()>& drawn) const {
    rng::NumpyRandom random(std::array<std::uint32_t, 2>{0, 0});
    Draws draws(params_.draws, table_.cols());
    std::vector<DrawablePoint> drawable;
    std::optional<DrawProjector> own, other;
    for (std::uint64_t d = 0; d < params_.draws; ++d) {
      if (entry.is_random() && d > 0) {
        GridEntry again = entry;
        again.params.seed += d;
        selection = select(again);
      }
      if (entry.is_random() || d == 0) {
        drawable = drawable_points(selection, entry, params_);
        own.emplace(selection, nullptr);
        if (other_) other.emplace(selection, &other_->summary);
      }
      std::vector<project::MeasuredPoints> points = draw_measurements(drawable, table_, random);
      record(draws, static_cast<Eigen::Index>(d), points, *own);
      if (other) record_onto(draws, static_cast<Eigen::Index>(d), points.front(), *other);
      drawn();
    }
    // Speedup over the first configuration, projected over true: (P0 / Pc) / (T0 / Tc).
    draws.speedups = draws.totals.col(0).replicate(1, table_.cols()) / draws.totals - 1.0;
    draws.totals -= 1.0;
    draws.onto -= 1.0;
    return draws;
  }

  /// Records trial d: projected totals as ratios to the true ones, and the intervals.
  void record(Draws& draws, Eigen::Index d, const std::vector<project::MeasuredPoints>& points,
              DrawProjector& run) const {
    const project::RunEstimator::Fit& fit = run.fit(points.front().counts);
    for (std::size_t c = 0; c < points.size(); ++c) {
      const auto column = static_cast<Eigen::Index>(c);
      draws.totals(d, column) = run.estimator().total(fit, points[c]) / truth_[column];
    }
    record_intervals(draws, points, run.estimator(), fit);
  }

  /// Records trial d of the other run, from measurements on the first configuration. For a time it counts as another
  /// process, because its trace does not say otherwise.
  void record_onto(Draws& draws, Eigen::Index d, project::MeasuredPoints points, DrawProjector& run) const {
    points.scope =
        trace::is_time_metric(params_.metric) ? project::LevelScope::another_process : project::LevelScope::measured;
    const project::RunEstimator::Fit& fit = run.fit(points.counts);
    draws.onto[d] = run.estimator().total(fit, points) / other_->total;
    draws.predicted = draws.predicted && fit.points.has_value();
    const project::IntervalOrReason interval =
        project::two_sided_interval_of(run.estimator().estimate(fit, points), params_.confidence);
    draws.intervals_onto.add(interval, other_->total);
    if (!interval) draws.no_interval_reason = interval.reason;
  }

  /// Compares the intervals of totals and of speedups over the first configuration with the true values.
  void record_intervals(Draws& draws, const std::vector<project::MeasuredPoints>& points,
                        const project::RunEstimator& estimator, const project::RunEstimator::Fit& fit) const {
    for (std::size_t c = 0; c < points.size(); ++c) {
      const double truth = truth_[static_cast<Eigen::Index>(c)];
      const auto interval = [&](const project::Estimate& of) {
        return project::two_sided_interval_of(of, params_.confidence);
      };
      draws.intervals_of_totals[c].add(interval(estimator.estimate(fit, points[c])), truth);
      if (c > 0)
        draws.intervals_of_speedups[c].add(interval(estimator.ratio(fit, points.front(), points[c])),
                                           truth_[0] / truth);
    }
  }

  /// Summarises all trials. The other run has no error if one of its trials had no prediction.
  void add_errors(MethodScore& score, const Draws& draws) const {
    std::vector<double> totals, speedups;
    for (Eigen::Index c = 0; c < table_.cols(); ++c) {
      ConfigurationScore configuration{
          .name = traces_[static_cast<std::size_t>(c)].name,
          .total = summary_of(draws.totals.col(c), draws.intervals_of_totals[static_cast<std::size_t>(c)]),
          .speedup = {}};
      totals.push_back(configuration.total.rms);
      if (c > 0)
        configuration.speedup =
            summary_of(draws.speedups.col(c), draws.intervals_of_speedups[static_cast<std::size_t>(c)]);
      if (c > 0) speedups.push_back(configuration.speedup->rms);
      score.configurations.push_back(std::move(configuration));
    }
    score.geomean_error = geomean(totals);
    if (!speedups.empty()) score.speedup_geomean_error = geomean(speedups);
    if (!other_) return;
    score.onto.emplace(OntoScore{.total = {}, .reason = draws.no_interval_reason});
    if (draws.predicted) score.onto->total = summary_of(draws.onto, draws.intervals_onto);
  }

  /// From the mean cost of each point's occurrences times its repeats, on the configuration that the method used, else
  /// the first. Warm-up is not counted.
  Reduction reduction(const std::vector<DrawablePoint>& drawable, std::uint64_t measurements,
                      const std::string& selected_on) const {
    Eigen::Index c = 0;
    for (std::size_t i = 0; i < traces_.size(); ++i)
      if (traces_[i].name == selected_on) c = static_cast<Eigen::Index>(i);
    double serial = 0, longest = 0;
    for (const DrawablePoint& point : drawable) {
      double sum = 0;
      for (const Eigen::Index row : point.rows) sum += table_(row, c);
      const double cost = sum / static_cast<double>(point.rows.size()) * static_cast<double>(point.repeats);
      serial += cost;
      longest = std::max(longest, cost);
    }
    return {.serial = truth_[c] / serial,
            .parallel = truth_[c] / longest,
            .count = static_cast<double>(table_.rows()) / static_cast<double>(measurements)};
  }

  std::span<const trace::NamedTrace> traces_;
  const EvaluateParams& params_;
  Table table_;
  Eigen::ArrayXd truth_;
  std::optional<OtherRun> other_;
};

/// evaluation_grid(). Throws ParameterError for 0 trials or repeats, and if the grid is empty.
std::vector<GridEntry> checked_grid(std::span<const trace::NamedTrace> traces, const EvaluateParams& params) {
  if (params.draws == 0) throw ParameterError("draws", "must be 1 or more");
  if (params.repeats == 0) throw ParameterError("repeats", "must be 1 or more");
  std::vector<GridEntry> grid = evaluation_grid(traces, params);
  if (grid.empty())
    throw ParameterError("points",
                         ": no method is left to score: without a number, methods need a rule of their own for it",
                         "`points` auto, or `points` K");
  return grid;
}

}  // namespace

void require_valid(const EvaluateParams& params, std::span<const std::string> traces) {
  std::vector<trace::NamedTrace> unread;
  for (const std::string& name : traces) unread.push_back({name, {}, {}});
  checked_grid(unread, params);
}

Evaluation evaluate(std::span<const trace::NamedTrace> traces, const EvaluateParams& params,
                    const trace::NamedTrace* onto) {
  const std::vector<GridEntry> grid = checked_grid(traces, params);
  Evaluation evaluation{.metric = params.metric,
                        .draws = params.draws,
                        .repeats = params.repeats,
                        .baseline = traces.front().name,
                        .iterations = traces.front().trace.size(),
                        .iterations_onto = onto != nullptr ? onto->trace.size() : 0,
                        .methods = {},
                        .notes = {}};
  const Evaluator evaluator(traces, params, onto);
  std::uint64_t done = 0;
  const auto drawn = [&] {
    ++done;
    if (params.progress) params.progress(done, grid.size() * params.draws);
  };
  for (const GridEntry& entry : grid) evaluation.methods.push_back(evaluator.score(entry, evaluation.notes, drawn));
  return evaluation;
}

// --- Whether errors are within a limit

std::string points_asked_text(const MethodScore& method) {
  if (method.advised) return "advised";
  if (method.points_asked) return std::to_string(*method.points_asked);
  if (method.elsewhere) return "";
  return select::find_method(method.name).points == select::Method::Points::none ? "" : "auto";
}

std::string label_of(const MethodScore& method) {
  const std::string asked = points_asked_text(method);
  return method.name + (method.selected_on.empty() ? "" : " (on " + method.selected_on + ")") +
         (asked.empty() ? "" : ", points " + asked);
}

std::vector<project::Check> check_errors(const Evaluation& evaluation, double limit) {
  std::vector<project::Check> checks;
  const auto check = [&](const MethodScore& method, const std::string& on, const std::optional<ErrorSummary>& errors) {
    project::Check& added = checks.emplace_back();
    added.gate = project::Gate::fail_above;
    added.limit = limit;
    if (errors) added.value = errors->rms;
    added.verdict = !errors               ? project::Verdict::unmeasured
                    : errors->rms > limit ? project::Verdict::fail
                                          : project::Verdict::pass;
    added.configuration = on;
    added.metric = evaluation.metric;
    added.subject = label_of(method);
    if (!errors) added.note = method.onto->reason;
  };
  for (const MethodScore& method : evaluation.methods) {
    for (const ConfigurationScore& c : method.configurations) check(method, c.name, c.total);
    if (method.onto) check(method, "the other run", method.onto->total);
  }
  return checks;
}

}  // namespace seqpoint::evaluate
