#include "seqpoint/evaluate/evaluation.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/evaluate/evaluation_grid.hpp"
#include "core/project/run_estimator.hpp"
#include "core/trace/phases.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/rng/rng.hpp"
#include "seqpoint/select/repeats.hpp"

namespace seqpoint::evaluate {
namespace {

/// The statistic of every configuration: iterations x configurations.
using Table = Eigen::ArrayXXd;

void require_same_iterations(const NamedTrace& first, const NamedTrace& other) {
  if (first.trace.size() != other.trace.size())
    throw InputError({other.source},
                     "has " + counted(other.trace.size(), "iteration") + ", " + first.source + " has " +
                         std::to_string(first.trace.size()),
                     "all traces of an evaluation must be of the same run");
  for (std::size_t i = 0; i < first.trace.size(); ++i)
    if (first.trace.signature(i) != other.trace.signature(i))
      throw InputError({other.source},
                       "iteration " + std::to_string(first.trace.iteration_number(i)) +
                           " has another signature than in " + first.source,
                       "all traces of an evaluation must be of the same run, in the same order");
}

std::string measured_columns(const trace::Trace& trace) {
  std::string known;
  for (const trace::Statistic& statistic : trace.statistics)
    known += (known.empty() ? "it has: " : ", ") + statistic.name;
  return known.empty() ? "it has lengths only" : known;
}

Table table_of(std::span<const NamedTrace> traces, const std::string& statistic) {
  Table table(static_cast<Eigen::Index>(traces.front().trace.size()), static_cast<Eigen::Index>(traces.size()));
  for (std::size_t c = 0; c < traces.size(); ++c) {
    require_same_iterations(traces.front(), traces[c]);
    const trace::Statistic* const column = traces[c].trace.find_statistic(statistic);
    if (column == nullptr)
      throw UsageError("--stat: " + traces[c].source + " has no measured column '" + statistic + "'",
                       measured_columns(traces[c].trace));
    for (std::size_t i = 0; i < column->values.size(); ++i) {
      if (!std::isfinite(column->values[i]))
        throw InputError({traces[c].source, 0, statistic},
                         "iteration " + std::to_string(traces[c].trace.iteration_number(i)) + " was not measured",
                         "an evaluation needs every iteration");
      table(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)) = column->values[i];
    }
  }
  for (Eigen::Index c = 0; c < table.cols(); ++c)
    if (!(table.col(c).sum() > 0))
      throw InputError({traces[static_cast<std::size_t>(c)].source, 0, statistic}, "adds up to zero or less",
                       "errors are shares of that total");
  return table;
}

/// Draws measurements of one point: how often it is measured, and the rows of the trace where it can be.
struct DrawablePoint {
  std::uint64_t repeats = 1;
  std::vector<Eigen::Index> rows;
};

std::vector<DrawablePoint> drawable_points(const select::Selection& selection, const select::Method& method,
                                           const trace::Trace& trace, const EvaluateParams& params) {
  std::vector<std::uint64_t> repeats(selection.points.size(), params.repeats);
  if (params.allocate_repeats) repeats = select::allocate_repeats(selection, params.repeats * repeats.size());
  std::vector<DrawablePoint> samplers;
  for (const select::Point& point : selection.points) {
    DrawablePoint sampler{repeats[samplers.size()], {}};
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const bool here = method.picks_iterations
                            ? trace.iteration_number(i) == point.iterations.front()
                            : point.key.matches(trace.signature(i)) &&
                                  trace::phase_of(selection.run, trace.iteration_number(i)) == point.phase;
      if (here) sampler.rows.push_back(static_cast<Eigen::Index>(i));
    }
    samplers.push_back(std::move(sampler));
  }
  return samplers;
}

/// One draw: what every configuration measures at the points, all on the same iterations. A row that is drawn again has
/// the same value: it averages nothing out, neither of the iteration nor of the measurement.
std::vector<project::MeasuredPoints> draw_measurements(const std::vector<DrawablePoint>& samplers, const Table& table,
                                                       rng::NumpyRandom& random) {
  project::MeasuredPoints one;
  std::vector<project::MeasuredPoints> all(static_cast<std::size_t>(table.cols()));
  for (std::size_t p = 0; p < samplers.size(); ++p) {
    std::map<Eigen::Index, double> times;
    for (std::uint64_t r = 0; r < samplers[p].repeats; ++r)
      ++times[samplers[p].rows[random.interval(samplers[p].rows.size() - 1)]];
    double squares = 0;
    Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(table.cols()), mean_of_rows = mean;
    for (const auto& [row, often] : times) {
      const double share = often / static_cast<double>(samplers[p].repeats);
      squares += share * share;
      mean += share * table.row(row).matrix();
      mean_of_rows += table.row(row).matrix() / static_cast<double>(times.size());
    }
    one.counts.points.push_back(p);
    one.counts.iterations.push_back(1 / squares);
    one.counts.measurements.push_back(1 / squares);
    for (std::size_t c = 0; c < all.size(); ++c) {
      const auto column = static_cast<Eigen::Index>(c);
      all[c].values.push_back(mean[column]);
      auto& deviations = all[c].deviations.emplace_back();
      if (times.size() < 2 || mean_of_rows[column] == 0) continue;
      for (const auto& [row, often] : times)
        deviations.emplace_back(row, table(row, column) / mean_of_rows[column] - 1);
    }
  }
  for (project::MeasuredPoints& points : all) points.counts = one.counts;
  return all;
}

rng::NumpyRandom draw_random(std::uint64_t seed) {
  const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)};
  return rng::NumpyRandom(std::span<const std::uint32_t>(key));
}

/// How intervals did, draw by draw.
struct IntervalRecord {
  std::uint64_t stated = 0, covered = 0;
  double width = 0;

  void add(const project::IntervalOrReason& interval, double truth) {
    if (!interval.interval) return;
    ++stated;
    covered += interval.interval->low <= truth && truth <= interval.interval->high ? 1 : 0;
    width += (interval.interval->high - interval.interval->low) / truth;
  }
};

/// Draws x configurations of signed errors, as shares of the truth; the intervals by configuration.
struct Draws {
  Table total, speedup;
  std::vector<IntervalRecord> total_intervals, speedup_intervals;  ///< the first configuration has no speedup
};

double mean_of(const Eigen::ArrayXd& errors) { return errors.mean(); }

ErrorSummary summary_of(const Eigen::ArrayXd& errors, const IntervalRecord& intervals) {
  ErrorSummary summary{mean_of(errors), std::sqrt(mean_of(errors.square()))};
  if (intervals.stated == 0) return summary;
  summary.coverage = static_cast<double>(intervals.covered) / static_cast<double>(intervals.stated);
  summary.width = intervals.width / static_cast<double>(intervals.stated);
  return summary;
}

double geomean(const std::vector<double>& values) {
  double logs = 0;
  for (const double value : values) {
    if (value == 0) return 0;
    logs += std::log(value);
  }
  return std::exp(logs / static_cast<double>(values.size()));
}

/// What to choose with: one row of the result.
struct GridEntry {
  const select::Method* method;
  select::SelectParams params;
  std::string selected_on;
  const trace::Trace* visible_trace;
};

class Evaluator {
 public:
  Evaluator(std::span<const NamedTrace> traces, const EvaluateParams& params)
      : traces_(traces), params_(params), table_(table_of(traces, params.statistic)), truth_(table_.colwise().sum()) {}

  /// Calls `drawn` after every draw.
  MethodScore score(const GridEntry& contest, std::vector<std::string>& notes,
                    const std::function<void()>& drawn) const {
    select::Selection selection = seqpoint::select::select(*contest.visible_trace, contest.params, contest.selected_on);
    for (const std::string& note : selection.notes)
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    MethodScore score;
    score.name = contest.method->name;
    score.parameters = selection.method.parameters;
    score.selected_on = contest.selected_on;
    score.points_asked = contest.params.points;
    score.points = selection.points.size();
    score.effective_sample_size = select::effective_sample_size(selection);
    score.reduction = reduction(selection, contest);
    add_errors(score, draw(contest, selection, drawn));
    return score;
  }

 private:
  Draws draw(const GridEntry& contest, select::Selection selection, const std::function<void()>& drawn) const {
    rng::NumpyRandom random = draw_random(params_.draw_seed);
    const auto configurations = static_cast<std::size_t>(table_.cols());
    Draws draws{Table(static_cast<Eigen::Index>(params_.draws), table_.cols()),
                {},
                std::vector<IntervalRecord>(configurations),
                std::vector<IntervalRecord>(configurations)};
    std::vector<DrawablePoint> samplers = drawable_points(selection, *contest.method, *contest.visible_trace, params_);
    auto estimator = std::make_unique<project::RunEstimator>(selection, nullptr, params_.confidence, params_.model);
    std::optional<std::pair<project::MeasurementCounts, project::RunEstimator::Fit>> fit;  // of the draw before
    for (std::uint64_t d = 0; d < params_.draws; ++d) {
      if (contest.method->is_random && d > 0) {
        select::SelectParams again = contest.params;
        again.seed += d;
        selection = seqpoint::select::select(*contest.visible_trace, again);
        samplers = drawable_points(selection, *contest.method, *contest.visible_trace, params_);
        estimator = std::make_unique<project::RunEstimator>(selection, nullptr, params_.confidence, params_.model);
        fit.reset();
      }
      const std::vector<project::MeasuredPoints> points = draw_measurements(samplers, table_, random);
      if (!fit || fit->first != points.front().counts)
        fit.emplace(points.front().counts, estimator->fit(points.front().counts));
      for (std::size_t c = 0; c < configurations; ++c)
        draws.total(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(c)) =
            estimator->total(fit->second, points[c]) / truth_[static_cast<Eigen::Index>(c)];
      record_intervals(draws, points, *estimator, fit->second);
      drawn();
    }
    // Speedup over the first configuration, projected over true: (P0 / Pc) / (T0 / Tc).
    draws.speedup = draws.total.col(0).replicate(1, table_.cols()) / draws.total - 1.0;
    draws.total -= 1.0;
    return draws;
  }

  void record_intervals(Draws& draws, const std::vector<project::MeasuredPoints>& points,
                        const project::RunEstimator& estimator, const project::RunEstimator::Fit& fit) const {
    for (std::size_t c = 0; c < points.size(); ++c) {
      const double truth = truth_[static_cast<Eigen::Index>(c)];
      draws.total_intervals[c].add(estimator.interval(fit, points[c]), truth);
      if (c > 0)
        draws.speedup_intervals[c].add(estimator.ratio_interval(fit, points.front(), points[c]), truth_[0] / truth);
    }
  }

  void add_errors(MethodScore& score, const Draws& draws) const {
    std::vector<double> totals, speedups;
    for (Eigen::Index c = 0; c < table_.cols(); ++c) {
      ConfigurationScore configuration{
          traces_[static_cast<std::size_t>(c)].name,
          summary_of(draws.total.col(c), draws.total_intervals[static_cast<std::size_t>(c)]),
          {}};
      totals.push_back(configuration.total.rms);
      if (c > 0)
        configuration.speedup = summary_of(draws.speedup.col(c), draws.speedup_intervals[static_cast<std::size_t>(c)]);
      if (c > 0) speedups.push_back(configuration.speedup->rms);
      score.configurations.push_back(std::move(configuration));
    }
    score.geomean_error = geomean(totals);
    if (!speedups.empty()) score.speedup_geomean_error = geomean(speedups);
  }

  /// By the mean cost of each point's occurrences, on the configuration that the method saw, else the first.
  Reduction reduction(const select::Selection& selection, const GridEntry& contest) const {
    Eigen::Index c = 0;
    for (std::size_t i = 0; i < traces_.size(); ++i)
      if (traces_[i].name == contest.selected_on) c = static_cast<Eigen::Index>(i);
    double serial = 0, longest = 0;
    for (const DrawablePoint& sampler : drawable_points(selection, *contest.method, *contest.visible_trace, params_)) {
      double sum = 0;
      for (const Eigen::Index row : sampler.rows) sum += table_(row, c);
      const double cost = sum / static_cast<double>(sampler.rows.size()) * static_cast<double>(sampler.repeats);
      serial += cost;
      longest = std::max(longest, cost);
    }
    const auto profiled = static_cast<double>(selection.points.size() * params_.repeats);
    return {truth_[c] / serial, truth_[c] / longest, static_cast<double>(table_.rows()) / profiled};
  }

  std::span<const NamedTrace> traces_;
  const EvaluateParams& params_;
  Table table_;
  Eigen::ArrayXd truth_;
};

const NamedTrace& trace_seen_by_methods(std::span<const NamedTrace> traces, const std::string& name) {
  if (name.empty()) return traces.front();
  for (const NamedTrace& trace : traces)
    if (trace.name == name) return trace;
  std::string known;
  for (const NamedTrace& trace : traces) known += (known.empty() ? "one of: " : ", ") + trace.name;
  throw UsageError("--select-on: there is no trace named '" + name + "'", known);
}

std::vector<GridEntry> evaluation_grid(std::span<const NamedTrace> traces, const EvaluateParams& params) {
  const NamedTrace& seen = trace_seen_by_methods(traces, params.select_on);
  std::vector<GridEntry> contests;
  for (const select::Method* const method : methods_to_score(params))
    for (const auto& points : numbers_of_points_to_score(*method, params)) {
      select::SelectParams select{std::string(method->name), points, {}, "", 0, {}};
      select.phases = params.phases;
      select.model = params.model;
      select.search_seed = params.search_seed;
      if (method->takes_max_error && !points) select.max_error = params.max_error;
      // The worst length is worst by what was measured: without that it is a choice nobody makes.
      const bool needs_statistic = method->takes_statistic && method->points == select::Method::Points::none;
      if (!needs_statistic) contests.push_back({method, select, "", &seen.trace});
      if (!method->takes_statistic || params.lengths_only) continue;
      select.statistic = params.statistic;
      contests.push_back({method, select, seen.name, &seen.trace});
    }
  return contests;
}

}  // namespace

std::vector<const select::Method*> methods_to_score(const EvaluateParams& params) {
  std::vector<const select::Method*> chosen;
  for (const std::string& name : params.methods) chosen.push_back(&select::find_method(name));
  if (params.methods.empty())
    for (const select::Method& method : select::all_methods()) chosen.push_back(&method);
  return chosen;
}

std::vector<std::optional<std::uint64_t>> numbers_of_points_to_score(const select::Method& method,
                                                                     const EvaluateParams& params) {
  if (method.points == select::Method::Points::none) return {std::nullopt};
  std::vector<std::optional<std::uint64_t>> sizes;
  for (const auto& points : params.numbers_of_points)
    if (points || method.points == select::Method::Points::optional) sizes.push_back(points);
  return sizes;
}

Evaluation evaluate(std::span<const NamedTrace> traces, const EvaluateParams& params) {
  if (params.draws == 0) throw UsageError("--draws must be 1 or more");
  if (params.repeats == 0) throw UsageError("--repeats must be 1 or more");
  if (params.lengths_only && !params.select_on.empty())
    throw UsageError("--lengths-only and --select-on exclude each other", "one hides what the other shows");
  Evaluation evaluation{
      params.statistic, params.draws, params.repeats, traces.front().name, traces.front().trace.size(), {}, {}};
  const std::vector<GridEntry> contests = evaluation_grid(traces, params);
  if (contests.empty())
    throw UsageError("no method is left to score: none of them has a rule of its own for the number of points",
                     "--points K");
  const Evaluator evaluator(traces, params);
  std::uint64_t done = 0;
  const auto drawn = [&] {
    ++done;
    if (params.progress) params.progress(done, contests.size() * params.draws);
  };
  for (const GridEntry& contest : contests)
    evaluation.methods.push_back(evaluator.score(contest, evaluation.notes, drawn));
  return evaluation;
}

}  // namespace seqpoint::evaluate
